"""The test script for what is kept: POSIX sh, for people to read, keep and change.

It is the test that marrow runs too, so that a script that is saved says what marrow would have.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from marrow.signature.differ import Disagreement
from marrow.signature.infer import Kept
from marrow.signature.observation import CANDIDATE, Words


@dataclass(frozen=True, slots=True)
class Asked:
    """The commands of a test: the one to observe or the two to compare, and the guards.

    A guard is a command for the shell that must succeed. `directory` says that the candidate is a
    directory: commands run in it, and have nothing on their standard input.
    """

    commands: tuple[Words, ...]
    guards: tuple[str, ...] = ()
    directory: bool = False

    def line(self, words: Words) -> str:
        """Return one of the commands as the shell reads it, with `$1` for the candidate."""
        line = " ".join(map(_with_candidate, words))
        return f"{line} <{'/dev/null' if self.directory else _QUOTED}"

    def plain(self) -> list[str]:
        """Return the commands as a person would type them, with {} for the candidate."""
        lines = [shlex.join(words) for words in self.commands]
        return [line.replace(f"'{CANDIDATE}'", CANDIDATE) for line in lines]


_QUOTED: Final = '"$1"'


def _with_candidate(word: str) -> str:
    """Return a word for the shell, with the candidate's path where it belongs."""
    pieces = word.split(CANDIDATE)
    return _QUOTED.join(shlex.quote(piece) if piece or len(pieces) == 1 else "" for piece in pieces)


def observing_script(asked: Asked, words: Words, directory: str) -> str:
    """Return a script that runs one command and leaves what it did in a new directory there."""
    return (
        f"{_NO_CORE}\n"
        f"seen=$(mktemp -d {shlex.quote(directory)}/run.XXXXXX) || exit 1\n"
        f'{asked.line(words)} >"$seen/stdout" 2>"$seen/stderr"\n'
        'echo "$?" >"$seen/status"\n'
    )


_NO_CORE: Final = "ulimit -c 0 2>/dev/null  # a crash need not leave a core file"


def written_test(asked: Asked, kept: Kept | Disagreement) -> str:
    """Return the script that exits with 0 if a candidate still shows what is kept."""
    what = "directory" if asked.directory else "file"
    parts = [
        "#!/bin/sh",
        f"# Exits with 0 if the {what} named by $1 still shows the failure:",
        *(f"# {line}" for line in kept.sentence().splitlines()),
        "# Written by marrow for:",
        *(f"# {line}" for command in asked.plain() for line in command.splitlines()),
        "",
        _NO_CORE,
        "outputs=$(mktemp -d) || exit 1",
        "trap 'rm -rf \"$outputs\"' EXIT",
        "",
        "no() { printf 'not interesting: %s\\n' \"$1\"; exit 1; }",
    ]
    each = (kept,) if isinstance(kept, Kept) else kept.each
    if kept.forbidden or any(one.stderr or one.stdout for one in each):
        parts += ["# has FILE REGEX: whether a line of the file matches", _HAS]
    if asked.directory:
        parts += ["", "# Names are relative to the directory.", f"cd {_QUOTED} || exit 1"]
    for guard in asked.guards:
        parts += ["", "# A guard: this must succeed.", *_guard(asked, guard)]
    parts.append("")
    parts += _kept_part(asked, kept) if isinstance(kept, Kept) else _differ_part(asked, kept)
    parts += ["exit 0", ""]
    return "\n".join(parts)


_HAS: Final = 'has() { LC_ALL=C grep -Eq -e "$2" "$1"; }'


def _guard(asked: Asked, guard: str) -> list[str]:
    line = guard.replace(CANDIDATE, _QUOTED)
    stdin = "/dev/null" if asked.directory else _QUOTED
    return [f"( {line}\n) <{stdin} >/dev/null 2>&1 || no {shlex.quote(f'guard: {guard}')}"]


def _kept_part(asked: Asked, kept: Kept) -> list[str]:
    lines = ["# The command, and how it ends.", *_run(asked, asked.commands[0], kept)]
    return [*lines, *_forbidden(kept.forbidden, ("stdout", "stderr"))]


def _run(asked: Asked, words: Words, kept: Kept, number: str = "") -> list[str]:
    """Run a command and ask for what is kept of it; `number` tells its outputs from others."""
    stdout, stderr = f"$outputs/stdout{number}", f"$outputs/stderr{number}"
    lines = [f'{asked.line(words)} >"{stdout}" 2>"{stderr}"']
    if kept.status is not None:
        refusal = f"exit status $status instead of {kept.status}"
        lines += ["status=$?", f'[ "$status" -eq {kept.status} ] || no "{refusal}"']
    streams = ((stderr, "standard error", kept.stderr), (stdout, "standard output", kept.stdout))
    for file, name, patterns in streams:
        for pattern in patterns:
            refusal = shlex.quote(f"no line on {name} matches {pattern}")
            lines.append(f'has "{file}" {shlex.quote(pattern)} ||\n  no {refusal}')
    return lines


def _differ_part(asked: Asked, kept: Disagreement) -> list[str]:
    lines = ["# Both commands must end as they did on the input."]
    for number, words, one in zip("12", asked.commands, kept.each, strict=True):
        lines += _run(asked, words, one, number)
    files = tuple(f"{stream}{number}" for number in (1, 2) for stream in ("stdout", "stderr"))
    lines += _forbidden(kept.forbidden, files)
    if kept.outputs_differ:
        lines += [
            "# They must disagree.",
            'cmp -s "$outputs/stdout1" "$outputs/stdout2" && no "the outputs are the same"',
        ]
    return lines


def _forbidden(patterns: Sequence[str], files: Sequence[str]) -> list[str]:
    return [
        f'has "$outputs/{file}" {shlex.quote(pattern)} &&\n'
        f"  no {shlex.quote(f'a line matches {pattern}')}"
        for pattern in patterns
        for file in files
    ]
