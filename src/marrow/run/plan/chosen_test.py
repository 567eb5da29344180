"""The test of a plan, as options give it, and the sandbox it runs in."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

from marrow.base.errors import UsageError, error_text
from marrow.engine.executors.function import AsyncTestFunction, TestFunction
from marrow.engine.executors.registry import ExecutableTest
from marrow.engine.process.command import TestCommand
from marrow.engine.process.placement import Placement
from marrow.engine.process.sandbox import Sandbox, check_sandbox, hidden_places
from marrow.signature.failing_command import CANDIDATE, FailingCommand, KeepOptions, typed

#: A test: a function of a candidate, a command, the path of an executable, or a failing command
#: whose failure is the test.
AnyTest: TypeAlias = TestFunction | AsyncTestFunction | TestCommand | str | os.PathLike[str]
Test: TypeAlias = TestFunction | AsyncTestFunction | TestCommand | FailingCommand


@dataclass(frozen=True, slots=True)
class ResolvedTest:
    """A test as it is run; `watched`: on the input already, `runs` times in all."""

    test: ExecutableTest
    place: Placement
    watched: bool = False
    runs: int = 0


def chosen_test(test: AnyTest | None, values: Mapping[str, Any]) -> Test:
    """Return the one test that was given: a function, a path, a shell command, or a command."""
    failing = _failing_command(values)
    shell = values.get("shell")
    if sum(one is not None for one in (test, shell, failing)) != 1:
        raise UsageError(error_text("not_one_test"))
    if failing is not None:
        return failing
    check = values.get("unresolved_if")
    if check is not None and not check.strip():
        raise UsageError(error_text("empty_check"))
    memory = values["memory"]
    if shell is not None:
        return TestCommand.shell(shell, memory=memory)
    if isinstance(test, str | os.PathLike):
        return TestCommand.executable(os.fspath(test), memory=memory)
    if not isinstance(test, TestCommand):
        if not callable(test):
            raise UsageError(f"{test!r} is not a test: give a function, or the path of a script")
        if values["sandbox"] or memory is not None:
            raise UsageError(error_text("function_in_sandbox"))
    return test


def unresolved_check(values: Mapping[str, Any]) -> str | None:
    """Return what says that an input is not valid: as given, or inferred from a command.

    A command that does not fail as it did, but fails all the same, was given another kind of input.
    """
    given: str | None = values["unresolved_if"]
    words = values.get("command")
    if given is not None or not words or values["differ"]:
        return given
    return f"! {typed(words)}"


# Expressions for lines, in the order of `KeepOptions`.
_EXPRESSIONS: Final = ("only_stderr", "only_stdout", "keep_stderr", "keep_stdout", "forbid")

#: Options that are about the failing command, which need one.
_ABOUT_COMMAND: Final = (
    *("keep_exit", *_EXPRESSIONS, "differ", "guard", "signature"),
    *("allow_new_errors", "also", "write_test", "shrink_command"),
    *("slower_than", "more_memory_than", "output_larger_than", "baseline"),
)


def _failing_command(values: Mapping[str, Any]) -> FailingCommand | None:
    given = {name: values.get(name) for name in _ABOUT_COMMAND}
    words = values.get("command")
    if words is None:
        if alone := next((name for name, value in given.items() if value), None):
            raise UsageError(error_text("option_of_a_command", alone=alone))
        return None
    if isinstance(words, str):
        raise UsageError("⟦command⟧ is a list of words: command=['node', '{}']")
    commands = (words,) if all(isinstance(word, str) for word in words) else words
    if len(commands) != (2 if values["differ"] else 1) or not all(commands):
        raise UsageError("⟦differ⟧ needs two commands, anything else one")
    resource = _resource(values, given)
    if given["baseline"] is not None:
        commands = (*commands, tuple(shlex.split(given["baseline"])))
    failing = FailingCommand(
        tuple(
            # `@@` is the candidate too, where there is no {}.
            tuple(words)
            if any(CANDIDATE in word for word in words)
            else tuple(word.replace("@@", CANDIDATE) for word in words)
            for words in commands
        ),
        KeepOptions(bool(given["keep_exit"]), *(tuple(given[one] or ()) for one in _EXPRESSIONS)),
        tuple(given["guard"] or ()),
        given["write_test"],
        given["signature"],
        bool(given["allow_new_errors"]),
        given["also"],
        resource,
    )
    failing.check()
    return failing


# The options that keep a resource, by its name.
_RESOURCES: Final = {
    "slower_than": "time",
    "more_memory_than": "memory",
    "output_larger_than": "output",
}

# Less memory than this cannot be measured: a process counts what marrow itself held as it began.
_LEAST_MEMORY: Final = 256 << 20


def _resource(values: Mapping[str, Any], given: Mapping[str, Any]) -> tuple[str, float] | None:
    """Return the resource to keep, and how much of it; raise where options contradict."""
    asked = [name for name in _RESOURCES if given[name] is not None]
    if not asked:
        if given["baseline"] is not None:
            raise UsageError(error_text("baseline_alone"))
        return None
    if len(asked) > 1 or values["differ"]:
        other = asked[1] if len(asked) > 1 else "differ"
        raise UsageError(f"⟦{asked[0]}⟧ and ⟦{other}⟧ exclude each other\nLeave one of them out.")
    least = given[asked[0]]
    limit = values["timeout"] if asked[0] == "slower_than" else None
    if limit is not None and limit <= least:
        raise UsageError(error_text("timeout_before_slow", limit=limit, least=least))
    if asked[0] == "more_memory_than":
        if least < _LEAST_MEMORY:
            raise UsageError(error_text("too_little_memory"))
        if values["memory"] is not None and values["memory"] <= least:
            raise UsageError(error_text("memory_below_limit"))
    if given["baseline"] is not None and not shlex.split(given["baseline"]):
        raise UsageError("the command given to ⟦baseline⟧ is empty\nName one, or leave it out.")
    return _RESOURCES[asked[0]], float(least)


def chosen_sandbox(values: Mapping[str, Any]) -> Sandbox | None:
    """Return the sandbox that options ask for; raise `UsageError` where they contradict."""
    home, variables = values["sandbox_home"], values["env"]
    if not values["sandbox"]:
        for name in ("sandbox_home", "env"):
            if values[name]:
                raise UsageError(error_text("option_of_a_sandbox", name=name))
        return None
    for name in variables:
        if not re.fullmatch(r"[^=\0]+", name):
            raise UsageError(error_text("not_a_variable", name=name))
    own = Path(os.path.realpath(Path.home()))
    shown = []
    for path in home:
        place = Path(os.path.realpath(own / path))
        if not place.is_relative_to(own):
            raise UsageError(error_text("outside_of_home", path=path, own=own))
        shown.append(os.path.relpath(place, own))
    return Sandbox(home=tuple(shown), variables=variables)


def sandbox_for(chosen: Sandbox, words: Iterable[str]) -> Sandbox:
    """Return a sandbox that shows the files that a test names; raise `SandboxError` without any."""
    check_sandbox()
    # Paths in a command for the shell that lead into a place that a sandbox hides.
    tops = "|".join(re.escape(str(top)) for top in hidden_places())
    path = re.compile(rf"(?:{tops})/[^\s'\"`$;|&<>(){{}}]+")
    needed = [Path.cwd(), *(Path(one) for word in words for one in path.findall(word))]
    return replace(chosen, visible=Sandbox.around(needed).visible)
