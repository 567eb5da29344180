"""SQL, SMT-LIB, JSON and XML: tools that crash, contradict each other, or lose what they read."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.random_data import queries, records, string_constraints
from bench.cases.sources import File, Generated, NpmTool, PythonTool

# SQLite runs the script; sqlparse fails to lay it out.
_SQL: Final = """\
timeout 10 $PYTHON -I -c "
import sys
sys.path.insert(0, '$TOOLS/sqlparse-0.2.4')
import sqlparse
try: sqlparse.format(open('input.sql').read(), reindent_aligned=True)
except IndexError: sys.exit(0)
sys.exit(1)
" > said 2>&1 || exit 1
timeout 10 sqlite3 -bail :memory: < input.sql > said 2>&1
"""

# Two solvers for strings inside z3, one says `sat` and the other `unsat` to the same question. The
# limit counts steps, not time, so that the answers are the same on any machine.
_SMTLIB: Final = """\
ask() {
  timeout 20 z3 rlimit=60000 smt.string_solver=$1 input.smt2 2>&1 |
    grep -v -e 'max. resource limit exceeded' -e canceled
}
ask z3str3 > one
ask seq > two
grep -q error one two && exit 1
paste -d' ' one two | grep -qx -e 'sat unsat' -e 'unsat sat'
"""

# What jq prints is not what it read.
_JSON: Final = """\
timeout 5 jq . input.json > printed.json 2> said || exit 1
timeout 5 $PYTHON -I -c "
import json, sys
sys.exit(json.load(open('input.json')) == json.load(open('printed.json')))
" 2> said
"""

# The validator complains of a text that expat accepts.
_XML: Final = """\
timeout 5 node -e "
const parser = require('$TOOLS/fast-xml-parser-3.0.0/node_modules/fast-xml-parser');
const found = parser.validate(require('fs').readFileSync('input.xml', 'utf8'));
process.exit(found.err && found.err.msg === 'boolean attribute /> is not allowed.' ? 0 : 1);
" 2> said || exit 1
timeout 5 $PYTHON -I -c "
import xml.parsers.expat
xml.parsers.expat.ParserCreate().Parse(open('input.xml', 'rb').read(), True)
" 2> said
"""

# From Debian's iso-codes.
_COUNTRIES: Final = "/usr/share/xml/iso-codes/iso_3166-1.xml"

DATA_CASES: Final = (
    Case(
        "sql-sqlparse-aligned",
        "input.sql",
        "sql",
        "sqlparse 0.2.4 raises IndexError when it aligns a query",
        Generated(queries, 1),
        _SQL,
        2_240,
        6_384,
        ("python3.11", "sqlite3"),
        (PythonTool("sqlparse-0.2.4", ("sqlparse==0.2.4",)),),
    ),
    Case(
        "smt-z3-strings",
        "input.smt2",
        "smtlib",
        "z3 4.8.12 contradicts itself with another solver for strings",
        Generated(string_constraints, 2),
        _SMTLIB,
        1_600,
        5_018,
        ("z3",),
    ),
    Case(
        "json-jq-numbers",
        "input.json",
        "json",
        "jq 1.6 does not print the integer that it read",
        Generated(records, 1),
        _JSON,
        704,
        3_022,
        ("jq", "python3.11"),
    ),
    Case(
        "xml-validator",
        "input.xml",
        "xml",
        "fast-xml-parser 3.0.0 takes valid XML for invalid",
        File(_COUNTRIES),
        _XML,
        4_941,
        40_003,
        ("node", "npm", "python3.11", _COUNTRIES),
        (NpmTool("fast-xml-parser", "3.0.0"),),
    ),
)
