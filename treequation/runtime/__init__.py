"""Solving without PyTorch: an exported model, the solver that runs it, and its solutions."""

import os

# The encoder's default precision: int16 if the processor can, else float.
PRECISION = "auto"

# The default batch size: larger batches overflow the processor's cache and need more padding.
BATCH_SIZE = 8

# The largest beam: beyond it, time and memory grow but accuracy does not.
MAX_BEAM = 64

# The beam of the second search for an unsure problem.
SECOND_LOOK = 4

# ONNX Runtime sends telemetry unless this is set before it is loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
