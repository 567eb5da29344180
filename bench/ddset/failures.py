"""Real failures for DDSET (`failures.toml`): small inputs, and tests with the verdict protocol.

A test exits with 0 if the candidate fails, with 125 if it is not a valid input (another error comes
first), with anything else if it is valid and does not fail. It gets the candidate as `$1`, in a
directory of its own. Candidates are random: tests that run command lines refuse what could do harm,
and a program that loops is ended after a second of the processor: its input is not valid.
"""

from __future__ import annotations

import os
import shutil
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marrow.engine.process.command import TestCommand

#: Each program gets a second of the processor: all that end take less than a tenth (Guile). One
#: that takes more is killed, and the shell says 137.
_LIMIT: Final = "ulimit -t 1\n"

#: How root runs programs that must not write; make keeps what it reads in a file.
_HARMLESS: Final = "TMPDIR=/tmp setpriv --reuid=65534 --regid=65534 --clear-groups "


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure: the input, the grammar that ships for it, and the test, for the shell.

    Without a grammar it is seen by tree-sitter. `about` says what is wrong, `group` whether the
    search was tuned on it.
    """

    name: str
    grammar: str
    file: str
    about: str
    text: str
    script: str
    needs: tuple[str, ...]
    group: str

    def missing(self) -> list[str]:
        """Return the programs that are not installed."""
        return [program for program in self.needs if shutil.which(program) is None]

    def command(self) -> TestCommand:
        """Return the test."""
        return TestCommand.shell(self.script)


def _runs(program: str, message: str) -> str:
    """Return a test: a program ends with a message; any other error makes an input invalid."""
    return (
        f"{_LIMIT}said=$({program} 2>&1)\ncode=$?\n"
        "[ $code -ne 137 ] || exit 125\n"
        f'case $said in *"{message}"*) exit 0;; esac\n'
        "[ $code -eq 0 ] || exit 125\nexit 1\n"
    )


def _differs(wrong: str, right: str, word: str) -> str:
    """Return a test: one interpreter throws a word that another, which is right, does not.

    What the other one cannot run is no program to compare them by.
    """
    return (
        f'{_LIMIT}said=$({wrong} "$1" 2>&1)\n'
        "[ $? -ne 137 ] || exit 125\n"
        f'case $said in *"{word}"*) ;; *Error*) exit 125;; *) exit 1;; esac\n'
        f'other=$({right} "$1" 2>&1)\n'
        "[ $? -ne 137 ] || exit 125\n"
        f'case $other in *"{word}"*) exit 1;; *Error*) exit 125;; esac\n'
        "exit 0\n"
    )


def _interpreter(program: str, message: str) -> str:
    """Return a test as `_runs` does, for a program that reads the candidate as its input.

    It has no rights to write anything: candidates are programs.
    """
    harmless = _HARMLESS if os.getuid() == 0 else ""
    return f'exec < "$1"\ncd /\n{_runs(harmless + program, message)}'


def _python(code: str) -> str:
    """Return a test that is a program in Python."""
    return f"{_LIMIT}exec {sys.executable} -I -S -c '{code}' \"$1\"\n"


_TESTS: Final[dict[str, Callable[..., str]]] = {
    "runs": _runs,
    "differs": _differs,
    "interpreter": _interpreter,
    "python": _python,
    "script": str,
}


def _failure(row: dict[str, Any]) -> Failure:
    kind = next(one for one in _TESTS if one in row)
    given = row.pop(kind)
    script = _TESTS[kind](*(given if isinstance(given, list) else [given]))
    needs = tuple(row.pop("needs"))
    return Failure(script=script, needs=needs, **{"grammar": "", **row})


def _read() -> tuple[Failure, ...]:
    text = Path(__file__).with_name("failures.toml").read_text(encoding="utf-8")
    return tuple(map(_failure, tomllib.loads(text)["failure"]))


FAILURES: Final = _read()
