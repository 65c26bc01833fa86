"""The algebra: expressions, graphs of them, their values, notations, layers and equality.

Everything is exact and bounded: values are fractions, and no equation, however long or odd, makes a function
here hang or raise an undocumented error.
"""
