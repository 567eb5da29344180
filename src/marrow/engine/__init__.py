"""The engine: from attempts to verdicts."""
