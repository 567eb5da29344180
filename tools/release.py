"""A release, built and tried as a stranger would: `python -m tools.release`.

Builds the sdist and the wheel, checks what is in them, installs each into a bare environment (with
its dependencies, so it needs the package index), and tries `--version` and a reduction there.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

import marrow

ROOT = Path(__file__).resolve().parent.parent

#: What must be there: code, grammars, models, rewrites, stocks, the parts of the page, types.
IN_WHEEL = (
    "marrow/cli/main.py",
    "marrow/grammars/c.g4",
    "marrow/py.typed",
    "marrow/report/page/page.js",
    "marrow/abstraction/stocks/c.txt",
    "marrow/pytest_plugin.py",
)
IN_SDIST = (
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "tests/conftest.py",
    "docs/how-to/guide.md",
    "action.yml",
)


def run(*words: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run([*map(str, words)], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def environment(place: Path, *, pip: bool = False) -> Path:
    """Make a bare environment; return its directory of programs."""
    venv.create(place, with_pip=pip)
    return place / "bin"


def check_content(wheel: Path, sdist: Path) -> None:
    inside = set(zipfile.ZipFile(wheel).namelist())
    missing = [name for name in IN_WHEEL if name not in inside]
    with tarfile.open(sdist) as archive:
        files = {name.partition("/")[2] for name in archive.getnames()}
    missing += [name for name in IN_SDIST if name not in files]
    if missing:
        sys.exit(f"missing in the release: {', '.join(missing)}")
    strange = [name for name in inside if not name.startswith(("marrow/", "marrow-"))]
    if strange:
        sys.exit(f"not meant to be in the wheel: {', '.join(strange)}")


def try_it(package: Path, place: Path, pip: Path) -> None:
    """Install a package into a bare environment and reduce something with it."""
    programs = environment(place)
    # Nothing but the package and what it asks for is there, not even pip. What is never imported
    # need not be compiled, which would take most of the time.
    run(pip, "--python", programs / "python", "install", "--quiet", "--no-compile", package)
    said = run(programs / "marrow", "--version").strip()
    if marrow.__version__ not in said:
        sys.exit(f"{package.name} says {said}")
    work = place / "work"
    work.mkdir()
    (work / "a.json").write_text('{"a": [1, 2, 3], "needle": {"b": null}}')
    run(programs / "marrow", "reduce", "a.json", "--shell", 'grep -q needle "$1"', cwd=work)
    found = (work / "a.reduced.json").read_text().strip()
    if found != '"needle"':
        sys.exit(f"{package.name} reduced to {found!r}")
    size = sum(path.stat().st_size for path in place.rglob("*") if path.is_file())
    print(f"{package.name}: installed ({size / 1e6:.0f} MB) and tried")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="marrow-release-") as name:
        place = Path(name)
        programs = environment(place / "builder", pip=True)
        run(programs / "pip", "install", "--quiet", "--no-compile", "build", "hatchling", "twine")
        # What builds it is there already: an environment for each of the two would be the same.
        run(programs / "python", "-m", "build", "--no-isolation", "--outdir", place / "dist", ROOT)
        [wheel] = (place / "dist").glob("*.whl")
        [sdist] = (place / "dist").glob("*.tar.gz")
        check_content(wheel, sdist)
        run(programs / "twine", "check", "--strict", wheel, sdist)
        for number, package in enumerate((wheel, sdist)):
            try_it(package, place / f"bare{number}", programs / "pip")


if __name__ == "__main__":
    main()
