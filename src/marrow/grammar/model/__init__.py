"""The grammar model: rules, expressions, character sets, and what follows from them."""
