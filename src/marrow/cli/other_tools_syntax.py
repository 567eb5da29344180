"""Habits from other reducers: the test before the inputs, and names of options."""

from __future__ import annotations

import os
import re
from typing import Final

# How a script reads its input, unless by its name: an argument, or standard input.
_READS_INPUT: Final = re.compile(rb"\$[1@*]|\$\{[1@*]|\bargv\b|\bstdin\b|\bARGV\b")

# As much of a script as tells what it reads.
_LOOKED_AT: Final = 1 << 16

# Languages of scripts that a shell runs without `#!`.
_SHELLS: Final = ("bash", "fish")

#: What options of other reducers are called here, or what to do instead.
FOREIGN: Final = {
    "--n": "-j N is how many tests run at once",
    "-n": "-j N is how many tests run at once",
    "--parallelism": "-j N is how many tests run at once",
    "--threads": "-j N is how many tests run at once",
    "--not-c": "marrow knows the language by the name of the file; --language TEXT says another",
    "--tidy": "the input is not changed unless you say --in-place, which keeps the original",
    "--no-cache": "--no-journal leaves nothing but the result",
    "--sllooww": "--effort max takes longer for a smaller result",
    "--print-diff": "-v shows each change",
    "--debug": "-v says more",
    "--list-passes": "marrow help passes lists them",
    "--renaming": "names are shortened by themselves; --keep-names keeps them",
    "--also-interesting": "--also DIR saves inputs of other failures that are met on the way",
    "--start-with-pass": "--passes LIST says which passes run, in which order",
    "--remove-pass": "--passes LIST says which passes run, in which order",
    "--commands": "--shell COMMAND gives a test as a line for the shell",
    "--add-pass": "--passes LIST says which passes run, in which order",
    "--pass-group": "--passes LIST says which passes run, --effort how long they try",
    "--pass-group-file": "--passes LIST says which passes run, --effort how long they try",
    "--skip-initial-passes": "--passes LIST says which passes run, in which order",
    "--interestingness-test": "the test comes after the input: marrow reduce INPUT TEST",
    "--interestingness_test": "the test comes after the input: marrow reduce INPUT TEST",
    "--to-utf8": "the encoding of the input stays as it is",
    "--save-temps": "the best so far is on disk at any moment, and --report shows every step",
    "--skip-key-off": "keys are taken from a terminal only",
    "--die-on-pass-bug": "a failure of marrow itself ends the run, with exit code 70",
    "--shaddap": "-q prints nothing",
    "--no-timing": "-q prints nothing",
    "--log-level": "-v says more, -q nothing",
    "--max-improvement": "--max-tests, --max-time and --stop-at say when to stop",
    "--stopping-threshold": "--stop-at SIZE stops when the result is small enough",
    "--no-give-up": "--effort max takes longer for a smaller result",
    "--version": "marrow --version prints it",
    "--test-script": "the test comes after the input: marrow reduce INPUT TEST",
    "--input-file": "the input comes first: marrow reduce INPUT TEST",
}


def looks_swapped(first: str, others: list[str]) -> bool:
    """Whether the test comes before the inputs, as for C-Reduce, C-Vise and Shrink Ray.

    Being executable is not enough: an input may be a program, too, and must not be run. The last
    name must be one that can never be a test, and the first one must read an input: it mentions one
    of their names, an argument, or its standard input.
    """
    if not is_program(first) or not _never_a_test(others[-1]):
        return False
    return bool(_READS_INPUT.search(_start_of(first))) or any(
        names_file(first, other) for other in others
    )


def names_file(script: str, other: str) -> bool:
    """Whether a script mentions another file by its name."""
    name = re.escape(os.path.basename(other.rstrip(os.sep)).encode("utf-8", "surrogateescape"))
    return bool(re.search(rb"(?<![\w.-])" + name + rb"(?![\w-]|\.\w)", _start_of(script)))


def is_program(name: str) -> bool:
    """Whether a file can be run, or begins like a script."""
    if not os.path.isfile(name):
        return False
    return os.access(name, os.X_OK) or _start_of(name).startswith(b"#!")


def _never_a_test(name: str) -> bool:
    """Whether a name is a directory, or a file that is not a program and not a shell's script.

    What is not executable and names no interpreter could only be a script for the shell.
    """
    if os.path.isdir(name):
        return True
    if not os.path.isfile(name) or is_program(name):
        return False
    from marrow.languages.recognition import language_of

    return language_of(name, _start_of(name)) not in (None, *_SHELLS)


def _start_of(name: str) -> bytes:
    try:
        with open(name, "rb") as file:
            return file.read(_LOOKED_AT)
    except OSError:
        return b""


def hint_at_reduce(word: str, rest: list[str]) -> str:
    """Return what to type if somebody left out `reduce`; otherwise an empty text."""
    if not (os.path.exists(word) or "/" in word):
        return ""
    return f"To reduce it: marrow reduce {' '.join([word, *rest])}"
