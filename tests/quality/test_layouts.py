"""What the passes `comments` and `compact` make of small programs: the exact text, white space too.

Every program is one from which perses* alone can take nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from marrow.reducers.passes.pass_context import PassOptions
from tests.quality.reducing import both, has, reduced


class Case(NamedTuple):
    """A program, a test, and what each of the passes leaves of it."""

    language: str
    text: str
    test: Callable[[str], bool]
    comments: str
    compact: str


CASES = [
    Case(
        "c",
        "/* A file. */\nint a;   // one\n\n\nint\tmain(void)\n{\n    /* two */\n"
        "    return a  +  1;\n}\n",
        has(r"int\s+a;", r"main\s*\(void\)", r"return\s+a.*\+.*1;"),
        "int a;\nint\tmain(void)\n{\n    return a + 1;\n}\n",
        "int a;\nint main(void)\n{\nreturn a+1;}\n",
    ),
    Case(
        "javascript",
        "// A file.\nlet a = 1;   // one\n\n\n  f( a ,  /* two */ 2 )\n",
        has(r"let a.*=.*1;", r"f\(.*a.*,.*2.*\)"),
        "let a = 1;\n  f( a , 2 )\n",
        "let a=1;\nf(a,2)\n",
    ),
    Case(
        "python",
        "# A file.\n\nimport  os\n\n\ndef f( a ):  # one\n    # two\n    return  a +  os\n",
        has(r"import +os", r"def f\( *a *\)", r"return +a *\+ *os"),
        "import os\ndef f( a ):\n    return a + os\n",
        "import os\ndef f(a):\n    return a+os\n",
    ),
    Case(
        "go",
        "// A file.\npackage p\n\n\nfunc f( a int )  int {\n\t// one\n\treturn a  + 1\n}\n",
        has(r"package p", r"func f\( *a int *\) *int", r"return a.*\+.*1"),
        "package p\nfunc f( a int ) int {\n\treturn a + 1\n}\n",
        "package p\nfunc f(a int)int{\nreturn a+1}\n",
    ),
]

#: A comment that the test wants: the one of each program that says "one".
KEPT = {
    "c": "int a;   // one\n\n\nint\tmain(void)\n{\n    return a + 1;\n}\n",
    "javascript": "let a = 1;   // one\n\n\n  f( a , 2 )\n",
    "python": "import os\ndef f( a ):  # one\n    # two\n    return a + os\n",
    "go": "package p\nfunc f( a int ) int {\n\t// one\n\treturn a + 1\n}\n",
}


def ids(case: Case) -> str:
    return case.language


def left(case: Case, test: Callable[[str], bool], passes: str, options: PassOptions) -> str:
    assert test(case.text)
    assert reduced(case.language, case.text, test, "none").text.decode() == case.text
    return reduced(case.language, case.text, test, passes, options).text.decode()


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_comments(case: Case) -> None:
    assert left(case, case.test, "comments", PassOptions()) == case.comments


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_a_comment_that_the_test_wants_stays_with_its_gap(case: Case) -> None:
    assert left(case, both(case.test, has("one")), "comments", PassOptions()) == KEPT[case.language]


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_compact(case: Case) -> None:
    assert left(case, case.test, "compact", PassOptions()) == case.compact


@pytest.mark.parametrize("case", CASES, ids=ids)
def test_compact_where_the_layout_is_to_be_kept(case: Case) -> None:
    assert left(case, case.test, "compact", PassOptions(keep_layout=True)) == case.text
