"""What a run writes: results, journals, reports, and what it keeps of older files."""
