"""Executors: where tests run."""
