"""Decoding: from the queries' predictions to an equation and its answer. NumPy only, so the light runtime uses it."""
