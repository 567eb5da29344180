"""What every package may use: errors, the clock, deadlines, bounded reads of files."""
