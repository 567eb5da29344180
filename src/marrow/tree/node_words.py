"""Names of node types in plain words, for progress, reports and explanations.

Grammars name their rules for those who write grammars: `_r_blk_map_itm`, `preproc_def`, `exprList`.
People read "block mapping item", "preprocessor definition", "expression".
"""

from __future__ import annotations

import re
from typing import Final

# Types whose name says little to somebody who does not know the grammar.
_PHRASES: Final = {
    "block_mapping": "mapping",
    "block_mapping_pair": "key and value",
    "block_node": "value",
    "block_scalar": "block of text",
    "block_sequence": "sequence",
    "block_sequence_item": "item of a sequence",
    "boolean_scalar": "boolean",
    "compilation_unit": "file",
    "compound_statement": "block",
    "double_quote_scalar": "string",
    "float_scalar": "number",
    "flow_mapping": "mapping",
    "flow_node": "value",
    "flow_pair": "key and value",
    "flow_sequence": "sequence",
    "integer_scalar": "number",
    "lexical_declaration": "declaration",
    "null_scalar": "null",
    "plain_scalar": "value",
    "single_quote_scalar": "string",
    "source_file": "file",
    "string_scalar": "string",
    "timestamp_scalar": "date",
    "translation_unit": "file",
}

# Abbreviations in names of rules. An empty text is left out.
_ABBREVIATIONS: Final = {
    "addr": "address",
    "annot": "annotation",
    "anon": "anonymous",
    "arg": "argument",
    "args": "arguments",
    "attr": "attribute",
    "attrs": "attributes",
    "bgn": "start",
    "bin": "binary",
    "blk": "block",
    "bool": "boolean",
    "char": "character",
    "cmd": "command",
    "cmp": "comparison",
    "comp": "comparison",
    "cond": "condition",
    "ctn": "content",
    "ctor": "constructor",
    "decl": "declaration",
    "def": "definition",
    "defn": "definition",
    "deref": "dereference",
    "dict": "dictionary",
    "dir": "directory",
    "doc": "document",
    "elem": "element",
    "exp": "expression",
    "expr": "expression",
    "exprs": "expressions",
    "flw": "flow",
    "fn": "function",
    "fun": "function",
    "func": "function",
    "ident": "identifier",
    "impl": "implementation",
    "imp": "",
    "init": "initializer",
    "inst": "instruction",
    "instr": "instruction",
    "int": "integer",
    "itm": "item",
    "kwd": "keyword",
    "lhs": "left side",
    "lit": "literal",
    "map": "mapping",
    "mod": "module",
    "num": "number",
    "op": "operator",
    "opt": "optional",
    "par": "parameter",
    "param": "parameter",
    "params": "parameters",
    "paren": "parenthesis",
    "preproc": "preprocessor",
    "proc": "procedure",
    "prop": "property",
    "prp": "property",
    "ptr": "pointer",
    "ref": "reference",
    "reg": "register",
    "rel": "relation",
    "ret": "return",
    "rhs": "right side",
    "seq": "sequence",
    "spec": "specification",
    "stmt": "statement",
    "stmts": "statements",
    "str": "string",
    "sym": "symbol",
    "tal": "value",
    "tok": "token",
    "val": "value",
    "var": "variable",
    "vars": "variables",
}

# Hidden rules have such short words for the state of the parser: `_br_blk_seq`.
_SHORTEST: Final = 3

_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


def node_words(type_name: str) -> str:
    """Return the name of a node type in plain words; signs are quoted.

    A name may begin with the types around it: `if_statement/block`.
    """
    name = type_name.rpartition("/")[2].strip("'<>") or type_name
    if not re.search(r"[^\W\d_]", name):
        return f"'{name}'"
    hidden = name.startswith("_")
    name = name.strip("_").removesuffix("_list")
    if name in _PHRASES:
        return _PHRASES[name]
    words = [word.lower() for word in re.split(r"[\s_.-]+", _CAMEL.sub("_", name)) if word]
    if len(words) > 1 and words[-1] == "list":
        words.pop()
    if hidden and len(words) > 1:
        words = [word for word in words if len(word) >= _SHORTEST] or words
    return " ".join(filter(None, (_ABBREVIATIONS.get(word, word) for word in words))) or "part"
