"""From a failing command to a test: run it on the input, infer the failure, write the script."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marrow.engine.executors.quorum import Quorum
from marrow.engine.process.command import TestCommand, TestCommandError
from marrow.engine.process.sandbox import Sandbox
from marrow.errors import UsageError
from marrow.run.first_runs import FIRST_RUNS
from marrow.run.input import Input
from marrow.run.output import OutputError
from marrow.run.output_kinds import SAVED_TEST, check_file
from marrow.signature.observation import CANDIDATE, Wanted, Words

if TYPE_CHECKING:
    from marrow.signature.script import Asked

# Longer words are not file names on any system: they are scripts for `sh -c`, say.
_LONGEST_NAME: Final = 4096


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A command that fails on the input, or two that disagree, and what to keep of that."""

    commands: tuple[Words, ...]
    wanted: Wanted
    guards: tuple[str, ...] = ()
    write_test: Path | None = None
    #: Whether the saved test may be written over any file.
    force: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """Every word that may name a file."""
        return (*self.guards, *(word for command in self.commands for word in command))

    def check(self) -> None:
        """Raise `UsageError` where the options contradict each other."""
        if len(self.commands) == 2 and self.wanted.chosen:
            raise UsageError(
                "⟦differ⟧ keeps that two commands disagree, so there is nothing else to keep\n"
                "Leave out ⟦keep_exit⟧, ⟦keep_stderr⟧ and ⟦keep_stdout⟧; ⟦forbid⟧ and "
                "⟦guard⟧ go with it."
            )

    def check_saving(self) -> None:
        """Raise `OutputError` where the test cannot or must not be saved."""
        check_file(self.write_test, SAVED_TEST, "write_test test.sh", force=self.force)

    def test(
        self,
        source: Input,
        say: Callable[[str], None],
        *,
        timeout: float | None,
        memory: int | None,
        quorum: Quorum | None = None,
        sandbox: Sandbox | None = None,
    ) -> TestCommand:
        """Return the test for the failure; raise `UnclearFailureError` if there is none to keep.

        With a quorum, the failure that most runs show is kept: not all of them need to.
        """
        from marrow.run.observe import observe
        from marrow.signature.differ import Disagreement, disagreement
        from marrow.signature.infer import Kept, commonest_failure, infer
        from marrow.signature.script import Asked, written_test

        resolved = tuple(_absolute(words, source) for words in self.commands)
        if source.name and not any(CANDIDATE in word for words in resolved for word in words):
            say("note: no {} in the command: it gets the candidate on its standard input alone")
        asked = Asked(resolved, self.guards, directory=source.several)
        name = source.name or source.paths[0].name
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
            kept = disagreement(runs[0], runs[1], name, source.text, self.wanted.forbidden)
        else:
            seen = runs[0] if quorum is None else commonest_failure(runs[0])
            kept = infer(seen, name, source.text, self.wanted)
        say(f"kept: {kept.sentence()}")
        script = written_test(asked, kept)
        if self.write_test is not None:
            self.check_saving()
            _save(self.write_test, script)
            say(f"the test is saved as {self.write_test}")
        return TestCommand.shell(script, memory=memory, plain=self._by_hand(asked, source))

    def _by_hand(self, asked: Asked, source: Input) -> str:
        """Return the command for a person to try."""
        stdin = f" < {CANDIDATE}" if source.name else ""
        lines = [line if CANDIDATE in line else line + stdin for line in asked.plain()]
        guards = [f"({guard}){'' if CANDIDATE in guard else stdin} && " for guard in self.guards]
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
            "Check the first word behind --; a command with pipes needs a shell: "
            "-- sh -c 'COMMAND' sh {}"
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


def _save(path: Path, script: str) -> None:
    try:
        path.write_bytes(script.encode("utf-8", "surrogateescape"))
        path.chmod(0o755)
    except OSError as error:
        raise OutputError(
            f"cannot write the test to {path}: {error.strerror or error}\n"
            "Choose another place for ⟦write_test⟧."
        ) from error
