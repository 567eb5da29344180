"""The arrows of the architecture point one way in the imports too."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import marrow

ROOT = Path(marrow.__file__).parent

#: What the modules of a package may import of marrow. Every package may import `base`, and `cli`
#: everything.
ALLOWED = {
    "base": {"base"},
    "tree": {"tree"},
    "grammar": {"grammar", "tree"},
    "grammars": {"grammars"},
    "languages": {"languages"},
    "syntax": {"syntax", "tree", "grammar", "grammars", "languages"},
    "learn": {"learn", "tree"},
    "training": {"training", "languages", "learn", "tree", "syntax", "reducers", "engine"},
    "diagnostics": {"diagnostics"},
    "reducers": {"reducers", "diagnostics", "tree", "learn", "languages"},
    # The pipeline knows front ends and views, as types.
    "reducers/pipeline": {"reducers", "diagnostics", "tree", "learn", "languages", "syntax"},
    "signature": {"signature", "diagnostics", "languages"},
    "engine": {"engine", "diagnostics", "reducers", "tree", "syntax"},
    "schemas": {"schemas"},
    "report": {"report", "schemas", "engine", "learn", "training", "tree", "abstraction"},
    "abstraction": {"abstraction", "engine", "syntax", "tree", "grammar"},
    "bugs": {
        "bugs",
        "abstraction",
        "diagnostics",
        "engine",
        "grammar",
        "languages",
        "reducers",
        "report",
        "run",
        "signature",
        "syntax",
        "tree",
    },
    "run": {
        "run",
        "abstraction",
        "diagnostics",
        "engine",
        "grammar",
        "grammars",
        "languages",
        "learn",
        "reducers",
        "report",
        "signature",
        "syntax",
        "tree",
    },
}

#: The doors: modules at the root, and what they open. Nothing below them knows them.
DOORS = {
    "__init__": {"api", "session"},
    "__main__": {"cli"},
    "api": {"run", "engine", "abstraction", "bugs"},
    "pytest_plugin": {"testing"},
    "session": {"api", "run", "engine"},
    "testing": {"diagnostics", "signature", "session", "run", "engine", "report"},
}

#: The layers of `engine`, from the bottom up.
ENGINE_LAYERS = {
    "": set[str](),
    "journal": {""},
    "process": {""},
    "executors": {"", "journal", "process"},
    "search": {"", "journal", "process", "executors"},
}

#: The layers of `run`; the modules of the package itself are its top.
RUN_LAYERS = {
    "options": set[str](),
    "plan": {"options"},
    "output": {"options", "plan"},
    "test": {"options", "plan", "output"},
    "": {"options", "plan", "output", "test"},
}

#: What a module may be called although another has the name: a command is called as what it shows.
SAME_STEMS = {"tree"}

#: The layers of `grammar`, from the bottom up: a package imports itself and those named here.
GRAMMAR_LAYERS = {
    "model": set[str](),
    "readers": {"model"},
    "parser": {"model"},
    "normal": {"model"},
    "generation": {"model", "parser"},
}

#: The layers of `reducers`, from the bottom up.
REDUCER_LAYERS = {
    "": set[str](),
    "streams": set[str](),
    "algorithms": {"streams"},
    "slicing": {"streams", "algorithms"},
    "passes": {"streams", "algorithms"},
    "binary": {"streams"},
    "relations": {"streams", "algorithms"},
    "coupled": {"streams", "algorithms", "passes"},
    "pipeline": {"streams", "algorithms", "slicing", "passes", "binary", "coupled", "relations"},
}


#: What every module may import.
COMMON = {"base"}


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
                if parts[0] == "marrow" and parts[1:] and parts[1] not in {*allowed, *COMMON}:
                    wrong.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not wrong


def test_doors_at_the_root() -> None:
    modules = {path.stem for path in ROOT.glob("*.py")}
    assert modules == set(DOORS)
    doors = {"api", "session", "testing"}
    for path in ROOT.rglob("*.py"):
        used = {module.split(".")[1] for module in imports(path) if module.startswith("marrow.")}
        if path.parent == ROOT:
            if path.stem != "__init__":
                assert used <= {*DOORS[path.stem], "base"}, path
        else:
            assert used.isdisjoint(doors), path
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")}
    assert folders.isdisjoint(marrow.__all__), "no package has the name of a door"


def test_layers_of_the_engine_point_down() -> None:
    engine = ROOT / "engine"
    assert {path.parent.name for path in engine.glob("*/__init__.py")} == {*ENGINE_LAYERS} - {""}
    for path in engine.rglob("*.py"):
        parts = path.relative_to(engine).parts
        layer = parts[0] if len(parts) > 1 else ""
        for module in imports(path):
            if module.startswith("marrow.engine."):
                name = module.split(".")[2]
                other = name if (engine / name).is_dir() else ""
                assert other in {layer, *ENGINE_LAYERS[layer]}, f"{path} imports {module}"


def test_layers_of_runs_point_down() -> None:
    """Types may be of a layer above: what is made of a result is handed the run itself."""
    run = ROOT / "run"
    assert {path.parent.name for path in run.glob("*/__init__.py")} == {*RUN_LAYERS} - {""}
    for path in run.rglob("*.py"):
        parts = path.relative_to(run).parts
        layer = parts[0] if len(parts) > 1 else ""
        for module in runtime_imports(path):
            if module.startswith("marrow.run."):
                name = module.split(".")[2]
                other = name if (run / name).is_dir() else ""
                assert other in {layer, *RUN_LAYERS[layer]}, f"{path} imports {module}"


def test_no_module_imports_itself_by_a_detour() -> None:
    """Lazy imports count too; those for type checkers alone do not."""
    names = {module_name(path): path for path in ROOT.rglob("*.py")}
    graph = {
        name: {one for one in map(known(names), runtime_imports(path)) if one and one != name}
        for name, path in names.items()
    }
    cycles = [sorted(group) for group in components(graph) if len(group) > 1]
    assert cycles == []


def module_name(path: Path) -> str:
    parts = ("marrow", *path.relative_to(ROOT).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def known(names: Mapping[str, Path]) -> Callable[[str], str]:
    """Return what gives the module of an imported name; packages without code do not count."""

    def module(name: str) -> str:
        while name and name not in names:
            name = name.rpartition(".")[0]
        return "" if name == "marrow" else name

    return module


def runtime_imports(path: Path) -> Iterator[str]:
    """Yield the modules, and the names in them, that a module imports when it runs."""
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        pending.extend(ast.iter_child_nodes(node))


def components(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """Return the strongly connected components of a small graph, by reachability."""
    reach: dict[str, set[str]] = {}
    for start in graph:
        found: set[str] = set()
        pending = list(graph[start])
        while pending:
            one = pending.pop()
            if one not in found:
                found.add(one)
                pending.extend(graph.get(one, ()))
        reach[start] = found
    groups = [
        {other for other in reach[name] if name in reach.get(other, ())} | {name} for name in graph
    ]
    return [group for at, group in enumerate(groups) if group not in groups[:at]]


def test_no_public_class_stands_twice() -> None:
    classes = Counter(
        node.name
        for path in ROOT.rglob("*.py")
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert not {name for name, count in classes.items() if count > 1}


def test_file_names_stand_once() -> None:
    """Commands apart: `cli/produce.py` is the command of that name."""
    stems = Counter(
        path.stem
        for path in ROOT.rglob("*.py")
        if path.stem != "__init__" and path.relative_to(ROOT).parts[0] != "cli"
    )
    assert {name for name, count in stems.items() if count > 1} <= SAME_STEMS
    unclear = {"afar", "far", "phi", "pace", "watch", "leftovers", "parsed", "load", "odds"}
    unclear |= {"parcel", "ask", "question", "task", "utils", "helpers", "misc", "common"}
    assert unclear.isdisjoint(stems)


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


def test_slow_modules_exist() -> None:
    """A renamed module would silently slow `make test` down."""
    from tests.conftest import HERE, SLOW

    assert not [name for name in SLOW if not (HERE / name).exists()]
