"""Produced inputs as a test module: one parametrised test that runs as it is, with pytest alone.

An input fails as long as the test still shows the failure (exit code 0), is skipped where the test
says that it is not a valid input (125), and passes when the failure is gone.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pprint import pformat
from typing import Final

from marrow.engine.verdict import UNRESOLVED_EXIT

#: In seconds, where nothing else is asked for: what `marrow` waits at least for one test.
_TIMEOUT: Final = 5.0

_MODULE: Final = '''\
"""Inputs of one pattern that made a program fail: {pattern}

Written by `marrow produce`. A test fails as long as its input still shows the failure.
"""

import os
import subprocess
from pathlib import Path

import pytest

#: Says with exit code 0 that an input shows the failure, with {unresolved} that it is not valid.
COMMAND = {command}

INPUTS = {inputs}


@pytest.mark.parametrize("text", INPUTS, ids=range(1, len(INPUTS) + 1))
def test_the_failure_is_gone(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / {name}
    path.write_bytes(text)
    here = os.path.dirname(os.path.abspath(__file__))
    command = [word.replace("{{here}}", here) for word in COMMAND]
    with path.open("rb") as candidate:
        ended = subprocess.run(
            [*command, str(path)], stdin=candidate, cwd=tmp_path, timeout={timeout}, check=False
        )
    if ended.returncode == {unresolved}:
        pytest.skip("not a valid input")
    assert ended.returncode != 0, f"still fails: {{text!r}}"
'''


def pytest_module(
    inputs: Iterable[bytes],
    command: Sequence[str],
    *,
    pattern: str,
    name: str,
    timeout: float | None = None,
) -> str:
    """Return the text of a test module.

    `command` gets the path of an input as its last argument; {here} in it is the directory of the
    module. `name` is the file name that inputs have; `pattern` is for people.
    """
    shown = ascii(pattern.strip())[1:-1].replace('"', "'")
    return _MODULE.format(
        pattern=shown if len(shown) <= 60 else f"{shown[:60]}...",
        command=pformat(list(command), width=96),
        inputs=pformat(list(inputs), width=96),
        name=ascii(name),
        timeout=timeout or _TIMEOUT,
        unresolved=UNRESOLVED_EXIT,
    )
