"""Passes: reducers for what deletion and hoisting leave; `strategies.pass_table` names them."""
