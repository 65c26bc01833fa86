"""Solving without PyTorch: an exported model, the solver that asks it, and what it answers."""

import os

# ONNX Runtime reports its use to its makers unless it is told not to before it is loaded. Who solves a problem here
# tells nobody.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
