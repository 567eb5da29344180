"""Paths, dotted names and options that the documents mention exist."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.cli.command_table import COMMANDS, load
from tests.docs.test_examples import PAGES as ALL_PAGES
from tests.docs.test_examples import ROOT

#: The lab notebook keeps the names and commands of the version that each entry is about.
PAGES = [page for page in ALL_PAGES if not page.startswith("docs/lab/")]
SOURCE = ROOT / "src" / "marrow"
PACKAGES = {path.parent.name for path in SOURCE.glob("*/__init__.py")}

#: A file of Python with or without folders, a folder of marrow, a module or folder inside of it
#: (`engine/search`), a dotted name of a module or of something in one: as words of their own, in
#: text and in code.
FILE = re.compile(r"(?<![\w./-])((?:[\w-]+/)*[\w-]+\.py)\b")
FOLDER = re.compile(r"(?<![\w./-])((?:src/)?marrow(?:/[a-z_]+)+/?)(?![\w.*])")
INSIDE = re.compile(rf"(?<![\w./-])((?:{'|'.join(sorted(PACKAGES))})(?:/[a-z_]+)+)(?![\w./*-])")
DOTTED = re.compile(r"(?<![\w./-])([a-z_]+(?:\.\w+)+)")

#: Files of users and of other tools, in examples and figures.
OTHERS = {
    *("shop.py", "lint.py", "keys.py", "test_keys.py", "hdd.py", "hoist.py", "prune.py"),
    *("transform.py", "check.py", "crash.py", "slow.py", "FILE.py"),
}


#: Options of the benchmarks and of other tools.
OTHER_OPTIONS = {
    "--plain",  # bench.parsed_headers
    "--sample",
    "--family",
    "--held-out",
    "--longest",
    "--marrow",  # of pytest
    *("--rm", "--userns"),  # of podman
    "--no-deps",  # of pip
    *("--beside", "--seconds"),  # bench.binary
    *("--no-printed", "--produce", "--rows", "--seeds", "--without-grammar"),  # bench.ddset
    "--recorded",
    "--against",
    *(
        "--algorithms",
        "--cases",
        "--compile",
        "--every",
        "--files",
        "--free",
        "--heavy",
        "--list",
        "--quick",
        "--hoists",
    ),
    *("--incremental", "--json-status-fd", "--leans", "--no-model", "--not-c", "--nworkers"),
    *(
        "--only",
        "--overlay",
        "--protocol",
        "--regexp",
        "--tidy",
        "--tools",
        "--trials",
        "--types",
        "--with",
    ),
    "--workers",
    *("--ignore-output", "--max-processor", "--programs"),  # of ddSMT, of benches
    "--tests",  # bench.large_run
    # Of bench.ddset.
    "--no-printed",
    # Of bench.papers and of Picireny.
    *("--cache", "--flatten-recursion", "--phase", "--variants", "--write"),
}


def text_of(page: str) -> str:
    """Return a page without the blocks that name what is gone, and without files to be made."""
    text = (ROOT / page).read_text(encoding="utf-8")
    text = re.sub(r"^```renamed\n.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"`[\w/.]+`, new\b", "", text)


def paths(text: str) -> Iterator[str]:
    yield from (found[1] for found in FILE.finditer(text))
    yield from (found[1] for found in FOLDER.finditer(text))


def exists(path: str) -> bool:
    """Whether a path is one of the repository, of marrow, of Python, or the end of one here."""
    library = Path(importlib.__file__).parents[1]
    if any((base / path).exists() for base in (ROOT, ROOT / "src", SOURCE, library)):
        return True
    places = (SOURCE, ROOT / "tests", ROOT / "bench", ROOT / "tools", ROOT / "examples")
    return path in OTHERS or any(any(place.rglob(path)) for place in places)


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or something in one."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError:
            continue
        for part in parts[count:]:
            if not hasattr(thing, part):
                return False
            thing = getattr(thing, part)
        return True
    return False


@pytest.mark.parametrize("page", PAGES)
def test_paths_exist(page: str) -> None:
    assert not [path for path in paths(text_of(page)) if not exists(path)]


def known_options() -> set[str]:
    """Return the options of all commands."""
    known = {"--help", "--help-all", "--version"}
    for name in COMMANDS:
        for parameter in load(name).params:
            known |= {*parameter.opts, *parameter.secondary_opts}
    return known


def test_options_exist() -> None:
    known = known_options() | OTHER_OPTIONS
    for page in PAGES:
        if page == "CHANGELOG.md":  # speaks of options as they were in its versions
            continue
        named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*[a-z]", text_of(page)))
        assert named <= known, (page, named - known)


@pytest.mark.parametrize("page", PAGES)
def test_modules_exist(page: str) -> None:
    named = [found[1] for found in INSIDE.finditer(text_of(page))]
    inside = [SOURCE / name for name in named]
    assert not [path for path in inside if not (path.is_dir() or path.with_suffix(".py").exists())]


@pytest.mark.parametrize("page", PAGES)
def test_dotted_names_exist(page: str) -> None:
    wrong = []
    for found in DOTTED.finditer(text_of(page)):
        name = found[1]
        first = name.split(".")[0]
        if name == "marrow.toml":  # a file of users
            continue
        if first in {"marrow", "bench", "tools"}:
            known = resolves(name)
        elif first in PACKAGES and f"`{name}" in text_of(page):
            known = resolves(f"marrow.{name}") or Path(name).suffix in {".py", ".md", ".json"}
        else:
            continue
        if not known:
            wrong.append(name)
    assert not wrong
