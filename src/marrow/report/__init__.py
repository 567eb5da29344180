"""Progress and reports of a run."""
