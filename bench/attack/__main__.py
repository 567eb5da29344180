"""`python -m bench.attack`: try every hostile situation; print what was tried and what falls short.

python -m bench.attack                  all of them, about half an hour on two cores
python -m bench.attack signals faults   some families
python -m bench.attack --every 10       every tenth of each family
python -m bench.attack --quick          what CI runs: half a minute
python -m bench.attack --list

All of it runs in a cage (see `confinement`); where that cannot be made, nothing is tried and the
exit code is 2. It is 1 if something falls short.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

from bench.attack.confinement import DISKS, SCRATCH, enter, holes, is_inside, missing
from bench.attack.families import FAMILIES, situations
from bench.attack.situation import Outcome, Situation, clear, try_out

#: Every so manieth situation is tried in CI: some thirty, half a minute on two busy cores.
QUICK_EVERY: Final = 48


def main(arguments: list[str]) -> int:
    """Run the attack in its cage; exit with 1 if something falls short, 2 if there is no cage."""
    # What nohup and scripts ignore would be ignored by marrow and its tests too.
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if is_inside(arguments):
        if found := holes(arguments[1]):
            print("the cage has holes, so nothing is tried:", *found, sep="\n  ")
            return 2
        return attack(arguments[2:])
    if {"-h", "--help", "--list"} & set(arguments):
        return attack(arguments)
    if why := missing():
        print(f"nothing is tried, as nothing could confine it: {why}")
        return 2
    return enter(arguments)


def attack(arguments: list[str]) -> int:
    """Run the attack; exit with 1 if something falls short."""
    parser = argparse.ArgumentParser(prog="python -m bench.attack")
    parser.add_argument("families", nargs="*", choices=[*FAMILIES, []], default=[])
    parser.add_argument("--every", type=int, default=1, help="only every Nth of each family")
    parser.add_argument(
        "--quick", action="store_true", help="some of the families that no clock decides, for CI"
    )
    parser.add_argument("--only", default="", help="only situations with these words in their name")
    parser.add_argument("-j", type=int, default=2, help="how many at once")
    parser.add_argument("--list", action="store_true", help="only print what would be tried")
    given = parser.parse_args(arguments)
    families, every = given.families or list(FAMILIES), given.every
    if given.quick:
        families, every = [name for name, family in FAMILIES.items() if family.quick], QUICK_EVERY
    chosen = [
        (family, one) for family, one in situations(families, every) if given.only in one.name
    ]
    if given.list:
        for family, one in chosen:
            print(f"{family:14} {one.name}")
        return 0
    return _report(chosen, SCRATCH, given.j)


def attempt(situation: Situation, place: Path) -> Outcome:
    """Try a situation, and clear its directory away."""
    place.mkdir()
    try:
        return try_out(situation, place)
    finally:
        clear(place)
        if situation.disk is not None:
            use, size = situation.disk
            clear(DISKS / f"{use}-{size}")


def _report(chosen: list[tuple[str, Situation]], place: Path, at_once: int) -> int:
    tried: Counter[str] = Counter()
    short: Counter[str] = Counter()
    left_out: list[str] = []
    slowest: dict[str, float] = {}
    row = longest_row = 0
    possible = []
    for family, one in chosen:
        if why := one.impossible():
            left_out.append(f"{family}: {one.name}: {why}")
        else:
            possible.append((family, one))
    with ThreadPoolExecutor(at_once) as pool:
        jobs = [
            (family, pool.submit(attempt, one, place / str(number)))
            for number, (family, one) in enumerate(possible)
        ]
        for family, job in jobs:
            outcome = job.result()
            tried[family] += 1
            slowest[family] = max(slowest.get(family, 0.0), outcome.seconds)
            row = 0 if outcome.wrong else row + 1
            longest_row = max(row, longest_row)
            if outcome.wrong:
                short[family] += 1
                print(f"FALLS SHORT  {family}: {outcome.situation.name} (code {outcome.code})")
                for words in outcome.wrong:
                    print(f"    {words}")
                for line in outcome.said.splitlines()[-4:]:
                    print(f"    | {line[:150]!a}")
            sys.stdout.flush()
    print(
        "\n| family | tried | survived | falls short | slowest |\n| --- | --- | --- | --- | --- |"
    )
    for family in tried:
        print(
            f"| {family} | {tried[family]} | {tried[family] - short[family]} | {short[family]} "
            f"| {slowest[family]:.1f} s |"
        )
    total, fallen = sum(tried.values()), sum(short.values())
    longest = max(slowest.values(), default=0.0)
    print(f"| all | {total} | {total - fallen} | {fallen} | {longest:.1f} s |")
    print(f"longest row without one that falls short: {longest_row}")
    for words in left_out:
        print(f"not tried: {words}")
    return 1 if fallen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
