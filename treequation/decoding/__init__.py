"""Decoding: from what the queries say to an equation and its answer. NumPy only, for PyTorch and the light runtime."""
