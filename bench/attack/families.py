"""The families of hostile situations, one row each: what it is about, and the situations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final, NamedTuple

from bench.attack import (
    belongings,
    clusters,
    contents,
    crash_folders,
    faults,
    interruptions,
    misdeeds,
    records,
    replacements,
    strangers,
    surroundings,
)
from bench.attack.situation import Situation


class Family(NamedTuple):
    """Situations of one kind; `promise` is what marrow promises in all of them."""

    promise: str
    situations: Callable[[], Iterator[Situation]]
    #: Whether what happens does not depend on how busy the machine is.
    quick: bool = True


FAMILIES: Final[dict[str, Family]] = {
    "sandbox": Family(
        "a sandboxed test harms nothing outside", interruptions.sandboxed, quick=False
    ),
    "neighbours": Family("only what marrow made is removed from TMPDIR", belongings.neighbours),
    "overwriting": Family("nothing of the user's is overwritten", belongings.overwriting),
    "links": Family("planted links are not followed", belongings.links),
    "rights": Family("nothing is more readable than the input", belongings.rights),
    "configuration": Family(
        "a file that comes with an input changes the search and nothing else",
        strangers.configurations,
    ),
    "touched": Family("whatever a test does to the result, it is on disk", strangers.touched),
    "written": Family("nothing any command writes is more readable", strangers.written),
    "clusters": Family(
        "nobody joins who should not, and a lost cluster is said", clusters.clusters, quick=False
    ),
    "jobs": Family("processes that marrow did not start live on", interruptions.jobs),
    "bombs": Family("all processes of a test end with it", interruptions.bombs),
    "stopped": Family("time while stopped does not count", interruptions.stopped, quick=False),
    "killed": Family("a killed run can be resumed", interruptions.killed),
    "repeated": Family("a later run keeps what an earlier one wrote", belongings.repeated),
    "faults": Family("a failing file system is said, and loses nothing", faults.faults),
    "unlocked": Family("where files cannot be locked, that is said", faults.unlocked),
    "full disks": Family("a full disk is said, and leaves no rests", faults.full_disks),
    "signals": Family(
        "signals end a run at any moment, in good order", interruptions.signals, quick=False
    ),
    "names": Family("names are data", contents.names),
    "outputs": Family("names of results and what commands print are data", contents.outputs),
    "inputs": Family("any content is reduced", contents.inputs),
    "commands": Family("any file is answered by a message", contents.other_commands),
    "variables": Family("odd variables change nothing", surroundings.variables),
    "streams": Family("streams may be full or closed", surroundings.streams),
    "live": Family("who has no token gets nothing of a live page", surroundings.live, quick=False),
    "limits": Family("limits of the system are said", surroundings.limits, quick=False),
    "places": Family("places that cannot be written are said", surroundings.places),
    "deeds": Family("whatever a test does, the result is right", misdeeds.deeds),
    "ends": Family("tests that are none are said", misdeeds.ends),
    "huge": Family("a limit and Ctrl-C hold on huge inputs", interruptions.huge, quick=False),
    "journals": Family("damaged journals are said, or work", records.journals),
    "options": Family("wrong options and endless files are said", records.options),
    "deep": Family("files that nest too deeply are said", records.deep),
    "crash folders": Family(
        "triage gets through any crash folder in its time", crash_folders.crash_folders, quick=False
    ),
    "triage files": Family(
        "triage replaces and removes its own files alone", crash_folders.triage_directory
    ),
    "replaced": Family(
        "what a command puts in the place of its directories leads marrow nowhere",
        replacements.replaced,
        quick=False,
    ),
    "mounts": Family("what a test mounts is not entered, and not left", replacements.mounts),
    "inherited": Family(
        "what a parent has set for signals, rights and limits changes no verdict",
        replacements.inherited,
    ),
}


def situations(families: Iterable[str], every: int = 1) -> Iterator[tuple[str, Situation]]:
    """Yield the situations of some families, or every Nth of each of them."""
    for family in families:
        for one in islice(FAMILIES[family].situations(), 0, None, every):
            yield family, one
