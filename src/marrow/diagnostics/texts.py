"""Texts as signatures read them: outputs of tools, line by line, and the input that they are about.

Some tools choose quotation marks by locale and colours by terminal, so all quotation marks are
alike here, and control sequences are removed.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

# Errors come first or last: of longer outputs, this many lines at each end are read. Between them,
# so are lines with a word of failures, and the lines after each of these that a report may have.
_LINES: Final = 1000
_AFTER: Final = 12
_TELLING: Final = re.compile(
    r"(?i)\berror\b|fatal|panic|assert|exception|traceback|sanitizer|abort|sig(?:segv|abrt)|invalid"
)

# Longer lines are dumps of data; what they say comes first.
_WIDTH: Final = 600

# Some expressions take time with the square of a line's width. So only this many long lines are
# read in full, which bounds the time for an output to seconds, whatever is in it.
_LONG_LINES: Final = 200
_NARROW: Final = 160

# Longer texts are not searched for parts of lines: that takes too long for each line of an output.
_SEARCHED: Final = 300_000

_QUOTES: Final = str.maketrans(dict.fromkeys('‘’‚‛“”„‟`´"«»‹›「」', "'"))
_CONTROLS: Final = re.compile(
    r"\x1b\[[0-9;:?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\^_=>]"
)
_UNPRINTABLE: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_SPACE: Final = re.compile(r"\s+")

# What a tool guesses was meant differs with the names that are left; what was forgotten is a cause.
_GUESS: Final = re.compile(
    r"[;,.]? ?\(?(?i:did you (?:mean|forget)|do you mean|you might have meant"
    r"|(?:maybe|perhaps|possibly)(?! you forgot))\b[^?]*\?\)?|(?<=\w) :: .+$"
)

# Texts between quotation marks, on one line.
_STRING: Final = re.compile(
    r"""(?<!\w)\w{0,2}(?<!\\)("[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')"""
)

# What follows a string that is a key.
_KEY: Final = re.compile(r"\s*[:=]")

# Where strings have names in them: `"$name"`, `"${name}"`, `f"{name}"`, `%(name)s`, `#{name}`.
_INSERTED: Final = re.compile(r"[$#%]?[{(]\s*[^\W\d][\w.]*|\$[^\W\d]\w*")

# The words that data may have outside of strings.
_VALUES: Final = frozenset({"true", "false", "null"})

#: A word: a name, or a part of one.
WORD: Final = re.compile(r"[^\W\d]\w*")


def plain(text: str) -> str:
    """Return a text with one kind of quotation mark."""
    return text.translate(_QUOTES)


def lines_of(output: bytes) -> list[str]:
    """Return the lines of an output as a person sees them: without colours and overwritten text."""
    text = output.decode("utf-8", "replace")
    if "\x1b" in text:
        text = _CONTROLS.sub("", text)
    lines = text.replace("\r\n", "\n").split("\n")
    if len(lines) > 2 * _LINES:
        middle = _telling_lines(lines[_LINES:-_LINES])
        lines = [*lines[:_LINES], *middle, *lines[-_LINES:]]
    result = []
    long_lines = 0
    for line in lines:
        # What is printed after `\r` overwrites what is before it.
        seen = line.rstrip("\r").rpartition("\r")[2]
        shown = seen[: _WIDTH if long_lines < _LONG_LINES else _NARROW]
        long_lines += len(shown) > _NARROW
        result.append(_UNPRINTABLE.sub("", shown).rstrip())
    return result


