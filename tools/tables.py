"""The tables of the documents that list what is in the code, made from the code.

    python -m tools.tables            write them anew
    python -m tools.tables --check    say which are stale, exit with 1 if any is
    python -m tools.tables --print X  print one

A table stands between `<!-- table: NAME -->` and `<!-- end of table -->` in a Markdown file of the
repository. A test runs the check.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Final

import marrow
from tools.constants import constants_of

ROOT: Final = Path(__file__).resolve().parent.parent
SOURCE: Final = Path(marrow.__file__).resolve().parent

_MARKED: Final = re.compile(
    r"(?P<head><!-- table: (?P<name>[\w/ -]+) -->\n).*?(?P<tail><!-- end of table -->)", re.DOTALL
)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    return _table(heads, [[cell.replace("|", "\\|") for cell in row] for row in rows])


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table whose cells are Markdown already."""
    lines = [f"| {' | '.join(heads)} |", "| " + " | ".join("---" for _ in heads) + " |"]
    lines += [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join(lines) + "\n"


def first_sentence(docstring: str | None) -> str:
    """Return the first sentence of a docstring, on one line and without its full stop."""
    text = " ".join((docstring or "").partition("\n\n")[0].split())
    found = re.match(r"(.+?)\.(?:\s|$)", text)
    return found[1] if found else text


# -- modules --------------------------------------------------------------------------------------


def _docstring(path: Path) -> str | None:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))


def _package(folder: Path) -> str:
    """Return the modules of one folder; they are named as in the package."""
    rows = [
        (f"`{path.stem}`", first_sentence(_docstring(path)))
        for path in sorted(folder.glob("*.py"))
        if path.stem != "__init__"
    ]
    return table(("module", "what it is"), rows)


def modules() -> str:
    """Return all modules, a table for each package."""
    parts = []
    for init in sorted(SOURCE.rglob("__init__.py")):
        folder = init.parent
        name = ".".join(folder.relative_to(SOURCE.parent).parts)
        about = f"### `{name}`\n{first_sentence(_docstring(init))}.\n"
        holds_any = any(path.stem != "__init__" for path in folder.glob("*.py"))
        parts.append(f"{about}\n{_package(folder)}" if holds_any else about)
    return "\n".join(parts)


# -- packages -------------------------------------------------------------------------------------


