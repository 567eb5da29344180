"""Sixty inputs with counts, indices and lengths, and what marrow makes of them."""
