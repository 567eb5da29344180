"""The places where people work, tried as far as one machine goes: `python -m bench.places`.

The steps of `action.yml` run in a shell, as a runner would; the hook of `.pre-commit-hooks.yaml`
runs in a fresh repository, where it must find the one bad file. Needs the package index.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

PROGRAM = "int other(int a) { return a; }\nint main(void) { return other(1) / 0; }\n"
TEST = '#!/bin/sh\ngrep -q "/ *0" "$1"\n'

#: Inputs of the action that must work: a command with quotes, a test with options.
ACTIONS: tuple[dict[str, str], ...] = (
    {"input": "crash.c", "command": 'sh -c "grep / {} && exit 3"', "options": "--not 'no such'"},
    {"input": "crash.c", "test": "./test.sh", "max-time": "1m"},
)

CONFIG = """repos:
  - repo: {root}
    rev: {commit}
    hooks:
      - id: marrow-match
        args: [bug.pattern.json]
        files: (bad|good)\\.json$
"""

READ_YAML = "import json, sys, yaml; print(json.dumps(yaml.safe_load(open(sys.argv[1]))))"


def run(
    *words: str | Path, cwd: Path, fails: bool = False, more: dict[str, str] | None = None
) -> str:
    done = subprocess.run(
        [*map(str, words)],
        cwd=cwd,
        env=os.environ | (more or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if bool(done.returncode) != fails:
        sys.exit(f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


def try_action(tools: Path, place: Path) -> None:
    action = json.loads(run(tools / "python", "-c", READ_YAML, ROOT / "action.yml", cwd=place))
    for inputs in ACTIONS:
        work = Path(tempfile.mkdtemp(dir=place))
        (work / "crash.c").write_text(PROGRAM)
        (work / "test.sh").write_text(TEST)
        (work / "test.sh").chmod(0o755)
        given = {name: about.get("default", "") for name, about in action["inputs"].items()}
        given |= inputs
        runner = {
            "RUNNER_TEMP": str(place),
            "GITHUB_ACTION_PATH": str(ROOT),
            "GITHUB_OUTPUT": str(work / "output"),
            "GITHUB_STEP_SUMMARY": str(work / "summary"),
            "CI": "true",
        }
        for step in action["runs"]["steps"]:
            own = {
                name: given[value.removeprefix("${{ inputs.").removesuffix(" }}")]
                for name, value in step.get("env", {}).items()
            }
            shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"])
            run(*shell, cwd=work, more=runner | own)
        outputs = dict(line.split("=", 1) for line in (work / "output").read_text().splitlines())
        small = Path(outputs["result"]).read_text()
        if len(small) >= len(PROGRAM) or "# " not in (work / "summary").read_text():
            sys.exit(f"the action left {small!r}")
        print(f"action.yml with {inputs}: {small.strip()!r}, and a summary of the job")


def try_hook(tools: Path, place: Path) -> None:
    work = place / "repository"
    work.mkdir()
    run("git", "init", "-q", ".", cwd=work)
    example = ROOT / "examples" / "abstract"
    words = ("abstract", example / "keys.json", example / "keys.py", "-j1", "--no-journal")
    run(sys.executable, "-m", "marrow", *words, "-o", work / "bug.pattern.json", cwd=work)
    (work / "bad.json").write_text('{"a": 1, "a": 2}\n')
    (work / "good.json").write_text('{"a": 1, "b": 2}\n')
    commit = run("git", "rev-parse", "HEAD", cwd=ROOT).strip()
    (work / ".pre-commit-config.yaml").write_text(CONFIG.format(root=ROOT, commit=commit))
    run("git", "add", "-A", cwd=work)
    hook = (tools / "pre-commit", "run", "--all-files")
    home = {"PRE_COMMIT_HOME": str(place / "hooks")}
    said = run(*hook, cwd=work, fails=True, more=home)
    if "bad.json: matches" not in said or "good.json" in said:
        sys.exit(f"the hook said:\n{said}")
    run("git", "rm", "-q", "-f", "bad.json", cwd=work)
    run(*hook, cwd=work, more=home)
    print("pre-commit: the hook finds the bad file, and passes without it")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="marrow-places-") as name:
        place = Path(name)
        venv.create(place / "tools", with_pip=True)
        tools = place / "tools" / "bin"
        run(tools / "pip", "install", "--quiet", "pre-commit", cwd=place)
        try_action(tools, place)
        try_hook(tools, place)


if __name__ == "__main__":
    main()
