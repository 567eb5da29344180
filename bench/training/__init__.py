"""The models that ship: how their corpora are assembled, and what code has to pass."""
