"""Java, Rust and Go with their real tools: each reduced to the exact program that matters."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.reducers.streams.stream import finish
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import Tree
from tests.reducers.running import run


@dataclass(frozen=True)
class Example:
    """A program, the tool that it is for, what must be in it anyhow, and what is left of it."""

    language: str
    tool: str
    file: str
    text: bytes
    #: Starting a compiler takes longer than looking first.
    needed: bytes
    interesting: Callable[[Path], bool]
    expected: bytes


def said(*command: str | Path) -> tuple[int, str]:
    """Run a command; return its exit code and all that it printed."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout + done.stderr


def lossy(file: Path) -> bool:
    _, text = said("javac", "-proc:none", "-d", file.parent / "classes", file)
    return "possible lossy conversion from long to int" in text and "1 error" in text


def moved(file: Path) -> bool:
    _, text = said("rustc", "--crate-type=lib", "--emit=metadata", "--out-dir", file.parent, file)
    return re.findall(r"^error\[(E\d+)\]", text, re.MULTILINE) == ["E0382"]


def simplified(file: Path) -> bool:
    code, plain = said("gofmt", file)
    return code == 0 and said("gofmt", "-s", file)[1] != plain


JAVA = b"""\
class Account {
    int count;

    void total(long big) {
        if (count > 0) {
            int small = big;
        }
    }
}
"""

RUST = b"""\
fn take(text: String) -> usize { text.len() }

pub fn twice(limit: usize, more: &[u8]) -> usize {
    let text = String::from("a");
    if limit > 3 {
        take(text); take(text);
    }
    limit
}
"""

GO = b"""\
package queue

import (
\t"errors"
\t"fmt"
)

type Queue[T any] struct {
\titems []T
\tlimit int
}

func (q *Queue[T]) Pop(n int) (result []T, err error) {
\tdefer func() { fmt.Println(len(q.items)) }()
\tif n < 0 || n > q.limit {
\t\treturn nil, errors.New("limit")
\t}
\tfor i := 0; i < n; i++ {
\t\tswitch {
\t\tcase i == 0:
\t\t\titems := q.items
\t\t\tresult = append(result, items[i:len(items)]...)
\t\tdefault:
\t\t\tcontinue
\t\t}
\t}
\treturn result, nil
}
"""

LEFT_OF_JAVA = b"class Account { void total(long big) { int small = big; } }"
# The value that `twice` returns and its type could only go together.
LEFT_OF_RUST = b"""
fn take(text: String) -> usize { text.len() }
fn twice(limit: usize) -> usize {
    let text = String::from("a");
    take(text); take(text);
    limit
}
"""
LEFT_OF_GO = b"package queue func () Pop() { result = items[ :len(items)] }"

EXAMPLES = [
    Example("java", "javac", "Account.java", JAVA, b"(long big)", lossy, LEFT_OF_JAVA),
    Example("rust", "rustc", "order.rs", RUST, b"take(text); take(text)", moved, LEFT_OF_RUST),
    Example("go", "gofmt", "queue.go", GO, b"len(items)", simplified, LEFT_OF_GO),
]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.language)
def test_reduced_to_what_matters(example: Example, tmp_path: Path) -> None:
    if shutil.which(example.tool) is None:
        pytest.skip(f"{example.tool} is not installed")
    front = TreeSitterFrontEnd(example.language)
    validity = front.validity()
    tree = front.parse(example.text)
    validity.rebase(tree)
    file = tmp_path / example.file
    (tmp_path / "classes").mkdir()

    def interesting(candidate: Tree) -> bool:
        if not validity.valid(candidate) or example.needed not in candidate.text:
            return False
        file.write_bytes(candidate.text)
        return example.interesting(file)

    assert interesting(tree)
    reducer = algorithm_of("perses*").reducer(front, front.parse)
    result = run(tree, reducer(tree, finish), interesting)
    assert result.tree.text.split() == example.expected.split()
