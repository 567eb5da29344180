"""Commands of real tools, as they are typed in a project: everything means what it meant."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.cli.running import ALGORITHM, executable, marrow

SHOP = """\
#include "shop.h"
int total(void) { return 3; }
int main(void) { return items[0] + items[1]; }
"""

PROJECTS = {
    "gcc": {"include/shop.h": "struct item { int price; } items[2];\n", "src/shop.c": SHOP},
    "python3": {
        "main.py": "import helper\nprint(helper.total())\n",
        "helper.py": "PRICES = {}\ndef total():\n    raise SystemExit('error: no price')\n",
    },
    "make": {
        "Makefile": "build/shop.o: src/shop.c\n\tmkdir -p build\n\tgcc -Iinclude -c -o $@ $<\n",
        "include/shop.h": "struct item { int price; } items[2];\n",
        "src/shop.c": SHOP,
    },
}


def contents(place: Path) -> dict[str, str]:
    return {
        str(path.relative_to(place)): path.read_text()
        for path in place.rglob("*")
        if path.is_file() and ".reduced" not in path.name
    }


@pytest.mark.parametrize(
    ("source", "kept", "command"),
    [
        ("src/shop.c", "invalid operands to binary +", ("gcc", "-Iinclude", "-c", "{}")),
        ("helper.py", "no price", ("python3", "main.py")),
        ("src/shop.c", "invalid operands to binary +", ("make",)),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_a_project(source: str, kept: str, command: tuple[str, ...], work: Path) -> None:
    if any(shutil.which(tool) is None for tool in {command[0], "gcc"}):
        pytest.skip(f"{command[0]} is not installed")
    for name, text in PROJECTS[command[0]].items():
        (work / name).parent.mkdir(exist_ok=True)
        (work / name).write_text(text)
    before = contents(work)
    ended = marrow("reduce", source, *ALGORITHM, "--max-tests", "8", "--", *command)
    assert ended.code == 0, ended.err
    assert kept in ended.err
    assert "verified" in ended.out
    assert contents(work) == before


def test_files_that_a_command_writes_through_links_are_named(work: Path) -> None:
    for number in range(40):  # too many to be copied
        (work / f"lib{number}").mkdir()
        (work / f"lib{number}" / "log").write_text("nothing\n")
    executable(
        work / "tool",
        'grep -q unused "$1" || echo x > lib7/log\n'
        'grep -q needle "$1" && echo "error: a needle" >&2 && exit 3; exit 0',
    )
    controls = ("--only-stderr", "a needle")  # no other text is tried at first
    ended = marrow("reduce", "input.c", *ALGORITHM, *controls, "--", "./tool", "{}")
    assert ended.code == 0, ended.err
    assert "changed while it was tested: lib7/log\n" in ended.err
    assert "--sandbox" in ended.err


@pytest.mark.parametrize("needed", [False, True])
def test_results_do_not_rely_on_what_an_earlier_run_left(work: Path, needed: bool) -> None:
    (work / "grid.mod").write_text("left by a run of yesterday\n")
    (work / "input.c").write_text("int module_grid;\nint unused;\nint needle;\n")
    there = "[ -f grid.mod ] &&" if needed else "{ [ -f grid.mod ] || grep -q module_grid $1; } &&"
    executable(
        work / "tool", f'{there} grep -q needle $1 && echo "error: a needle" >&2 && exit 3; exit 0'
    )
    ended = marrow("reduce", "input.c", *ALGORITHM, "--", "./tool", "{}")
    assert ended.code == 0, ended.err
    result = (work / "input.reduced.c").read_text()
    assert "needle" in result
    assert "unused" not in result
    assert ("module_grid" in result) is not needed
    assert (
        "tests do not see what an earlier run may have left: grid.mod" in ended.err
    ) is not needed