def _telling_lines(lines: list[str]) -> list[str]:
    """Return the lines of failures, with those after them: the first ones, and the last ones."""
    kept: list[str] = []
    left = 0
    for line in lines:
        left = _AFTER if _TELLING.search(line, 0, _WIDTH) else left - 1
        if left > 0:
            kept.append(line)
    return kept if len(kept) <= _LINES else [*kept[: _LINES // 2], *kept[-_LINES // 2 :]]


def one_line(text: str) -> str:
    """Return a message as it is compared: quotation marks alike, single blanks, no guesses."""
    return _GUESS.sub("", _SPACE.sub(" ", plain(text))).strip()


class InputText:
    """The text of an input or a candidate, asked for what occurs in it.

    `name` is its file name, without directories.
    """

    def __init__(self, text: bytes, name: str = "", command: frozenset[str] = frozenset()) -> None:
        #: Words of the command: where a message has one of them, it is not the input's to change.
        self.command: Final = command
        self._written: Final = text.decode("utf-8", "replace")
        self.text = plain(self._written)
        self.name = name.replace("\\", "/").rstrip("/").rpartition("/")[2]
        self._words: dict[str, bool] = {}

    @property
    def stem(self) -> str:
        """Return the file name without its suffix."""
        return self.name.partition(".")[0] or self.name

    def is_named(self, base: str) -> bool:
        """Return whether this is the name of the file, without directories."""
        return bool(base) and base == self.name

    @cached_property
    def own_path(self) -> re.Pattern[str]:
        """Return what finds the file's name in a message, with or without directories."""
        return re.compile(
            rf"(?<![\w.-])(?:[^\s'()\[\]<>,;=]*/)?{re.escape(self.name)}(?![\w-]|\.\w)"
        )

    @cached_property
    def folded(self) -> str:
        """Return the text in one case: some tools print names in the other."""
        return self.text.casefold()

    @cached_property
    def _squashed(self) -> str:
        """The text without white space: tools print code with their own."""
        return _SPACE.sub("", self.folded)

    def has_word(self, word: str) -> bool:
        """Return whether a word of a message is one of the text."""
        if word not in self._words:
            self._words[word] = _stands(word, self.folded)
        return self._words[word]

    def defines(self, function: str) -> bool:
        """Return whether the text has the definition of a function, in the usual words."""
        name = re.escape(re.split(r"[.#:]", function)[-1])
        head = r"\b(?:def|fn|func|function|proc|sub)\s+(?:\w+[.:#]+)?"
        return re.search(rf"{head}{name}(?!\w)", self.text) is not None

    def only_says(self, word: str) -> bool:
        """Return whether a word occurs in the text, but only in strings.

        What a program prints is not one of its names: `much`, where it has
        `error("too much: " + n)`. In data, where all words are in strings, they are names.
        """
        rest = self._without_strings
        return self.has_word(word) and bool(rest) and not _stands(word, rest)

    @cached_property
    def _without_strings(self) -> str:
        """Return the text in one case without its strings, but for keys; empty if it is data."""
        if set(WORD.findall(_STRING.sub(" ", self.folded))) <= _VALUES:
            return ""
        return _STRING.sub(_names_in, self._written).casefold()

    def has_code(self, code: str) -> bool:
        """Return whether a piece of code occurs, however it is spaced."""
        return _SPACE.sub("", code.casefold()) in self._squashed

    def has_line(self, line: str) -> bool:
        """Return whether a line that a tool prints is one that it shows of the text."""
        stripped = plain(line.strip())
        if len(stripped) < 2:
            return False
        # A tool that shows part of a line indents it; else it may be the program's own message. A
        # single word may as well be the end of a message: a type, a name.
        return stripped in self._lines or (
            line[:1].isspace()
            and len(self.text) < _SEARCHED
            and WORD.fullmatch(stripped) is None
            and stripped in self.text
        )

    def has_whole_line(self, line: str) -> bool:
        """Return whether a line that a tool prints is one of the text, from end to end."""
        return plain(line.strip()) in self._lines

    @cached_property
    def _lines(self) -> frozenset[str]:
        return frozenset(line.strip() for line in self.text.split("\n"))


def _names_in(string: re.Match[str]) -> str:
    """Return what names something in a string: a key, or names whose values are put into it."""
    if _KEY.match(string.string, string.end()):
        return string[0]
    return " ".join(["", *_INSERTED.findall(string[1][1:-1]), ""])


def _stands(word: str, folded: str) -> bool:
    """Return whether a text of one case has a word, alone or joined to others by `_`."""
    word = word.casefold()
    return word in folded and bool(re.search(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", folded))
