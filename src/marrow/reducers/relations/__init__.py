"""Reduction of inputs in which a number says how many things follow, or which one is meant."""
