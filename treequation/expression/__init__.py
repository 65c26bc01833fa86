"""The algebra: expressions, graphs of them, their values, notations, layers and equality."""
