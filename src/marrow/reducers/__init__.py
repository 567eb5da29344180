"""Reducers: algorithms and passes as streams of attempts, one module each."""
