"""The test of a run: inferred from a failing command, checked on the input and on the result."""
