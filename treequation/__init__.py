"""Treequation turns a word problem into an expression tree and computes the answer exactly."""

__version__ = "0.1.0"
