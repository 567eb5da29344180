"""Type batching: type-batched probabilistic joint reduction, by the names of its paper."""
