"""Whether this system offers a sandbox; tests of it skip where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.engine.process.sandbox import SandboxError, check_sandbox


def _missing() -> str:
    try:
        check_sandbox()
    except SandboxError as error:
        return str(error).partition("\n")[0]
    return ""


_REASON = _missing()

needs_sandbox = pytest.mark.skipif(bool(_REASON), reason=_REASON or "there is a sandbox")


def fake_bwrap(directory: Path, body: str) -> Path:
    """Put a program in the place of bubblewrap; return the directory that it is in."""
    directory.mkdir()
    program = directory / "bwrap"
    program.write_text(f"#!/bin/sh\n{body}\n")
    program.chmod(0o755)
    return directory
