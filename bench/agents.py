"""A caller that has only the schemas and the help: from a crash to the smallest input in few calls.

    python -m bench.agents            all failures
    python -m bench.agents NAME...    some of them

The caller knows how a tool is run on a file, and nothing else. It calls `marrow reduce --json`,
reads the record, and decides by `error.kind` and `error.hint` alone what to call next, as SKILL.md
says. A failure counts as solved if the text, the reason and the reproduction are there within three
calls (and the reproduction shows the failure), or if the right error ends it.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

#: The most calls that a caller may need.
MOST_CALLS: Final = 3

PYTHON: Final = sys.executable

_JSON: Final = json.dumps({f"key{n}": list(range(n % 7)) for n in range(60)})[:-1] + ', "oops": }'
_SHELL: Final = "".join(f"f{n}() {{ echo {n}; }}\n" for n in range(30))
_PROGRAM: Final = "".join(f"def f{n}(a):\n    return a + {n}\n" for n in range(30))
_C: Final = "".join(f"int f{n}(int a) {{ return a + {n}; }}\n" for n in range(40))


@dataclass(frozen=True)
class Failure:
    """An input and how it is run; `needs` are programs, `reason` is in what was kept.

    `script` is a test instead of a command. `ends` is the kind of error that is the right answer
    where there is nothing to reduce.
    """

    name: str
    suffix: str
    text: str
    command: tuple[str, ...] = ()
    reason: str = ""
    needs: tuple[str, ...] = ()
    script: str = ""
    ends: str = ""


FAILURES: Final = (
    Failure("json-tool", ".json", _JSON, (PYTHON, "-m", "json.tool", "{}"), "Expecting value"),
    Failure("python-name", ".py", _PROGRAM + "f3(nothing)\n", (PYTHON, "{}"), "NameError"),
    Failure("python-key", ".py", _PROGRAM + "{}[f1(2)]\n", (PYTHON, "{}"), "KeyError"),
    Failure("python-syntax", ".py", _PROGRAM + "f3(1\n", (PYTHON, "{}"), "was never closed"),
    Failure("ast", ".py", _PROGRAM + "x = = 1\n", (PYTHON, "-m", "ast", "{}"), "invalid syntax"),
    Failure("tokenize", ".py", _PROGRAM + "x = '''", (PYTHON, "-m", "tokenize", "{}"), "EOF"),
    Failure("gcc-type", ".c", _C + "struct s v = 1;\n", ("gcc", "-c", "{}", "-o", "/dev/null"),
            "incomplete type", ("gcc",)),
    Failure("gcc-undeclared", ".c", _C + "int x = y;\n", ("gcc", "-c", "{}", "-o", "/dev/null"),
            "undeclared", ("gcc",)),
    Failure("sh-command", ".sh", _SHELL + "f3; no-such-command\n", ("sh", "-e", "{}"), "not found"),
    Failure("bash-arithmetic", ".sh", _SHELL + "f3; echo $((1/0))\n", ("bash", "-e", "{}"),
            "division by 0", ("bash",)),
    Failure("node-type", ".js", "var a = 1;\n" * 30 + "a.b.c;\n", ("node", "{}"), "TypeError",
            ("node",)),
    Failure("node-syntax", ".js", "var a = 1;\n" * 30 + "a b;\n", ("node", "--check", "{}"),
            "SyntaxError", ("node",)),
    Failure("sqlite", ".sql", "select 1;\n" * 30 + "select * from t;\n",
            ("sh", "-c", "sqlite3 :memory: < \"$1\"", "sh", "{}"), "no such table", ("sqlite3",)),
    Failure("perl", ".pl", "my $a = 1;\n" * 30 + "$a->foo();\n", ("perl", "{}"), "method",
            ("perl",)),
    Failure("make", ".mk", "A = 1\n" * 30 + "all: missing\n", ("make", "-f", "{}"), "No rule",
            ("make",)),
    Failure("script", ".c", _C + "int needle;\n", script='grep -q needle "$1"',
            reason="the test is interesting"),
    Failure("wrong-test", ".c", _C, script="exit 1", ends="not-interesting"),
    Failure("missing-tool", ".c", _C, ("no-such-compiler", "{}"), ends="test"),
    Failure("slow-test", ".c", _C, script="sleep 60", ends="timeout"),
    Failure("anything-goes", ".c", _C, script="exit 0", ends="empty-interesting"),
    Failure("flaky", ".c", _C + "int needle;\n", script='grep -q needle "$1" && [ $(($(od -An -N1 '
            '-tu1 /dev/urandom) % 4)) != 0 ]', reason="the test is interesting"),
    Failure("no-failure", ".py", _PROGRAM, (PYTHON, "{}"), ends="not-interesting"),
)  # fmt: skip


@dataclass(frozen=True)
class Told:
    """What came of a failure."""

    solved: bool
    calls: int
    words: str


def called(directory: Path, words: list[str], after: list[str]) -> dict[str, Any]:
    """Call marrow; return its record."""
    line = [PYTHON, "-m", "marrow", "reduce", *words, "--json", "--max-time", "60s"]
    line += ["--", *after] if after else []
    done = subprocess.run(line, cwd=directory, capture_output=True, text=True, check=False)
    record: dict[str, Any] = json.loads(done.stdout)
    return record


def solve(failure: Failure, directory: Path) -> Told:
    """Do what SKILL.md says, with the record of each call alone."""
    source = directory / f"input{failure.suffix}"
    source.write_text(failure.text)
    words, after = [source.name], list(failure.command)
    if failure.script:
        test = directory / "test.sh"
        test.write_text(f"#!/bin/sh\n{failure.script}\n")
        test.chmod(0o755)
        words.append("./test.sh")
    if failure.ends == "timeout":
        words += ["--timeout", "2s"]
    for calls in range(1, MOST_CALLS + 1):
        record = called(directory, words, after)
        error = record.get("error")
        if error is None:
            return _judged(failure, record, calls, directory)
        if failure.ends:
            right = error["kind"] == failure.ends and bool(error["hint"])
            return Told(right, calls, f"{error['kind']}: {error['message']}")
        hint = re.search(r"--flaky \d+/\d+|--(keep|only)-std(err|out) '[^']+'", error["hint"])
        if hint is not None:
            words = [*words, *shlex.split(hint[0])]
            continue
        return Told(False, calls, f"{error['kind']}: {error['message']}")
    return Told(False, MOST_CALLS, "too many calls")


def _judged(failure: Failure, record: dict[str, Any], calls: int, directory: Path) -> Told:
    kept = record["failure"]["sentence"] + " ".join(record["failure"]["evidence"])
    words = f"{record['bytes_before']:,} -> {record['bytes_after']:,} bytes, {kept[:60]}"
    if failure.ends:
        return Told(False, calls, f"a result where {failure.ends} was expected: {words}")
    line = record["reproduce"].removesuffix("; echo $?")
    done = subprocess.run(
        ["sh", "-c", line], cwd=directory, capture_output=True, text=True, check=False
    )
    shown = record["on_result"]
    again = done.returncode == shown["exit_code"] or failure.name == "flaky"
    whole = bool(record["text"]) and record["cut"] and record["verified"]
    fine = failure.reason in kept and whole and again
    return Told(fine, calls, words)


def main(names: list[str]) -> int:
    """Solve the failures; return 1 if one was not."""
    failures = [one for one in FAILURES if not names or one.name in names]
    unsolved = 0
    print("| failure | solved | calls | |\n| --- | --- | ---: | --- |")
    for failure in failures:
        missing = [one for one in failure.needs if shutil.which(one) is None]
        if missing:
            print(f"| {failure.name} | skipped: {', '.join(missing)} missing | | |")
            continue
        with tempfile.TemporaryDirectory() as directory:
            told = solve(failure, Path(directory))
        unsolved += not told.solved
        print(
            f"| {failure.name} | {'yes' if told.solved else 'NO'} | {told.calls} | {told.words} |"
        )
        sys.stdout.flush()
    return 1 if unsolved else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
