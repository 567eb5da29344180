"""Compare the SQL grammar with SQLite, statement by statement, on the SQL in SQLite's own tests.

    python -m bench.grammars_data_sqlite [--examples N] DIRECTORY_OF_TEST_FILES

The tests (`test/*.test` in SQLite's source) are Tcl scripts; what stands in braces after the
commands that run SQL is cut into statements. SQLite's verdict is that of the library inside Python:
any error that is no syntax error (no such table, ...) means that the statement was understood.
"""

from __future__ import annotations

import argparse
import re
import sqlite3
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.grammars_data import GRAMMARS
from marrow.grammar.notations import read_file
from marrow.grammar.parser.parser import compile_grammar

#: The commands of SQLite's test scripts that take SQL in braces.
_COMMANDS: Final = re.compile(
    r"""(?: \b execsql | \b catchsql | \b db\d?\ eval
      | \b do_(?:execsql|catchsql|eqp)_test (?:\s+-db\s+\w+)? \s+ [\w.$()-]+ ) \s+ \{""",
    re.VERBOSE,
)

_SYNTAX_ERRORS: Final = re.compile(r"syntax error|incomplete input|unrecognized token")


def blocks(script: str) -> Iterator[str]:
    """Find the SQL in a Tcl script."""
    for found in _COMMANDS.finditer(script):
        depth, at = 1, found.end()
        while depth and at < len(script):
            if script[at] == "\\":
                at += 1
            else:
                depth += (script[at] == "{") - (script[at] == "}")
            at += 1
        yield script[found.end() : at - 1]


def statements(sql: str) -> Iterator[str]:
    """Cut SQL into statements; what holds no token but semicolons is none."""
    current = ""
    for part in re.split("(;)", sql):
        current += part
        if part == ";" and sqlite3.complete_statement(current):
            yield current
            current = ""
    yield current


def understood(connection: sqlite3.Connection, statement: str) -> bool:
    """Whether SQLite finds no syntax error; the statement is not run."""
    explained = re.match(r"(?:\s|--[^\n]*\n)*explain\b", statement, re.IGNORECASE)
    try:
        connection.execute(statement if explained else f"EXPLAIN {statement}").fetchall()
    except (sqlite3.Error, sqlite3.Warning) as error:
        return not _SYNTAX_ERRORS.search(str(error))
    return True


def main(arguments: list[str]) -> int:
    """Run the comparison; the exit status is 1 if there was nothing to compare."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("directory", type=Path)
    options.add_argument("--examples", type=int, default=10)
    chosen = options.parse_args(arguments)
    parser = compile_grammar(read_file(GRAMMARS / "sqlite.g4").grammar, None)
    connection = sqlite3.connect(":memory:", isolation_level=None)
    scripts = [path.read_text("latin-1") for path in sorted(chosen.directory.glob("*.test"))]
    found = (one for script in scripts for block in blocks(script) for one in statements(block))
    counts: Counter[tuple[bool, bool]] = Counter()
    for statement in dict.fromkeys(found):
        bare = re.sub(r"--[^\n]*|/\*.*?\*/|[\s;]", "", statement, flags=re.DOTALL)
        if not bare or "\0" in statement:
            continue
        verdicts = parser.matches(statement.encode()), understood(connection, statement)
        counts[verdicts] += 1
        if verdicts[0] != verdicts[1] and counts[verdicts] <= chosen.examples:
            taker = "grammar" if verdicts[0] else "SQLite"
            print(f"only {taker} takes: {' '.join(statement.split())[:120]}")
    print(
        f"SQLite {sqlite3.sqlite_version}: {counts.total()} statements; "
        f"{counts[True, True]} taken by both, {counts[False, False]} refused by both, "
        f"{counts[True, False]} taken only by the grammar, {counts[False, True]} only by SQLite"
    )
    return 0 if counts else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
