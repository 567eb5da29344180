"""Deltas lead from one text to the next, and are small where pieces were left out."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from marrow.engine.delta import Change, apply, delta, pack, unpack

texts = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"int a = 1;\n", b"f(x, y);\n", b"{", b"}\n", b"a"]), max_size=60
    ).map(b"".join),
)


@given(texts, texts)
def test_a_delta_leads_to_the_new_text(before: bytes, after: bytes) -> None:
    changes = delta(before, after)
    assert apply(changes, before) == after
    assert unpack(pack(changes)) == changes
    ends = [place for change in changes for place in (change.start, change.end)]
    assert ends == sorted(ends)


def test_nothing_changed() -> None:
    assert delta(b"abc", b"abc") == ()


def test_pieces_that_were_left_out_cost_nothing() -> None:
    lines = [b"statement number %d of this text;\n" % number for number in range(20_000)]
    gone = set(random.Random(1).sample(range(20_000), 300))
    before = b"".join(lines)
    after = b"".join(line for number, line in enumerate(lines) if number not in gone)
    changes = delta(before, after)
    assert apply(changes, before) == after
    # What is stored is at most a piece of a line for each that is gone.
    assert sum(len(change.new) for change in changes) < 300 * 8
    assert len(pack(changes)) < 8_000


def test_a_name_in_many_places() -> None:
    before = b"".join(b"x%d = counter + %d;\n" % (n, n * 7919) for n in range(50))
    after = before.replace(b"counter", b"a")
    changes = delta(before, after)
    assert apply(changes, before) == after
    assert Change(5, 12, b"a") in changes
