"""Slicing: the graph of declarations, slices and cuts of it, for inputs of many headers."""
