"""JavaScript: engines that compute something else, and tools that break real or random programs."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.random_javascript import random_javascript
from bench.cases.sources import Generated, NpmFile, NpmTool

_FILE: Final = "input.js"

# mujs prints something else than Duktape, which prints what node prints: node, the slowest to
# start, is asked last. mujs and Duktape know `print`, not `console`.
_MUJS: Final = """\
{ echo 'var console = { log: print };'; cat input.js; } > run.js
timeout 5 mujs run.js > mujs.out 2>&1 || exit 1
timeout 5 duk run.js > duk.out 2>&1 || exit 1
cmp -s mujs.out duk.out && exit 1
timeout 5 node input.js > node.out 2>&1 || exit 1
cmp -s duk.out node.out
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


def _random(name: str, about: str, seed: int, script: str, tokens: int, size: int) -> Case:
    source = Generated(random_javascript, seed)
    engines = ("node", "mujs", "duk")
    if script is _MUJS:
        return Case(name, _FILE, "javascript", about, source, script, tokens, size, engines)
    tools = (NpmTool("astring", "0.5.0"), NpmTool("acorn", "8.0.4"))
    needs = ("node", "npm")
    return Case(name, _FILE, "javascript", about, source, script, tokens, size, needs, tools)


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
    _random("js-mujs-33", "mujs 1.3.2 computes wrongly", 33, _MUJS, 5_485, 11_633),
    _random("js-mujs-58", "mujs 1.3.2 computes wrongly", 58, _MUJS, 10_820, 23_404),
    _random("js-astring", "astring 0.5.0 writes what does not parse", 3, _ASTRING, 10_084, 22_426),
    _beautify("marked", "0.3.19", "lib/marked.js", 7_204, 32_389),
    _beautify("bluebird", "3.5.1", "js/browser/bluebird.js", 33_492, 179_169),
)
