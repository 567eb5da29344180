"""Neighbouring scopes that are one: `namespace n { A } namespace n { B }` is `namespace n { A B }`.

Headers open the same namespace again and again, and what is left of them are many small ones.
"""

from __future__ import annotations

from collections.abc import Iterator

from marrow.reducers.coupled.token_text import TokenChanges, TokenText
from marrow.reducers.coupled.unwrapping import SCOPES


def joined(text: TokenText) -> Iterator[TokenChanges]:
    """Yield the text with all neighbouring scopes joined that are alike, then with each pair."""
    pairs = [*_pairs(text)]
    if len(pairs) > 1:
        yield {at: () for pair in pairs for at in pair}
    for pair in pairs:
        yield dict.fromkeys(pair, ())


def _pairs(text: TokenText) -> Iterator[range]:
    """Yield what stands between two scopes that are alike: the end of one, the head of the next."""
    for start, end in sorted(text.partners.items()):
        if start > end or text.texts[start] != b"{":
            continue
        head = text.texts[text.head(start) : start]
        # Where a namespace is inline, or has attributes, may be said once.
        after = end + 1
        while text.text(after) not in (b"{", b"", b"}", b";"):
            after += 1
        other = text.texts[end + 1 : after]
        alike = head == other or (head[-2:] == other and b"inline" in head)
        if alike and text.text(after) == b"{" and SCOPES.intersection(head):
            yield range(end, after + 1)
