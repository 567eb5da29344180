"""Training removal models: the task, what it needs to run within bounds, and the regression."""
