"""Removal models: how likely nodes of a type are to go, as the input shrinks."""
