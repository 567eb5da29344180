"""A run: the plan of what the user wants done, and the doing of it."""
