"""The cases of `bench.counts`: inputs of this repository with tests that look for some text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SAMPLES: Final = "tests/syntax/samples"

#: A grammar for `--grammar` that is no file of this repository: it cannot change with one.
NOTES_GRAMMAR: Final = """\
grammar notes;
notes : entry* EOF ;
entry : DAY ':' (item (',' item)*)? ';' ;
item : WORD+ ('(' item (',' item)* ')')? ;
DAY : 'mon' | 'tue' | 'wed' | 'thu' | 'fri' ;
WORD : [a-z]+ ;
SPACE : [ \\n]+ -> skip ;
"""
NOTES: Final = """\
mon: buy milk, call (ann, bob (again, later)), write report;
tue: meet carol (lunch, plan (budget, travel (train, hotel))), read;
wed: ;
thu: send report (carol, dan), buy tickets (train), rest;
fri: clean, cook (soup, rice (fried, plain)), sleep;
"""
LOG: Final = "".join(
    f"{number:03} {'ERROR lost block' if number % 37 == 5 else 'read block'} {number * 7 % 101}\n"
    for number in range(160)
)


@dataclass(frozen=True, slots=True)
class Small:
    """One run: files by name (a text, or where it stands), a shell command, further options."""

    name: str
    files: Mapping[str, str]
    test: str
    options: tuple[str, ...] = ()
    command: str = "reduce"


def _file(directory: str, name: str, as_name: str | None = None) -> dict[str, str]:
    return {as_name or name: f"@{directory}/{name}"}


def _all(*texts: str) -> str:
    """Return a test that wants every one of these regular expressions on some line."""
    return " && ".join(f"grep -qe '{text}' \"$1\"" for text in texts)


_C_TEST: Final = _all("% ", "return 0", "while\\|for", "->")
_JS_TEST: Final = _all("class ", "=>", "`", "try")
_PYTHON_TEST: Final = _all("^class ", "yield\\|lambda", "except")
_RUST_TEST: Final = _all("match ", "loop", "enum", "where")
_GO_TEST: Final = _all("chan", "range", "defer", "struct")
_JAVA_TEST: Final = _all("for (", "class", "switch", "throw")

_MANY_TEST: Final = """\
[ $(grep -o 'return [a-z]' "$1" | wc -l) -ge 4 ] && [ $(grep -o '>[a-z]' "$1" | wc -l) -ge 3 ]"""
_DEFINITIONS_TEST: Final = '[ $(grep -c \' def .*self.*:$\' "$1") -ge 3 ] && grep -q lambda "$1"'

#: All cases. Tests are cheap and look at text alone, so that the counts are the same everywhere.
CASES: Final = (
    Small("c-default", _file("bench/inputs", "ledger.c"), _C_TEST),
    Small("c-matrix", _file("bench/inputs", "matrix.c"), _all("\\[.*\\]\\[", "for", "seed >> ")),
    Small("c-many", _file("bench/inputs", "ledger.c"), _MANY_TEST),
    Small("c-cdd", _file("bench/inputs", "ledger.c"), _MANY_TEST, ("--list-minimizer", "cdd")),
    Small("c-perses", _file("bench/inputs", "ledger.c"), _C_TEST, ("--algorithm", "perses*")),
    Small("c-hddr", _file("bench/inputs", "ledger.c"), _C_TEST, ("--algorithm", "hddr*")),
    Small("c-batched", _file("bench/inputs", "ledger.c"), _C_TEST, ("--algorithm", "batched")),
    Small(
        "c-invariant",
        _file("bench/inputs", "matrix.c"),
        _C_TEST.replace("->", "=="),
        ("--algorithm", "batched-invariant", "--no-online"),
    ),
    Small("c-pardis", _file(SAMPLES, "ring.c"), _all("switch", "do "), ("--algorithm", "pardis*")),
    Small("c-lines", _file("bench/inputs", "ledger.c"), _C_TEST, ("--algorithm", "ddmin*")),
    Small("js-default", _file(SAMPLES, "cart.js"), _JS_TEST),
    Small(
        "js-quick",
        _file("bench/inputs", "replace-before.js"),
        _all("function", "replace", "\\["),
        ("--effort", "quick"),
    ),
    Small(
        "js-hoist",
        _file(SAMPLES, "cart.js"),
        _JS_TEST,
        ("--algorithm", "hoistr*+hddhr*", "--preset", "published", "--grammar", "javascript"),
    ),
    Small(
        "js-grammar",
        _file("bench/inputs", "holes.js"),
        _all("for", "in"),
        ("--grammar", "javascript"),
    ),
    Small("python-default", _file(SAMPLES, "walk.pyw", "walk.py"), _PYTHON_TEST),
    Small(
        "python-keep",
        _file("examples/demo", "shop.py"),
        _PYTHON_TEST,
        ("--keep-names", "--keep-layout"),
    ),
    Small("python-many", _file("examples/demo", "shop.py"), _DEFINITIONS_TEST),
    Small(
        "python-wdd",
        _file("examples/demo", "shop.py"),
        _DEFINITIONS_TEST,
        ("--algorithm", "perses*", "--list-minimizer", "wdd"),
    ),
    Small("java-default", _file(SAMPLES, "Bank.java"), _JAVA_TEST),
    Small(
        "java-joint",
        _file(SAMPLES, "Bank.java"),
        _JAVA_TEST,
        ("--algorithm", "joint", "--clean-up", "pardis"),
    ),
    Small("go-default", _file(SAMPLES, "queue.go"), _GO_TEST),
    Small(
        "go-grammar",
        _file(SAMPLES, "queue.go"),
        _all("select", "range"),
        ("--grammar", "go", "--algorithm", "hdd*"),
    ),
    Small("rust-default", _file(SAMPLES, "parse.rs"), _RUST_TEST),
    Small("rust-coarse", _file(SAMPLES, "parse.rs"), _RUST_TEST, ("--algorithm", "coarse-hddr*")),
    Small("json-default", _file(SAMPLES, "config.json"), _all("null", "3e1", "\\[\\[")),
    Small("json-max", _file(SAMPLES, "config.json"), _all("null", "empty"), ("--effort", "max")),
    Small("sql-default", _file(SAMPLES, "query.sql"), _all("LEFT JOIN", "BETWEEN")),
    Small(
        "sql-grammar", _file(SAMPLES, "query.sql"), _all("LIKE", "HAVING"), ("--grammar", "sqlite")
    ),
    Small("smt-default", _file(SAMPLES, "solve.smt2"), _all("assert", "named", "quoted")),
    Small(
        "smt-probdd",
        _file(SAMPLES, "solve.smt2"),
        _all("assert", "let"),
        ("--list-minimizer", "probdd", "--algorithm", "perses*"),
    ),
    Small("xml-default", _file(SAMPLES, "feed.xml"), _all("<[a-z]*><", "=")),
    Small(
        "notes-grammar",
        {"notes.txt": NOTES},
        _all("(.*(.*(", "report", "rest"),
        ("--grammar", "notes.g4"),
    ),
    Small(
        "log-lines",
        {"run.log": LOG},
        '[ $(grep -c ERROR "$1") -ge 3 ] && grep -q \'^1.. read\' "$1"',
    ),
    Small("tests-limit", _file("examples/demo", "shop.py"), _PYTHON_TEST, ("--max-tests", "60")),
    Small(
        "random-types",
        _file(SAMPLES, "ring.c"),
        _all("switch", "for"),
        ("--algorithm", "batched-random", "--seed", "7"),
    ),
    Small(
        "files",
        {
            "main.c": f"@{SAMPLES}/ring.c",
            "app.js": f"@{SAMPLES}/cart.js",
            "conf/a.json": f"@{SAMPLES}/config.json",
        },
        'grep -q "for" "$1/main.c" && grep -q "class" "$1/app.js" && grep -q null "$1/conf/a.json"',
    ),
    Small(
        "abstract-json",
        _file("examples/abstract", "keys.json"),
        "@examples/abstract/keys.py",
        ("--seed", "3"),
        "abstract",
    ),
    Small(
        "abstract-calc",
        _file("examples/abstract", "calc.txt"),
        "@examples/abstract/calc.sh",
        ("--grammar", "calculator"),
        "abstract",
    ),
)

#: Cases of `bench.cases` for `--heavy`: those whose tools pip and npm bring, and that end in at
#: most two minutes.
HEAVY: Final = (
    "js-astring",
    "js-beautify-marked",
    "py-parso-prefix",
    "py-lib2to3-print",
    "py-autopep8-invalid",
    "py-astunparse-match",
    "sql-sqlparse-aligned",
    "json-jq-numbers",
    "xml-validator",
)
