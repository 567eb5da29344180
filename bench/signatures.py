"""The golden corpus of failures: what the inference keeps of them, and whether tools still do so.

    python -m bench.signatures                    run the tools that are installed anew and report
                                                  differences; then the two rates
    python -m bench.signatures TOOL...            some tools only
    python -m bench.signatures --recorded         the rates alone, from the recorded outputs
    python -m bench.signatures --wrong            also every verdict that is wrong
    python -m bench.signatures --held-out         the tools that are held out, which are left out
                                                  otherwise
    python -m bench.signatures capture TOOL[/ENTRY]...   record what the tools do

Rates are over the recorded outputs. *Kept* are harmless changes of a failure that still match what
is inferred from its three runs; *told apart* are other failures of the tool, and controls, that do
not. An entry that is refused at the start counts as wrong in both. `docs/lab/signatures.md` says
how an entry is made.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Final

from tests.signature.golden import (
    Entry,
    Seen,
    Tool,
    cut_of,
    entries,
    held_out,
    others,
    problems,
    seen_path,
    tools,
)
from tests.signature.rates import Score, score

from bench.signatures_run import installed, recorded, run, shortened, version_of

# Numbers, addresses and temporary names differ from run to run.
_VARIES: Final = re.compile(
    rb"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+|(?<=/tmp/)[\w.-]+|-[0-9a-f]{6,}\b"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code is 1 if a tool does not do what was recorded."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if words[:1] == ["capture"]:
        return _capture(words[1:])
    parser = argparse.ArgumentParser(prog="python -m bench.signatures")
    parser.add_argument("tools", nargs="*")
    parser.add_argument("--recorded", action="store_true", help="only the rates")
    parser.add_argument("--wrong", action="store_true", help="list the verdicts that are wrong")
    parser.add_argument("--held-out", action="store_true", help="the tools that are held out")
    options = parser.parse_args(words)
    apart = held_out()
    chosen = [
        tool
        for tool in tools()
        if (tool.name in apart) == options.held_out
        and (not options.tools or tool.name in options.tools)
    ]
    different = 0 if options.recorded else _anew(chosen)
    _report(chosen, wrong=options.wrong)
    return 1 if different else 0


def _report(chosen: Sequence[Tool], *, wrong: bool) -> None:
    total = Score()
    print(f"{'tool':14} {'entries':>7} {'refused':>7} {'kept':>9} {'others':>9} {'controls':>9}")
    for tool in chosen:
        siblings = entries(tool)
        of_tool = Score()
        for entry in siblings:
            of_tool += score(entry, siblings)
        print(f"{tool.name:14} {_figures(of_tool)}")
        if wrong:
            print("".join(f"    {line}\n" for line in of_tool.wrong), end="")
        total += of_tool
    print(f"{'all':14} {_figures(total)}")
    print(f"kept {total.kept.rate:.1%}, told apart {total.told_apart.rate:.1%}")


def _figures(one: Score) -> str:
    shares = (one.kept, one.others, one.controls)
    return f"{one.entries:7} {one.refused:7} " + " ".join(f"{share!s:>9}" for share in shares)


def _anew(chosen: Sequence[Tool]) -> int:
    """Run tools on all that was recorded and say what is different; return how many differ."""
    different = 0
    for tool in chosen:
        if not installed(tool):
            print(f"{tool.name}: not here")
            continue
        siblings = entries(tool)
        for entry in siblings:
            for variant in entry.variants():
                seen = shortened(run(entry.tool, variant), cut_of(entry.path))
                before = entry.recorded[variant.name]
                if _comparable(seen) == _comparable(before):
                    continue
                different += 1
                lost = variant.role in ("run", "harmless") and entry.expected.missing(
                    seen, variant.text
                )
                print(f"{entry.name}: {variant.name}: other output{_but(lost)}")
        for variant, before in others(siblings[0], siblings[:1]):
            seen = shortened(run(tool, variant), cut_of(tool.path))
            if _comparable(seen) != _comparable(before):
                different += 1
                print(f"{tool.name}: {variant.name}: other output")
    return different


def _but(lost: str | bool) -> str:
    return f"; the failure is not there: {lost}" if lost else ""


def _comparable(seen: Seen) -> tuple[str, bytes, bytes]:
    return seen.ended, _VARIES.sub(b"#", seen.stdout), _VARIES.sub(b"#", seen.stderr)


def _capture(names: Sequence[str]) -> int:
    """Record tools and entries, and say what of them is not as it should be."""
    wrong = 0
    for tool in tools():
        wanted = [name for name in names if name.partition("/")[0] == tool.name]
        if not wanted:
            continue
        if not installed(tool):
            print(f"{tool.name}: not here")
            wrong += 1
            continue
        siblings = entries(tool)
        if tool.name in wanted or not seen_path(tool.path).exists():
            seen = [(variant, run(tool, variant)) for variant in tool.others]
            text = recorded(seen, version_of(tool))
            seen_path(tool.path).write_text(text, encoding="utf-8")
            for variant, one in seen:
                if one.ended == "exit 0":
                    print(f"{tool.name}: {variant.name}: it succeeds")
        for entry in siblings:
            if tool.name in wanted or entry.name in wanted:
                record(entry)
        for entry in siblings:
            if seen_path(entry.path).exists():
                found = list(problems(entry, siblings))
                wrong += len(found)
                print("".join(f"{entry.name}: {line}\n" for line in found), end="")
    return 1 if wrong else 0


def record(entry: Entry) -> None:
    """Run all variants of an entry and write down what the tool did."""
    seen = [(variant, run(entry.tool, variant)) for variant in entry.variants()]
    seen_path(entry.path).write_text(recorded(seen), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
