"""Running the tools of the golden corpus, and writing down what they did."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.signature.golden import CORPUS, DIRECTORY, ENVIRONMENT, Seen, Tool, Variant

#: Below it the tools run; the same on every machine, since tools print it.
SCRATCH: Final = Path("/tmp/corpus")

# Seconds until a run counts as one that does not end.
_TIMEOUT: Final = 120.0

# How much of an output is kept, in characters: the first lines and the last ones. Errors stand at
# either end. The first of these cuts with which an entry stays small enough is taken.
CUTS: Final = ((1400, 700), (1000, 500), (900, 300), (700, 200))
_LARGEST: Final = 20_000
_LONGEST_LINE: Final = 300


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
