"""An `#include` with its mentions: the header goes, and what mentions a name that it declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from marrow.reducers.streams.elements import delete_all, elements_above, ladder
from marrow.tree import Place, Token, Tree
from marrow.tree.names import names_of

# Which elements around a mention go: an operand, its statement, what that stands in.
_LEVELS: Final = 3

_HEADER: Final = re.compile(rb'^\s*[<"]([\w/.+-]+)[>"]\s*$')

#: Names of the standard headers of C that programs use most; of C++, a header declares what it is
#: called after, and some others. The C++ forms of C's headers have a `c` in front.
_DECLARES: Final[Mapping[bytes, bytes]] = {
    b"assert": b"assert",
    b"ctype": b"isalpha isdigit isspace isupper islower isalnum toupper tolower",
    b"errno": b"errno",
    b"iostream": b"cout cin cerr endl ostream istream",
    b"limits": b"INT_MAX INT_MIN UINT_MAX LONG_MAX CHAR_BIT numeric_limits",
    b"math": b"sqrt pow sin cos tan floor ceil fabs exp log",
    b"memory": b"unique_ptr shared_ptr make_unique make_shared allocator",
    b"stdarg": b"va_list va_start va_end va_arg",
    b"stdbool": b"bool true false",
    b"stddef": b"size_t ptrdiff_t NULL offsetof",
    b"stdint": b"int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uintptr_t",
    b"stdio": b"printf fprintf sprintf snprintf puts putchar fputs scanf fopen fclose fgets FILE"
    b" stdout stderr stdin getchar perror",
    b"stdlib": b"malloc calloc realloc free exit abort atoi strtol qsort rand srand abs NULL",
    b"string": b"strlen strcpy strncpy strcmp strncmp strcat strchr strstr memcpy memset memmove"
    b" memcmp strdup string",
    b"time": b"time clock time_t clock_t",
    b"unistd": b"read write close fork sleep getpid",
    b"utility": b"move forward pair make_pair swap declval",
}


def without_includes(tree: Tree) -> Iterator[Tree]:
    """Yield the text without a header and all that mentions what it declares."""
    names = names_of(tree)
    for place, node in tree.walk():
        found = _HEADER.match(node.text) if isinstance(node, Token) else None
        above = ladder(tree, place) if found is not None else []
        if found is None or not above:
            continue
        stem = found[1].rpartition(b"/")[2].partition(b".")[0]
        declared = {stem}
        for one in (stem, stem.removeprefix(b"c")):
            declared.update(_DECLARES.get(one, b"").split())
        mentions = [at for name in sorted(declared) for at in names.places.get(name, ())]
        seen: set[frozenset[Place]] = set()
        for level in range(_LEVELS if mentions else 0):
            doomed = elements_above(tree, mentions, level)
            candidate = delete_all(tree, {*doomed, above[0]}) if doomed not in seen else None
            seen.add(doomed)
            if candidate is not None:
                yield candidate
