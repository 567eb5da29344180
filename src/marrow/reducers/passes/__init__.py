"""Passes: reducers for what deletion and hoisting leave; `pipeline.pass_table` names them."""
