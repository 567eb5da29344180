"""A command as it was typed: its words, the word for the candidate, and where it runs."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from marrow.engine.process.command import TestCommandError
from marrow.engine.process.overlay import OverlayPlacement
from marrow.engine.process.placement import Placement
from marrow.engine.process.working_tree import is_below, real_path, working_tree_of
from marrow.run.output.output_paths import pretty_path
from marrow.run.plan.input import Input
from marrow.run.plan.plan import Plan
from marrow.run.test.guards import READY
from marrow.signature.failing_command import CANDIDATE, FailingCommand, Words

# Longer words are not file names on any system: they are scripts for `sh -c`, say.
_LONGEST_NAME: Final = 4096


@dataclass(frozen=True, slots=True)
class TypedCommand:
    """The commands of a test as they are run, the placement of candidates, and a line for people.

    `portable` are the commands with absolute paths, for a directory that holds only the candidate.
    """

    commands: tuple[Words, ...]
    portable: tuple[Words, ...]
    place: Placement
    plain: str


def typed_command(inquiry: FailingCommand, plan: Plan) -> TypedCommand:
    """Return the commands of an inquiry, ready to run; raise `TestCommandError` where that fails.

    On other machines there is nothing of the user's directory: a command has absolute paths there.
    """
    source = plan.source
    for words in inquiry.commands:
        _check_program(words[0])
    portable = tuple(_absolute(words, source) for words in inquiry.commands)
    plain = _by_hand(inquiry.commands, inquiry.guards, source)
    if plan.where.kind.remote:
        return TypedCommand(portable, portable, source.placement, plain)
    place = _mirrored(plan, inquiry)
    commands = inquiry.commands
    if place.around.beside:
        commands = portable
    commands = tuple(_naming_candidate(words, source) for words in commands)
    return TypedCommand(commands, portable, place, plain)


def _mirrored(plan: Plan, inquiry: FailingCommand) -> OverlayPlacement:
    """Return the placement of candidates in mirrors of the current directory."""
    source, here = plan.source, os.getcwd()
    paths = [os.path.abspath(path) for path in source.paths] or [
        os.path.join(here, name) for name in source.top_names
    ]
    base = os.path.realpath(source.base if source.paths else here) if source.several else ""
    typed_in = here
    if source.paths == (source.base,) and not names_input(inquiry.words, source):
        typed_in = base  # what does not name the directory that is the input runs in it
    # The command may read all files of a directory: it must not see what marrow writes there.
    written = [plan.output, plan.journal, plan.report, inquiry.write_test]
    if plan.output is not None:
        written.append(pretty_path(plan.output))
    hidden = [os.path.abspath(path) for path in written if path is not None]
    hidden = [path for path in hidden if path not in paths]
    around = working_tree_of(typed_in, paths, base, hidden, " ".join(inquiry.words))
    return OverlayPlacement(around, source.placement, source.mode & 0o777 | 0o600, base)


def names_input(words: Iterable[str], source: Input) -> bool:
    """Whether a word names the directory that is the input, or something in it."""
    top = real_path(str(source.base))
    return any(
        CANDIDATE in word
        or (len(word) <= _LONGEST_NAME and "\0" not in word and is_below(real_path(word), top))
        or (not word.startswith("-") and source.base.name and source.base.name in word)
        for word in words
    )


def _naming_candidate(words: Words, source: Input) -> Words:
    """Return a command with `{}` for the absolute path of the input."""
    if source.several or not source.paths:
        return words
    names = {os.path.abspath(source.paths[0]), real_path(str(source.paths[0]))}
    found = []
    for word in words:
        for name in names:
            word = word.replace(name, CANDIDATE)
        found.append(word)
    return tuple(found)


def _by_hand(commands: tuple[Words, ...], guards: tuple[str, ...], source: Input) -> str:
    """Return the command for a person to try."""
    stdin = f" < {CANDIDATE}" if source.name else ""
    lines = [_line(words, source) for words in commands]
    lines = [line if CANDIDATE in line else line + stdin for line in lines]
    # The ready guard is many commands, which say what they check when the run begins.
    typed = [guard for guard in guards if guard != READY]
    before = [f"({guard}){'' if CANDIDATE in guard else stdin} && " for guard in typed]
    return "".join(before) + "; ".join(lines)


def _line(words: Words, source: Input) -> str:
    """Return a command as the shell reads it, with {} where a word is the input."""
    named = [CANDIDATE if _is_input(word, source) else word for word in words]
    return shlex.join(named).replace(f"'{CANDIDATE}'", CANDIDATE)


def _is_input(word: str, source: Input) -> bool:
    if source.several or len(word) > _LONGEST_NAME or "\0" in word:
        return False
    return source.candidate(Path(word)) is not None if os.path.exists(word) else False


def _check_program(program: str) -> None:
    if CANDIDATE not in program and shutil.which(program) is None:
        if os.path.isfile(program):
            name = shlex.quote(program)
            raise TestCommandError(f"{program} is not executable\nMake it so with: chmod +x {name}")
        raise TestCommandError(
            f"there is no program {program}\n"
            "Check the first word⟦ after --||⟧; a command with pipes needs a shell: "
            "⟦-- sh -c 'COMMAND' sh {}||['sh', '-c', 'COMMAND', 'sh', '{}']⟧"
        )


def _absolute(words: Words, source: Input) -> Words:
    """Return a command that can be run in another directory.

    A word that names the input becomes `{}`; a relative path of a program or file becomes absolute.
    """
    return tuple(_absolute_word(word, source, first=at == 0) for at, word in enumerate(words))


def _absolute_word(word: str, source: Input, *, first: bool) -> str:
    if CANDIDATE in word or word.startswith("-") or len(word) > _LONGEST_NAME or "\0" in word:
        return word
    if first and os.sep not in word:
        return word
    path = Path(word)
    if not os.path.exists(word):
        return word
    candidate = source.candidate(path)
    if candidate is not None:
        return candidate
    # A bare word such as `c` may name a language as well as a directory that happens to exist.
    looks_like_path = os.sep in word or "." in word
    return str(path.absolute()) if looks_like_path else word
