"""Habits from other reducers: the test in front of the inputs, and options by their names there."""

from __future__ import annotations

import os
from typing import Final

#: What options of other reducers are called here, or why there is none.
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
    "--interestingness-test": "the test stands behind the input: marrow reduce INPUT TEST",
    "--interestingness_test": "the test stands behind the input: marrow reduce INPUT TEST",
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
    "--test-script": "the test stands behind the input: marrow reduce INPUT TEST",
    "--input-file": "the input stands in front: marrow reduce INPUT TEST",
}


def is_test_first(names: list[str]) -> bool:
    """Whether the test stands before the inputs, as C-Reduce, C-Vise and Shrink Ray have it.

    That is so if the first name is a program, or looks like one, and the last can be none: it may
    not be run, and names no interpreter.
    """
    if len(names) < 2 or not is_program(names[0]):
        return False
    return os.path.exists(names[-1]) and not is_program(names[-1])


def is_program(name: str) -> bool:
    """Whether a file can be run, or looks as if it should be."""
    if not os.path.isfile(name):
        return False
    if os.access(name, os.X_OK):
        return True
    try:
        with open(name, "rb") as file:
            return file.read(2) == b"#!"
    except OSError:
        return False


def hint_at_reduce(word: str, rest: list[str]) -> str:
    """Return what to type where somebody leaves out `reduce`; empty if that is not it."""
    if not (os.path.exists(word) or "/" in word):
        return ""
    return f"Reducing is a command: marrow reduce {' '.join([word, *rest])}"
