"""Where inputs and the tools of tests come from."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from bench.cases.case import TOOLS, CannotMakeError, Source, Tool
from bench.cases.random_constraints import mixed_constraints
from bench.cases.random_data import queries, records, string_constraints
from bench.cases.random_javascript import random_javascript

# Small headers of our own stand for the system's, so that the program fits any C compiler and does
# not depend on the C library of the machine.
_HEADERS: Final = Path(__file__).resolve().parent / "include"
_CHECKS: Final = Path(__file__).resolve().parent / "checks"
_CSMITH_HEADERS: Final = Path("/usr/include/csmith")
LARGE_SOURCES: Final = Path(__file__).resolve().parent / "large"

# Installing a package takes seconds; a registry out of reach should not stop a run for ever.
_PATIENCE: Final = 300


@dataclass(frozen=True, slots=True)
class Csmith:
    """A C program by csmith, preprocessed so that it stands alone."""

    seed: int
    options: tuple[str, ...] = ()
    defines: tuple[str, ...] = ()

    def make(self) -> bytes:
        """Run csmith and the preprocessor."""
        # csmith writes a file on the platform into the directory where it runs.
        with tempfile.TemporaryDirectory() as place:
            program = run_program(
                ["csmith", "--seed", str(self.seed), *self.options], directory=place
            )
        include = [f"-I{_HEADERS}", f"-I{_CSMITH_HEADERS}"]
        defines = [f"-D{one}" for one in self.defines]
        command = ["gcc", "-E", "-P", "-w", "-nostdinc", *include, *defines, "-xc", "-"]
        return run_program(command, program)


@dataclass(frozen=True, slots=True)
class File:
    """A file of the machine, such as one of a Debian package."""

    path: str

    def make(self) -> bytes:
        """Read it."""
        try:
            return Path(self.path).read_bytes()
        except OSError as error:
            raise CannotMakeError(f"cannot read {self.path}: {error.strerror}") from error


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a zip archive of the machine."""

    archive: str
    name: str
    without: str = ""

    def make(self) -> bytes:
        """Read it, and leave out what it is to be without."""
        try:
            with zipfile.ZipFile(self.archive) as archive:
                found = archive.read(self.name)
            return found.replace(self.without.encode(), b"") if self.without else found
        except (OSError, KeyError) as error:
            raise CannotMakeError(f"cannot read {self.name} of {self.archive}") from error


@dataclass(frozen=True, slots=True)
class Generated:
    """An input that a function of ours writes; `version` changes when what it writes does."""

    function: Callable[..., str]
    seed: int | None = None
    version: int = 1

    def make(self) -> bytes:
        """Call the function."""
        arguments = () if self.seed is None else (self.seed,)
        return self.function(*arguments).encode()

    def __repr__(self) -> str:
        return f"Generated({self.function.__qualname__}, {self.seed}, {self.version})"


@dataclass(frozen=True, slots=True)
class NpmFile:
    """A file of an npm package at an exact version."""

    package: str
    version: str
    path: str

    def make(self) -> bytes:
        """Fetch the package and read the file."""
        with tempfile.TemporaryDirectory() as place:
            _npm(["pack", "--silent", f"{self.package}@{self.version}"], place)
            archive = next(Path(place).glob("*.tgz"))
            return _member(archive.read_bytes(), self.path)


@dataclass(frozen=True, slots=True)
class RepositoryFile:
    """A file of a public repository at a commit, from a clone below `$REPOSITORIES`.

    `repository` is OWNER/NAME on GitHub; the clone is OWNER+NAME/repo or OWNER/NAME.
    """

    repository: str
    commit: str
    path: str

    def make(self) -> bytes:
        """Ask git for it."""
        clones = Path(os.environ.get("REPOSITORIES", "."))
        names = (f"{self.repository.replace('/', '+')}/repo", self.repository)
        found = next((clones / one for one in names if (clones / one).exists()), None)
        if found is None:
            raise CannotMakeError(
                f"REPOSITORIES has no clone of https://github.com/{self.repository}"
            )
        return run_program(["git", "-C", str(found), "show", f"{self.commit}:{self.path}"])


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """A source of ours with all headers in it, by the preprocessor of a compiler."""

    name: str
    command: str

    def make(self) -> bytes:
        """Run the preprocessor where the sources are: line markers name no path of theirs."""
        if not (LARGE_SOURCES / self.name).exists():
            raise CannotMakeError(f"there is no {LARGE_SOURCES / self.name}")
        return run_program([*self.command.split(), "-E", self.name], directory=str(LARGE_SOURCES))


