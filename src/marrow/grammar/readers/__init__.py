"""Readers of grammar files: ANTLR v4 (`g4*`), BNF (`bnf_*`), Lark (`lark*`), fuzzing JSON."""
