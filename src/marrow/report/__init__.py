"""What a run shows: progress, summary."""
