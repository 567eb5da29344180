"""What a failing command needs: its words, its environment, and lines of the files that it names.

`--shrink-command` drops words before the reduction and again on the result. Greedy, in runs of
words that get shorter: halves and less, then all pairs of neighbours (an option with its value) and
single words, until none can go. Guarantee: no word and no two neighbours can be left out. Worst
case: O(n²) runs for n words; commands have a dozen. Two commands that disagree (`--differ`) lose
words in turn. On the result, a file of options (`@FILE`) gives way to its words, the variables of
the environment go too, and the lines, then words of lines, of the files that the command names: of
a configuration, and in a sandbox of the script that it runs. Elsewhere a script without its line
`cd build` might remove the wrong files. A file is shortened in a copy; the original stays.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from marrow.base.bounded_file import read_bounded
from marrow.engine.events import PhaseBegan
from marrow.engine.executors.executor import outcome_of
from marrow.engine.executors.registry import open_executor
from marrow.engine.process.command import CapturedCommand
from marrow.engine.process.placement import Placement
from marrow.engine.process.watchdog import sweeps_held
from marrow.engine.verdict import Verdict
from marrow.run.output.output_paths import default_output
from marrow.run.output.result import Result
from marrow.run.plan.plan import Plan
from marrow.signature.failing_command import CANDIDATE, typed

if TYPE_CHECKING:
    from marrow.run.run import Run

#: An option with its value.
_PAIR: Final = 2

# Larger files are rarely written by hand, and each line or word costs a run.
_LARGEST_FILE: Final = 1 << 16
_MOST_WORDS: Final = 100

# Variables that programs expect; they are not worth a word in a report.
_USUAL: Final = frozenset(
    ("PATH", "HOME", "USER", "LOGNAME", "SHELL", "PWD", "OLDPWD", "TERM", "TMPDIR", "SHLVL", "LANG")
)


def shrunk_words(
    words: tuple[str, ...], fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return the words that a failing command needs; the first, and those with `{}`, stay."""
    fails = cache(fails)
    size = len(words) // 2
    while size > _PAIR:
        for at in range(len(words), 1, -size):
            words = _without(words, max(1, at - size), at, fails)
        size //= 2
    before = None
    while words != before:
        before = words
        for size in (_PAIR, 1):
            # An option and its value can be anywhere.
            for at in range(len(words), size, -1):
                words = _without(words, at - size, at, fails)
    return words


