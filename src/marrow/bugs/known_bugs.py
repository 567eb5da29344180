"""Known bugs: what an earlier triage found, and what people decided about it (`overrules.toml`).

The file beside this module is what people find before they have written anything. A crash file is
named by its name, by the end of its path, by the first digits of its digest, or by the bug that it
belonged to in the last run, whose smallest input is meant then.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError

#: The name of the list of bugs in the directory of a triage, and the form that this marrow reads.
LIST: Final = "triage.json"
FORM: Final = 1

# A list of bugs has some kilobytes for each: a larger file is not one.
_LARGEST_LIST: Final = 256 << 20


@dataclass(frozen=True, slots=True)
class KnownBug:
    """A bug of an earlier triage: its smallest input, and the digests of its files."""

    id: str
    title: str
    text: bytes = field(repr=False)
    files: frozenset[str] = frozenset()
    ignored: bool = False
    #: The digest of the crash file that the smallest input was made from.
    file: str = ""
    #: Whether it did not fail in that triage: if it does now, it is back.
    fixed: bool = False


def is_triage(directory: Path) -> bool:
    """Whether a directory holds the list of a triage."""
    return (directory / LIST).is_file()


def read_known(directory: Path) -> tuple[KnownBug, ...]:
    """Read the bugs of an earlier triage; raise `InputError` if there is none."""
    if not is_triage(directory):
        raise InputError(
            f"{directory} has no {LIST}\n"
            "⟦known⟧ names the directory that an earlier marrow triage wrote (-o)."
        )
    try:
        data = json.loads(read_bounded(directory / LIST, _LARGEST_LIST))
        if data["form"] != FORM:
            raise ValueError("it was written by another version of marrow")
        found = [_known(directory, one, fixed=False) for one in data["bugs"]]
        return (*found, *(_known(directory, one, fixed=True) for one in data["fixed"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        problem = f"{type(error).__name__}: {error}" if isinstance(error, KeyError) else error
        raise InputError(
            f"cannot read the known bugs in {directory}: {problem}\n"
            "Triage them again, or name another directory with ⟦known⟧."
        ) from error


def _known(directory: Path, data: dict[str, Any], *, fixed: bool) -> KnownBug:
    path = directory / str(data["smallest"])
    if not path.resolve().is_relative_to(directory.resolve()):
        raise ValueError(f"{data['smallest']} is not in the directory")
    return KnownBug(
        str(data["id"]),
        str(data["title"]),
        read_bounded(path, LARGEST_INPUT),
        frozenset(str(one["digest"]) for one in data.get("files", ())),
        data.get("status") == "ignored",
        str(data.get("reduced_from", "")),
        fixed,
    )


#: The name of the file in the directory of a triage.
OVERRULES: Final = "overrules.toml"

# People write some kilobytes: a larger file is not theirs.
_LARGEST_DECISIONS: Final = 1 << 20
_KINDS: Final = ("same", "different", "ignore")

# Shorter beginnings of a digest are likely to be those of several files.
_LEAST_DIGITS: Final = 8


@dataclass(frozen=True, slots=True)
class ManualDecision:
    """One entry: its kind, the files as they are named in it, and the reason."""

    kind: str
    files: tuple[str, ...]
    reason: str = ""


def read_decisions(path: Path) -> tuple[ManualDecision, ...]:
    """Read a file of decisions; a missing file has none. Raises `InputError`."""
    if not path.exists():
        return ()
    try:
        data = tomllib.loads(read_bounded(path, _LARGEST_DECISIONS).decode())
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read the overrules {path}: {error}\nFix or delete it.") from error
    found: list[ManualDecision] = []
    for kind, some in data.items():
        for entry in some if isinstance(some, list) else [some]:
            decision = _decision(kind, entry)
            if decision is None:
                raise InputError(
                    f"{path}: [[{kind}]] has an entry that is none\nIt may hold [[same]], "
                    "[[different]] and [[ignore]], each with files = [...], two or more names (one "
                    "for ignore), and, if you like, a reason."
                )
            found.append(decision)
    return tuple(found)


def _decision(kind: str, entry: Any) -> ManualDecision | None:
    """Return an entry of a kind; None if it is none."""
    if kind not in _KINDS or not isinstance(entry, dict) or set(entry) - {"files", "reason"}:
        return None
    files, reason = entry.get("files"), entry.get("reason", "")
    least = 1 if kind == "ignore" else 2
    if not isinstance(files, list) or len(files) < least or not isinstance(reason, str):
        return None
    return ManualDecision(kind, tuple(files), reason) if all(map(_is_text, files)) else None


def _is_text(one: object) -> bool:
    return isinstance(one, str)


def named(word: str, names: Mapping[str, Iterable[str]], bugs: Mapping[str, str]) -> str | None:
    """Return the key of the file that a word names; None if there is none, or several.

    `names` are the names of every key, `bugs` the key of the smallest file of every earlier bug.
    """
    if word in bugs:
        return bugs[word]

    def end(name: str) -> bool:
        return name.endswith(f"/{word}") or word in name.rsplit("/", 1)[-1].split(",")

    exact = [key for key, known in names.items() if word in known]
    ends = [key for key, known in names.items() if any(map(end, known))]
    digits = [key for key in names if len(word) >= _LEAST_DIGITS and key.startswith(word)]
    for found in (exact, ends, digits):
        if len(found) == 1:
            return found[0]
    return None
