"""Signatures: which failure it is, as facts that a candidate must show again; or a disagreement."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from marrow.base.errors import MarrowError
from marrow.diagnostics.message_rules import CRASH_CONTEXT, ERROR, LINE, WEIGHT
from marrow.diagnostics.observation import Observation, ending, same_ending
from marrow.diagnostics.report import Message, Report, own_functions, report_of
from marrow.diagnostics.texts import InputText, lines_of
from marrow.signature.template import Template, template_of
from marrow.signature.user_expression import SlowExpressionError, matches_line

#: What a signature's file begins with, and the form that this marrow reads.
_FORM: Final = 1


class SignatureFileError(MarrowError):
    """A file that does not hold a signature; the message says why."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A message that must come on a stream; `line` is the one that it was made from."""

    stream: str
    template: Template
    line: str = ""


@dataclass(frozen=True, slots=True)
class Judgement:
    """Whether a candidate shows the failure, why not, and a label of the failure that it shows."""

    matches: bool
    why: str
    label: str


@dataclass(frozen=True, slots=True)
class Signature:
    """Which failure it is.

    `status` is how the command ends, if `ends` says that it matters. `facts` must all be said,
    `frames` are on top of the stack trace. `known` are the errors that the input gives; another
    one is a new failure, unless `new_errors` allows it. `stderr`, `stdout` and `forbidden` are
    regular expressions of the user's own for lines. `name` is the input's file name.
    """

    status: int | None = None
    ends: bool = True
    kind: str = ""
    facts: tuple[Fact, ...] = ()
    frames: tuple[str, ...] = ()
    known: tuple[Template, ...] = ()
    new_errors: bool = True
    stderr: tuple[str, ...] = ()
    stdout: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    name: str = ""

    def judge(self, seen: Observation, candidate: bytes, name: str = "") -> Judgement:
        """Return whether a run on a candidate shows the failure.

        `name` is the candidate's file name, if it is not the input's.
        """
        source = InputText(candidate, name or self.name)
        report = report_of(seen, source)
        why = self._missing(seen, report, source)
        return Judgement(not why, why, label_of_report(seen, report, source))

    def judge_all(self, seen: Sequence[Observation], candidate: bytes, name: str = "") -> Judgement:
        """Return what `judge` says of the one command that was run, as for several commands."""
        return self.judge(seen[0], candidate, name)

    def _missing(self, seen: Observation, report: Report, source: InputText) -> str:
        if self.ends and not same_ending(self.status, seen.status):
            instead = re.sub(r"^(?:exits |is )(?=with|killed)", "", ending(self.status))
            return f"it {ending(seen.status)}, not {instead}"
        try:
            why = self._mismatch(seen)
        except SlowExpressionError as error:
            why = str(error).partition("\n")[0]
        if why:
            return why
        for fact in self.facts:
            if not any(
                one.stream == fact.stream and fact.template.matches(one.text, source)
                for one in report.messages
            ):
                return f"it does not say: {fact.template.shown()}"
        if self.frames:
            functions = own_functions(report, source)
            rest = iter(functions)
            in_order = all(one in rest for one in self.frames)
            if functions[:1] != self.frames[:1] or not in_order:
                top = functions[0] if functions else "no function of its own"
                return f"it fails in {top}, not in {self.frames[0]}"
        new = None if self.new_errors else self._new_error(report, source)
        return f"a new error: {new.text}" if new is not None else ""

    def _mismatch(self, seen: Observation) -> str:
        """Say which expression of the user's own is not met; nothing if all are."""
        for stream, expressions, output in (
            ("standard error", self.stderr, seen.stderr),
            ("standard output", self.stdout, seen.stdout),
        ):
            for expression in expressions:
                if not matches_line(expression, output):
                    return f"no line on {stream} matches {expression}"
        for expression in self.forbidden:
            if matches_line(expression, seen.stderr) or matches_line(expression, seen.stdout):
                return f"a line matches {expression}"
        return ""

    def _new_error(self, report: Report, source: InputText) -> Message | None:
        """Return an error of a kind that the input does not give."""
        kinds = {template.skeleton for template in self.known}
        for text, error in {one.text: one for one in report.errors}.items():
            known = any(template.matches(text, source) for template in self.known)
            if not known and template_of(text, source).skeleton not in kinds:
                return error
        return None

    @property
    def sentence(self) -> str:
        """Say in one sentence what is kept, and which of its words may vary."""
        parts = [ending(self.status)] if self.ends else []
        parts += [f"says “{fact.template.shown()}”" for fact in self.facts]
        if self.frames:
            parts.append(f"fails in {' below '.join(self.frames)}")
        for stream, patterns in (("standard error", self.stderr), ("standard output", self.stdout)):
            if patterns:
                lines = " and ".join(f"/{pattern}/" for pattern in patterns)
                parts.append(f"prints {lines} on {stream}")
        parts += [f"prints nothing like /{pattern}/" for pattern in self.forbidden]
        if not self.new_errors:
            parts.append("gives no new kind of error")
        notes = [f"{'an' if self.kind[0] in 'aeiou' else 'a'} {self.kind}"] if self.kind else []
        notes += ["… may vary"] if any(fact.template.varies for fact in self.facts) else []
        *some, last = parts or ["does anything"]
        listed = f"{', '.join(some)} and {last}" if some else last
        return f"the command {listed}" + (f" ({'; '.join(notes)})" if notes else "")

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the lines of the output that it was made from."""
        return tuple(dict.fromkeys(fact.line for fact in self.facts if fact.line))

    def to_dict(self) -> dict[str, Any]:
        """Return the signature as plain data: what is written in files."""
        data: dict[str, Any] = {"signature": _FORM, "name": self.name, "kind": self.kind}
        if self.ends:
            data["ends"] = "time-out" if self.status is None else self.status
        data["new_errors"] = self.new_errors
        for key in _LISTS:
            if value := list(getattr(self, key)):
                data[key] = value
        if self.known:
            data["known"] = [str(template) for template in self.known]
        if self.facts:
            data["says"] = [
                {"stream": fact.stream, "message": str(fact.template), "line": fact.line}
                for fact in self.facts
            ]
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Signature:
        """Return the signature that was written; raise `SignatureFileError` for another thing."""
        if data.get("signature") != _FORM:
            raise SignatureFileError(
                f"this is not a signature: it lacks `signature = {_FORM}`\n"
                "Have marrow write one with ⟦signature FILE⟧ and a file that is not there yet."
            )
        unknown = sorted(set(data) - set(_FORMS))
        if unknown:
            raise SignatureFileError(f"a signature has no key {unknown[0]}")
        for key, value in data.items():
            if not _FORMS[key](value):
                raise SignatureFileError(f"a signature cannot have {key} = {value!r}")
        for key in _EXPRESSIONS:
            for one in data.get(key, ()):
                try:
                    re.compile(one)
                except re.error as error:
                    message = f"{key}: {one} is not a regular expression: {error}"
                    raise SignatureFileError(message) from None
        ends = data.get("ends", "")
        return cls(
            status=ends if isinstance(ends, int) else None,
            ends=ends != "",
            kind=data.get("kind", ""),
            facts=tuple(
                Fact(one["stream"], Template.read(one["message"]), one.get("line", ""))
                for one in data.get("says", ())
            ),
            known=tuple(map(Template.read, data.get("known", ()))),
            new_errors=data.get("new_errors", True),
            name=data.get("name", ""),
            **{key: tuple(data.get(key, ())) for key in _LISTS},
        )

    def to_toml(self) -> str:
        """Return the signature as a file for people to read and change."""
        sentence = "".join(one if one.isprintable() else " " for one in self.sentence)
        data = self.to_dict()
        facts = data.pop("says", ())
        lines = [f"# marrow keeps: {sentence}", *map(_entry, data.items())]
        for one in facts:
            lines += ["", "[[says]]", *map(_entry, one.items())]
        return "\n".join([*lines, ""])

    @classmethod
    def from_toml(cls, text: str) -> Signature:
        """Return the signature in a file; raise `SignatureFileError` if there is none in it."""
        import tomllib  # not there in the older Pythons that written tests run in

        try:
            data = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise SignatureFileError(f"this is not a signature: it is not TOML: {error}") from None
        return cls.from_dict(data)


_EXPRESSIONS: Final = ("stderr", "stdout", "forbidden")
_LISTS: Final = ("frames", *_EXPRESSIONS)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _are_facts(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict)
        and one.keys() <= {"stream", "message", "line"}
        and one.get("stream") in ("stderr", "stdout")
        and _are_texts([one.get("message"), one.get("line", "")])
        for one in value
    )


#: The keys of a signature's file, and whether a value may be theirs.
_FORMS: Final[dict[str, Callable[[Any], bool]]] = {
    "signature": lambda value: value == _FORM,
    "name": lambda value: isinstance(value, str),
    "kind": lambda value: isinstance(value, str),
    "ends": lambda value: value in ("", "time-out") or type(value) is int,
    "new_errors": lambda value: isinstance(value, bool),
    "known": _are_texts,
    "says": _are_facts,
    **dict.fromkeys(_LISTS, _are_texts),
}


def _entry(item: tuple[str, Any]) -> str:
    return f"{item[0]} = {_toml(item[1])}"


def _toml(value: Any) -> str:
    if isinstance(value, list) and value:
        return "[" + "".join(f"\n    {_toml(one)}," for one in value) + "\n]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


# Longer messages are cut: a label is for a line of a list.
_LONGEST_LABEL: Final = 120


def label_of(seen: Observation, text: bytes, name: str = "") -> str:
    """Return a short name for the failure that a run on a text shows; empty if it shows none."""
    source = InputText(text, name)
    return label_of_report(seen, report_of(seen, source), source)


def label_of_report(seen: Observation, report: Report, source: InputText) -> str:
    """Return the label of a report that is made already."""
    message = main_message(report)
    if seen.status == 0 and not (message and message.sure and message.level == ERROR):
        return ""  # what a command prints beside its success is not a failure
    words = [ending(seen.status)]
    if message is not None:
        said = template_of(message.text, source).skeleton
        words = [said[:_LONGEST_LABEL]] if said.strip(" …") else words
    if not report.overflow:
        words += [f"in {name}" for name in own_functions(report, source)[:1]]
    return " ".join(words)


def main_message(report: Report) -> Message | None:
    """Return the message that tells most, with nothing known but the report."""
    errors = [one for one in report.messages if one.level == ERROR and one.kind != LINE]
    if not errors:
        errors = [one for one in report.messages if one.level != CRASH_CONTEXT]
    return max(errors, key=lambda one: (one.sure, WEIGHT[one.kind]), default=None)


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The endings of two commands and, if these are the same, that their outputs differ.

    That both end as on the input is the guard against candidates that one of them merely rejects;
    so where only one of them fails, its failure is kept as it is for a command alone.
    """

    each: tuple[Signature, Signature]

    @property
    def outputs_differ(self) -> bool:
        """Whether it takes the outputs to tell the two commands apart."""
        return same_ending(self.each[0].status, self.each[1].status)

    @property
    def sentence(self) -> str:
        """Say in one sentence what is kept."""
        ways = [one.sentence.removeprefix("the command ") for one in self.each]
        if self.outputs_differ:
            return f"each command {ways[0]}, and their standard outputs differ"
        return f"the first command {ways[0]}; the second {ways[1]}"

    @property
    def evidence(self) -> tuple[str, ...]:
        """Return the lines of the outputs that it was made from."""
        return self.each[0].evidence + self.each[1].evidence

    def judge_all(self, seen: Sequence[Observation], candidate: bytes, name: str = "") -> Judgement:
        """Return whether the two commands still disagree so on a candidate."""
        label = ""
        for wanted, one, words in zip(self.each, seen, ("first", "second"), strict=False):
            judged = wanted.judge(one, candidate, name)
            label = label or judged.label
            if not judged.matches:
                return Judgement(False, f"the {words} command: {judged.why}", label)
        if len(seen) < 2:
            return Judgement(False, "the second command did not end in time", label)
        if self.outputs_differ and seen[0].stdout == seen[1].stdout:
            return Judgement(False, "the outputs are the same", label)
        return Judgement(True, "", label or "the outputs differ")

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {"each": [one.to_dict() for one in self.each]}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Disagreement:
        """Return what was written."""
        first, second = map(Signature.from_dict, data["each"])
        return cls((first, second))


def comparable(output: bytes, name: str) -> tuple[str, ...]:
    """Return an output without what varies with the directory that a command runs in."""
    nothing = InputText(b"", name)
    lines = lines_of(output)
    return tuple(str(template_of(line, nothing)) if "/" in line else line for line in lines)
