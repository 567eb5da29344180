"""marrow and ddSMT on the same SMT-LIB scripts: tokens and tests.

    python -m bench.smtlib                    all scripts; a row when it is done
    python -m bench.smtlib jobs-1 paths-2     some of them
    python -m bench.smtlib --ddsmt FILE ...   the program `ddsmt`, if it is not on the PATH
    python -m bench.smtlib --only ddsmt ...   one of the two alone
    python -m bench.smtlib --label NAME ...   what the results of marrow are kept as

A row is kept in bench/results/smtlib when it is done, and not made again.

The scripts are made at random: job shops in linear arithmetic, paths in graphs with quantifiers. A
test wants z3 to refute the script by a proof with a lemma of arithmetic, or with an instance.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Final

_RESULTS: Final = Path(__file__).resolve().parent / "results" / "smtlib"

_TEST: Final = """\
#!/bin/bash
printf . >> COUNT
{ echo '(set-option :produce-proofs true)'; sed 's/(exit)//' "${1:-input.smt2}"; } > run.smt2
echo '(get-proof)' >> run.smt2
timeout 10 z3 rlimit=3000000 run.smt2 > said 2>&1
head -1 said | grep -qx unsat || exit 1
grep -q error said && exit 1
grep -q 'RULE' said
"""


def jobs(seed: int, count: int = 6, steps: int = 3) -> str:
    """Return a job shop that cannot be scheduled in time."""
    random = Random(seed)
    lines = ["(set-logic QF_LIA)"]
    lasts = {(job, step): random.randint(1, 5) for job in range(count) for step in range(steps)}
    lines += [f"(declare-fun start_{job}_{step} () Int)" for job, step in lasts]
    lines += ["(declare-fun makespan () Int)"]
    lines += ["(define-fun after ((x Int) (y Int) (d Int)) Bool (>= x (+ y d)))"]
    for job in range(count):
        lines.append(f"(assert (>= start_{job}_0 0))")
        for step in range(1, steps):
            before = f"start_{job}_{step - 1} {lasts[job, step - 1]}"
            lines.append(f"(assert (after start_{job}_{step} {before}))")
        end = f"(+ start_{job}_{steps - 1} {lasts[job, steps - 1]})"
        lines.append(f"(assert (let ((end {end})) (<= end makespan)))")
    total = max(sum(lasts[job, step] for step in range(steps)) for job in range(count))
    return "\n".join([*lines, f"(assert (= makespan {total - 2}))", "(check-sat)", "(exit)", ""])


def paths(seed: int, count: int = 10) -> str:
    """Return a graph in which a path that there is should not be."""
    random = Random(seed)
    lines = ["(set-logic UF)", "(declare-sort Node 0)", "(declare-fun edge (Node Node) Bool)"]
    lines += ["(declare-fun path (Node Node) Bool)", "(declare-fun mark (Node) Bool)"]
    lines += [f"(declare-fun n{node} () Node)" for node in range(count)]
    lines += ["(assert (forall ((x Node) (y Node)) (=> (edge x y) (path x y))))"]
    lines += ["(assert (forall ((x Node) (y Node) (z Node))"]
    lines += ["  (=> (and (path x y) (path y z)) (path x z))))"]
    lines += [f"(assert (edge n{node} n{node + 1}))" for node in range(count - 1)]
    for _ in range(count):
        one, two, three = (random.randrange(count) for _ in range(3))
        lines.append(f"(assert (or (mark n{one}) (= n{two} n{three})))")
    lines += [f"(assert (not (path n{random.randrange(2)} n{random.randrange(count - 3, count)})))"]
    return "\n".join([*lines, "(check-sat)", ""])


SCRIPTS: Final = {
    **{f"jobs-{seed}": (jobs(seed), "th-lemma arith") for seed in range(1, 6)},
    **{f"paths-{seed}": (paths(seed), "quant-inst") for seed in range(1, 6)},
}


def main() -> int:
    """Compare, and print a row for each script and program."""
    parser = argparse.ArgumentParser(prog="python -m bench.smtlib", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--ddsmt", default=shutil.which("ddsmt"))
    parser.add_argument("--only", choices=("marrow", "ddsmt"))
    parser.add_argument("--label", default="marrow")
    arguments = parser.parse_args()
    ratios: list[tuple[float, float]] = []
    for name in arguments.names or SCRIPTS:
        text, rule = SCRIPTS[name]
        rows: list[tuple[int, int]] = []
        if arguments.only != "ddsmt":
            rows.append(_kept(arguments.label, name, partial(_marrow, text, rule)))
        if arguments.ddsmt and arguments.only != "marrow":
            rows.append(_kept("ddsmt", name, partial(_ddsmt, arguments.ddsmt, text, rule)))
        shown = " | ".join(f"{tokens}, {tests}" for tokens, tests in rows)
        print(f"| {name} | {_tokens(text)} | {shown} |", flush=True)
        if len(rows) == 2:
            ratios.append((rows[0][0] / rows[1][0], rows[0][1] / rows[1][1]))
    if ratios:
        means = [
            math.exp(sum(map(math.log, column)) / len(ratios))
            for column in zip(*ratios, strict=True)
        ]
        print(f"geometric means of {len(ratios)}: tokens {means[0]:.3f}, tests {means[1]:.3f}")
    return 0


def _kept(label: str, name: str, make: Callable[[], tuple[int, int]]) -> tuple[int, int]:
    """Return the tokens and tests of a row that was made before, or make it."""
    file = _RESULTS / label / f"{name}.json"
    if not file.exists():
        made = make()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(made))
    tokens, tests = json.loads(file.read_text())
    return tokens, tests


def _tokens(text: str) -> int:
    return len(re.findall(r'[()]|"[^"]*"|\|[^|]*\||[^\s()]+', text))


def _prepared(place: str, text: str, rule: str) -> Path:
    """Write a script and its test, which counts how often it is asked."""
    work = Path(place)
    (work / "input.smt2").write_text(text)
    test = work / "test.sh"
    test.write_text(_TEST.replace("COUNT", str(work / "count")).replace("RULE", rule))
    test.chmod(0o755)
    return work


def _marrow(text: str, rule: str) -> tuple[int, int]:
    with tempfile.TemporaryDirectory(prefix="smtlib-") as place:
        work = _prepared(place, text, rule)
        command = [sys.executable, "-m", "marrow", "reduce", "input.smt2", "./test.sh"]
        command += ["-o", "out.smt2", "--json", "-q", "-j", "1"]
        done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=True)
        tests = json.loads(done.stdout)["tests"]
        return _tokens((work / "out.smt2").read_text()), tests


def _ddsmt(program: str, text: str, rule: str) -> tuple[int, int]:
    with tempfile.TemporaryDirectory(prefix="smtlib-") as place:
        work = _prepared(place, text, rule)
        command = [program, "-j", "1", "--ignore-output", "--timeout", "20"]
        command += ["input.smt2", "out.smt2", "./test.sh"]
        subprocess.run(command, cwd=work, capture_output=True, check=True)
        tests = (work / "count").stat().st_size
        return _tokens((work / "out.smt2").read_text()), tests


if __name__ == "__main__":
    sys.exit(main())
