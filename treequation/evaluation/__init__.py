"""Evaluation: what a model's equations are worth, problem by problem and in sum."""
