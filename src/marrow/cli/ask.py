"""From a command to a test: run it on the input, work out what to keep, write the script."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from marrow.cli.exits import CliError, Exit
from marrow.cli.question import Question
from marrow.cli.source import Source
from marrow.engine.executors.quorum import Quorum
from marrow.engine.process.command import TestCommand
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.process.workspace import WorkspaceError
from marrow.engine.search.dispatcher import TestFailureError
from marrow.run.first_runs import FIRST_RUNS
from marrow.run.observe import observe
from marrow.signature.differ import Disagreement, disagreement
from marrow.signature.infer import Kept, UnclearFailureError, commonest_failure, infer
from marrow.signature.script import CANDIDATE, Asked, Words, written_test


def ask(
    question: Question,
    source: Source,
    say: Callable[[str], None],
    *,
    timeout: float | None,
    memory: int | None,
    quorum: Quorum | None = None,
    sandbox: Sandbox | None = None,
) -> TestCommand:
    """Return the test for a command's failure; raise `CliError` where there is none to keep.

    With a quorum, what is kept is the failure that most runs show: not all of them need to.
    """
    resolved = [absolute(words, source) for words in question.commands]
    if source.name and not any(CANDIDATE in word for words in resolved for word in words):
        say("note: no {} in the command: it gets the candidate on its standard input alone")
    asked = Asked(tuple(resolved), question.guards, directory=not source.name)
    name = source.name or source.inputs[0].name
    try:
        runs = [
            observe(
                asked,
                words,
                source.text,
                source.placement,
                runs=FIRST_RUNS if quorum is None else max(FIRST_RUNS, quorum.runs),
                timeout=timeout,
                memory=memory,
                sandbox=sandbox,
            )
            for words in asked.commands
        ]
        kept: Kept | Disagreement
        if len(runs) == 2:
            kept = disagreement(runs[0], runs[1], name, source.text, question.wanted.forbidden)
        else:
            seen = runs[0] if quorum is None else commonest_failure(runs[0])
            kept = infer(seen, name, source.text, question.wanted)
    except UnclearFailureError as error:
        raise CliError(Exit.NOT_INTERESTING, str(error)) from error
    except (TestFailureError, WorkspaceError) as error:
        raise CliError(Exit.TEST, str(error)) from error
    say(f"kept: {kept.sentence()}")
    script = written_test(asked, kept)
    if question.write_test is not None:
        _save(question.write_test, script)
        say(f"the test is saved as {question.write_test}")
    stdin = f" < {CANDIDATE}" if source.name else ""
    lines = [line if CANDIDATE in line else line + stdin for line in asked.plain()]
    guards = [f"({guard}){'' if CANDIDATE in guard else stdin} && " for guard in question.guards]
    plain = "".join(guards) + "; ".join(lines)
    return TestCommand.shell(script, memory=memory, plain=plain)


def absolute(words: Words, source: Source) -> Words:
    """Return a command that can be run in another directory.

    A word that names the input stands for the candidate; a program or file that is named by a
    relative path gets its absolute one.
    """
    program = words[0]
    if shutil.which(program) is None:
        raise CliError(
            Exit.TEST,
            f"there is no program {program}\n"
            "Check the first word behind --; a command with pipes needs a shell: "
            "-- sh -c 'COMMAND' sh {}",
        )
    return tuple(_absolute(word, source, first=at == 0) for at, word in enumerate(words))


def _absolute(word: str, source: Source, *, first: bool) -> str:
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
    # A bare word such as `c` may name a language as well as a directory that happens to be there.
    looks_like_path = os.sep in word or "." in word
    return str(path.absolute()) if looks_like_path else word


# Longer words are no file names on any system (they are scripts for `sh -c`, say).
_LONGEST_NAME = 4096


def _save(path: Path, script: str) -> None:
    try:
        path.write_bytes(script.encode("utf-8", "surrogateescape"))
        path.chmod(0o755)
    except OSError as error:
        raise CliError(
            Exit.OUTPUT,
            f"cannot write the test to {path}: {error.strerror or error}\n"
            "Choose another place for --write-test.",
        ) from error
