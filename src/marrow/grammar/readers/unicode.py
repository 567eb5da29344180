r"""The Unicode properties that grammars name in `\p{...}`, from Python's own `unicodedata`.

General categories, the properties of letter case, white space and identifiers are exact (in the
Unicode version of the Python that runs). Scripts are not in the standard library: they are taken
from the first word of the characters' names, which is right for letters and misses some signs.
Blocks and emoji are unknown.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, Ranges, complement, normalised

#: Long names of the general categories, as the Unicode standard lists them (without `_`).
_CATEGORY_NAMES: Final = {
    "other": "C", "control": "Cc", "cntrl": "Cc", "format": "Cf", "unassigned": "Cn",
    "privateuse": "Co", "surrogate": "Cs", "letter": "L", "casedletter": "LC",
    "lowercaseletter": "Ll", "modifierletter": "Lm", "otherletter": "Lo",
    "titlecaseletter": "Lt", "uppercaseletter": "Lu", "mark": "M", "combiningmark": "M",
    "spacingmark": "Mc", "enclosingmark": "Me", "nonspacingmark": "Mn", "number": "N",
    "decimalnumber": "Nd", "digit": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "punct": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd",
    "closepunctuation": "Pe", "finalpunctuation": "Pf", "initialpunctuation": "Pi",
    "otherpunctuation": "Po", "openpunctuation": "Ps", "symbol": "S", "currencysymbol": "Sc",
    "modifiersymbol": "Sk", "mathsymbol": "Sm", "othersymbol": "So", "separator": "Z",
    "lineseparator": "Zl", "paragraphseparator": "Zp", "spaceseparator": "Zs",
}  # fmt: skip

#: Yes-or-no properties by how a character is tested for them, and what is not exact about it.
_BINARY: Final[dict[str, tuple[Callable[[str], bool], str]]] = {
    "uppercase": (str.isupper, ""),
    "lowercase": (str.islower, ""),
    "xidstart": (lambda one: one != "_" and one.isidentifier(), ""),
    "xidcontinue": (lambda one: ("a" + one).isidentifier(), ""),
    "idstart": (lambda one: one != "_" and one.isidentifier(), "taken as XID_Start"),
    "idcontinue": (lambda one: ("a" + one).isidentifier(), "taken as XID_Continue"),
    "alphabetic": (
        lambda one: unicodedata.category(one)[0] == "L" or unicodedata.category(one) == "Nl",
        "taken as the letters and letter numbers (L, Nl)",
    ),
}

_FIXED: Final[dict[str, Ranges]] = {
    "any": ANY_CHARACTER,
    "ascii": ((0, 0x7F),),
    "asciihexdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
    "whitespace": (
        (0x9, 0xD), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
        (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
    ),
}  # fmt: skip

#: Short names of properties, as the standard lists them.
_SHORT: Final = {
    "ahex": "asciihexdigit", "alpha": "alphabetic", "idc": "idcontinue", "ids": "idstart",
    "lower": "lowercase", "space": "whitespace", "upper": "uppercase", "wspace": "whitespace",
    "xidc": "xidcontinue", "xids": "xidstart",
}  # fmt: skip

#: The words that the names of characters begin with, where that is not the script's own name.
_NAMED_AFTER: Final = {
    "han": "CJK", "hani": "CJK", "arab": "ARABIC", "armn": "ARMENIAN", "cyrl": "CYRILLIC",
    "deva": "DEVANAGARI", "grek": "GREEK", "hang": "HANGUL", "hebr": "HEBREW",
    "hira": "HIRAGANA", "kana": "KATAKANA", "latn": "LATIN",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Property:
    """The characters that have a property, and what to say if that is not exact."""

    ranges: Ranges
    remark: str = ""


@cache
def unicode_property(name: str) -> Property | None:
    r"""Return the characters of the property that `\p{...}` names, None if it is unknown.

    A leading `^` and the form `kind=value` (`Script=Greek`, `gc=Lu`, `Alphabetic=No`) are known.
    """
    bare = name.lstrip("^")
    if (len(name) - len(bare)) % 2:
        return _complement(unicode_property(bare))
    kind, equals, value = bare.partition("=")
    kind, plain = _plain(kind), _plain(value)
    if not equals:
        return (
            _category(kind)
            or _binary(kind.removeprefix("is"))
            or _script(kind.removeprefix("is"), bare)
        )
    if kind in ("generalcategory", "gc"):
        return _category(plain)
    if kind in ("script", "sc", "scriptextensions", "scx"):
        return _script(plain, value)
    if plain in ("no", "n", "false", "f"):
        return _complement(_binary(kind))
    return _binary(kind) if plain in ("yes", "y", "true", "t") else None


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


def _complement(found: Property | None) -> Property | None:
    return None if found is None else Property(complement(found.ranges), found.remark)


@cache
def _categories() -> dict[str, Ranges]:
    """Return the characters of every two-letter general category."""
    found: dict[str, list[tuple[int, int]]] = {}
    start, current = 0, unicodedata.category("\0")
    for code in range(1, sys.maxunicode + 1):
        category = unicodedata.category(chr(code))
        if category != current:
            found.setdefault(current, []).append((start, code - 1))
            start, current = code, category
    found.setdefault(current, []).append((start, sys.maxunicode))
    return {name: tuple(ranges) for name, ranges in found.items()}


def _category(name: str) -> Property | None:
    """Return the characters of a general category, by its short or long name."""
    short = _CATEGORY_NAMES.get(name, name).lower()
    cased = short in ("lc", "l&")
    found = [
        one
        for category, ranges in _categories().items()
        if category.lower().startswith(short) or (cased and category in ("Lu", "Ll", "Lt"))
        for one in ranges
    ]
    return Property(normalised(found)) if found and short else None


def _binary(name: str) -> Property | None:
    """Return the characters that have a yes-or-no property."""
    name = _SHORT.get(name, name)
    if name in _FIXED:
        return Property(_FIXED[name])
    if name == "assigned":
        return _complement(_category("cn"))
    if name not in _BINARY:
        return None
    holds, remark = _BINARY[name]
    return Property(_where(holds), remark)


def _script(plain: str, name: str) -> Property | None:
    """Return the letters, marks and numbers whose names begin with the name of a script."""
    start = _NAMED_AFTER.get(plain) or re.sub(r"[_-]", " ", name).upper()
    ranges = _where(lambda one: unicodedata.name(one, "").startswith(f"{start} "), kinds="LMN")
    return Property(ranges, "taken from the names of the characters") if ranges else None


def _where(holds: Callable[[str], bool], kinds: str = "LMNPS") -> Ranges:
    """Return the letters, marks, numbers and signs that pass a test; no others have properties."""
    return normalised(
        (code, code)
        for name, ranges in _categories().items()
        if name[0] in kinds
        for first, last in ranges
        for code in range(first, last + 1)
        if holds(chr(code))
    )
