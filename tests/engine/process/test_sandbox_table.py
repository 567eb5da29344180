"""Every line of the sandbox tables in docs/explanation/security.md, as root and as a user."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.engine.process.sandbox_lines import KEPT_OUT, LET_IN
from tests.people import PEOPLE
from tests.sandboxes import needs_sandbox

Seen = dict[str, tuple[bool | None, bool]]


@cache
def tried_by(who: str) -> Seen:
    """Try all lines as somebody; once for all tests."""
    person = PEOPLE[who]
    with person.place() as base:
        words = [person.python, "-m", "tests.engine.process.sandbox_lines", str(base)]
        pipe = subprocess.PIPE
        process = person.started(words, env=person.environment(), cwd="/", stdout=pipe, stderr=pipe)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    seen: Seen = json.loads(out)
    return seen


@needs_sandbox
@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("line", KEPT_OUT)
def test_kept_out(line: str, who: str) -> None:
    outside, inside = tried_by(who)[line]
    assert outside is not False, "the attack itself does not work, so that it shows nothing"
    assert not inside


@needs_sandbox
@pytest.mark.parametrize("who", PEOPLE)
@pytest.mark.parametrize("line", LET_IN)
def test_let_in(line: str, who: str) -> None:
    assert tried_by(who)[line][1]


def test_the_document_has_the_same_lines() -> None:
    text = (Path(__file__).parents[3] / "docs/explanation/security.md").read_text()
    for table, heading in ((KEPT_OUT, "cannot"), (LET_IN, "can")):
        rows = re.search(rf"\| a test in the sandbox {heading} \|.*\n\|.*\n((?:\|.*\n)+)", text)
        assert rows is not None
        lines = [re.sub(r"`", "", row.strip("| ")) for row in rows[1].splitlines()]
        assert [re.split(r" \| ", line)[0] for line in lines] == list(table)


@needs_sandbox
def test_a_disk_that_is_mounted_meanwhile_can_be_written(tmp_path: Path) -> None:
    """The one known hole, which the document names."""
    if os.getuid() != 0:
        pytest.skip("only root can mount a disk")
    disk, ready, done = (tmp_path / name for name in ("disk", "ready", "done"))
    disk.mkdir()
    inside = f"touch ready; while [ ! -e {done} ]; do sleep 0.01; done; echo x > {disk}/file"
    program = (
        "from marrow.engine.executors.local import CommandExecutor\n"
        "from marrow.engine.process.command import TestCommand\n"
        "from marrow.engine.process.sandbox import Sandbox\n"
        "from dataclasses import replace\n"
        f"command = replace(TestCommand.shell({inside!r}), sandbox=Sandbox(({str(tmp_path)!r},)))\n"
        "print(CommandExecutor(command, 'x').submit(b'').future.result().verdict.value)\n"
    )
    mount = (
        f'{sys.executable} -c "$PROGRAM" & until find {tmp_path} -name ready | grep -q .; do '
        f"sleep 0.01; done; mount -t tmpfs tmpfs {disk} && touch {done} && wait"
    )
    ended = subprocess.run(
        ["unshare", "-m", "--propagation", "shared", "sh", "-c", mount],
        env={**os.environ, "PROGRAM": program, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert ended.stdout == "interesting\n", ended.stderr
    assert not ready.exists()
