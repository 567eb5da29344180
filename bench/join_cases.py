"""Projects that become one file, and comments that matter: sizes and tests, case by case.

    python -m bench.join_cases one_file [NAME...]            the cases of bench/one_file.toml
    python -m bench.join_cases comments --held-out           those that were held out

`TOOLS` names the directory with the tools of `bench/comments.toml`.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import Any, Final

import marrow

HERE: Final = Path(__file__).parent


def cases(table: str) -> list[dict[str, Any]]:
    """Return the cases of a table."""
    return list(tomllib.loads((HERE / f"{table}.toml").read_text())["case"])


def reduced(case: dict[str, Any], **options: Any) -> marrow.Result:
    """Reduce a case: a set of files, or the only one."""
    files = {name: text.removeprefix("\n") for name, text in case["files"].items()}
    (name, text), *more = files.items()
    source: Any = files if more else text
    if not more:
        options["name"] = name
    return marrow.reduce(source, None, shell=case["test"], timeout=10, **options)


def main() -> None:
    """Print a row for each case."""
    parser = argparse.ArgumentParser(prog="python -m bench.join_cases")
    parser.add_argument("table")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--held-out", action="store_true")
    parser.add_argument("--option", action="append", default=[], help="NAME of a flag to set")
    parser.add_argument("--show", action="store_true", help="print the results too")
    chosen = parser.parse_args()
    print("| case | files | tokens | bytes | after: files | tokens | bytes | tests |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for case in cases(chosen.table):
        if chosen.names and case["name"] not in chosen.names:
            continue
        if case.get("held_out", False) != chosen.held_out:
            continue
        result = reduced(case, **dict.fromkeys(chosen.option, True))
        left = result.files if len(case["files"]) > 1 else {"": result.text}
        before = len(case["files"]), result.tokens_before, result.bytes_before
        after = len(left), result.tokens_after, result.bytes_after, result.tests
        row = " | ".join(f"{one:,}" for one in (*before, *after))
        print(f"| {case['name']} | {row} |", flush=True)
        if chosen.show:
            for name, text in left.items():
                print(f"--- {name}\n{text.decode(errors='replace')}")


if __name__ == "__main__":
    main()