def _imports(path: Path) -> set[str]:
    """Return the packages of marrow that a module imports, doors as `marrow`."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        elif isinstance(node, ast.Import):
            names = [one.name for one in node.names]
        for name in names:
            first, _, rest = name.partition(".")
            if first == "marrow":
                inside = rest.partition(".")[0]
                found.add(inside if (SOURCE / inside).is_dir() and inside else "marrow")
    return found


def packages() -> str:
    """Return the packages from the top down, with how many of their modules import which other."""
    used: dict[str, Counter[str]] = {}
    for path in SOURCE.rglob("*.py"):
        parts = path.relative_to(SOURCE).parts
        mine = parts[0] if len(parts) > 1 else "marrow"
        used.setdefault(mine, Counter()).update(_imports(path) - {mine})
    used["marrow"].clear()  # the doors load everything when it is asked for
    levels: dict[str, int] = {}
    while len(levels) < len(used):
        ready = {name for name in used if name not in levels and used[name].keys() <= levels.keys()}
        assert ready, "packages import each other"
        levels.update(dict.fromkeys(ready, max(levels.values(), default=-1) + 1))

    def row(name: str) -> tuple[str, str, str, str]:
        folder = SOURCE / name if name != "marrow" else SOURCE
        count = len(list(folder.rglob("*.py") if name != "marrow" else folder.glob("*.py")))
        counted = sorted(used[name].items(), key=lambda one: (-one[1], one[0]))
        below = ", ".join(f"`{other}` {times}" for other, times in counted)
        about = first_sentence(_docstring(folder / "__init__.py"))
        return _code(name), str(count), about, below

    doors = row("marrow")
    ordered = sorted((one for one in used if one != "marrow"), key=lambda one: (-levels[one], one))
    rows = [row("cli"), doors, *(row(one) for one in ordered if one != "cli")]
    return _table(("package", "modules", "what it is", "imports (by modules)"), rows)


# -- constants ------------------------------------------------------------------------------------


def constants() -> str:
    """Return the tuned constants with what their comments say, a table for each package."""
    packages: dict[str, list[tuple[str, str, str]]] = {}
    for path in sorted(SOURCE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        package = parts[0] if len(parts) > 1 else "marrow"
        module = ".".join(parts[1:] or parts)
        packages.setdefault(package, []).extend(
            (_code(f"{module}.{one.name}"), _code(one.value), one.comment)
            for one in constants_of(path)
        )
    heads = ("constant", "value", "what it is, and what it was measured on")
    return "\n".join(
        f"### `{name}`\n{table(heads, rows)}" for name, rows in packages.items() if rows
    )


# -- the strategy ---------------------------------------------------------------------------------


def _code(*names: str) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _file_of(thing: object) -> str:
    """Return the module that something was written in, as a path below `marrow/`."""
    module = inspect.getmodule(thing)
    assert module is not None
    return "/".join(module.__name__.split(".")[1:]) + ".py"


def passes() -> str:
    """Return the passes, in their order."""
    from marrow.reducers.pipeline.pass_table import MAX, PASSES, QUICK, Pass

    def when(one: Pass) -> str:
        place = "last" if one.last else "late" if one.late else "in its turn"
        place = "first, once" if one.opening else place
        place = "on the result, once" if one.closing else place
        return {QUICK: place, MAX: f"{place}; with `--effort max`"}.get(
            one.effort, f"{place}; not with `--effort quick`"
        )

    rows = [
        (
            _code(one.name),
            one.description,
            when(one),
            _code(_file_of(one.make)),
        )
        for one in PASSES
    ]
    return table(("pass", "what it does", "when", "module"), rows)


def algorithms() -> str:
    """Return the algorithms with their guarantees."""
    from marrow.reducers.pipeline.algorithm_table import ALGORITHMS

    rows = [(_code(one.name), one.description, one.guarantee) for one in ALGORITHMS]
    return table(("algorithm", "what it does", "guarantee"), rows)


def list_minimizers() -> str:
    """Return the list minimisers with their options."""
    from marrow.reducers.algorithms.list_minimizers import LIST_MINIMIZERS

    rows = []
    for name, row in LIST_MINIMIZERS.items():
        taken = [one for one in inspect.signature(row.make).parameters if one != "self"]
        rows.append((_code(name), row.description, _code(*taken)))
    return table(("list minimiser", "what it does", "settings of its own"), rows)


# -- where tests run, what grammars are written in ------------------------------------------------


def executors() -> str:
    """Return the kinds of executors."""
    from marrow.engine.executors.registry import KINDS

    rows = [(_code(one.name), one.summary, _code(one.module)) for one in KINDS.values()]
    return table(("executor", "where tests run", "module"), rows)


def notations() -> str:
    """Return the notations of grammars."""
    from marrow.grammar.notations import NOTATIONS

    rows = [(_code(one.name), one.help, _code(*one.suffixes)) for one in NOTATIONS]
    return table(("notation", "what it is", "suffixes"), rows)


# -- the command line -----------------------------------------------------------------------------


def commands() -> str:
    """Return the commands."""
    from marrow.cli.command_table import COMMANDS

    rows = [(_code(f"marrow {name}"), line.removesuffix(".")) for name, line in COMMANDS.items()]
    return table(("command", "what it does"), rows)


def options(command: str) -> str:
    """Return the options of a command, by group: their names, keywords and keys."""
    from marrow.run.options.option import CALL, GROUPS, Option, declared, help_of
    from marrow.run.options.options import COMMAND_OPTIONS

    groups: dict[str, list[tuple[str, ...]]] = {}

    def row(keyword: str, option: Option) -> tuple[str, ...]:
        names = [name for both in option.names(keyword) for name in both.split("/")]
        value = "" if option.kind.flag or option.counted else option.metavar or option.kind.metavar
        if option.kind.choices is not None and not value:
            value = "\\|".join(option.kind.choices())
        shown = [f"{name} {value}".rstrip() for name in names]
        long = names[-1].removeprefix("--") if names else ""
        if f"--{keyword.replace('_', '-')}" in names:
            long = keyword.replace("_", "-")
        key = long if option.scope is not CALL and not option.alias else ""
        return (
            ", ".join(f"`{one}`" for one in shown),
            _code(keyword) if option.keyword and command in _DOORS else "",
            _code(key) if key else "",
            option.scope.value if key else "",
            help_of(COMMAND_OPTIONS[command], keyword),
        )

    for keyword, option in declared(COMMAND_OPTIONS[command]).items():
        if option.names(keyword) or command in _DOORS:
            groups.setdefault(option.group, []).append(row(keyword, option))
    parts = []
    for group in sorted(groups, key=GROUPS.index):
        heads = ("command line", "keyword", "key", "set by", "")
        columns = [n for n in range(len(heads)) if any(line[n] for line in groups[group])]
        lines = [tuple(line[n] for n in columns) for line in groups[group]]
        parts.append(f"#### {group}\n{_table(tuple(heads[n] for n in columns), lines)}")
    return "\n".join(parts)


#: The commands whose options are also keywords of a function.
_DOORS: Final = frozenset({"reduce", "abstract"})


def exit_codes() -> str:
    """Return the exit codes."""
    from marrow.cli.command_table import help_text

    rows = re.findall(r"^  (\d+)\s+(.+)$", help_text("exit-codes"), re.MULTILINE)
    return table(("code", "meaning"), rows)


def schemas() -> str:
    """Return the schemas of what programs read."""
    from marrow.schemas import SCHEMAS

    return table(("schema", "what it describes"), [(f"`{n}`", t) for n, t in SCHEMAS.items()])


def errors() -> str:
    """Return the public exceptions."""
    found = {name: getattr(marrow, name) for name in marrow.__all__}
    rows = [
        (_code(name), first_sentence(inspect.getdoc(one)))
        for name, one in found.items()
        if isinstance(one, type) and issubclass(one, BaseException)
    ]
    return table(("exception", "when"), rows)


def grammars() -> str:
    """Return the grammars that ship."""
    from marrow.grammars import grammar_names, grammar_path

    def about(name: str) -> str:
        path = grammar_path(name)
        assert path is not None
        head = re.match(r"(?:\s*(?:/\*+|\*(?!/)|//).*\n)+", path.read_text(encoding="utf-8"))
        assert head is not None
        return first_sentence(re.sub(r"(?m)^\s*(?:/\*+|\*|//) ?", "", head[0]).strip())

    return table(("grammar", "language"), ((_code(one), about(one)) for one in grammar_names()))


#: The tables by name.
TABLES: Final[dict[str, Callable[[], str]]] = {
    "modules": modules,
    "packages": packages,
    "constants": constants,
    "passes": passes,
    "algorithms": algorithms,
    "list minimisers": list_minimizers,
    "executors": executors,
    "notations": notations,
    "commands": commands,
    "options of reduce": lambda: options("reduce"),
    "options of abstract": lambda: options("abstract"),
    "options of produce": lambda: options("produce"),
    "options of train": lambda: options("train"),
    "options of triage": lambda: options("triage"),
    "exit codes": exit_codes,
    "schemas": schemas,
    "errors": errors,
    "grammars": grammars,
}


def pages() -> list[Path]:
    """Return the documents that may hold tables."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def rewritten(text: str) -> str:
    """Return a document with its tables made anew; raise LookupError if one is not known."""

    def made(found: re.Match[str]) -> str:
        if found["name"] not in TABLES:
            raise LookupError(f"there is no table called {found['name']!r}")
        return f"{found['head']}{TABLES[found['name']]()}{found['tail']}"

    return _MARKED.sub(made, text)


def stale() -> list[Path]:
    """Return the documents whose tables are not those of the code."""
    return [page for page in pages() if (text := page.read_text("utf-8")) != rewritten(text)]


def main() -> int:
    """Write the tables, or check them."""
    parser = argparse.ArgumentParser(prog="python -m tools.tables", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--print", choices=TABLES, dest="one", help="print one table")
    arguments = parser.parse_args()
    if arguments.one:
        print(TABLES[arguments.one](), end="")
        return 0
    found = stale()
    for page in found:
        if not arguments.check:
            page.write_text(rewritten(page.read_text("utf-8")), encoding="utf-8")
        print(f"{'stale' if arguments.check else 'written'}: {page.relative_to(ROOT)}")
    return 1 if found and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
