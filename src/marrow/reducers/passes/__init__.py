"""Passes: reducers for what deletion and hoisting leave, one module each; `table` names them."""
