"""Strategies: one algorithm, or the pipeline of passes; the tables that name them."""
