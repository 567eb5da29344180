"""Configuration files: the user's own, and one beside the input, which may come from anybody.

The user's own is `marrow/marrow.toml` in `$XDG_CONFIG_HOME` (`~/.config`), or the file that
`MARROW_CONFIG` names; it may set every option that a file can set. Beside the input, the nearest
`marrow.toml`, or `pyproject.toml` with `[tool.marrow]`, upwards from it counts. Such a file may set
what changes the search and nothing else (see `Scope`), unless `--trust-config` vouches for it; it
wins over the user's own. Keys are the long names of options; a table with the name of a command
(`[reduce]`) is for that command alone.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from marrow.base.bounded_file import read_bounded
from marrow.base.errors import MarrowError, UsageError, error_text, message_of
from marrow.run.options.option import CALL, SEARCH, Option, declared, near, value_of
from marrow.run.options.options import COMMAND_OPTIONS

_FILE: Final = "marrow.toml"
_PROJECT: Final = "pyproject.toml"

#: Names the only configuration file to read; if it is empty, none is read.
_VARIABLE: Final = "MARROW_CONFIG"

# How a table of marrow begins in a pyproject.toml that cannot be parsed.
_OUR_TABLE: Final = re.compile(
    rb"""^[ \t]*\[+[ \t]*["']?tool["']?[ \t]*\.[ \t]*["']?marrow""", re.M
)


class ConfigError(UsageError):
    """A configuration file that cannot be used; the message names the file and the line."""


@dataclass(frozen=True, slots=True)
class Configured:
    """A value of a configuration file, and the place that it comes from."""

    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class _ConfigFile:
    """A configuration file that was read; a `trusted` one is the user's own, or vouched for."""

    path: Path
    text: str
    table: Mapping[str, Any]
    section: str
    trusted: bool


def configured(
    command: str, beside: Path | None, *, trusted: bool = False
) -> dict[str, Configured]:
    """Return the options that configuration files set for a command, by their keywords.

    `beside` is the input, or a directory; None reads the user's own file alone. With `trusted`, the
    file beside the input may set what the user's own file may. Raises `ConfigError`.
    """
    own, named = own_config_file(), os.environ.get(_VARIABLE)
    if named is not None:
        found = [_read(Path(named), trusted=True)] if named else []
    else:
        found = [_read(own, trusted=True)] if own is not None and os.path.isfile(own) else []
        found += [_nearest(beside, own, trusted)] if beside is not None else []
    return {name: value for one in found if one for name, value in _settings(one, command)}


def own_config_file() -> Path | None:
    """Return the path of the user's own configuration file; None if they have no home."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    with contextlib.suppress(RuntimeError):
        # A relative path would lead into the directory of the input.
        place = Path(base) if os.path.isabs(base) else Path.home() / ".config"
        if place.is_absolute():
            return place / "marrow" / _FILE
    return None


def _nearest(beside: Path, own: Path | None, trusted: bool) -> _ConfigFile | None:
    place = beside.absolute()
    for folder in (place, *place.parents):
        for name in (_FILE, _PROJECT):
            path = folder / name
            # The input may have such a name; it is data then.
            if path in (place, own) or not os.path.isfile(path):
                continue
            if (found := _read(path, trusted, project=name == _PROJECT)) is not None:
                return found
    return None


def _read(path: Path, trusted: bool, *, project: bool = False) -> _ConfigFile | None:
    """Read a file; None for one of a `project` without a table for marrow, whatever else it has."""
    import tomllib

    content = b""
    try:
        content = read_bounded(path)
        if project and b"marrow" not in content:
            return None
        text = content.decode("utf-8")
        table = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        if project and not _OUR_TABLE.search(content):
            return None
        raise ConfigError(
            f"cannot read the configuration {path}: {message_of(error)}\n"
            "Fix or delete it, or say --no-config to run without it."
        ) from error
    if not project:
        return _ConfigFile(path, text, table, "", trusted)
    tool = table.get("tool")
    ours = tool.get("marrow") if isinstance(tool, dict) else None
    return _ConfigFile(path, text, ours, "tool.marrow", trusted) if isinstance(ours, dict) else None


def _settings(found: _ConfigFile, command: str) -> Iterator[tuple[str, Configured]]:
    """Yield the values for a command; those of its own table come last and win."""
    everywhere: dict[str, Option] = {}
    for options in COMMAND_OPTIONS.values():
        everywhere |= declared(options)
    own = declared(COMMAND_OPTIONS[command])
    for name, table in found.table.items():
        if name in COMMAND_OPTIONS and not isinstance(table, dict):
            raise ConfigError(f"{_place(found, '', name)}: {name} is a table of options: [{name}]")
    general = {key: value for key, value in found.table.items() if key not in COMMAND_OPTIONS}
    for section, table, known in (
        ("", general, everywhere),
        (command, found.table.get(command, {}), own),
    ):
        for key, value in table.items():
            # A key may also be the long name on the command line.
            names = (name for name, option in known.items() if f"--{key}" in option.names(name))
            name = next(names, key.replace("-", "_"))
            if name not in known:
                _refuse(found, section, key, known)
            if name in own:
                yield name, _checked(found, section, key, name, own[name], value)


def _checked(
    found: _ConfigFile, section: str, key: str, name: str, option: Option, value: Any
) -> Configured:
    place = _place(found, section, key)
    if option.scope is CALL or option.alias:
        raise ConfigError(error_text("option_of_the_command_line", place=place, key=key))
    if option.scope is not SEARCH and not found.trusted:
        own = own_config_file()
        also = "" if own is None else f", or set it in {own}"
        raise ConfigError(error_text("option_of_the_user", place=place, key=key, also=also))
    try:
        return Configured(value_of(name, option, value), place)
    except MarrowError as error:
        message = message_of(error)
        raise ConfigError(f"{place}: {key}: {message.partition(': ')[2] or message}") from error


def _refuse(found: _ConfigFile, section: str, key: str, known: Iterable[str]) -> None:
    if key == "tool" and not section and not found.section:
        raise ConfigError(error_text("header_of_pyproject", place=_place(found, section, key)))
    hint = near(key.replace("_", "-"), [name.replace("_", "-") for name in known])
    raise ConfigError(
        error_text("unknown_option_in_file", place=_place(found, section, key), key=key, hint=hint)
    )


def _place(found: _ConfigFile, section: str, key: str) -> str:
    """Return the file and the line of a key."""
    wanted = ".".join(filter(None, (found.section, section)))
    here = ""
    for number, line in enumerate(found.text.splitlines(), 1):
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            here = re.sub(r"[\s\"']", "", header[1])
        elif here == wanted and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
            return f"{found.path}, line {number}"
    return str(found.path)
