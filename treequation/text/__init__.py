"""A problem's text and the numbers in it."""
