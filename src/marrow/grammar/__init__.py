"""Grammars: from a file in some notation to a `Language` that parses, checks and generates.

From the bottom up: `model` (rules, expressions, analyses), `readers` (one per notation), `parser`
(lexer, tables, trees), `normal` (Perses Normal Form), `generation` (random trees). On top are
`check`, `writer` (BNF), `notations`, the table by which grammars are read, and `language`, which
holds everything made from one grammar. Each imports only what is below it.
"""