def _without(
    words: tuple[str, ...], start: int, end: int, fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return a command without some of its words, if it still fails then."""
    kept = tuple(word for word in words[start:end] if CANDIDATE in word)
    fewer = (*words[:start], *kept, *words[end:])
    return fewer if len(fewer) < len(words) and fails(fewer) else words


def with_words(
    command: CapturedCommand, words: tuple[str, ...], second: tuple[str, ...]
) -> CapturedCommand:
    """Return a command with other words, also where a person would type it."""
    if (words, second) == (command.arguments, command.second):
        return command
    plain = "; ".join(typed(some) for some in (words, second) if some)
    return replace(command, arguments=words, second=second, plain=plain)


def _written_out(word: str) -> list[str]:
    """Return the words in a file of options (`@FILE`); any other word as it is."""
    path = Path(word[1:])
    if not word.startswith("@") or not path.is_file():
        return [word]
    return shlex.split(read_bounded(path, _LARGEST_FILE).decode())


def _fewer_words(
    lines: tuple[str, ...], at: int, fails: Callable[[tuple[str, ...]], bool]
) -> tuple[str, ...]:
    """Return the lines of a file with fewer words in one of them, if the command fails then."""
    line = lines[at].rstrip()

    def changed(words: tuple[str, ...]) -> tuple[str, ...]:
        return (*lines[:at], "".join(words) + lines[at][len(line) :], *lines[at + 1 :])

    words = ("", *re.findall(r"\s*\S+", line))
    return changed(shrunk_words(words, lambda some: fails(changed(some))))


def shorten_command(run: Run, result: Result) -> None:
    """Find what the command needs on a result; files that need fewer lines are written."""
    if not isinstance(run.command, CapturedCommand) or not result.verified:
        return
    shrinker = CommandShrinker(result.text, run.plan, run.place)
    try:
        run.listen(PhaseBegan("shortening the command"))
        shorter = shrinker.command(shrinker.with_options(run.command))
        result.command = shorter.plain
        run.listen(PhaseBegan("shortening what surrounds the command"))
        files, variables = shrinker.files(shorter), shrinker.variables(shorter)
    finally:
        result.tests += shrinker.runs
    if variables:
        result.command = f"{shlex.join(variables)} {shorter.plain}"
    if run.plan.output is not None:
        for name, text in files.items():
            path = run.plan.output.parent / default_output((Path(name),)).name
            while path.exists() and path.read_bytes() != text:
                path = path.with_name(f"{path.stem}~{path.suffix}")
            path.write_bytes(text)
            result.command_files[name] = path


@dataclass(slots=True)
class CommandShrinker:
    """Shortens a command that fails on a text; `runs` counts how often it ran."""

    text: bytes
    plan: Plan
    place: Placement
    runs: int = 0

    def command(self, command: CapturedCommand) -> CapturedCommand:
        """Return a command without words that its failure does not need; two lose them in turn."""
        second = command.second
        words = shrunk_words(
            command.arguments, lambda some: self._fails(with_words(command, some, second))
        )
        if second:
            second = shrunk_words(
                second, lambda some: self._fails(with_words(command, words, some))
            )
        return with_words(command, words, second)

    def with_options(self, command: CapturedCommand) -> CapturedCommand:
        """Return a command with the words of its files of options, if it fails with them."""
        try:
            words, second = (
                tuple(chain.from_iterable(map(_written_out, some)))
                for some in (command.arguments, command.second)
            )
        except (OSError, ValueError):
            return command
        changed = with_words(command, words, second)
        return changed if changed is not command and self._fails(changed) else command

    def files(self, command: CapturedCommand) -> dict[str, bytes]:
        """Return the lines that the failure needs of the files that the command names."""
        found = {}
        for word in dict.fromkeys((*command.arguments, *command.second)):
            # `--config=FILE` names one too, and `@FILE` one with options.
            path = Path(word.rpartition("=")[2].removeprefix("@"))
            # As the program, or as the script of its program.
            runs = any(str(path) in some[:2] for some in (command.arguments, command.second))
            if self.plan.sandbox is None and (runs or os.access(path, os.X_OK)):
                continue
            lines = self._lines(command, word, path)
            if lines is not None:
                found[str(path)] = lines
        return found

    def variables(self, command: CapturedCommand) -> tuple[str, ...]:
        """Return the variables of the environment that the failure needs."""
        seen = set(os.environ)
        if command.sandbox is not None:
            seen = seen & {*_USUAL, *command.sandbox.variables}
        usual = [f"{name}={os.environ[name]}" for name in sorted(_USUAL & seen)]
        more = (f"{name}={os.environ[name]}" for name in sorted(seen - _USUAL))

        def fails(words: tuple[str, ...]) -> bool:
            first = ("env", "-i", *usual, *words[1:])
            second = (*first, *command.second) if command.second else ()
            return self._fails(with_words(command, (*first, *command.arguments), second))

        every = ("env", *more)
        return shrunk_words(every, fails)[1:] if fails(every) else ()

    def _lines(self, command: CapturedCommand, word: str, path: Path) -> bytes | None:
        """Return the lines that a file needs to have; None if it needs all, or is not a text."""
        try:
            text = read_bounded(path, _LARGEST_FILE).decode() if path.is_file() else ""
        except (OSError, ValueError):
            return None
        lines = tuple(text.splitlines(keepends=True))
        with tempfile.TemporaryDirectory(prefix="marrow-") as place:
            copy = Path(place, path.name)

            def renamed(words: Sequence[str]) -> tuple[str, ...]:
                new = word.removesuffix(str(path)) + str(copy)
                return tuple(new if one == word else one for one in words)

            changed = with_words(command, renamed(command.arguments), renamed(command.second))
            if changed.sandbox is not None:
                visible = (*changed.sandbox.visible, place)
                changed = replace(changed, sandbox=replace(changed.sandbox, visible=visible))

            def fails(some: tuple[str, ...]) -> bool:
                copy.write_text("".join(some[1:]))
                if os.access(path, os.X_OK):
                    copy.chmod(0o755)
                return self._fails(changed)

            if not lines or not fails(("", *lines)):
                return None
            kept = shrunk_words(("", *lines), fails)
            if len("".join(kept).split()) <= _MOST_WORDS:
                for at in range(1, len(kept)):
                    kept = _fewer_words(kept, at, fails)
                kept = shrunk_words(kept, fails)  # those that have lost all words, or their use
        shorter = "".join(kept)
        return shorter.encode() if shorter != text else None

    def _fails(self, changed: CapturedCommand) -> bool:
        self.runs += 1
        where = replace(self.plan.where, base=self.plan.source.text, adopt=False)
        with (
            sweeps_held(),
            contextlib.closing(open_executor(changed, self.place, where)) as executor,
        ):
            if self.plan.timeout is not None:
                executor.allow(self.plan.timeout)
            return outcome_of(executor.submit(self.text)).verdict is Verdict.INTERESTING
