"""Known bugs: what an earlier triage found, read from its directory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from marrow.base.bounded_file import LARGEST_INPUT, read_bounded
from marrow.base.errors import InputError

#: The name of the list of bugs in the directory of a triage, and the form that this marrow reads.
LIST: Final = "triage.json"
FORM: Final = 1

# A list of bugs has some kilobytes for each: a larger file is not one.
_LARGEST: Final = 256 << 20


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
        data = json.loads(read_bounded(directory / LIST, _LARGEST))
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
