"""Grammars: model, readers, Perses Normal Form, parser, random generation.

What one calls is in the modules of this package: `model` (what a grammar is), `read` and `write`
(notations), `check` (what is wrong in it), `analysis` (nullable, reachable, shortest, subsumption),
`normalize` and `normal_form` (Perses Normal Form), `compile` (a parser), `generate` (random trees).
How they do it is in the packages `readers`, `writers`, `normal`, `parser` and `generation`.
"""
