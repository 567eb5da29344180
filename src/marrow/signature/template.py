"""Messages as templates: what must be the same, what is filled from the input, what is free.

A template is a message with placeholders. In writing it is a text:

| placeholder | matches |
| --- | --- |
| `{{number}}` | a count, size, line, column, address, process id, time |
| `{{path}}` | a path, or the input's own file name |
| `{{directory}}` | the directories of a file of the tool |
| `{{any}}` | what differed between runs |
| `{{name=average}}` | a name of the input: here `average`; in a candidate, a name of that |
| `{{literal=plums}}` | what is between quotation marks, of the input |
| `{{code=a + b}}` | code of the input, in templates of version 0.2 |

What fills the last three must occur in the candidate, or be what it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from marrow.diagnostics.rule_files import rules_in
from marrow.diagnostics.texts import WORD, InputText, one_line

# Words of messages, which are not names of the input though it may have them: keywords say what
# went wrong (`expected int`), and the vocabulary of diagnostics is the message itself.
_WORDS: Final = {name: frozenset(words.split()) for name, words in rules_in("vocabulary").items()}
_KEYWORDS: Final = _WORDS["keywords"]
_MET: Final = _WORDS["met"]
_NAMED: Final = _WORDS["named"] | {f"{word} to" for word in _WORDS["named_to"]}

# Longer messages are cut: what tells failures apart comes first.
_LONGEST: Final = 400

_TABLES: Final = rules_in("templates")
_TOKEN: Final = re.compile(_TABLES["token"])
_SUFFIX: Final = re.compile(_TABLES["suffix"])
_PLACEHOLDER: Final = re.compile(r"\{\{(\w+)(?:=(.*?))?\}\}", re.DOTALL)

# What a placeholder matches.
_MEANS: Final[dict[str, str]] = _TABLES["means"]

_ENDS_IN_MET: Final = re.compile(rf"\b(?:{'|'.join(sorted(_MET))})\W+$")

# The placeholders that a candidate fills with text of its own.
_FROM_INPUT: Final = ("name", "literal", "code")


@dataclass(frozen=True, slots=True)
class TemplatePart:
    """A piece of a template: text that must be there (`kind` is empty), or a placeholder."""

    kind: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class Template:
    """A message with placeholders."""

    parts: tuple[TemplatePart, ...]

    def __str__(self) -> str:
        return "".join(map(_written, self.parts))

    @classmethod
    def read(cls, text: str) -> Template:
        """Return the template that is written so."""
        parts: list[TemplatePart] = []
        position = 0
        for found in _PLACEHOLDER.finditer(text):
            if found[1] != "open" and found[1] not in _MEANS:
                continue
            original = (found[2] or "").replace("%7D", "}").replace("%25", "%")
            made = ("", "{{") if found[1] == "open" else (found[1], original)
            parts += [TemplatePart("", text[position : found.start()]), TemplatePart(*made)]
            position = found.end()
        parts.append(TemplatePart("", text[position:]))
        return cls(_joined(parts))

    @property
    def skeleton(self) -> str:
        """Return the template with all placeholders alike and empty: for labels."""
        return "".join(
            part.text if not part.kind else "…" * (part.kind != "directory") for part in self.parts
        )

    @property
    def wording(self) -> int:
        """Return how many letters of it must be there: how much it tells."""
        texts = (part.text for part in self.parts if not part.kind)
        return sum(len(word) for text in texts for word in WORD.findall(text))

    @property
    def varies(self) -> bool:
        """Whether it has text of the input, which another candidate may have otherwise."""
        return any(part.kind in _FROM_INPUT for part in self.parts)

    def shown(self) -> str:
        """Return the template for people: `…` for text of the input, which may vary."""
        return "".join(
            "…" if part.kind in _FROM_INPUT else f"<{part.kind}>" if part.kind else part.text
            for part in self.parts
        )

    def matches(self, message: str, source: InputText) -> bool:
        """Return whether a message is of this form, filled from a candidate."""
        found = _expression(self).fullmatch(message[:_LONGEST])
        if found is None:
            return False
        before = ("", *(part.text for part in self.parts))
        slots = [one for one in zip(self.parts, before, strict=False) if one[0].kind in _FROM_INPUT]
        pairs = zip(found.groups(), slots, strict=True)
        return all(_fills(filler, *slot, source) for filler, slot in pairs)


def _fills(filler: str, part: TemplatePart, before: str, source: InputText) -> bool:
    """Return whether a text may be in the place of what a message took from the input."""
    if filler == part.text:
        return True
    if part.kind == "name" or _ENDS_IN_MET.search(before):
        # What a parser met is another thing if it is a sign or a keyword where a name was.
        if filler and WORD.search(part.text) and not WORD.search(filler):
            return False
        if part.kind == "literal" and filler.casefold() in _KEYWORDS:
            return False
    own = {source.name, source.stem, *WORD.findall(part.text)}
    return all(
        word in own
        or source.has_word(word)
        # The end of a long text is cut off, or digits are added to a name.
        or source.has_word(word.rstrip("0123456789_"))
        for word in WORD.findall(filler)
    )


@cache
def _expression(template: Template) -> re.Pattern[str]:
    pieces = (
        f"({'' if part.kind in _FROM_INPUT else '?:'}{_MEANS[part.kind]})"
        if part.kind
        else re.escape(part.text)
        for part in template.parts
    )
    return re.compile("".join(pieces), re.DOTALL)


def _written(part: TemplatePart) -> str:
    if not part.kind:
        return part.text.replace("{{", "{{open}}")
    if not part.text or part.kind in ("number", "path", "directory", "any"):
        return f"{{{{{part.kind}}}}}"
    original = part.text.replace("%", "%25").replace("}", "%7D")
    return f"{{{{{part.kind}={original}}}}}"


def _joined(parts: list[TemplatePart]) -> tuple[TemplatePart, ...]:
    """Return parts with neighbouring texts joined."""
    result: list[TemplatePart] = []
    for part in parts:
        if not part.kind and result and not result[-1].kind:
            result[-1] = TemplatePart("", result[-1].text + part.text)
        elif part.kind or part.text:
            result.append(part)
    return tuple(result)


@dataclass(slots=True)
class _Token:
    kind: str
    text: str
    quoted: bool = False
    slot: bool = False
    #: Where the quotation ends that begins after this mark; 0 if none does.
    closes: int = 0


def template_of(message: str, source: InputText) -> Template:
    """Return the template of a message about an input."""
    tokens = _tokens(one_line(message)[:_LONGEST], source)
    _find_quotations(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "number" and token.text[0].isalpha() and source.has_word(token.text):
            token.kind = "word"
        token.slot = token.kind == "word" and _is_name(tokens, at, source)
    parts: list[TemplatePart] = []
    at = 0
    while at < len(tokens):
        at, made = _parts_at(tokens, at, source)
        parts += made
    return Template(_joined(parts))


def _tokens(message: str, source: InputText) -> list[_Token]:
    result: list[_Token] = []
    pieces = source.own_path.split(message) if source.name else [message]
    for number, piece in enumerate(pieces):
        if number:
            result.append(_Token("own", source.name))
        result += [_Token(found.lastgroup or "", found[0]) for found in _TOKEN.finditer(piece)]
    return result


def _find_quotations(tokens: list[_Token]) -> None:
    """Mark what is between quotation marks; an apostrophe within a word is not one."""
    at = 0
    while at < len(tokens):
        if tokens[at].text == "'" and not _apostrophe(tokens, at):
            end = at + 1
            while end < len(tokens) and (tokens[end].text != "'" or _apostrophe(tokens, end)):
                end += 1
            if end < len(tokens):
                tokens[at].closes = end
                for inner in tokens[at + 1 : end]:
                    inner.quoted = True
                at = end
        at += 1


def _apostrophe(tokens: list[_Token], at: int) -> bool:
    before = at > 0 and tokens[at - 1].kind == "word"
    after = at + 1 < len(tokens) and tokens[at + 1].kind == "word"
    return before and after and tokens[at + 1].text in ("t", "s", "re", "ve", "ll", "d", "m")


def _is_name(tokens: list[_Token], at: int, source: InputText) -> bool:
    """Return whether a word of a message is a name of the input."""
    token = tokens[at]
    word = token.text
    if word.casefold() == source.stem.casefold() and source.stem:
        # Files are called `a.c` and `test.c`, too.
        return token.quoted or (len(word) > 2 and word.casefold() not in _WORDS["vocabulary"])
    if not WORD.match(word) or not source.has_word(word) or word in source.command:
        return False
    folded = word.casefold()
    if folded in _WORDS["tags"] and "<" in [one.text for one in tokens[max(0, at - 2) : at]]:
        return False
    if folded in _KEYWORDS:
        return token.quoted and _word_before(tokens, at) in _NAMED
    if token.quoted or source.only_says(word):
        return token.quoted
    is_prose = "_" not in word and (word.islower() or word.istitle())
    if folded not in _WORDS["vocabulary"] or not is_prose:
        return True
    return at + 1 < len(tokens) and tokens[at + 1].text == "("


def _word_before(tokens: list[_Token], at: int) -> str:
    """Return the word before a quotation, in one case."""
    while at > 0 and tokens[at].quoted:
        at -= 1
    for place in range(at - 1, max(0, at - 4) - 1, -1):
        before = tokens[place]
        if before.kind == "word":
            word = before.text.casefold()
            two = [one.text.casefold() for one in tokens[max(0, place - 2) : place + 1]]
            return "".join(two) if word == "to" else word
        if before.kind == "mark" and before.text not in "':":
            return ""
    return ""


def _parts_at(tokens: list[_Token], at: int, source: InputText) -> tuple[int, list[TemplatePart]]:
    """Return where the next part of a template begins, and what it is made of until there."""
    token = tokens[at]
    if token.closes:
        inside, before = tokens[at + 1 : token.closes], _word_before(tokens, at)
        if _of_input(inside, before, source):
            text = "".join(one.text for one in inside)
            return token.closes, [TemplatePart("", "'"), TemplatePart("literal", text)]
    if token.slot:
        return at + 1, [TemplatePart("name", token.text)]
    if token.kind == "own":
        return at + 1, [TemplatePart("path")]
    if token.kind in ("path", "place"):
        return at + 1, list(_place_parts(token.text, source))
    if token.kind == "number":
        return at + 1, [TemplatePart("number")]
    return at + 1, [TemplatePart("", token.text)]


def _place_parts(path: str, source: InputText) -> Iterator[TemplatePart]:
    """Yield what is kept of a path, or of a place in a file.

    Of the input's own, and of temporary files, it is nothing; the place in a file of the tool tells
    failures apart.
    """
    file = re.split(r"(?::\d|\(\d|,? (?:at |on )?[Ll]ine:? \d)", path, maxsplit=1)[0]
    place = path[len(file) :]
    base = file.replace("\\", "/").rstrip("/").rpartition("/")[2]
    if source.is_named(base) or "/tmp/" in file or not _SUFFIX.search(base):
        yield TemplatePart("path")
        for piece in re.split(r"(\d+)", place):
            yield TemplatePart("number") if piece.isdigit() else TemplatePart("", piece)
    else:
        yield TemplatePart("directory")
        yield TemplatePart("", base + place)


def _of_input(inside: list[_Token], before: str, source: InputText) -> bool:
    """Return whether all that is between quotation marks is the input's."""
    text = "".join(one.text for one in inside).strip()
    if not text:
        return False
    words = [one for one in inside if one.kind == "word"]
    if not words:  # signs are what the failure is about: `near ';'`
        return any(one.kind == "number" for one in inside) and source.has_code(text)
    # A sentence of the input's own says what the failure is.
    is_sentence = len(words) > 2 and f"'{text}'" in source.text
    if is_sentence or any(one.text in source.command for one in words):
        return False
    if all(one.slot for one in words):
        return True
    # A string of the input: several words, in its order, more than a type such as `long int`.
    is_code = len(words) > 2 or (before in _MET and len(inside) > 1)
    return is_code and source.has_code(text)


def generalised(template: Template, other: Template) -> Template | None:
    """Return a template for both, if they differ in some words of the same sentence."""
    mine, theirs = list(_units(template)), list(_units(other))
    if len(mine) != len(theirs):
        return None
    pairs = zip(mine, theirs, strict=True)
    result = Template(_joined([one if one == two else TemplatePart("any") for one, two in pairs]))
    return result if result.wording * 2 >= template.wording else None


def _units(template: Template) -> Iterator[TemplatePart]:
    for part in template.parts:
        units = [part.text] if part.kind else re.findall(r"\w+|\s+|[^\w\s]", part.text)
        yield from (TemplatePart(part.kind, unit) for unit in units)
