"""JavaScript: engines that compute something else, and tools that break real or random programs."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.random_javascript import random_javascript
from bench.cases.sources import Generated, NpmFile, NpmTool

_FILE: Final = "input.js"


def _wrong(engine: str, other: str) -> str:
    """Return a test: an engine prints something else than another one, which agrees with node.

    Node, the slowest to start, is asked last. mujs and Duktape know `print`, not `console`.
    """
    return f"""\
{{ echo 'var console = {{ log: print }};'; cat input.js; }} > run.js
timeout 5 {engine} run.js > bad.out 2>&1 || exit 1
timeout 5 {other} run.js > good.out 2>&1 || exit 1
cmp -s bad.out good.out && exit 1
timeout 5 node input.js > node.out 2>&1 || exit 1
cmp -s good.out node.out
"""


def _node(program: str) -> str:
    """Return a test: a program for node with the input as `text`, which throws if it is invalid."""
    start = (
        "const text = require('fs').readFileSync('input.js', 'utf8');\n"
        "new (require('vm').Script)(text);\n"
    )
    return f'timeout 10 node -e "\n{start}{program}" 2> said\n'


# Beautified text, beautified again, should not change.
_BEAUTIFY: Final = _node("""\
const beautify = require('$TOOLS/js-beautify-1.6.4/node_modules/js-beautify').js_beautify;
const once = beautify(text);
process.exit(once !== beautify(once) ? 0 : 1);
""")

# A program that was parsed and written should still be one.
_ASTRING: Final = _node("""\
const written = require('$TOOLS/astring-0.5.0/node_modules/astring')(
  require('$TOOLS/acorn-8.0.4/node_modules/acorn').parse(text, { ecmaVersion: 5 }));
try { new (require('vm').Script)(written); } catch (error) { process.exit(0); }
process.exit(1);
""")


def _engine(engine: str, seed: int, tokens: int, size: int) -> Case:
    versions = {"mujs": "mujs 1.3.2", "duk": "Duktape 2.7.0"}
    other = next(one for one in versions if one != engine)
    return Case(
        f"js-{engine}-{seed}",
        _FILE,
        "javascript",
        f"{versions[engine]} computes wrongly",
        Generated(random_javascript, seed),
        _wrong(engine, other),
        tokens,
        size,
        ("node", *versions),
    )


def _beautify(package: str, version: str, path: str, tokens: int, size: int) -> Case:
    return Case(
        f"js-beautify-{package}",
        _FILE,
        "javascript",
        f"js-beautify 1.6.4 is not idempotent on {package} {version}",
        NpmFile(package, version, path),
        _BEAUTIFY,
        tokens,
        size,
        ("node", "npm"),
        (NpmTool("js-beautify", "1.6.4"),),
    )


JAVASCRIPT_CASES: Final = (
    _engine("mujs", 33, 5_485, 11_633),
    _engine("mujs", 58, 10_820, 23_404),
    _engine("duk", 66, 4_252, 9_110),
    _engine("duk", 70, 5_165, 10_842),
    Case(
        "js-astring",
        _FILE,
        "javascript",
        "astring 0.5.0 writes what does not parse",
        Generated(random_javascript, 3),
        _ASTRING,
        10_084,
        22_426,
        ("node", "npm"),
        (NpmTool("astring", "0.5.0"), NpmTool("acorn", "8.0.4")),
    ),
    _beautify("marked", "0.3.19", "lib/marked.js", 7_204, 32_389),
    _beautify("bluebird", "3.5.1", "js/browser/bluebird.js", 33_492, 179_169),
)
