"""What a command said: its messages with kind and level, and the stack trace, in one pass."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

from marrow.diagnostics import message_rules as rules
from marrow.diagnostics.frames import OVERFLOWS, PLACE_OF_FRAME, Frame, frame_of, own_frames
from marrow.diagnostics.json_messages import json_messages
from marrow.diagnostics.message_rules import CRASH_CONTEXT, ERROR, NOTE, SUMMARY, MessageRule
from marrow.diagnostics.observation import Observation
from marrow.diagnostics.texts import WORD, InputText, lines_of, one_line, plain

# So many messages of a stream are kept, those that say most about a failure: it takes time to
# compare them, and failures come last in long outputs.
_MOST: Final = 400

_VARIES: Final = re.compile(r"\d+|'[^']*'")

# A message is put together of at most this many lines.
_JOINED: Final = 8

# Only characters that point at code, or draw margins.
_MARKS: Final = re.compile(r"^[\s|^~\-+_.:=>v╭╰│─┬·┆┊└┌├╷╵!*#'`]*$")
_MARGIN: Final = re.compile(
    r"^\s*(?:>\s*)?(?:\d+\s*(?:[|│┆]|:(?!\d))|[|│┆+]|\d+ ?>|\.\.\.|-->|:::|╭|╰|= |┌─|└|l\.\d+"
    r"|LINE \d+:|>>(?! \w+:))"
)
# A line of code with its number before it.
_NUMBERED: Final = re.compile(r"^>?\s*\d+(?:$|\s+(.*)$)")
_MAY_TELL: Final = re.compile(r"[:!]|\w\(\d|(?i:error|fatal|warn)")
_BULLET: Final = re.compile(r"^\s*(?:[•*·-]|\d+[.)])\s")
_LABEL: Final = re.compile(r"^\s*(?:[A-Z][\w ]{0,24}|[a-z]{2,12})(?:\.\.\.)?:(?:\s|$)")
# The line that Python ends a traceback with.
_PYTHON_END: Final = re.compile(r"^(?P<kind>[A-Za-z_][\w.]*)(?P<colon>: )?(?P<message>.*)$")
# What some tools repeat before each line of a message.
_SAME_PREFIX: Final = re.compile(r"^(ERROR:|Warning:|error:|\[error\])\s")
# An error and how far its text is indented.
_INDENTED_ERROR: Final = re.compile(r"^(?:\S+ )?(?:ERROR|error|Error):(\s+)")
_LINE_OF_OTHER: Final = re.compile(r"^\s*(?:from|by|at|in)\s")


@dataclass(frozen=True, slots=True)
class Message:
    """Something that a command said.

    `text` is on one line and without its place; `line` is the line as it was printed. `sure` says
    that it has the form of a message of its level, and not only words that such messages have.
    """

    text: str
    kind: str
    level: str
    stream: str
    line: str
    place: str = ""
    sure: bool = True


@dataclass(frozen=True)
class Report:
    """What a command said on one input."""

    messages: tuple[Message, ...]
    frames: tuple[Frame, ...] = ()
    overflow: bool = False

    @cached_property
    def errors(self) -> tuple[Message, ...]:
        """Return what has the form of an error."""
        return tuple(one for one in self.messages if one.level == ERROR and one.sure)


def report_of(seen: Observation, source: InputText) -> Report:
    """Take apart what a command said about an input."""
    messages: list[Message] = []
    frames: list[Frame] = []
    overflow = False
    for stream, output in (("stderr", seen.stderr), ("stdout", seen.stdout)):
        found = json_messages(output)
        reader = _Reader([] if found else lines_of(output), stream, source)
        messages += reader.all_messages()
        for level, text in found or ():
            made = reader.made(text, rules.DIAGNOSTIC, level)
            messages.append(replace(made, line=text))
        frames = frames or reader.frames
        overflow = overflow or (not found and any(OVERFLOWS.search(one.text) for one in messages))
    return Report(tuple(messages), tuple(frames), overflow)


def own_functions(report: Report, source: InputText) -> tuple[str, ...]:
    """Return the functions that tell where the program failed, from the top."""
    return () if report.overflow else own_frames(report.frames, source)


class _Reader:
    """Reads the lines of a stream once, from the top."""

    def __init__(self, lines: list[str], stream: str, source: InputText) -> None:
        self.lines = [re.sub(r"^│ (?=[A-Z])", "", plain(line)) for line in lines]
        self.printed = lines
        self.stream = stream
        self.source = source
        self.at = 0
        self.frames: list[Frame] = []
        self._trace_closed = self._in_trace = self._python = False
        # The lines that Python ends a traceback with.
        self._raised: set[str] = set()

    def all_messages(self) -> list[Message]:
        """Return the messages, in order; of exceptions that led to one another, the last counts.

        So it does in Perl, where all that is said before a program dies are warnings.
        """
        messages = _most_telling(list(self._messages()))
        free = [one for one in messages if one.line in self._raised][:-1]
        if not any(rules.PERL_ERRORS.search(line) for line in self.lines):
            free += [one for one in messages if rules.PERL.match(plain(one.line))][:-1]
        return [replace(one, level=NOTE) if one in free else one for one in messages]

    def _messages(self) -> Iterator[Message]:
        last: Message | None = None
        while self.at < len(self.lines):
            start, line = self.at, self.lines[self.at]
            message = self._message(line) if line.strip() else None
            self.at = max(self.at, start + 1)
            if message is None:
                continue
            # A line of the same form as the last only says more if it is indented.
            found = _INDENTED_ERROR.match(line)
            before = last and _INDENTED_ERROR.match(plain(last.line))
            further = found and before and len(found[1]) > len(before[1])
            if further and message.level == ERROR:
                continue
            last = message
            if WORD.search(message.text):
                yield message

    def _message(self, line: str) -> Message | None:
        """Return the message that begins at the current line, and move past it."""
        if self._frame(line):
            return None
        context = rules.CONTEXT_OF_CRASH.match(rules.PREFIX.sub("", line.strip()))
        if context is not None:
            self._trace_closed |= bool(self.frames)
            return self.made(context["message"], rules.LINE, CRASH_CONTEXT)
        if self._in_trace and not self._trace_ends(line):
            return None
        margin = _MARGIN.match(line) and not line.startswith("! ")
        if _MARKS.match(line) or margin or self._is_numbered_code(line):
            return None
        if self._in_trace:
            self._in_trace = False
            found = _PYTHON_END.match(line)
            self._trace_closed |= found is not None
            if found is not None and (found["colon"] or not found["message"]):
                if self._python:
                    self._raised.add(self.printed[self.at].strip())
                return self._joined(line, rules.EXCEPTION, ERROR)
        return self._special(line) or self._general(line)

    def _frame(self, line: str) -> bool:
        if line.startswith("Traceback (most recent call last)"):
            # Of exceptions that led to one another, Python prints the one that counts last.
            self.frames, self._trace_closed = [], False
            self._python = self._in_trace = True
            return True
        frame = frame_of(line)
        if frame is None:
            return bool(PLACE_OF_FRAME.match(line)) and (self._in_trace or "+0x" in line)
        self._in_trace = True
        if not self._trace_closed:
            upside_down = "File '" in line and ", in " in line
            if upside_down and "(most recent call first)" not in line:
                self.frames.insert(0, frame)  # Python prints the top frame last
            else:
                self.frames.append(frame)
        return True

    def _trace_ends(self, line: str) -> bool:
        """Return whether a line below frames is not part of the trace."""
        if line[:1].isspace():
            if self.source.has_line(line) or _MARKS.match(line) or line.startswith("    "):
                return False
            return not re.match(r"^\s+(?:\[|\.\.\.|\(|at |by |in )", line)
        if re.match(r"^(?:\[Previous|\.\.\.|Caused by|\[\.\.\.\])", line):
            return False
        self._trace_closed = bool(self.frames)
        return True

    def _special(self, line: str) -> Message | None:
        """Return the message of a form that needs no place or severity before it."""
        stripped = rules.PREFIX.sub("", line.strip())
        for rule in rules.CODED:
            if found := rule.pattern.search(stripped if rule.stripped else line):
                return self._by_rule(rule, found)
        for rule in rules.MESSAGES if rules.ANY_MESSAGE.search(line) else ():
            found = rule.pattern.search(line)
            if found is not None:
                # Words that look like a failure may be part of the input's code.
                is_code = found.start() > 0 and line[:1].isspace() and self.source.has_line(line)
                return None if is_code else self._by_rule(rule, found)
        return None

    def _by_rule(self, rule: MessageRule, found: re.Match[str], place: str = "") -> Message:
        level = rule.level_of(found)
        kind = rules.LINT if rule.kind == rules.DIAGNOSTIC and level != ERROR else rule.kind
        text = html.unescape(rule.form.format_map(found.groupdict("")))
        make = self._joined if rule.joined else self.made
        return make(text, kind, level, place)

    def _general(self, line: str) -> Message | None:
        """Return the message of a line with a place or a severity in front, or with none."""
        if self.stream == "stdout" and not (
            _MAY_TELL.search(line)
            or rules.ERROR_WORDS.search(line)
            or (self.source.name and self.source.name in line)
        ):
            return None  # most of what programs print
        if self.source.has_line(line) and not self._has_place(line):
            return None
        rest, place, severity, code = rules.message_prefix(line, self.source)
        if severity is not None:
            return self._with_severity(rest, place, severity, code)
        if place and (self.stream == "stderr" or self.source.own_path.search(place)):
            return self._with_place(line, rest, place)
        if rules.CONTEXTS.match(line.strip()):
            return None
        worded = bool(rules.ERROR_WORDS.search(line))
        rule = next((one for one in rules.WORDED if worded and one.pattern.match(line)), None)
        if rule is not None:
            return self._joined(rest, rule.kind, ERROR)
        if self.stream == "stdout" and not worded:
            return None
        kind = rules.REMARK if worded else rules.LINE
        return replace(self._joined(line.strip(), kind, ERROR), sure=False)

    def _with_severity(self, rest: str, place: str, severity: str, code: str) -> Message | None:
        level = rules.level_of(severity)
        skipped = any(rule.skip and rule.pattern.match(rest) for rule in rules.AFTER_SEVERITY)
        if skipped or (rest and (_MARGIN.match(rest) or _MARKS.match(rest))):
            return None
        kind = rules.DIAGNOSTIC if level == ERROR else rules.LINT
        text = f"{code} {rest}".strip()
        if level != ERROR and rest:
            return self.made(text, kind, level, place)
        if re.match(r"(?i)internal|ice|bug", severity):
            kind = rules.INTERNAL
        # Without a place, a line of the standard output may be a program's own.
        sure = bool(place) or self.stream == "stderr" or kind == rules.INTERNAL
        return replace(self._joined(text, kind, level, place), sure=sure)

    def _with_place(self, line: str, rest: str, place: str) -> Message | None:
        shown = re.fullmatch(r"'.*'", rest) and self.source.has_code(rest[1:-1])
        if shown or not rest or rules.CONTEXTS.match(rest) or _LINE_OF_OTHER.match(line):
            return None
        for rule in rules.AFTER_PLACE:
            found = rule.pattern.match(rest)
            if found is None:
                continue
            if rule.skip:
                return None
            function = found.groupdict().get("function")
            if function and not self._trace_closed and not self.source.defines(function):
                self.frames.append(Frame(function, place))
            return self._by_rule(rule, found, place)
        return self._joined(rest, rules.DIAGNOSTIC, ERROR, place)

    def _is_numbered_code(self, line: str) -> bool:
        """Return whether a line is one of the input with its number before it."""
        found = _NUMBERED.match(line)
        return found is not None and (not found[1] or self.source.has_whole_line(found[1]))

    def _has_place(self, line: str) -> bool:
        return any(place.pattern.match(line) for place in rules.PLACES)

    def made(self, text: str, kind: str, level: str, place: str = "") -> Message:
        """Return a message of the current line; a summary if its words are those of one."""
        line = "".join(self.printed[self.at : self.at + 1] or self.printed[-1:]).strip()
        text = one_line(text)
        if level == ERROR and rules.SUMMARIES.search(text):
            level = SUMMARY
        return Message(text, kind, level, self.stream, line, place)

    def _joined(self, text: str, kind: str, level: str, place: str = "") -> Message:
        """Return a message with its further lines."""
        message = self.made(text, kind, level, place)
        head = self.lines[self.at]
        self.at += 1
        if more := self._continued(message.text):
            return replace(message, text=one_line(" ".join([message.text, *more])))
        same, indent = _SAME_PREFIX.match(head), _indent(head)
        parts, width, at = [text.strip()], indent, self.at
        sure = message.level == ERROR and kind not in (rules.REMARK, rules.LINE)
        while at < len(self.lines) and len(parts) < _JOINED and sure:
            line = self.lines[at]
            so_far = parts[-1]
            if not line.strip() and parts == [""]:  # what only announces a message
                at += 1
                continue
            if not line.strip():
                break
            if parts == [""] and same is not None and line.startswith(f"{same[1]}  "):
                line = line.removeprefix(same[1])
            if so_far.endswith(" at"):
                rest, place, _, _ = rules.message_prefix(line, self.source)
                if place and not rest:
                    at += 1
                    continue
            if not self._continues(line, indent, width, so_far):
                break
            if line.strip() != "...":
                parts.append(re.sub(r"^[•*·]\s+", "", line.strip()))
            width = _indent(line)
            at += 1
        self.at = at
        if len(parts) > 1:
            parts += self._continued(parts[-1])
            whole = self.made(" ".join(filter(None, parts)), kind, level, place)
            message = replace(whole, line=message.line)
        return message

    def _continued(self, text: str) -> list[str]:
        """Return the further lines of a message that has a form of its own for them."""
        lines: list[str] = []
        rule = next((one for one in rules.CONTINUED if one.begins.search(text)), None)
        at = self.at
        while rule is not None and at < len(self.lines) and len(lines) < rule.most:
            line = plain(self.printed[at])
            found = rule.further.match(line)
            at += 1
            if found is not None:
                lines.append(found["more"])
                self.at = at
            elif rule.between.match(line) is None:
                break
        return lines

    def _continues(self, line: str, indent: int, width: int, so_far: str) -> bool:
        """Return whether a line continues the message before it."""
        stripped = line.strip()
        if stripped != "..." and (_MARKS.match(line) or _MARGIN.match(line)):
            return False
        if frame_of(line) is not None or PLACE_OF_FRAME.match(line) or stripped.startswith("… "):
            return False
        if self._is_numbered_code(line):
            return False
        if not so_far or so_far.endswith((":", " at")):
            level = rules.SEVERITY.match(stripped)
            levelled = level is not None and level["end"].startswith(":")
            if self._has_place(stripped) or (levelled and _indent(line) <= indent):
                return False
            return not (
                self.source.has_line(line) and _indent(line) > 3 and not so_far.endswith(" :")
            )
        unfinished = so_far.rsplit(" ", 1)[-1].casefold() in rules.OPEN_WORDS
        if _indent(line) <= indent or _BULLET.match(line):
            return False
        # What completes a sentence is part of it, though the input has such words too.
        if self.source.has_whole_line(line) or (self.source.has_line(line) and not unfinished):
            return False
        ended = so_far.endswith((".", "!", "?", ";"))
        if ended or _LABEL.match(line) or self._has_place(stripped):
            return False
        return (
            stripped[0].islower()
            or _indent(line) > width > indent
            or not stripped[0].isalpha()
            or unfinished
        )


def _most_telling(messages: list[Message]) -> list[Message]:
    """Return the messages that say most, in order: errors before warnings, crashes before both.

    Of many that are alike but for numbers and what is quoted, the first two and last two count.
    """
    if len(messages) <= _MOST:
        return messages
    kinds: dict[str, list[int]] = {}
    for at, message in enumerate(messages):
        kinds.setdefault(_VARIES.sub("", message.text), []).append(at)
    kept = {at for alike in kinds.values() for at in (*alike[:2], *alike[-2:])}

    def rank(at: int) -> tuple[bool, int, int]:
        message = messages[at]
        is_error = message.level in (ERROR, CRASH_CONTEXT) and message.sure
        return not is_error, -rules.WEIGHT[message.kind], min(at, len(messages) - at)

    return [messages[at] for at in sorted(sorted(kept, key=rank)[:_MOST])]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
