"""Experiments: code that trains or loads several runs, compares models, or measures speed."""
