"""Solving without PyTorch: an exported model, the solver that asks it, and what it answers."""

import os

# How the encoder multiplies unless told; why not in 8 bits stands in docs/solving.md.
PRECISION = "float"

# Equations that may be followed at a time: time and memory grow with them, accuracy has long ceased to.
MOST_BEAM = 64

# Equations that are followed at a time where one alone leaves the answer unsure, unless a beam is asked for.
SECOND_LOOK = 4

# ONNX Runtime reports its use to its makers unless it is told not to before it is loaded. Who solves a problem here
# tells nobody.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
