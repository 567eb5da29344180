"""The golden corpus: failures of real tools, what they printed, and what an expert keeps of them.

A tool is a directory of `corpus/`. `tool.toml` says how the tool is run and lists *other* failures
of it; each further `NAME.toml` is an entry: an input on which the tool fails, harmless changes of
that input, and the signature that an expert would keep. Both are written by hand. What the tool
did is in `NAME.seen.toml` next to them, written by `python -m bench.signatures capture`.

From the hand-written part follow the *variants* to run: the input three times, the controls, the
harmless changes. They are derived here, by fixed rules, so that they need not be stored.
"""

from __future__ import annotations

import hashlib
import re
import signal
import tomllib
from base64 import b64decode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from tests.signature.expert import KINDS, Expected

CORPUS: Final = Path(__file__).parent / "corpus"

#: Where a tool runs, and where it runs for the change "elsewhere".
DIRECTORY: Final = "/tmp/corpus/x"
ELSEWHERE: Final = "/tmp/corpus/elsewhere/deeper.d"

#: The locale of all runs but those of the change "locale". Tools do not translate in either.
ENVIRONMENT: Final = {"LC_ALL": "C.UTF-8", "TERM": "dumb"}
LOCALE: Final = {"LC_ALL": "C"}

#: Runs of the unchanged input: as many as marrow makes.
RUNS: Final = 3

#: What an entry needs at least: other failures of the tool, and harmless changes.
FEWEST_OTHERS: Final = 3
FEWEST_HARMLESS: Final = 3

# Lines added by the change "moved": enough for line numbers to gain a digit, which moves the
# margins that some tools draw.
_MOVED: Final = 11

# Columns added by the change "indented".
_INDENT: Final = "     "

_TOKEN: Final = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Seen:
    """How one run ended and what it printed.

    `ended` is `exit N`, `signal NAME` or `time-out`. Long outputs are cut in the middle.
    """

    ended: str
    stdout: bytes = b""
    stderr: bytes = b""

    @property
    def status(self) -> int | None:
        """Return what the shell calls `$?`; None after a time-out."""
        way, _, what = self.ended.partition(" ")
        if way == "exit":
            return int(what)
        return 128 + signal.Signals[f"SIG{what}"] if way == "signal" else None


@dataclass(frozen=True, slots=True)
class Variant:
    """One run to make: an input and the surroundings it has.

    `role` is `run`, `control`, `harmless` or `other`; `what` tells it from others of the entry.
    """

    role: str
    what: str
    text: bytes
    file: str
    command: tuple[str, ...]
    directory: str = DIRECTORY
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return what the variant is called in the recorded file."""
        return f"{self.role}: {self.what}"

    @property
    def digest(self) -> str:
        """Return what says that a recorded output belongs to this input."""
        return hashlib.sha256(self.text).hexdigest()[:8]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool: how it is run, what a valid file is, and failures that are only there to be refused.

    `comment` is a line that changes nothing and goes in behind line `insert`; `free` says that
    lines may be indented. `files` are written beside the input. `ready` is a command that
    succeeds where the tool can be run (a server listens, say); `build` makes what is run.
    """

    name: str
    package: str
    version: tuple[str, ...]
    command: tuple[str, ...]
    file: str
    comment: str
    trivial: bytes
    insert: int = 0
    free: bool = False
    elsewhere: str = ""
    locale: Mapping[str, str] = field(default_factory=lambda: LOCALE)
    diagnostic: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    ready: tuple[str, ...] = ()
    build: str = ""
    others: tuple[Variant, ...] = ()

    @property
    def path(self) -> Path:
        """Return the hand-written file."""
        return CORPUS / self.name / "tool.toml"


