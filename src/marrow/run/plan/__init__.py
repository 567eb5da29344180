"""The plan of a run: its input, test, view and strategy, chosen from options."""
