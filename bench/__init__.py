"""Measurements of marrow: what it costs, how it compares. Run one with `python -m bench.NAME`."""
