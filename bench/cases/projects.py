"""Projects: sets of files that need each other, in C, Go and Python.

The files are those of packages, fetched or read when the case is made, so that no foreign text lies
in the repository. Every file that is left has to compile (in Go an import that is not used is an
error), or has no syntax errors (Python): a file can go only with what mentions it.
"""

from __future__ import annotations

import io
import re
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from bench.cases.case import CannotMakeError
from bench.cases.sources import run_program


class ProjectSource(Protocol):
    """Where the files of a project come from."""

    def files(self) -> dict[str, bytes]:
        """Return the contents by name."""


@dataclass(frozen=True, slots=True)
class Folder:
    """The files of a directory of the machine; `old` in them becomes `new`."""

    path: str
    pattern: str
    old: str = ""
    new: str = ""
    below: str = ""
    more: tuple[tuple[str, str], ...] = ()

    def files(self) -> dict[str, bytes]:
        """Read them."""
        found = {name: content.encode() for name, content in self.more}
        for path in sorted(Path(self.path).glob(self.pattern)):
            if not path.name.endswith("_test.go"):
                content = path.read_bytes()
                if self.old:
                    content = re.sub(self.old.encode(), self.new.encode(), content)
                found[f"{self.below}{path.name}"] = content
        if len(found) == len(self.more):
            raise CannotMakeError(f"there is nothing like {self.path}/{self.pattern}")
        return found


@dataclass(frozen=True, slots=True)
class SourceFolder:
    """The files of a directory in the source archive of a Python package."""

    package: str
    version: str
    path: str
    pattern: str

    def files(self) -> dict[str, bytes]:
        """Fetch the archive and read them."""
        found: dict[str, bytes] = {}
        with tempfile.TemporaryDirectory() as place:
            wanted = f"{self.package}=={self.version}"
            command = ["python3", "-m", "pip", "download", "-q", "--no-deps", "--no-binary=:all:"]
            run_program([*command, "-d", place, wanted])
            archive = next(Path(place).glob("*.tar.gz")).read_bytes()
        with tarfile.open(fileobj=io.BytesIO(archive)) as members:
            for member in members:
                folder, _, name = member.name.partition("/")[2].rpartition("/")
                content = members.extractfile(member) if folder == self.path else None
                if content is not None and re.fullmatch(self.pattern, name):
                    found[name] = content.read()
        if not found:
            raise CannotMakeError(f"there is nothing like {self.path}/{self.pattern}")
        return found


@dataclass(frozen=True, slots=True)
class Project:
    """A set of files and its test: the body of a bash script that runs where the files are."""

    name: str
    about: str
    source: ProjectSource
    script: str


PROJECTS: Final = (
    Project(
        "c-lua",
        "gcc 12 warns of a conversion in Lua's parser; every file compiles (62 files)",
        SourceFolder("lupa", "1.14.1", "third-party/lua", r"l.*\.[ch]"),
        """\
[ -e lparser.c ] || exit 1
gcc -fsyntax-only -Werror=implicit-function-declaration -Werror=implicit-int -Wconversion *.c \\
    > /dev/null 2> said || exit 1
grep -A1 'In function .adjust_assign' said | grep -q 'conversion from'
""",
    ),
    Project(
        "go-json",
        "Go 1.19 moves a wait group to the heap; the package builds (10 files)",
        Folder(
            "/usr/lib/go-1.19/src/encoding/json",
            "*.go",
            more=(("go.mod", "module x\n\ngo 1.19\n"),),
        ),
        """\
export GOFLAGS=-mod=mod GOPROXY=off
go build -gcflags=-m . > said 2>&1 || exit 1
grep -q 'moved to heap: wg' said
""",
    ),
    Project(
        "py-email",
        "Python 3.11's email: a defect has no defects of its own (21 files)",
        Folder(
            "/usr/lib/python3.11/email",
            "*.py",
            old=r"\bemail(?=\.[_a-z]+ import|\.(_|ch|er|fe|he|it|me|mi|pa|po|qu|ut|ba|en|co|ge)"
            r"| import)",
            new="mail",
            below="mail/",
            more=(
                (
                    "main.py",
                    "import mail, mail.policy\n"
                    "message = mail.message_from_string\n"
                    'message("To: a@[b\\n\\n", policy=mail.policy.default)["to"]\n',
                ),
            ),
        ),
        """\
python3 -m compileall -q . > /dev/null || exit 1
timeout 20 python3 -B main.py > /dev/null 2> said
tail -1 said | grep -q "AttributeError: 'InvalidHeaderDefect' object has no attribute 'all_defects'"
""",
    ),
)
