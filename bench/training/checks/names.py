"""Check a Python file: it compiles, and every name it uses is bound somewhere.

A parser alone lets nearly everything go. Names that are not bound are what breaks a program first.
"""

from __future__ import annotations

import builtins
import symtable
import sys


def unbound(source: str) -> set[str]:
    """Return the names that are used as globals and bound nowhere in the module."""
    known = {*dir(builtins), "__file__", "__path__", "__builtins__"}
    used: set[str] = set()
    pending = [symtable.symtable(source, "candidate", "exec")]
    while pending:
        table = pending.pop()
        pending.extend(table.get_children())
        for symbol in table.get_symbols():
            module_level = table.get_type() == "module"
            bound = symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()
            if bound and (module_level or symbol.is_declared_global()):
                known.add(symbol.get_name())
            if symbol.is_referenced() and (module_level or symbol.is_global()):
                used.add(symbol.get_name())
    return used - known


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    compile(text, "candidate", "exec", dont_inherit=True)
    if missing := unbound(text):
        sys.exit(f"not bound: {' '.join(sorted(missing))}")
