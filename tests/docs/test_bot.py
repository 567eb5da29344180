"""The bot of the examples: its steps are run here, as the service would run them."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
BOT = Path(__file__).parents[2] / "examples/bot"

ISSUE = """It crashes.

```c
int unused;
int needle(void) { return 1; }
```
"""


def steps(job: str) -> dict[str, Any]:
    """Return the steps of a job that run something, by name."""
    workflow = yaml.safe_load((BOT / "reduce.yml").read_text())
    return {one["name"]: one for one in workflow["jobs"][job]["steps"] if "run" in one}


def request(tmp_path: Path, comment: str, issue: str = ISSUE) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "COMMENT": comment, "ISSUE": issue}
    words = [sys.executable, str(BOT / "request.py"), str(tmp_path / "request")]
    return subprocess.run(words, env=variables, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("fails", [True, False])
def test_a_comment_becomes_a_comment(tmp_path: Path, fails: bool) -> None:
    word = "needle" if fails else "nothing-of-it"
    tool = tmp_path / "tool"
    tool.write_text(f'#!/bin/sh\nif grep -q {word} "$1"; then echo "tool: bad" >&2; exit 3; fi\n')
    tool.chmod(0o755)
    done = request(tmp_path, f"/reduce crash.c -- {tool} {{}}\nPlease.")
    assert done.returncode == 0, done.stderr
    marrow = tmp_path / "marrow/bin"
    marrow.mkdir(parents=True)
    for name, words in {"marrow": f"{sys.executable} -m marrow", "python": sys.executable}.items():
        (marrow / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (marrow / name).chmod(0o755)
    found = steps("reduce")
    for name in ("Fetch the attachment", "Reduce"):
        subprocess.run(
            ["bash", "-euo", "pipefail", "-c", found[name]["run"]],
            env={**os.environ, "RUNNER_TEMP": str(tmp_path)},
            check=True,
            capture_output=True,
        )
    comment = (tmp_path / "request/comment.md").read_text()
    assert ("needle" in comment and "tool: bad" in comment) is fails
    assert ("marrow could not reduce this" in comment) is not fails
    assert re.search(r"https?://", comment) is None


def test_an_attachment_is_found(tmp_path: Path) -> None:
    issue = "See [crash.c](https://example.org/files/1/crash.c)."
    assert request(tmp_path, "/reduce crash.c -- gcc -c {}", issue).returncode == 0
    assert (tmp_path / "request/url").read_text() == "https://example.org/files/1/crash.c"
    assert (tmp_path / "request/command").read_text() == "gcc\0-c\0{}\0"


@pytest.mark.parametrize(
    "comment",
    [
        "please /reduce",
        "/reduce crash.c gcc {}",
        "/reduce ../.. -- gcc {}",
        "/reduce $(id) -- gcc {}",
        "/reduce crash.c -- gcc 'oh {}",
    ],
)
def test_other_comments_are_refused(tmp_path: Path, comment: str) -> None:
    done = request(tmp_path, comment)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert list((tmp_path / "request").iterdir()) == []


def test_permissions_are_few(tmp_path: Path) -> None:
    workflow = yaml.safe_load((BOT / "reduce.yml").read_text())
    assert workflow["permissions"] == {}
    jobs = workflow["jobs"]
    assert jobs["reduce"]["permissions"] == {"contents": "read"}
    assert jobs["answer"]["permissions"] == {"issues": "write"}
    assert "secrets." not in (BOT / "reduce.yml").read_text()
    # What a stranger writes is never part of a script.
    for job in jobs.values():
        for step in job["steps"]:
            assert "github.event" not in step.get("run", "")
