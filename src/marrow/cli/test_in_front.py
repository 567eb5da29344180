"""The order of C-Reduce, C-Vise and Shrink Ray: the test in front of the inputs."""

from __future__ import annotations

import os


def is_test_first(names: list[str]) -> bool:
    """Whether the test stands before the inputs, as C-Reduce, C-Vise and Shrink Ray have it.

    That is so if the first name is a program and the last can be none: it may not be run, and names
    no interpreter.
    """
    if len(names) < 2 or not os.path.isfile(names[0]) or not os.access(names[0], os.X_OK):
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
