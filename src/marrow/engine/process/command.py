"""Tests that are commands: executables, lines for the shell, commands that marrow judges.

A captured command may have several steps: guards, which must succeed; one command, or two to be
compared; and a check for inputs that are not valid. The judge sees how the commands ended and what
they printed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, Protocol, Self

from marrow.base.errors import MarrowError, error_text
from marrow.diagnostics.observation import Observation
from marrow.engine.process.sandbox import Sandbox
from marrow.engine.verdict import Verdict

_SHELL = "/bin/sh"


class TestCommandError(MarrowError, ValueError):
    """The test cannot be run at all; the message says why and what to do."""

    __test__ = False  # not a test case, whatever pytest makes of the name


@dataclass(frozen=True, slots=True)
class TestCommand:
    """A test: an executable, or a command for the shell.

    It is started in a fresh directory that holds the candidate under the input's own name; the path
    of the candidate is its first argument and the candidate its standard input. `memory` limits the
    address space, in bytes. `plain` is the line that a person would type, with {} for the
    candidate. `variables` are set in its environment. In a `sandbox` it can do no harm (see
    `engine.process.sandbox`).
    """

    __test__ = False

    arguments: tuple[str, ...]
    memory: int | None = None
    plain: str | None = None
    #: A command for the shell that succeeds on inputs that are not valid, asked where a test fails.
    invalid_if: str = ""
    sandbox: Sandbox | None = None
    variables: tuple[tuple[str, str], ...] = ()

    @classmethod
    def executable(cls, name: str, *, memory: int | None = None) -> TestCommand:
        """Return the test for a script or program; raise `TestCommandError` if there is none."""
        path = Path(name)
        if not os.path.exists(name):
            found = shutil.which(name) if os.sep not in name else None
            if found is None:
                advice = (
                    f"It looks like a command; say it like this: ⟦--shell {shlex.quote(name)}||"
                    f"TestCommand.shell({name!r})⟧"
                    if " " in name
                    else "Give the path of a script that exits with 0 when the candidate still "
                    "shows the failure, or a command with ⟦shell⟧."
                )
                raise TestCommandError(f"the test {name} does not exist\n{advice}")
            path = Path(found)
        if not path.is_file():
            kind = "is a directory" if path.is_dir() else "is not a regular file"
            raise TestCommandError(f"the test {name} {kind}\nGive an executable file.")
        if not os.access(path, os.X_OK):
            with contextlib.suppress(OSError), path.open("rb") as file:
                if file.read(2) != b"#!":
                    raise TestCommandError(error_text("no_interpreter", name=name))
            raise TestCommandError(
                f"the test {name} is not executable\nMake it so with: chmod +x {shlex.quote(name)}"
            )
        # Not resolved: a program may look at its own name.
        return cls((str(path.absolute()),), memory)

    @classmethod
    def shell(
        cls, command: str, *, memory: int | None = None, plain: str | None = None
    ) -> TestCommand:
        """Return the test for a shell command, which finds the candidate's path in `$1`."""
        if not command.strip():
            raise TestCommandError(error_text("empty_shell"))
        return cls((_SHELL, "-c", command, "marrow-test"), memory, plain)

    def unresolved_if(self, command: str) -> Self:
        """Return this test with a check for invalid inputs.

        If the test fails, the shell command is run, with the path of the candidate for `{}` and in
        `$1`, and the candidate as standard input. If it exits with 0, the verdict is unresolved.
        """
        if not command.strip():
            raise TestCommandError(error_text("empty_check"))
        return replace(self, invalid_if=command)

    def check(self, candidate: str) -> tuple[str, ...] | None:
        """Return the command line that tells whether a candidate is not valid."""
        if not self.invalid_if:
            return None
        return self._limited(_shell_line(self.invalid_if, candidate))

    def line(self, candidate: str) -> tuple[str, ...]:
        """Return the command line for a candidate."""
        return self._limited((*self.arguments, candidate))

    def _limited(self, words: tuple[str, ...]) -> tuple[str, ...]:
        if self.memory is None:
            return words
        limit = f'ulimit -v {max(1, self.memory // 1024)}; exec "$@"'
        return (_SHELL, "-c", limit, "marrow-limit", *words)

    def by_hand(self, candidate: str) -> str:
        """Return the line that runs the test by hand on a file, or on the current directory."""
        if not candidate:
            if self.plain is not None:
                return self.plain.replace("{}", ".")
            return f'{shlex.join(self.line("")[:-1])} "$PWD" < /dev/null'
        # A name with a dash in front would be taken for an option.
        plain = f"./{candidate}" if candidate.startswith("-") else candidate
        file = shlex.quote(plain)
        if self.plain is not None:
            return self.plain.replace("{}", file)
        return f"{shlex.join(self.line(plain))} < {file}"

    def fingerprint(self) -> str:
        """Return a hash of the test: its command, and the content of its script."""
        asked = (self.arguments, self.invalid_if) if self.invalid_if else self.arguments
        digest = hashlib.blake2b(repr(asked).encode(), digest_size=16)
        self._add_sandbox(digest)
        if self.script is not None:
            with self.script.open("rb") as file:
                while piece := file.read(1 << 20):
                    digest.update(piece)
        return digest.hexdigest()

    def _add_sandbox(self, digest: hashlib.blake2b) -> None:
        if self.sandbox is not None:
            digest.update(b"in a sandbox")
            if self.sandbox.home or self.sandbox.variables:
                digest.update(repr((self.sandbox.home, self.sandbox.variables)).encode())

    @property
    def script(self) -> Path | None:
        """The executable; None for a shell command."""
        return None if self.arguments[0] == _SHELL else Path(self.arguments[0])

    def moved(self, script: str) -> TestCommand:
        """Return this test with its script at another place."""
        old = str(self.script)
        words = tuple(script if word == old else word for word in self.arguments)
        sandbox = self.sandbox
        if sandbox is not None:
            seen = Sandbox.around([script]).visible
            sandbox = replace(sandbox, visible=(*sandbox.visible, *seen))
        return replace(self, arguments=words, sandbox=sandbox)

    def through_shell(self) -> TestCommand:
        """Return this test started by the shell: for a script that names no interpreter."""
        return replace(self, arguments=(_SHELL, *self.arguments), plain=None)


