"""The peers: other ways to write an equation, on the same encoder, data, training loop and scorer as ours."""

from treequation.baselines.decoders import DECODERS, load_model

__all__ = ["DECODERS", "load_model"]
