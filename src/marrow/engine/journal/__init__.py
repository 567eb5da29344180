"""The journal: every verdict and accepted step of a run, on disk."""
