"""Train the models that ship.

    python -m bench.training             all of them, one after the other
    python -m bench.training c go        some of them (grammar-c: for --grammar c)
    python -m bench.training c --resume  go on with what was begun

Corpora, journals and logs are kept in bench/results/training; the models go to src/marrow/learn,
`c-csmith`, of the paper's training data, to bench/papers.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from bench.training.recipes import RECIPES, Recipe

_ROOT: Final = Path(__file__).resolve().parents[2]
_CHECKS: Final = Path(__file__).resolve().parent / "checks"
_WORK: Final = _ROOT / "bench" / "results" / "training"
_TOOLS: Final = _WORK / "tools"
_PAPERS: Final = _ROOT / "bench" / "papers"
_MODELS: Final = _ROOT / "src" / "marrow" / "learn" / "models"

# The version whose trees the check for JavaScript knows.
_ACORN: Final = "acorn@8.14.0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    names = [recipe.model for recipe in RECIPES]
    parser.add_argument("models", nargs="*", help=f"some of: {' '.join(names)}")
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--jobs", default=str(os.cpu_count() or 1))
    options = parser.parse_args()
    if unknown := set(options.models) - set(names):
        sys.exit(f"no recipe for {' '.join(sorted(unknown))}; there are: {' '.join(names)}")
    for recipe in RECIPES:
        if not options.models or recipe.model in options.models:
            train(recipe, resume=options.resume, jobs=options.jobs)


def train(recipe: Recipe, *, resume: bool, jobs: str) -> None:
    """Assemble the corpus unless it is there, and run the training command."""
    missing = [program for program in recipe.needs if shutil.which(program) is None]
    if missing:
        sys.exit(f"{recipe.language}: these programs are missing: {' '.join(missing)}")
    note = _corpus(recipe)
    command = [
        *("marrow", "train", "--language", recipe.language),
        *(["--grammar", recipe.grammar] if recipe.grammar else []),
        *("--corpus", f"corpora/{recipe.corpus}", "--note", note, "--check", recipe.check),
        *(
            "--max-tests",
            str(recipe.tests),
            "--tokens",
            str(recipe.tokens),
            "--jobs",
            jobs,
            "--log",
            f"{recipe.model}.csv",
        ),
        *("--output", f"{recipe.model}.json", *(["--resume"] if resume else [])),
    ]
    with _tools(recipe) as environment:
        subprocess.run([sys.executable, "-m", *command], cwd=_WORK, env=environment, check=True)
    place = _PAPERS if recipe.paper else _MODELS
    shutil.copyfile(_WORK / f"{recipe.model}.json", place / f"{recipe.model}.json")


def _corpus(recipe: Recipe) -> str:
    """Fill the corpus and return what it is; the note is written last, when all is there."""
    place = _WORK / "corpora" / recipe.corpus
    note = place.with_suffix(".txt")
    if not note.exists():
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        note.write_text(recipe.assemble(place), encoding="utf-8")
    return note.read_text(encoding="utf-8")


@contextlib.contextmanager
def _tools(recipe: Recipe) -> Iterator[dict[str, str]]:
    """Provide what a check needs, and the environment that tells it where that is."""
    _TOOLS.mkdir(parents=True, exist_ok=True)
    places = {"CHECKS": str(_CHECKS), "TOOLS": str(_TOOLS), "PYTHON": sys.executable}
    environment = {**os.environ, **places}
    if recipe.language == "javascript" and not (_TOOLS / "node_modules" / "acorn").exists():
        (_TOOLS / "package.json").write_text("{}")
        install = ["npm", "install", "--silent", "--ignore-scripts", _ACORN]
        subprocess.run(install, cwd=_TOOLS, check=True)
    if recipe.language != "java":
        yield environment
        return
    line = ["java", "-XX:+UseSerialGC", str(_CHECKS / "JavaChecker.java")]
    with subprocess.Popen(line, stdout=subprocess.PIPE, text=True) as compiler:
        assert compiler.stdout is not None
        try:
            yield {**environment, "JAVA_PORT": compiler.stdout.readline().strip()}
        finally:
            compiler.kill()


if __name__ == "__main__":
    main()
