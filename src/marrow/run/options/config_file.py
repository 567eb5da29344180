"""Configuration files: `marrow.toml`, or `[tool.marrow]` in `pyproject.toml`.

The nearest one upwards from the input holds. Its keys are the long names of options; a table with
the name of a command (`[reduce]`, or `[tool.marrow.reduce]`) holds for that command alone.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import MarrowError, UsageError
from marrow.run.options.command_options import COMMAND_OPTIONS
from marrow.run.options.option import Option, declared, near, value_of

_FILE: Final = "marrow.toml"
_PROJECT: Final = "pyproject.toml"


class ConfigError(UsageError):
    """A configuration file that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A value of a configuration file, and the place that it comes from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class _Found:
    path: Path
    text: str
    table: Mapping[str, Any]
    section: str


def configured(command: str, beside: Path | None) -> dict[str, Configured]:
    """Return the options that a configuration file sets for a command, by their keywords.

    `beside` is the input, or a directory; None reads no file. Raises `ConfigError`.
    """
    found = None if beside is None else _nearest(beside)
    if found is None:
        return {}
    return dict(_settings(found, command))


def _nearest(beside: Path) -> _Found | None:
    place = beside.absolute()
    for folder in (place, *place.parents):
        for name in (_FILE, _PROJECT):
            path = folder / name
            if not os.path.isfile(path):
                continue
            text, table = _read(path)
            if name == _FILE:
                return _Found(path, text, table, "")
            tool = table.get("tool", {})
            if isinstance(tool, dict) and isinstance(tool.get("marrow"), dict):
                return _Found(path, text, tool["marrow"], "tool.marrow")
    return None


def _read(path: Path) -> tuple[str, dict[str, Any]]:
    import tomllib

    try:
        text = read_bounded(path).decode("utf-8")
        return text, tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"cannot read the configuration {path}: {error}") from error


def _settings(found: _Found, command: str) -> Iterator[tuple[str, Configured]]:
    """Yield the values for a command; those of its own table come last and win."""
    everywhere: dict[str, Option] = {}
    for options in COMMAND_OPTIONS.values():
        everywhere |= declared(options)
    own = declared(COMMAND_OPTIONS[command])
    for key, value in found.table.items():
        if key in COMMAND_OPTIONS:
            if not isinstance(value, dict):
                raise ConfigError(f"{_place(found, '', key)}: {key} is a table of options: [{key}]")
            continue
        name = _keyword(key, everywhere)
        if name not in everywhere:
            _refuse(found, "", key, everywhere)
        if name in own:
            yield name, _checked(found, "", key, name, own[name], value)
    for key, value in found.table.get(command, {}).items():
        name = _keyword(key, own)
        if name not in own:
            _refuse(found, command, key, own)
        yield name, _checked(found, command, key, name, own[name], value)


def _keyword(key: str, options: Mapping[str, Option]) -> str:
    """Return the keyword of a key, which may also be the long name on the command line."""
    for name, option in options.items():
        if f"--{key}" in option.names(name):
            return name
    return key.replace("-", "_")


def _checked(
    found: _Found, section: str, key: str, name: str, option: Option, value: Any
) -> Configured:
    place = _place(found, section, key)
    if not option.config or option.alias:
        raise ConfigError(
            f"{place}: {key} cannot be set in a configuration file\nSay it on the command line."
        )
    try:
        return Configured(value_of(name, option, value), place)
    except MarrowError as error:
        raise ConfigError(f"{place}: {key}: {str(error).partition(': ')[2] or error}") from error


def _refuse(found: _Found, section: str, key: str, known: Iterator[str] | Any) -> None:
    hint = near(key.replace("_", "-"), [name.replace("_", "-") for name in known])
    raise ConfigError(
        f"{_place(found, section, key)}: there is no option {key!r}{hint}\n"
        "docs/reference/options.md lists them; a table has the name of a command, such as [reduce]."
    )


def _place(found: _Found, section: str, key: str) -> str:
    """Return the file and the line of a key."""
    wanted = ".".join(filter(None, (found.section, section)))
    here = ""
    for number, line in enumerate(found.text.splitlines(), 1):
        if header := re.match(r"\s*\[\s*([^\[\]]+?)\s*\]", line):
            here = re.sub(r"[\s\"']", "", header[1])
        elif here == wanted and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return f"{found.path}, line {number}"
    return str(found.path)
