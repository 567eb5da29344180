"""The attack: its cage, its table, and some of its situations, where the cage can be made."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from bench.attack import __main__ as attack
from bench.attack import confinement
from bench.attack.families import FAMILIES, situations
from bench.attack.situation import clear

FOLDER = Path(confinement.__file__).parent


def test_nothing_is_tried_without_a_cage(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(_: object) -> int:
        raise AssertionError("hostile situations would run")

    monkeypatch.setattr(attack, "attack", never)
    monkeypatch.setattr(attack, "enter", never)
    monkeypatch.setattr(attack, "missing", lambda: "no bubblewrap")
    assert attack.main([]) == 2
    assert "no bubblewrap" in capsys.readouterr().out
    # Whoever says that this is the inside is not believed.
    outside = " ".join(confinement._namespaces())
    assert attack.main(["--inside-of", outside]) == 2
    assert attack.main(["--inside-of", ""]) == 2
    assert "nothing is tried" in capsys.readouterr().out


def test_only_directories_of_situations_are_cleared(tmp_path: Path) -> None:
    (tmp_path / "mine").touch()
    for place in (tmp_path, Path("/"), Path(), Path("/tmp")):
        with pytest.raises(ValueError, match="no directory of a situation"):
            clear(place)
    assert (tmp_path / "mine").exists()


def test_misdeeds_are_soft() -> None:
    """Were there no cage: no trees are removed, no signal goes to everybody, no disk is written."""
    hard = re.compile(
        r"\brm +-\w*[rR]|\bkill +(-\w+ +)?(-- +)?-1\b|killall|pkill|mkfs|\bdd +|-delete|/dev/sd"
    )
    for path in (*FOLDER.glob("*.py"), *FOLDER.glob("*.toml")):
        assert hard.search(path.read_text(encoding="utf-8")) is None, path


def test_the_table() -> None:
    every = list(situations(FAMILIES))
    names = [(family, one.name) for family, one in every]
    assert len(names) == len(set(names))
    assert len(every) >= 1000
    said = Path("docs/explanation/security.md").read_text(encoding="utf-8")
    assert not [family for family in FAMILIES if f"`{family}`" not in said]


def test_some_situations() -> None:
    """What the cage cannot be made for is not tried: containers often allow no namespaces."""
    if why := confinement.missing():
        pytest.skip(why)
    line = [sys.executable, "-m", "bench.attack", "--quick"]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    if done.returncode == 2:
        pytest.skip(done.stdout)
    assert done.returncode == 0, done.stdout + done.stderr
