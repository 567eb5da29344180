"""A result is reduced again with its system headers expanded, which counts if it ends smaller."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import marrow
from marrow.engine.events import Accepted

TEXT = b"""\
#include <limits.h>
#include <stdint.h>
struct list { struct list *next; uint8_t value; };
uint8_t value = UINT8_MAX;
int last(struct list *list) { return list->next == 0 ? list->value : last(list->next); }
"""


def valid(text: bytes) -> bool:
    words = ["cc", "-w", "-fsyntax-only", "-x", "c", "-"]
    return subprocess.run(words, input=text, capture_output=True).returncode == 0


def declares_a_byte(text: bytes) -> bool:
    """Whether a program declares `value` as a character without a sign, and nothing else."""
    others = (b"\nextern signed char value;", b"\nextern int value;")
    return valid(text + b"\nextern unsigned char value;") and not any(
        valid(text + one) for one in others
    )


pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no cc is installed")


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_include_gives_way_to_what_is_used_of_it(jobs: int) -> None:
    events: list[object] = []
    usual = marrow.reduce(TEXT, declares_a_byte, name="a.c")
    alone = marrow.reduce(
        TEXT, declares_a_byte, name="a.c", one_file=True, jobs=jobs, on_event=events.append
    )
    assert b"#" not in alone.text
    assert alone.tokens_after < usual.tokens_after
    sizes = [one.tokens for one in events if isinstance(one, Accepted)]
    assert sizes == sorted(sizes, reverse=True)


def test_a_header_stays_where_its_text_would_be_larger() -> None:
    def test(text: bytes) -> bool:
        words = ["cc", "-Werror", "-fsyntax-only", "-x", "c", "-"]
        checked = subprocess.run(words, input=text, capture_output=True)
        return b"printf(" in text and b"FILE *" in text and checked.returncode == 0

    text = b'#include <stdio.h>\nint main(FILE *a) { printf("%d", 1); return 0; }\n'
    usual = marrow.reduce(text, test, name="a.c", one_file=False)
    assert marrow.reduce(text, test, name="a.c", one_file=True).text == usual.text


def test_a_text_that_does_not_preprocess_stays() -> None:
    def test(text: bytes) -> bool:
        return b"<no-such-header.h>" in text

    text = b"#include <no-such-header.h>\nint a;\n"
    usual = marrow.reduce(text, test, name="a.c", one_file=False)
    assert marrow.reduce(text, test, name="a.c", one_file=True).text == usual.text