#: The placeholder for the candidate in the words of a command.
_CANDIDATE: Final = "{}"


@dataclass(frozen=True, slots=True)
class JudgedEnd:
    """What a judge says: the verdict, why it is not interesting, which failure it saw instead."""

    verdict: Verdict
    why: str = ""
    label: str = ""


class Judge(Protocol):
    """Judges a candidate by what commands did with it. It travels to other machines."""

    @property
    def identity(self) -> str:
        """What it asks for, so that the journal of a run knows it again."""

    def judge(self, ended: tuple[Observation, ...], candidate: bytes) -> JudgedEnd:
        """Say whether commands that ended so still show the failure."""


@dataclass(frozen=True, slots=True)
class CapturedCommand(TestCommand):
    """A test that is a command as the user typed it, with a judge.

    `arguments` are the words of the first command, `second` those of the other of two. A guard is a
    command for the shell. All of them may have {} for the candidate.
    """

    second: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()
    judge: Judge = field(kw_only=True)

    def steps(self, candidate: str) -> list[tuple[str, ...]]:
        """Return the command lines for a candidate, in their order: guards, then commands."""
        lines = [_shell_line(guard, candidate) for guard in self.guards]
        for words in filter(None, (self.arguments, self.second)):
            lines.append(tuple(word.replace(_CANDIDATE, candidate) for word in words))
        return list(map(self._limited, lines))

    def fingerprint(self) -> str:
        """Return a hash of the test: its commands, and what the judge asks for."""
        asked = (self.arguments, self.second, self.guards, self.invalid_if, self.judge.identity)
        digest = hashlib.blake2b(repr(asked).encode("utf-8", "surrogateescape"), digest_size=16)
        self._add_sandbox(digest)
        return digest.hexdigest()

    @property
    def script(self) -> None:
        """None: a command is not a script, whatever its first word is."""


def _shell_line(command: str, candidate: str) -> tuple[str, ...]:
    """Return a command for the shell, which finds the candidate in `$1` too."""
    line = command.replace(_CANDIDATE, shlex.quote(candidate))
    return (_SHELL, "-c", line, "marrow-guard", candidate)
