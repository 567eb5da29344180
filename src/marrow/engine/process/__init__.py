"""Processes: one test of one candidate, started, watched and cleaned up after."""