@dataclass(frozen=True)
class Entry:
    """A failure of a tool: its input, harmless changes, and the signature that an expert keeps.

    `same` names the controls that show the failure all the same.
    """

    tool: Tool
    path: Path
    failure: str
    text: bytes
    expected: Expected
    harmless: tuple[Variant, ...]
    same: frozenset[str]

    @property
    def name(self) -> str:
        """Return the name of the entry, with its tool's."""
        return f"{self.tool.name}/{self.path.stem}"

    def variants(self) -> Iterator[Variant]:
        """Yield every run of the entry: of the input, of its controls, of the harmless changes."""
        for number in range(1, RUNS + 1):
            yield self._variant("run", str(number), self.text)
        for what, text in controls(self.text, self.tool.trivial):
            yield self._variant("control", what, text)
        yield from self.harmless

    def _variant(self, role: str, what: str, text: bytes) -> Variant:
        return Variant(role, what, text, self.tool.file, self.tool.command)

    @cached_property
    def recorded(self) -> dict[str, Seen]:
        """Return what the tool did for each variant, by the variant's name."""
        return _recorded(self.path, self.variants())


def controls(text: bytes, trivial: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the controls of an input: what a failure is compared with to see what is special."""
    yield "the empty file", b""
    yield "a trivial valid file", trivial
    decoded = text.decode()
    yield "cut in the middle", decoded[: len(decoded) // 2].encode()
    tokens = list(_TOKEN.finditer(decoded))
    for number in sorted({len(tokens) * quarter // 4 for quarter in (1, 2, 3)}):
        gone = tokens[number]
        left = decoded[: gone.start()] + decoded[gone.end() :]
        yield f"without token {number}", left.encode()


def tools() -> list[Tool]:
    """Return all tools, by name."""
    return [_tool(path.parent.name) for path in sorted(CORPUS.glob("*/tool.toml"))]


def entries(tool: Tool) -> list[Entry]:
    """Return the entries of a tool, by name."""
    paths = sorted(tool.path.parent.glob("*.toml"))
    return [
        _entry(tool, path)
        for path in paths
        if path.name != "tool.toml" and not path.stem.endswith(".seen")
    ]


def held_out() -> frozenset[str]:
    """Return the names of the tools that nobody looks at while the inference is worked on."""
    drawn = tomllib.loads((CORPUS / "held-out.toml").read_text(encoding="utf-8"))
    return frozenset(drawn["tools"])


def others(entry: Entry, siblings: list[Entry]) -> Iterator[tuple[Variant, Seen]]:
    """Yield other failures of the entry's tool: those that its file lists, and other entries."""
    recorded = _recorded(entry.tool.path, entry.tool.others)
    for variant in entry.tool.others:
        yield variant, recorded[variant.name]
    for one in siblings:
        if one.path != entry.path:
            variant = replace(next(one.variants()), role="other", what=one.failure)
            yield variant, one.recorded["run: 1"]


def seen_path(path: Path) -> Path:
    """Return the recorded file that belongs to a hand-written one."""
    return path.with_suffix(".seen.toml")


def version(tool: Tool) -> str:
    """Return the version that was recorded."""
    read = tomllib.loads(seen_path(tool.path).read_text(encoding="utf-8"))
    return str(read["version"])


def cut_of(path: Path) -> tuple[int, int]:
    """Return how much of outputs was recorded: characters at their beginning and at their end."""
    read = tomllib.loads(seen_path(path).read_text(encoding="utf-8"))
    first, last = read["cut"]
    return first, last


class StaleRecordError(Exception):
    """A recorded output is missing, or belongs to another input than the entry has now."""


def _recorded(path: Path, variants: Iterator[Variant] | tuple[Variant, ...]) -> dict[str, Seen]:
    """Read what was recorded for these variants."""
    read = tomllib.loads(seen_path(path).read_text(encoding="utf-8"))
    by_name: dict[str, dict[str, Any]] = {one["what"]: one for one in read.get("seen", ())}
    result: dict[str, Seen] = {}
    for variant in variants:
        one = by_name.get(variant.name)
        if one is None or one["input"] != variant.digest:
            raise StaleRecordError(f"{path}: capture it again: {variant.name}")
        source = by_name[one["like"]] if "like" in one else one
        result[variant.name] = Seen(
            source["ended"], _stream(source, "stdout"), _stream(source, "stderr")
        )
    return result


def _stream(one: Mapping[str, str], name: str) -> bytes:
    if f"{name}_base64" in one:
        return b64decode(one[f"{name}_base64"])
    return one.get(name, "").encode()


def _tool(name: str) -> Tool:
    path = CORPUS / name / "tool.toml"
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    others = read.pop("other", [])
    known = {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()}
    tool = Tool(name=name, **{**known, "trivial": read["trivial"].encode()})
    listed = tuple(
        Variant("other", one["failure"], one["text"].encode(), tool.file, tool.command)
        for one in others
    )
    return replace(tool, others=listed)


# What an entry may say of its own that its tool says otherwise.
_OVERRIDES: Final = ("command", "file", "comment", "insert", "free", "elsewhere", "locale")


def _entry(tool: Tool, path: Path) -> Entry:
    read = tomllib.loads(path.read_text(encoding="utf-8"))
    own = {key: read.pop(key) for key in _OVERRIDES if key in read}
    if "command" in own:
        own["command"] = tuple(own["command"])
    tool = replace(tool, **own)
    text = read["text"]
    expected = Expected.read(read["expected"], tool.diagnostic)
    return Entry(
        tool=tool,
        path=path,
        failure=read["failure"],
        text=text.encode(),
        expected=expected,
        harmless=tuple(_harmless(tool, text, read)),
        same=frozenset(read.get("same", ())),
    )


def _harmless(tool: Tool, text: str, read: Mapping[str, Any]) -> Iterator[Variant]:
    """Yield the harmless changes: those that every entry has, then those of its own."""
    plain = Variant("harmless", "", text.encode(), tool.file, tool.command)
    left_out = read.get("leave_out", ())
    if tool.comment and "moved" not in left_out:
        yield replace(plain, what="moved", text=_moved(tool, text).encode())
    if tool.free and "indented" not in left_out:
        lines = text.splitlines(keepends=True)
        indented = lines[: tool.insert] + [_INDENT + line for line in lines[tool.insert :]]
        yield replace(plain, what="indented", text="".join(indented).encode())
    if "elsewhere" not in left_out:
        name = tool.elsewhere or f"renamed{Path(tool.file).suffix}"
        yield replace(plain, what="elsewhere", file=name, directory=ELSEWHERE)
    if "locale" not in left_out:
        yield replace(plain, what="locale", environment=tool.locale)
    if "rename" in read:
        yield replace(plain, what="renamed", text=renamed(text, read["rename"]).encode())
    if "smaller" in read:
        yield replace(plain, what="smaller", text=read["smaller"].encode())
    for one in read.get("harmless", ()):
        changed = one.get("text", text)
        for old, new in one.get("replace", {}).items():
            assert old in changed, f"{tool.name}: {one['what']}: there is no {old!r}"
            changed = changed.replace(old, new)
        changed = renamed(changed, one.get("rename", {}))
        yield replace(
            plain,
            what=one["what"],
            text=changed.encode(),
            file=one.get("file", tool.file),
            environment=one.get("environment", {}),
            directory=one.get("directory", DIRECTORY),
        )


def _moved(tool: Tool, text: str) -> str:
    lines = text.splitlines(keepends=True)
    lines[tool.insert : tool.insert] = [f"{tool.comment}\n"] * _MOVED
    return "".join(lines)


def renamed(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other words for some of its words, all at once."""
    if not names:
        return text
    words = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))
    found = re.compile(rf"(?<!\w)(?:{words})(?!\w)")
    assert set(names) == set(found.findall(text)), f"a name to rename is not there: {names}"
    return found.sub(lambda match: names[match[0]], text)


def problems(entry: Entry, siblings: list[Entry]) -> Iterator[str]:
    """Say what of an entry is wrong: the expert's signature must fit what was recorded."""
    expected = entry.expected
    if expected.kind not in KINDS:
        yield f"there is no kind {expected.kind}"
    for what in entry.same:
        if f"control: {what}" not in entry.recorded:
            yield f"there is no control {what}"
    for variant in entry.variants():
        missing = expected.missing(entry.recorded[variant.name], variant.text)
        shows = variant.role != "control" or variant.what in entry.same
        if shows and missing:
            yield f"{variant.name}: should show the failure: {missing}"
        if not shows and not missing:
            yield f"{variant.name}: shows the failure too"
    count = 0
    for variant, seen in others(entry, siblings):
        count += 1
        if expected.shown_by(seen, variant.text):
            yield f"{variant.name}: is the same failure"
    if count < FEWEST_OTHERS:
        yield f"only {count} other failures"
    if len(entry.harmless) < FEWEST_HARMLESS:
        yield f"only {len(entry.harmless)} harmless changes"
