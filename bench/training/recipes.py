"""What each shipped model is trained on, and what its code has to pass (`recipes.toml`).

A corpus is normal code: files of packages that anybody can install, and programs by csmith; each
function fills a directory and returns a sentence on what the corpus is.
"""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from bench.cases.sources import Csmith
from marrow.grammars import grammar_names

# Far from the seeds of the benchmark cases: a model must not have seen what it is measured on.
_FIRST_SEED: Final = 100_001
_PROGRAMS: Final = 40  # as in the paper
_SMALL: Final = ("--max-funcs", "4", "--max-block-size", "3", "--max-block-depth", "3")

_TABLE: Final = tomllib.loads(Path(__file__).with_name("recipes.toml").read_text(encoding="utf-8"))
_CORPORA: Final = _TABLE["corpora"]

_GO: Final = Path("/usr/share/go-1.19")
_JDK: Final = Path("/usr/lib/jvm/openjdk-17/lib/src.zip")
_RUST: Final = Path("/usr/src/rustc-1.63.0")


def csmith_programs(place: Path) -> str:
    """Write programs by csmith, as many as the paper on type batching has."""
    for number in range(_PROGRAMS):
        seed = _FIRST_SEED + number
        (place / f"csmith-{seed}.c").write_bytes(Csmith(seed, _SMALL).make())
    version = _first_line(["csmith", "--version"])
    return (
        f"{_PROGRAMS} programs by {version} (seeds from {_FIRST_SEED}, {' '.join(_SMALL)}), "
        "preprocessed"
    )


def c_programs(place: Path) -> str:
    """Write programs by csmith and what common headers expand to."""
    programs = csmith_programs(place)
    for header in _CORPORA["headers"]:
        source = f"#include <{header}>\nint main(void) {{ return 0; }}\n".encode()
        command = ["gcc", "-E", "-P", "-xc", "-"]
        text = subprocess.run(command, input=source, check=True, capture_output=True).stdout
        (place / f"header-{header.replace('/', '-')}.c").write_bytes(text)
    libraries = f"Debian's libc6-dev {_debian('libc6-dev')}"
    return f"{programs}, and {len(_CORPORA['headers'])} headers of {libraries}, likewise"


def python_library(place: Path) -> str:
    """Copy the modules of the standard library."""
    library = Path(sysconfig.get_paths()["stdlib"])
    _copy(library.glob("*.py"), library, place, least=1_000, most=24_000)
    return f"the modules of the standard library of Python {sysconfig.get_python_version()}"


def javascript_packages(place: Path) -> str:
    """Fetch packages from npm, the sources of each in a directory of its own."""
    _npm(_CORPORA["javascript"], place, ".js", least=3_000, most=24_000)
    return f"npm packages: {' '.join(_CORPORA['javascript'])}"


def json_packages(place: Path) -> str:
    """Fetch packages with data from npm."""
    _npm(_CORPORA["json"], place, ".json", least=1_000, most=48_000)
    return f"JSON files of npm packages: {' '.join(_CORPORA['json'])}"


def java_library(place: Path) -> str:
    """Unpack classes of the JDK."""
    packages = ("java/util/", "java/text/", "java/util/concurrent/", "java/util/stream/")
    with zipfile.ZipFile(_JDK) as archive:
        for info in archive.infolist():
            module, _, path = info.filename.partition("/")
            package = path[: path.rfind("/") + 1]
            # Half of it is comments.
            if module == "java.base" and package in packages and 4_000 < info.file_size < 40_000:
                target = place / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.read(info))
    return (
        f"classes of java.util and java.text of Debian's openjdk-17 {_debian('openjdk-17-source')}"
    )


def go_tests(place: Path) -> str:
    """Copy the programs of Go's test suite."""
    _copy((_GO / "test").rglob("*.go"), _GO, place, least=1_000, most=16_000)
    return f"the test suite of Debian's golang-1.19 {_debian('golang-1.19-src')}"


def rust_tests(place: Path) -> str:
    """Copy the programs of Rust's test suite that should run."""
    tests = _RUST / "src/test/ui"
    programs = (path for path in tests.rglob("*.rs") if b"run-pass" in path.read_bytes())
    _copy(programs, tests, place, least=1_500, most=24_000)
    return f"the programs that should run of the test suite of Debian's rustc {_debian('rust-src')}"


def _copy(paths: Iterable[Path], root: Path, place: Path, *, least: int, most: int) -> None:
    for path in paths:
        if path.is_file() and least <= path.stat().st_size <= most:
            target = place / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)


def _npm(packages: Iterable[str], place: Path, suffix: str, *, least: int, most: int) -> None:
    for package in packages:
        with tempfile.TemporaryDirectory() as work:
            subprocess.run(
                ["npm", "pack", "--silent", package],
                cwd=work,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            with tarfile.open(next(Path(work).glob("*.tgz"))) as archive:
                archive.extractall(work, filter="data")
            root = Path(work, "package")
            sources = (path for path in root.rglob(f"*{suffix}") if ".min." not in path.name)
            _copy(sources, root, place / package, least=least, most=most)


def _debian(package: str) -> str:
    return _first_line(["dpkg-query", "--show", "--showformat=${Version}", package])


def _first_line(command: list[str]) -> str:
    # csmith leaves a file on the platform wherever it runs.
    with tempfile.TemporaryDirectory() as work:
        done = subprocess.run(command, cwd=work, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()[0]


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a model is made. `tests` bounds the checks; `needs` are the programs to have."""

    language: str
    assemble: Callable[[Path], str]
    check: str
    tests: int
    needs: tuple[str, ...] = ()
    #: The shipped grammar that parses the files; empty for the parser of the language.
    grammar: str = ""
    #: How many tokens of each file are kept, one after the other.
    tokens: int = 3
    #: The name of a model that does not ship, but belongs to the tables of a paper.
    paper: str = ""

    @property
    def model(self) -> str:
        """The name of the model."""
        return self.paper or (f"grammar-{self.grammar}" if self.grammar else self.language)

    @property
    def corpus(self) -> str:
        """The name of the corpus."""
        return self.paper or self.language


_ROWS: Final[dict[str, dict[str, Any]]] = {
    row["language"]: row for row in _TABLE["recipe"] if "language" in row
}


def _recipe(row: dict[str, Any]) -> Recipe:
    given = {**_ROWS.get(row.get("like", ""), {}), **row}
    given.pop("like", None)
    assemble = globals()[given.pop("corpus")]
    return Recipe(assemble=assemble, needs=tuple(given.pop("needs", ())), **given)


_BY_PARSER: Final = tuple(map(_recipe, _TABLE["recipe"]))

#: One for each language with a model and a shipped grammar as well: its trees have other types.
_BY_GRAMMAR: Final = tuple(
    replace(recipe, grammar=recipe.language)
    for recipe in _BY_PARSER
    if recipe.language in grammar_names() and not recipe.paper
)

RECIPES: Final = (*_BY_PARSER, *_BY_GRAMMAR)
