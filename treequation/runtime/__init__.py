"""Solving without PyTorch: an exported model, the solver that asks it, and what it answers."""

import os

# How the encoder multiplies unless told; why not in 8 bits stands in docs/solving.md.
PRECISION = "float"

# ONNX Runtime reports its use to its makers unless it is told not to before it is loaded. Who solves a problem here
# tells nobody.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
