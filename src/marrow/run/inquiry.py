"""From a failing command to a test: run it on the input, infer the failure, write the script."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Final

from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.process.workspace import Workspace
from marrow.engine.search.dispatcher import TestFailureError
from marrow.engine.verdict import Verdict
from marrow.run.first_runs import FIRST_RUNS
from marrow.run.input import Input
from marrow.run.output import OutputFile
from marrow.run.output_kinds import SAVED_TEST, check_file
from marrow.run.plan import Plan
from marrow.signature.differ import Disagreement, disagreement
from marrow.signature.infer import Kept, commonest_failure, infer
from marrow.signature.observation import CANDIDATE, Inquiry, Observation, Words
from marrow.signature.script import Asked, observing_script, written_test

# Longer words are not file names on any system: they are scripts for `sh -c`, say.
_LONGEST_NAME: Final = 4096

# How much of an output is looked at, at each end: errors stand first or last.
_READ: Final = 1 << 19


def inferred_test(
    inquiry: Inquiry, plan: Plan, sandbox: Sandbox | None, say: Callable[[str], None]
) -> TestCommand:
    """Return the test for the failure; raise `UnclearFailureError` if there is none to keep.

    With a quorum, the failure that most runs show is kept: not all of them need to.
    """
    source, quorum = plan.source, plan.quorum
    resolved = tuple(_absolute(words, source) for words in inquiry.commands)
    if source.name and not any(CANDIDATE in word for words in resolved for word in words):
        say("note: no {} in the command: it gets the candidate on its standard input alone")
    asked = Asked(resolved, inquiry.guards, directory=source.several)
    name = source.name or source.paths[0].name
    often = FIRST_RUNS if quorum is None else max(FIRST_RUNS, quorum.runs)
    runs = [_observed(asked, words, plan, sandbox, often) for words in asked.commands]
    kept: Kept | Disagreement
    if len(runs) == 2:
        kept = disagreement(runs[0], runs[1], name, source.text, inquiry.wanted.forbidden)
    else:
        seen = runs[0] if quorum is None else commonest_failure(runs[0])
        kept = infer(seen, name, source.text, inquiry.wanted)
    say(f"kept: {kept.sentence()}")
    script = written_test(asked, kept)
    if inquiry.write_test is not None:
        check_file(inquiry.write_test, SAVED_TEST, "write_test test.sh", force=plan.force)
        _save(inquiry.write_test, script, source.mode)
        say(f"the test is saved as {inquiry.write_test}")
    return TestCommand.shell(script, memory=plan.memory, plain=_by_hand(asked, source))


def _by_hand(asked: Asked, source: Input) -> str:
    """Return the command for a person to try."""
    stdin = f" < {CANDIDATE}" if source.name else ""
    lines = [line if CANDIDATE in line else line + stdin for line in asked.plain()]
    guards = [f"({guard}){'' if CANDIDATE in guard else stdin} && " for guard in asked.guards]
    return "".join(guards) + "; ".join(lines)


def _absolute(words: Words, source: Input) -> Words:
    """Return a command that can be run in another directory.

    A word that names the input stands for the candidate; a program or file that is named by a
    relative path gets its absolute one.
    """
    program = words[0]
    if shutil.which(program) is None:
        raise TestCommandError(
            f"there is no program {program}\n"
            "Check the first word⟦ behind --||⟧; a command with pipes needs a shell: "
            "⟦-- sh -c 'COMMAND' sh {}||['sh', '-c', 'COMMAND', 'sh', '{}']⟧"
        )
    return tuple(_absolute_word(word, source, first=at == 0) for at, word in enumerate(words))


def _absolute_word(word: str, source: Input, *, first: bool) -> str:
    if CANDIDATE in word or word.startswith(("-", "/")) or len(word) > _LONGEST_NAME:
        return word
    if first and os.sep not in word:
        return word
    path = Path(word)
    if not path.exists():
        return word
    candidate = source.candidate(path)
    if candidate is not None:
        return candidate
    # A bare word such as `c` may name a language as well as a directory that happens to exist.
    looks_like_path = os.sep in word or "." in word
    return str(path.absolute()) if looks_like_path else word


def _save(path: Path, script: str, rights: int) -> None:
    """Save a test; whoever may read the input may read it and run it."""
    content = script.encode("utf-8", "surrogateescape")
    OutputFile(path, rights & 0o666 | (rights & 0o444) >> 2 | 0o700).write(content)


def _observed(
    asked: Asked, words: Words, plan: Plan, sandbox: Sandbox | None, runs: int
) -> list[Observation]:
    """Run a command on the input of a plan several times, one after the other.

    Raises `TestFailureError` if it cannot be run, `WorkspaceError` without space for that.
    """
    workspace = Workspace()
    try:
        seen = workspace.directory().path
        script = observing_script(asked, words, seen)
        command = TestCommand.shell(script, memory=plan.memory)
        if sandbox is not None:
            inside = replace(sandbox, writable=(*sandbox.writable, seen))
            command = replace(command, sandbox=inside)
        executor = CommandExecutor(command, plan.source.placement, adopt=True)
        try:
            if plan.timeout is not None:
                executor.allow(plan.timeout)
            for _ in range(runs):
                outcome = outcome_of(executor.submit(plan.source.text, capture=True))
                if outcome.verdict is Verdict.ERROR:
                    raise TestFailureError(outcome.message)
                if outcome.verdict is Verdict.TIMEOUT:
                    break  # one more would only take as long
        finally:
            executor.close()
        return [_observation(path) for path in sorted(Path(seen).iterdir())]
    finally:
        workspace.close()


def _observation(path: Path) -> Observation:
    """Read what one run left; without a status it did not end by itself."""
    status: int | None = None
    with contextlib.suppress(OSError, ValueError):
        status = int((path / "status").read_text())
    return Observation(status, _read(path / "stdout"), _read(path / "stderr"))


def _read(path: Path) -> bytes:
    with contextlib.suppress(OSError), path.open("rb") as file:
        start = file.read(_READ)
        length = file.seek(0, 2)
        file.seek(max(_READ, length - _READ))
        return start + file.read()
    return b""