@dataclass(frozen=True, slots=True)
class NpmTool:
    """An npm package with what it needs, in `$TOOLS/PACKAGE-VERSION`."""

    package: str
    version: str

    def install(self) -> None:
        """Install it unless it is there."""
        place = TOOLS / f"{self.package.replace('/', '-')}-{self.version}"
        if (place / "node_modules" / self.package).exists():
            return
        place.mkdir(parents=True, exist_ok=True)
        (place / "package.json").write_text("{}")
        _npm(["install", "--silent", "--ignore-scripts", f"{self.package}@{self.version}"], place)


@dataclass(frozen=True, slots=True)
class PythonTool:
    """Python packages at exact versions, to be put on the path: `$TOOLS/NAME`.

    The versions of what a package needs are named too, since the newest may be another tomorrow.
    """

    name: str
    packages: tuple[str, ...]

    def install(self) -> None:
        """Install it unless it is there."""
        place = TOOLS / self.name
        done = place / hashlib.sha256(repr(self.packages).encode()).hexdigest()[:16]
        if not done.exists():
            _pip(["install", "--no-deps", "--target", str(place), *self.packages])
            done.touch()


@dataclass(frozen=True, slots=True)
class JavaTool:
    """A Java class of ours, from the directory `checks`, compiled into `$TOOLS/NAME`."""

    name: str

    def install(self) -> None:
        """Compile it unless that was done."""
        place = TOOLS / self.name
        if not (place / f"{self.name}.class").exists():
            place.mkdir(parents=True, exist_ok=True)
            run_program(["javac", "-d", str(place), str(_CHECKS / f"{self.name}.java")])


def _npm(arguments: Sequence[str], place: str | Path) -> None:
    run_program(["npm", *arguments], directory=place)


def _pip(arguments: Sequence[str]) -> None:
    run_program([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments])


def run_program(
    command: Sequence[str], given: bytes = b"", directory: str | Path | None = None
) -> bytes:
    try:
        done = subprocess.run(
            command,
            input=given,
            capture_output=True,
            cwd=directory,
            timeout=_PATIENCE,
            check=True,
            env={**os.environ, "LC_ALL": "C"},
        )
    except FileNotFoundError as error:
        raise CannotMakeError(f"there is no {command[0]}") from error
    except subprocess.TimeoutExpired as error:
        raise CannotMakeError(f"{command[0]} did not end") from error
    except subprocess.CalledProcessError as error:
        said = bytes(error.stderr).decode(errors="replace").strip()[-500:]
        raise CannotMakeError(f"{' '.join(command)} failed: {said}") from error
    return done.stdout


def _member(archive: bytes, path: str) -> bytes:
    """Return a file of a tar archive, below its one directory."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            found = files.extractfile(member) if member.name.partition("/")[2] == path else None
            if found is not None:
                return found.read()
    raise CannotMakeError(f"there is no {path} in the archive")


_GENERATORS: Final = {
    one.__name__: one
    for one in (mixed_constraints, queries, random_javascript, records, string_constraints)
}

#: How cases name their sources and tools.
SOURCES: Final[dict[str, Callable[..., Source]]] = {
    "csmith": lambda seed, options: Csmith(seed, tuple(options.split())),
    "file": File,
    "member": Member,
    "generated": lambda name, seed: Generated(_GENERATORS[name], seed),
    "npm": NpmFile,
    "preprocessed": Preprocessed,
    "repository": RepositoryFile,
}
TOOL_KINDS: Final[dict[str, Callable[..., Tool]]] = {
    "npm": NpmTool,
    "python": lambda name, *packages: PythonTool(name, packages),
    "java": JavaTool,
}


def needs_of(source: Source) -> tuple[str, ...]:
    """Return the program or the file that an input is made with."""
    match source:
        case File(path=path) | Member(archive=path):
            return (path,)
        case Csmith():
            return ("csmith",)
    return ()
