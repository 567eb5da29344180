"""Commands whose end and outputs are judged by marrow itself, in place of a test script.

A test may have several steps: guards, which must succeed; one command, or two to be compared; and a
check for inputs that are not valid. The judge sees how the commands ended and what they printed.
"""

from __future__ import annotations

import hashlib
import shlex
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from marrow.engine.process.command import TestCommand
from marrow.engine.verdict import Verdict

#: The placeholder for the candidate in the words of a command.
_CANDIDATE: Final = "{}"

_SHELL: Final = "/bin/sh"


@dataclass(frozen=True, slots=True)
class CommandEnd:
    """How a command ended and what it printed.

    `code` is negative for a signal, and None for a command that did not end in time.
    """

    code: int | None
    stdout: bytes = b""
    stderr: bytes = b""


@dataclass(frozen=True, slots=True)
class JudgedEnd:
    """What a judge says: the verdict, why it is not interesting, and which failure it saw instead.

    `label` is empty where there was none.
    """

    verdict: Verdict
    why: str = ""
    label: str = ""


class Judge(Protocol):
    """Judges a candidate by what commands did with it. It travels to other machines."""

    @property
    def identity(self) -> str:
        """What it asks for, so that the journal of a run knows it again."""

    def judge(self, ended: tuple[CommandEnd, ...], candidate: bytes) -> JudgedEnd:
        """Say whether commands that ended so still show the failure."""


@dataclass(frozen=True, slots=True)
class AnyEnd:
    """The judge that finds every end interesting: for the first look at a command."""

    identity: str = "any end"

    def judge(self, ended: tuple[CommandEnd, ...], candidate: bytes) -> JudgedEnd:
        """Say yes."""
        del ended, candidate
        return JudgedEnd(Verdict.INTERESTING)


@dataclass(frozen=True, slots=True)
class CapturedCommand(TestCommand):
    """A test that is a command as the user typed it, with a judge.

    `arguments` are the words of the first command, `second` those of the other of two. A guard is a
    command for the shell, and so is the `invalid_if` that succeeds on invalid inputs. All of them
    may have {} for the candidate.
    """

    second: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    invalid_if: str = ""
    judge: Judge = field(default_factory=AnyEnd)

    def steps(self, candidate: str) -> list[tuple[str, ...]]:
        """Return the command lines for a candidate, in their order: guards, then commands."""
        guards = [self._limited(_shell_line(guard, candidate)) for guard in self.guards]
        commands = [self.arguments, *([self.second] if self.second else [])]
        return guards + [self._limited(_words(words, candidate)) for words in commands]

    def check(self, candidate: str) -> tuple[str, ...] | None:
        """Return the command line that tells whether a candidate is not valid."""
        return _shell_line(self.invalid_if, candidate) if self.invalid_if else None

    def _limited(self, words: tuple[str, ...]) -> tuple[str, ...]:
        if self.memory is None:
            return words
        limit = f'ulimit -v {max(1, self.memory // 1024)}; exec "$@"'
        return (_SHELL, "-c", limit, "marrow-limit", *words)

    def unresolved_if(self, command: str) -> CapturedCommand:
        """Return this test with a check for invalid inputs."""
        return replace(self, invalid_if=command)

    def fingerprint(self) -> str:
        """Return a hash of the test: its commands, and what the judge asks for."""
        asked = (self.arguments, self.second, self.guards, self.invalid_if, self.judge.identity)
        digest = hashlib.blake2b(repr(asked).encode("utf-8", "surrogateescape"), digest_size=16)
        self._add_sandbox(digest)
        return digest.hexdigest()

    @property
    def script(self) -> None:
        """None: a command is not a script, whatever its first word is."""


def _words(words: tuple[str, ...], candidate: str) -> tuple[str, ...]:
    return tuple(word.replace(_CANDIDATE, candidate) for word in words)


def _shell_line(command: str, candidate: str) -> tuple[str, ...]:
    """Return a command for the shell, which finds the candidate in `$1` too."""
    line = command.replace(_CANDIDATE, shlex.quote(candidate))
    return (_SHELL, "-c", line, "marrow-guard", candidate)
