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
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.signature.golden import (
    CORPUS,
    DIRECTORY,
    ENVIRONMENT,
    Entry,
    Seen,
    Tool,
    Variant,
    cut_of,
    entries,
    held_out,
    others,
    problems,
    seen_path,
    tools,
)
from tests.signature.rates import Score, score

# Numbers, addresses and temporary names differ from run to run.
_VARIES: Final = re.compile(
    rb"0x[0-9a-fA-F]+|\b[0-9a-fA-F]{8,}\b|\d+|(?<=/tmp/)[\w.-]+|-[0-9a-f]{6,}\b"
)

#: Below it the tools run; the same on every machine, since tools print it.
SCRATCH: Final = Path("/tmp/corpus")

# Seconds until a run counts as one that does not end.
_TIMEOUT: Final = 120.0

# How much of an output is kept, in characters: the first lines and the last ones. Errors stand at
# either end. The first of these cuts with which an entry stays small enough is taken.
CUTS: Final = ((1400, 700), (1000, 500), (900, 300), (700, 200))
_LARGEST: Final = 20_000
_LONGEST_LINE: Final = 300


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


# -- running tools, and writing down what they did ------------------------------


def installed(tool: Tool) -> bool:
    """Return whether the tool can be run here; builds it where it has to be built."""
    if shutil.which(tool.version[0]) is None:
        return False
    if tool.ready:
        return subprocess.run(tool.ready, capture_output=True).returncode == 0
    return not tool.build or _built(tool)


def _built(tool: Tool) -> bool:
    """Build what the tool's command runs, in a directory of its own."""
    place = SCRATCH / "built" / tool.name
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    environment = {"SOURCE": str(CORPUS / tool.name), "PATH": os.environ["PATH"], **ENVIRONMENT}
    command = ["sh", "-c", tool.build]
    return subprocess.run(command, cwd=place, env=environment).returncode == 0


def version_of(tool: Tool) -> str:
    """Return the first line that holds a digit of what the tool says of its version."""
    done = subprocess.run(
        tool.version,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env=_environment({}),
    )
    lines = done.stdout.decode(errors="replace").splitlines()
    return next((line.strip() for line in lines if any(map(str.isdigit, line))), "unknown")


def run(tool: Tool, variant: Variant) -> Seen:
    """Run a tool on an input and return what it did."""
    place = Path(variant.directory)
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for beside, content in tool.files.items():
        file = place / beside
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    (place / variant.file).write_bytes(variant.text)
    name = variant.file if variant.directory == DIRECTORY else str(place / variant.file)
    words = [word.replace("{}", name) for word in variant.command]
    named = any("{}" in word for word in variant.command)
    with open(os.devnull if named else place / variant.file, "rb") as stdin:
        process = subprocess.Popen(
            words,
            cwd=place,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(variant.environment),
            start_new_session=True,
            preexec_fn=_no_core,
        )
        try:
            stdout, stderr = process.communicate(timeout=_TIMEOUT)
            ended = _ended(process.returncode)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            ended = "time-out"
    shutil.rmtree(place, ignore_errors=True)
    return Seen(ended, stdout, stderr)


def _environment(more: Mapping[str, str]) -> dict[str, str]:
    home = SCRATCH / "home"
    home.mkdir(parents=True, exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": str(home), **ENVIRONMENT, **more}


def _no_core() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _ended(code: int) -> str:
    if code >= 0:
        return f"exit {code}"
    return f"signal {signal.Signals(-code).name.removeprefix('SIG')}"


def shortened(seen: Seen, cut: tuple[int, int]) -> Seen:
    """Return what a run did without the middle of long outputs and the ends of long lines."""
    return Seen(seen.ended, _shortened(seen.stdout, *cut), _shortened(seen.stderr, *cut))


def _shortened(output: bytes, first: int, last: int) -> bytes:
    text = output.decode("utf-8", "surrogateescape")
    lines = [
        line if len(line) <= _LONGEST_LINE else f"{line[:_LONGEST_LINE].rstrip()} [...]\n"
        for line in text.splitlines(keepends=True)
    ]
    if sum(map(len, lines)) > first + last:
        lines = [*_up_to(lines, first), "[...]\n", *_up_to(lines[::-1], last)[::-1]]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _up_to(lines: Iterable[str], size: int) -> list[str]:
    taken: list[str] = []
    for line in lines:
        size -= len(line)
        if size < 0:
            break
        taken.append(line)
    return taken


def recorded(seen: Sequence[tuple[Variant, Seen]], version: str = "") -> str:
    """Return the recorded file, with outputs cut so that it stays small."""
    for cut in CUTS:
        text = _written([(variant, shortened(one, cut)) for variant, one in seen], version, cut)
        if len(text) <= _LARGEST:
            break
    return text


def _written(seen: Iterable[tuple[Variant, Seen]], version: str, cut: tuple[int, int]) -> str:
    """Write down what each run did, once where several did the same."""
    parts = ["# Written by `python -m bench.signatures capture`.\n"]
    parts += [f"version = {_toml(version)}\n"] if version else []
    parts += [f"cut = {list(cut)}\n"]
    known: dict[Seen, str] = {}
    for variant, one in seen:
        parts.append(f'\n[[seen]]\nwhat = {_toml(variant.name)}\ninput = "{variant.digest}"\n')
        if one in known:
            parts.append(f"like = {_toml(known[one])}\n")
            continue
        known[one] = variant.name
        parts.append(f"ended = {_toml(one.ended)}\n")
        parts += [_stream(name, getattr(one, name)) for name in ("stdout", "stderr")]
    return "".join(parts)


def _stream(name: str, output: bytes) -> str:
    if not output:
        return ""
    try:
        return f"{name} = {_toml(output.decode())}\n"
    except UnicodeDecodeError:
        return f'{name}_base64 = "{b64encode(output).decode()}"\n'


def _toml(text: str) -> str:
    """Return a string as TOML writes it: literally where that is possible."""
    plain = all(one.isprintable() or one in "\n\t" for one in text)
    if plain and "\n" in text and "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    escaped = "".join(one if one.isprintable() or one == "\n" else _escape(one) for one in escaped)
    if "\n" in text:
        return f'"""\n{escaped}"""'
    return f'"{escaped}"'


def _escape(one: str) -> str:
    return "\\t" if one == "\t" else f"\\U{ord(one):08x}"


if __name__ == "__main__":
    sys.exit(main())
