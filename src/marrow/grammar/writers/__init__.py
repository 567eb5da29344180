"""Writers of grammars: one module a notation."""
