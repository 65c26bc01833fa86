"""Solving without PyTorch: an exported model, the solver that asks it, and what it answers."""

import os

# How the encoder multiplies by default: in 16 bits, where the processor can; docs/solving.md says why not in 8.
PRECISION = "auto"

# Problems that are solved together: of more, a processor's cache cannot hold what is computed, and more is padding.
BATCH_SIZE = 8

# Equations that may be followed at a time: time and memory grow with them, but accuracy does not.
MAX_BEAM = 64

# Equations to follow in a second look at an unsure problem.
SECOND_LOOK = 4

# ONNX Runtime reports its use to its makers unless this is set before it is loaded.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
