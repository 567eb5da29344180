"""Streams of attempts: their algebra, sweeps, detours, and the edits that reducers share."""
