"""`marrow clean`: lists the files that runs leave, and removes them on request."""

from __future__ import annotations

import itertools
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

import click

from marrow.base.errors import InputError
from marrow.cli.console import echo
from marrow.cli.run_options import DeclaredType
from marrow.run.options.option import PATH, SIZE, TIME
from marrow.run.output.leftover_files import Leftover, cached_tables, leftovers_in, leftovers_of
from marrow.run.output.output_file import OutputError

_EPILOG: Final = """\b
Examples:
  marrow clean                             list what runs left here, and the cache
  marrow clean --remove --older-than 7d    remove what is older than a week
  marrow clean bugs/ --larger-than 10MB

\b
Results, inputs, originals (NAME.orig) and reports are never touched. A journal that is
removed cannot be resumed."""

# Seconds of a day.
_DAY: Final = 86400.0


@click.command("clean", epilog=_EPILOG)
@click.argument("paths", metavar="[PATH]...", nargs=-1, type=DeclaredType(PATH))
@click.option("--remove", is_flag=True, help="Remove what is listed.")
@click.option(
    "--older-than",
    type=DeclaredType(TIME),
    help="Only files that were not changed for this time (12h, 7d).",
)
@click.option(
    "--larger-than", type=DeclaredType(SIZE), help="Only files that are larger (500K, 10MB)."
)
def clean_command(
    paths: tuple[Path, ...], remove: bool, older_than: float | None, larger_than: int | None
) -> None:
    """List files that runs leave: journals, backups, unfinished results, parser tables.

    PATH is a directory (not those below it) or a journal; without one, the current directory and
    the cache. Files are known by their content, not by their names alone. Nothing is removed
    without --remove.
    """
    oldest = None if older_than is None else time.time() - older_than
    listed = [
        one
        for one in _looked_up(paths)
        if (oldest is None or one.changed < oldest)
        and (larger_than is None or one.size > larger_than)
    ]
    found = [one for one in listed if not one.stays]
    for one in listed:
        if one.stays:
            echo(f"{one.path} stays, with all that is beside it: {one.stays}", err=True)
    failed = [words for one in found if (words := _listed(one, remove)) is not None]
    total = sum(one.size for one in found)
    what = "removed" if remove else "found; --remove removes them"
    echo(f"{len(found) - len(failed):,} files, {_size(total)} {what}")
    if failed:
        raise OutputError("not removed:\n" + "\n".join(failed))


def _looked_up(paths: Iterable[Path]) -> Iterator[Leftover]:
    """Yield what is found, each file once."""
    paths = tuple(paths)
    found = itertools.chain.from_iterable(map(_below, paths or (Path(),)))
    seen: set[Path] = set()
    for one in itertools.chain(found, () if paths else cached_tables()):
        if one.path not in seen:
            seen.add(one.path)
            yield one


def _below(path: Path) -> Iterator[Leftover]:
    try:
        yield from leftovers_in(path) if os.path.isdir(path) else leftovers_of(path)
    except OSError as error:
        raise InputError(
            f"cannot look at {path}: {error.strerror or error}\nCheck its name."
        ) from error
    if not os.path.lexists(path):
        raise InputError(f"{path} does not exist\nCheck its name.")


def _listed(one: Leftover, remove: bool) -> str | None:
    """Print a leftover, and remove it if that is asked for; return why it cannot be."""
    if remove:
        try:
            one.remove()
        except OSError as error:
            return f"  {one.path}: {error.strerror or error}"
    age = (time.time() - one.changed) / _DAY
    echo(f"{_size(one.size):>9}  {age:5.0f} days  {one.path}: {one.what}")
    return None


def _size(size: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
