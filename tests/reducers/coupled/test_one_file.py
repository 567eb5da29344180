"""Several files become one: imports give way to what they import."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import marrow
from marrow.reducers.coupled.imports import SourceFile, import_rules
from marrow.reducers.coupled.joined_files import JoinMode, joined
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.file_set import FileSetView

PLAIN, RENAMED, APART, AGAIN = (
    JoinMode(),
    JoinMode(renamed=True),
    JoinMode(apart=True),
    JoinMode(again=True),
)


def sources_of(files: Mapping[str, str]) -> dict[str, SourceFile]:
    bundle = make_bundle(BundleEntry(name, text.encode()) for name, text in files.items())
    front = FileSetView(bundle)._mentions
    trees, declared = front.trees(bundle), front.declared(bundle)
    return {
        name: SourceFile(
            text, front.language(name), trees.get(name), declared.get(name, frozenset())
        )
        for name, text in front.contents(bundle).items()
    }


def join(files: Mapping[str, str], mode: JoinMode = PLAIN) -> str | None:
    """Join files to the first of them, blank lines and indentation left out."""
    sources = sources_of(files)
    root = next(iter(files))
    made = joined(sources, root, sources, mode)
    return None if made is None else re.sub(r"\s*\n\s*", "\n", made.text.decode()).strip()


#: Files, the first of which is the root, and what they are joined to.
EXAMPLES: list[tuple[dict[str, str], JoinMode, str]] = [
    (
        {"m.c": '#include "a.h" // one\nint m;\n', "a.h": '#pragma once\n#include "m.c"\nint a;\n'},
        PLAIN,
        "int a;\nint m;",
    ),
    (
        {"m.c": 'int t[] = {\n#include "t"\n,\n#include "t"\n};\n', "t": "1, 2\n"},
        AGAIN,
        "int t[] = {\n1, 2\n,\n1, 2\n};",
    ),
    ({"m.c": "int m;\n", "a.c": "int a;\n"}, PLAIN, "int m;\nint a;"),
    (
        {
            "m.py": "import os, p.a as b\nfrom p import c as d, C\nprint(b.f(), d.g, C, x.b.f)\n",
            "p/__init__.py": "C = 1\n",
            "p/a.py": "from . import c\nfrom .c import g as h\ndef f(): return c.g + h\n",
            "p/c.py": "g = 2\n",
        },
        PLAIN,
        "g = 2\ndef f(): return g + g\nimport os\nC = 1\nprint(f(), g, C, x.b.f)",
    ),
    (
        {"m.py": "import a\nx = 1\nprint(x, a.x, a.f())\n", "a.py": "x = 2\ndef f(): return x\n"},
        RENAMED,
        "x_a = 2\ndef f(): return x_a\nx = 1\nprint(x, x_a, f())",
    ),
    (
        {"m.py": "from a import x as y\nprint(y)\n", "a.py": "x = 2\n"},
        APART,
        "def a_():\nx = 2\nfrom types import SimpleNamespace\nreturn SimpleNamespace(**locals())\n"
        "a_ = a_()\nprint(a_.x)",
    ),
    (
        {
            "m.py": '"""\nimport a\n"""\n# import a\nimport b\nb.c\n',
            "a.py": "x = 2\n",
            "b.py": "c = 1",
        },
        PLAIN,
        '"""\nimport a\n"""\n# import a\nc = 1\nc',
    ),
    (
        {
            "m.js": "const { f: g } = require('./a');\nconst b = require('./b.js')\ng(b.h, b);\n",
            "a.js": "function f() {}\nmodule.exports = { f };\n",
            "b.js": "exports.h = 1;\n",
        },
        PLAIN,
        "function f() {}\nconst h = 1;\nf(h, b);",
    ),
    (
        {
            "m.js": "f(require('./d/a').x);\n",
            "d/a.js": "exports.x = require('../b.json');\n",
            "b.json": "[1]",
        },
        APART,
        "f((() => { const module = { exports: {} }, exports = module.exports;\n"
        "exports.x = ([1]);\nreturn module.exports; })()\n.x);",
    ),
    (
        {
            "m.mjs": "import D, { c as e } from './a.mjs';\n"
            "import * as a from './a.mjs';\nnew D(e, a.c);\n",
            "a.mjs": "export const c = 1;\nexport default class K {}\n"
            "const z = 2;\nexport { z };\n",
        },
        PLAIN,
        "const c = 1;\nclass K {}\nconst z = 2;\nnew K(c, c);",
    ),
    (
        {"m.ts": "import d from './a';\nd();\n", "a.ts": "export default () => 1;\n"},
        PLAIN,
        "const default_a = () => 1;\ndefault_a();",
    ),
    (
        {
            "main.rs": "mod a;\nuse a::F;\nfn main() { a::f(F); }\n",
            "a.rs": "pub struct F;\npub fn f(x: F) {}\n",
        },
        APART,
        "mod a {\npub struct F;\npub fn f(x: F) {}\n}\nuse a::F;\nfn main() { a::f(F); }",
    ),
    (
        {
            "main.rs": "mod a;\nuse crate::a::F;\nfn main() { a::f(F); a.b(); }\n",
            "a.rs": "pub struct F;\npub fn f(x: F) {}\n",
        },
        PLAIN,
        "pub struct F;\npub fn f(x: F) {}\nfn main() { f(F); a.b(); }",
    ),
    (
        {
            "a.go": 'package main\n\nimport (\n\t"fmt"\n\t"x/u"\n)\n\n'
            "func main() { fmt.Println(u.F(), g()) }\n",
            "b.go": 'package main\n\nimport "fmt"\n\nfunc g() { fmt.Println() }\n',
            "u/u.go": "package u\n\nfunc F() {}\n",
        },
        PLAIN,
        'package main\nimport "fmt"\n'
        "func main() { fmt.Println(F(), g()) }\n"
        "func g() { fmt.Println() }\nfunc F() {}",
    ),
    (
        {
            "p/A.java": "package p;\nimport java.util.List;\nimport p.q.B;\n"
            "public class A { B b; }\n",
            "p/q/B.java": "package p.q;\nimport java.util.List;\n"
            "public final class B { List l; }\n",
        },
        PLAIN,
        "package p;\nimport java.util.List;\npublic class A { B b; }\nfinal class B { List l; }",
    ),
    (
        {
            "M.hs": "module M where\nimport qualified A as B\nm = B.a\n",
            "A.hs": "module A (a) where\na = 1\n",
        },
        PLAIN,
        "module M where\nm = a\na = 1",
    ),
    (
        {
            "M.v": "From P Require Import A.\nRequire Import Arith.\nCheck a.\n",
            "A.v": "Require Import List.\nDefinition a := 1.\n",
        },
        PLAIN,
        "Require Import List.\nDefinition a := 1.\nRequire Import Arith.\nCheck a.",
    ),
    (
        {"M.v": "Require P.A.\nCheck A.a.\n", "P/A.v": "Definition a := 1.\n"},
        APART,
        "Module A.\nDefinition a := 1.\nEnd A.\nImport A.\nCheck A.a.",
    ),
    (
        {
            "M.lean": "import Init\nimport P.A\n#eval a\n",
            "P/A.lean": "module\nimport Lean\nimport Init\ndef a := 1\n",
        },
        PLAIN,
        "import Init\nimport Lean\ndef a := 1\n#eval a",
    ),
    (
        {
            "m.mjs": "import f, { b } from './a.mjs';\nf(b);\n",
            "a.mjs": "const a = 1;\nfunction g() {}\n"
            "export { a as b };\nexport { g as default };\n",
        },
        PLAIN,
        "const a = 1;\nfunction g() {}\ng(a);",
    ),
    (
        {
            "m.mjs": "import { f, T } from './i.mjs';\nimport * as u from './u.mjs';\n"
            "f(T, u.x, u.y);\n",
            "i.mjs": "export { f } from './u.mjs';\nexport { default as T } from './t.mjs';\n",
            "u.mjs": "function f() {}\nconst a = 1, b = 2;\nexport { f, a as x, b as y };\n",
            "t.mjs": "export default 't';\n",
        },
        PLAIN,
        "function f() {}\nconst a = 1, b = 2;\nconst default_t = 't';\nf(default_t, a, b);",
    ),
    (
        {
            "m.go": 'package main\n\nimport "x/u"\n\nfunc main() { u.F() }\nfunc h() {}\n',
            "u/a.go": "package u\n\nfunc F() { h() }\n",
            "u/b.go": "package u\n\nfunc h() {}\n",
        },
        RENAMED,
        "package main\nfunc main() { F() }\nfunc h() {}\nfunc F() { h_u() }\nfunc h_u() {}",
    ),
    (
        {
            "m.cc": '#include "a.h"\nint m() { return a::f() + b::f(); }\n',
            "a.h": "namespace a { int f(); }\nnamespace b { int f(); }\n",
            "a.cc": "static int help() { return 1; }\nnamespace a { int f() { return help(); } }\n",
            "b.cc": "static int help() { return 2; }\nnamespace b { int f() { return help(); } }\n",
        },
        RENAMED,
        "namespace a { int f(); }\nnamespace b { int f(); }\n"
        "int m() { return a::f() + b::f(); }\n"
        "static int help_a() { return 1; }\nnamespace a { int f() { return help_a(); } }\n"
        "static int help_b() { return 2; }\nnamespace b { int f() { return help_b(); } }",
    ),
    (
        {
            "p/A.java": "package p;\nimport static p.q.B.*;\nimport p.q.C.D;\n"
            "class A { D d = b(); }\n",
            "p/q/B.java": "package p.q;\npublic class B { static D b() { return null; } }\n",
            "p/q/C.java": "package p.q;\npublic class C { static class D {} }\n",
        },
        PLAIN,
        "package p;\nimport static p.B.*;\nimport p.C.D;\nclass A { D d = b(); }\n"
        "class B { static D b() { return null; } }\nclass C { static class D {} }",
    ),
    ({"m.sql": ".read a.sql\nSELECT 1;\n", "a.sql": "SELECT 2;\n"}, PLAIN, "SELECT 2;\nSELECT 1;"),
    ({"m.tex": "\\input{a}\n\\input b\n", "a.tex": "a\n", "b.tex": "b\n"}, PLAIN, "a\nb"),
    ({"Makefile": "include a.mk\nm:\n", "a.mk": "a = 1\n"}, PLAIN, "a = 1\nm:"),
    (
        {"CMakeLists.txt": "add_subdirectory(a)\n", "a/CMakeLists.txt": "project(a)\n"},
        PLAIN,
        "project(a)",
    ),
    (
        {
            "m.json": '{"a": {"$ref": "d/b.json#/x/y"}}',
            "d/b.json": '{"y": {"$ref": "m.json"}, "x": {"y": [1, {"$ref": "e.json"}]}}',
            "d/e.json": "2",
        },
        PLAIN,
        '{"a": [1, 2]}',
    ),
    (
        {"m.yaml": "a:\n  $ref: 'b.yaml#/x'\n", "b.yaml": "x:\n  y: 1\n  z: 2\n"},
        PLAIN,
        "a:\ny: 1\nz: 2",
    ),
    (
        {
            "m.yaml": "a:\n- b: { $ref: 'b.yaml#/x' }\n- { $ref: 'b.yaml#/x/z' }\n",
            "b.yaml": "x:\n  y: 1\n  z: 2\n",
        },
        PLAIN,
        "a:\n- b:\ny: 1\nz: 2\n-\n2",
    ),
    (
        {
            "m.html": '<link rel="stylesheet" href="a.css"><script src="a.js" defer></script>',
            "a.css": "a { }\n",
            "a.js": "f();\n",
        },
        PLAIN,
        "<style>a { }</style><script defer>f();</script>",
    ),
    ({"m.rb": "require_relative 'a'\nf\n", "a.rb": "def f; end\n"}, PLAIN, "def f; end\nf"),
    (
        {"m.php": "<?php\nrequire 'a.php';\nf();\n", "a.php": "<?php\nfunction f() {}\n"},
        PLAIN,
        "<?php\nfunction f() {}\nf();",
    ),
    (
        {"m.lua": 'local a = require("a")\na.f()\n', "a.lua": "return { f = 1 }\n"},
        APART,
        "local a = (function()\nreturn { f = 1 }\nend)()\na.f()",
    ),
    ({"m.sh": ". ./a.sh\nf\n", "a.sh": "#!/bin/sh\nf() { :; }\n"}, PLAIN, "f() { :; }\nf"),
    (
        {
            "m.proto": 'syntax = "proto3";\nimport "a.proto";\nmessage M {}\n',
            "a.proto": 'syntax = "proto3";\nmessage A {}\n',
        },
        PLAIN,
        'syntax = "proto3";\nmessage A {}\nmessage M {}',
    ),
]


@pytest.mark.parametrize(("files", "mode", "text"), EXAMPLES)
def test_files_are_joined(files: dict[str, str], mode: JoinMode, text: str) -> None:
    assert join(files, mode) == text


def test_cycles_end() -> None:
    files = {
        "m.py": "import a\na.f()\n",
        "a.py": "import m\nimport b\ndef f(): m.g\n",
        "b.py": "import a\n",
    }
    assert join(files) == "def f(): g\nf()"
    values = {"m.json": '{"$ref": "a.json"}', "a.json": '[{"$ref": "m.json"}]'}
    assert join(values) is None
    for mode in (RENAMED, APART, AGAIN):
        join(files, mode)
        join(values, mode)


def test_many_copies_of_many_files_are_not_made() -> None:
    files = {f"a{at}.h": f'#include "a{at + 1}.h"\n' * 2 for at in range(60)}
    assert join(files, AGAIN) is None
    assert join(files) == '#include "a60.h"\n#include "a60.h"'


@pytest.mark.parametrize("name", ["m.c", "m.py", "m.js", "m.rs", "m.go", "m.yaml", "m.txt"])
def test_odd_inputs_end_well(name: str) -> None:
    odd = '#include "no.h"\nimport no\nfrom .. import x\nrequire("./no")\nmod no;\n$ref: no\n{"'
    other = f"x{name}"
    for text in (odd, "\udcff import a", "import " * 50, '#include "' * 40, ""):
        files = {name: text.encode("utf-8", "surrogateescape").decode("latin-1"), other: odd}
        for mode in (PLAIN, RENAMED, APART, AGAIN):
            joined = join(files, mode)
            assert joined is None or len(joined) <= 4 * sum(map(len, files.values())), mode


def test_rules_match_nothing_of_an_empty_text() -> None:
    for language in ("c", "python", "javascript", "rust", "go", "java", "yaml", "html"):
        assert not any(pattern.search(b"") for pattern, _ in import_rules(language))


def expanded(files: Mapping[str, str], name: str) -> str:
    """Expand includes as a preprocessor does; raise KeyError if a file is missing."""
    return re.sub(r'#include "(.*?)"', lambda found: expanded(files, found[1]), files[name])


C = {
    "main.c": '#include "a.h"\n#include "b.h"\nint main(void) { return f(needle); }\n',
    "a.h": '#include "b.h"\nint f(int);\n',
    "b.h": "int g(int);\n",
}


@pytest.mark.parametrize("jobs", [1, 2])
def test_headers_go_into_the_source(jobs: int) -> None:
    def test(bundle: bytes) -> bool:
        files = {one.name: one.content.decode() for one in read_bundle(bundle)}
        try:
            whole = expanded(files, "main.c")
        except KeyError:
            return False
        return all(word in whole for word in ("needle", "int f(int)", "int g(int)"))

    result = marrow.reduce(C, test, jobs=jobs)
    assert set(result.files) == {"main.c"}
    assert b"include" not in result.files["main.c"]
    kept = marrow.reduce(C, test, one_file=False, jobs=jobs)
    assert set(kept.files) == {"main.c", "a.h", "b.h"}


def test_a_file_that_a_command_names_stays_empty() -> None:
    files = {"main.c": "int g(int);\nint a = needle;\n", "b.c": "int b = thread;\n"}

    def test(bundle: bytes) -> bool:
        found = {one.name: one.content for one in read_bundle(bundle)}
        every = b"".join(found.values())
        return {"main.c", "b.c"} <= set(found) and b"needle" in every and b"thread" in every

    result = marrow.reduce(files, test, one_file=True)
    assert sorted(map(bool, (one.strip() for one in result.files.values()))) == [False, True]


LARGER = {
    "main.py": "import a\n\ndef x(): return 1\n\nprint(x(), a.x())\n",
    "a.py": "def x(): return needle\n",
}


def uses_both(bundle: bytes) -> bool:
    """Whether a name space `a` has what the module declares, and no name is another one's."""
    files = {one.name: one.content for one in read_bundle(bundle)}
    text = files.get("main.py", b"")
    whole = b"def x(): return 1" in text and b"print(x(), a" in text
    needle = b"def x(): return needle"
    module = needle in files.get("a.py", b"") and b"import a" in text
    space = needle in text and b"SimpleNamespace(**locals())" in text
    return whole and (module or space)


def test_what_grows_is_joined_only_where_that_is_wanted() -> None:
    assert set(marrow.reduce(LARGER, uses_both, passes="none").files) == {"main.py", "a.py"}
    result = marrow.reduce(LARGER, uses_both, passes="none", one_file=True)
    assert set(result.files) == {"main.py"}
