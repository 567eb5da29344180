"""The arrows of the architecture point one way in the imports too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import marrow

ROOT = Path(marrow.__file__).parent

#: What the modules of a package may import of marrow. `cli` may import everything.
ALLOWED = {
    "tree": {"tree"},
    "grammar": {"grammar", "tree"},
    "grammars": {"grammars"},
    "rewrites": {"rewrites"},
    "syntax": {"syntax", "tree", "grammar", "grammars"},
    "learn": {"learn", "tree"},
    "learn/training": {"learn", "tree", "syntax", "reducers", "engine"},
    "reducers": {"reducers", "tree", "learn", "rewrites"},
    "signature": {"signature"},
    "engine": {"engine", "reducers", "tree", "syntax"},
    "report": {"report", "engine", "learn", "tree", "abstraction"},
    "abstraction": {"abstraction", "engine", "syntax", "tree", "grammar"},
}

#: The layers of `grammar`, from the bottom up: a package imports itself and those named here.
GRAMMAR_LAYERS = {
    "model": set[str](),
    "readers": {"model"},
    "parser": {"model"},
    "checking": {"model", "parser"},
    "normal": {"model", "checking"},
    "generation": {"model", "parser", "checking"},
    "writers": {"model", "readers"},
}

#: The layers of `reducers`; the modules of the package itself are its bottom.
REDUCER_LAYERS = {
    "": set[str](),
    "passes": {""},
    "batched": {"", "passes"},
    "strategies": {"", "passes", "batched"},
}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def package_of(path: Path) -> str:
    """Return the innermost package of a module that has a row of its own."""
    above = (folder.relative_to(ROOT).as_posix() for folder in path.parents)
    return next((package for package in above if package in ALLOWED), "")


def test_packages_import_only_what_they_stand_on() -> None:
    wrong = []
    for package, allowed in ALLOWED.items():
        for path in (ROOT / package).rglob("*.py"):
            for module in imports(path) if package_of(path) == package else ():
                parts = module.split(".")
                if parts[0] == "marrow" and parts[1:] and parts[1] not in {*allowed, "errors"}:
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not wrong


def test_layers_of_grammars_point_down() -> None:
    folders = {path.parent.name for path in (ROOT / "grammar").glob("*/__init__.py")}
    assert folders == set(GRAMMAR_LAYERS)
    for layer, below in GRAMMAR_LAYERS.items():
        for path in (ROOT / "grammar" / layer).rglob("*.py"):
            for module in imports(path):
                if module.startswith("marrow.grammar"):
                    assert module.split(".")[2] in {layer, *below}, f"{path} imports {module}"


def test_layers_of_reducers_point_down() -> None:
    reducers = ROOT / "reducers"
    assert {path.parent.name for path in reducers.glob("*/__init__.py")} == {*REDUCER_LAYERS} - {""}
    for path in reducers.rglob("*.py"):
        layer = path.parent.relative_to(reducers).as_posix().removeprefix(".")
        for module in imports(path):
            if module.startswith("marrow.reducers."):
                folder, _, name = module.removeprefix("marrow.reducers.").rpartition(".")
                folder = name if (reducers / name).is_dir() else folder
                assert folder in {layer, *REDUCER_LAYERS[layer]}, f"{path} imports {module}"


def test_algorithms_know_nothing_of_processes_and_the_terminal() -> None:
    forbidden = {"subprocess", "os", "sys", "threading", "sqlite3", "click", "rich"}
    for path in (ROOT / "reducers").rglob("*.py"):
        assert forbidden.isdisjoint(module.split(".")[0] for module in imports(path)), path


def test_only_the_command_line_prints() -> None:
    for path in ROOT.rglob("*.py"):
        if path.relative_to(ROOT).parts[0] == "cli":
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id != "print", f"{path}:{node.lineno}"
