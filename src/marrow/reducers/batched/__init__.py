"""Type-batched probabilistic joint reduction."""
