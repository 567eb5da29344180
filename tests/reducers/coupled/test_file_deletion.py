"""Sets of files that need each other: files go with what mentions them in the others."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

import marrow
from marrow.syntax.bundle import read_bundle

C = {
    "main.c": '#include "list.h"\nint total;\nint main(void) { push(3); pop(); return needle; }\n',
    "list.h": "void push(int x);\nvoid pop(void);\n",
    "list.c": '#include "list.h"\nvoid push(int x) { x; }\nvoid pop(void) { }\n',
}
PYTHON = {
    "main.py": "from .util import helper as aid\nimport shapes\n\ndef run():\n    aid(3)\n"
    "    shapes.area(4)\n    return needle\n",
    "util.py": "def helper(n):\n    return n\n",
    "shapes.py": "from .util import helper\n\ndef area(r):\n    return helper(r)\n",
}
TYPESCRIPT = {
    "main.ts": 'import { grow } from "./tree";\nimport wood from "./wood";\n'
    "export function run() { grow(wood(1)); return needle; }\n",
    "tree.ts": "export function grow(x: number) { return x; }\n",
    "wood.ts": 'import { grow } from "./tree";\nexport default function wood(x) { grow(x); }\n',
}
WORDS = {
    "list": {"push", "pop"},
    "util": {"helper", "aid"},
    "shapes": {"shapes", "area"},
    "tree": {"grow"},
    "wood": {"wood"},
}


def consistent(files: Mapping[str, str]) -> bool:
    """Whether every file that is imported is there, with all that others use of it."""
    stems = {name.partition(".")[0] for name in files}
    every = "\n".join(files.values())
    for stem, words in WORDS.items():
        used = {word for word in words if re.search(rf"\b{word}\b", every)}
        imported = re.search(rf"\b{stem}\b", every) is not None
        if stem not in stems and (imported or used):
            return False
        if stem in stems and (not imported or not words - {"aid", stem} <= used):
            return False  # as compilers of Go: what is of no use is an error
    return True


@pytest.mark.parametrize("files", [C, PYTHON, TYPESCRIPT])
def test_a_file_goes_with_its_mentions(files: dict[str, bytes | str]) -> None:
    main = next(name for name in files if name.startswith("main"))

    def test(bundle: bytes) -> bool:
        found = {one.name: one.content.decode() for one in read_bundle(bundle)}
        return "needle" in found.get(main, "") and consistent(found)

    result = marrow.reduce(files, test, passes="none")
    assert set(result.files) == {main}
    assert b"import" not in result.files[main]
    assert b"include" not in result.files[main]
    assert marrow.reduce(files, test, passes="none", jobs=2).text == result.text


def test_a_name_goes_from_all_files() -> None:
    files = {
        "a.c": "int f(int x);\nint keep_a;\n",
        "b.c": "int f(int x) { return x; }\nint keep_b;\n",
    }

    def test(bundle: bytes) -> bool:
        keeps = b"keep_a" in bundle and b"keep_b" in bundle
        return keeps and len(re.findall(rb"\bf\b", bundle)) in (0, 2)

    result = marrow.reduce(files, test, passes="none")
    assert not re.search(rb"\bf\b", result.text)
