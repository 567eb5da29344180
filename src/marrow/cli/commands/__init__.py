"""The commands of `marrow`, one module for each."""
