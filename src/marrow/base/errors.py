"""The base class of marrow's errors, and how their messages name options.

A message names an option by its keyword in brackets that are hardly used elsewhere:
`⟦allow_empty⟧`, `⟦flaky 2/5⟧`. The command line shows `--allow-empty` and `--flaky 2/5`, a program
`allow_empty` and `flaky='2/5'`. `⟦words||others⟧` are words for the command line and others for a
program. The messages are in `error_texts.toml`, but for short ones.
"""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_OPTION: Final = re.compile(r"⟦(\w+)(?: ([^⟦⟧|]*))?⟧")
_EITHER: Final = re.compile(r"⟦([^⟦⟧|]*)\|\|([^⟦⟧|]*)⟧")

#: Options with a short name that people know better, or a name that is a word of Python.
_ON_COMMAND_LINE: Final = {"output": "-o", "jobs": "-j", "forbid": "--not"}


class MarrowError(Exception):
    """Something that the user can do something about; the message says what and how.

    `str()` names keywords of the library, `on_command_line` options.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.unspelled: Final = message

    def __str__(self) -> str:
        return spelled(self.unspelled)

    @property
    def on_command_line(self) -> str:
        """The message in the words of the command line."""
        return spelled(self.unspelled, command_line=True)


class UsageError(MarrowError, ValueError):
    """Options or arguments that make no sense, alone or together."""


class InputError(MarrowError):
    """The input, a grammar or another file is missing, unreadable, empty or broken."""


def error_text(name: str, /, **values: object) -> str:
    """Return a message of `error_texts.toml`, with values in it."""
    return _texts()[name].format(**values)


@functools.cache
def _texts() -> dict[str, str]:
    import tomllib  # nobody needs it where nothing is wrong

    return tomllib.loads(Path(__file__).with_name("error_texts.toml").read_text(encoding="utf-8"))


def message_of(error: Exception) -> str:
    """Return what an error says, for the message of another: options are spelled with that one."""
    if isinstance(error, MarrowError):
        return error.unspelled
    return str(getattr(error, "strerror", None) or error)


@contextlib.contextmanager
def os_errors(kind: type[MarrowError], problem: str, advice: str) -> Iterator[None]:
    """Turn an error of the system inside the block into one that says what it means."""
    try:
        yield
    except OSError as error:
        raise kind(f"{problem}: {error.strerror or error}\n{advice}") from error


def spelled(message: str, *, command_line: bool = False) -> str:
    """Return a message with its options as they are written on the command line or in Python."""
    chosen = _EITHER.sub(r"\1" if command_line else r"\2", message)
    return _OPTION.sub(_option if command_line else _keyword, chosen)


def _option(found: re.Match[str]) -> str:
    name, value = found.groups()
    option = _ON_COMMAND_LINE.get(name, f"--{name.replace('_', '-')}")
    return option if value is None else f"{option} {value}"


def _keyword(found: re.Match[str]) -> str:
    name, value = found.groups()
    if value is None:
        return name
    return f"{name}={value if value.isdigit() else repr(value)}"
