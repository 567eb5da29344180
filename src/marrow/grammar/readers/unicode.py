r"""The Unicode properties that grammars name in `\p{...}`, from Python's own `unicodedata`.

General categories, the properties of letter case, white space and identifiers are exact (in the
Unicode version of the Python that runs). Scripts are not in the standard library: they are taken
from the first word of the characters' names, which is right for letters and misses some signs.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from marrow.grammar.model.charset import (
    ANY_CHARACTER,
    Ranges,
    complement,
    intersection,
    normalised,
)
from marrow.grammar.readers.unicode_tables import block, emoji

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

#: The 25 characters with the property White_Space.
_WHITE_SPACE: Final = (
    (0x9, 0xD), (0x20, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip

_EMOJI_NAMES: Final = {"epres": "emojipresentation", "extpict": "extendedpictographic"}

#: The letters that flags are made of, and other signs that are emoji but no pictures.
_REGIONAL: Final = ((0x1F1E6, 0x1F1FF),)
_KEYCAPS: Final = (
    (0x23, 0x23), (0x2A, 0x2A), (0x30, 0x39), (0xA9, 0xA9), (0xAE, 0xAE), (0x2122, 0x2122),
    (0x3030, 0x3030), (0x303D, 0x303D),
)  # fmt: skip

#: Values of a property that a character has or has not.
_YES: Final = ("yes", "y", "true", "t")
_NO: Final = ("no", "n", "false", "f")

#: Scripts whose characters are named after something else than the script.
_NAME_OF_SCRIPT: Final = {"han": "CJK", "hani": "CJK", "grek": "GREEK", "latn": "LATIN",
                          "cyrl": "CYRILLIC", "arab": "ARABIC", "hebr": "HEBREW",
                          "hira": "HIRAGANA", "kana": "KATAKANA", "hang": "HANGUL",
                          "deva": "DEVANAGARI", "armn": "ARMENIAN"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Property:
    """The characters that have a property, and what to say if that is not exact."""

    ranges: Ranges
    remark: str = ""


@lru_cache(maxsize=1)
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


def _category(name: str) -> Ranges | None:
    """Return the characters of a general category, named in any of the usual ways."""
    short = _CATEGORY_NAMES.get(name, name)
    if short.lower() in ("lc", "l&"):
        wanted = ["lu", "ll", "lt"]
    else:
        wanted = [short.lower()]
    found = [
        one
        for category, ranges in _categories().items()
        if category.lower() in wanted or (len(short) == 1 and category[0].lower() == wanted[0])
        for one in ranges
    ]
    return normalised(found) if found else None


def _where(holds: Callable[[str], bool], kinds: str = "LMNPS") -> Ranges:
    """Return the characters of some kinds that a function says yes to.

    Nothing else than letters, marks, numbers and signs has the properties asked for here, and all
    code points would take ten times as long.
    """
    return normalised(
        (code, code)
        for name, ranges in _categories().items()
        if name[0] in kinds
        for first, last in ranges
        for code in range(first, last + 1)
        if holds(chr(code))
    )


def _categories_of(*names: str) -> Ranges:
    return normalised(one for name in names for one in _categories().get(name, ()))


def _binary(name: str) -> Property | None:
    """Return the characters that have a yes-or-no property."""
    match name:
        case "any":
            return Property(ANY_CHARACTER)
        case "ascii":
            return Property(((0, 0x7F),))
        case "assigned":
            return Property(complement(_categories_of("Cn")))
        case "whitespace" | "wspace" | "space":
            return Property(_WHITE_SPACE)
        case "asciihexdigit" | "ahex":
            return Property(((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)))
        case "hexdigit" | "hex":
            wide = ((0xFF10, 0xFF19), (0xFF21, 0xFF26), (0xFF41, 0xFF46))
            return Property(((0x30, 0x39), (0x41, 0x46), (0x61, 0x66), *wide))
        case "uppercase" | "upper":
            return Property(_where(str.isupper))
        case "lowercase" | "lower":
            return Property(_where(str.islower))
        case "emoji" | "emojipresentation" | "extendedpictographic":
            return Property(emoji(name))
        case "epres" | "extpict":
            return Property(emoji(_EMOJI_NAMES[name]))
        case "regionalindicator" | "ri":
            return Property(_REGIONAL)
        case "emojirk":  # ANTLR's: what keycaps and flags are made of, and signs that were there
            return Property(normalised((*_REGIONAL, *_KEYCAPS)))
        case "xidstart" | "xids":
            return Property(_where(lambda one: one != "_" and one.isidentifier()))
        case "xidcontinue" | "xidc":
            return Property(_where(lambda one: ("a" + one).isidentifier()))
        case _:
            return _nearly(name)


def _nearly(name: str) -> Property | None:
    """Return the characters of properties that the standard library knows only nearly."""
    match name:
        case "idstart" | "ids":
            ranges = _where(lambda one: one != "_" and one.isidentifier())
            return Property(ranges, "taken as XID_Start")
        case "idcontinue" | "idc":
            ranges = _where(lambda one: ("a" + one).isidentifier())
            return Property(ranges, "taken as XID_Continue")
        case "alphabetic" | "alpha":
            ranges = _categories_of("Lu", "Ll", "Lt", "Lm", "Lo", "Nl")
            return Property(ranges, "taken as the letters and letter numbers (L, Nl)")
        case "alnum":
            ranges = _categories_of("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Nd")
            return Property(ranges, "taken as the letters and digits (L, Nl, Nd)")
        case "ideographic" | "ideo":
            return Property(_script("CJK"), "taken as the characters named CJK")
        case "emojimodifier":
            return Property(((0x1F3FB, 0x1F3FF),))
        case _:
            return None


@cache
def _script(first: str) -> Ranges:
    """Return the letters, marks and numbers whose names begin with some words."""
    start = first + " "
    return _where(lambda one: unicodedata.name(one, "").startswith(start), kinds="LMN")


def _script_property(name: str) -> Property | None:
    first = _NAME_OF_SCRIPT.get(re.sub(r"[\s_-]", "", name).lower())
    ranges = _script(first or re.sub(r"[_-]", " ", name).upper())
    if not ranges:
        return None
    return Property(ranges, "taken from the names of the characters")


def _by_value(kind: str, value: str) -> Property | None:
    """Return the characters for which a property has a value (`Block=Arrows`, `Emoji=No`)."""
    if kind in ("block", "blk"):
        ranges = block(value)
        return None if ranges is None else Property(ranges)
    if kind == "emojipresentation" and value not in (*_YES, *_NO):
        pictures, shown = emoji("emoji"), emoji("emojipresentation")
        sets = {
            "emojidefault": shown,
            "textdefault": intersection(pictures, complement(shown)),
            "text": complement(pictures),
        }
        return Property(sets[value]) if value in sets else None
    if value in (*_YES, *_NO):
        found = _binary(kind)
        if found is None or value in _YES:
            return found
        return Property(complement(found.ranges), found.remark)
    asked = _VALUES.get(kind)
    having = () if asked is None else _where(lambda one: asked(one).lower() == value, "CLMNPSZ")
    return Property(having) if having else None


def _numeric_type(character: str) -> str:
    if unicodedata.decimal(character, None) is not None:
        return "de"
    if unicodedata.digit(character, None) is not None:
        return "di"
    return "nu" if unicodedata.numeric(character, None) is not None else "none"


#: Properties with values that the standard library knows, by long and short names.
_VALUES: Final[dict[str, Callable[[str], str]]] = {
    "eastasianwidth": unicodedata.east_asian_width,
    "ea": unicodedata.east_asian_width,
    "bidiclass": unicodedata.bidirectional,
    "bc": unicodedata.bidirectional,
    "canonicalcombiningclass": lambda one: str(unicodedata.combining(one)),
    "ccc": lambda one: str(unicodedata.combining(one)),
    "numerictype": _numeric_type,
    "nt": _numeric_type,
}


@cache
def unicode_property(name: str) -> Property | None:
    r"""Return the characters of the property that stands in `\p{...}`, None if it is unknown.

    A leading `^` and the form `kind=value` (`Script=Greek`, `gc=Lu`) are understood.
    """
    bare = name.lstrip("^")
    if bare != name:
        positive = unicode_property(bare)
        odd = (len(name) - len(bare)) % 2
        if positive is None or not odd:
            return positive
        return Property(complement(positive.ranges), positive.remark)
    kind, equals, value = name.partition("=")
    kind = re.sub(r"[\s_-]", "", kind).lower()
    if not equals:
        kind, value = "", name
    plain = re.sub(r"[\s_-]", "", value).lower()
    if kind in ("script", "sc", "scriptextensions", "scx"):
        return _script_property(value)
    if kind not in ("", "generalcategory", "gc"):
        return _by_value(kind, plain)
    ranges = _category(plain)
    if ranges is not None:
        return Property(ranges)
    if kind:
        return None
    found = block(plain.removeprefix("in")) if plain.startswith("in") else None
    if found is not None:
        return Property(found)
    script = plain.removeprefix("is") if plain.startswith("is") else value
    return _binary(plain.removeprefix("is")) or _binary(plain) or _script_property(script)
