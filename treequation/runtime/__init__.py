"""Solving without PyTorch: an exported model, the solver that asks it, and what it answers."""
