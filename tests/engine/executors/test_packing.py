"""Packed candidates: what arrives is what was sent, and what changed little is small."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from marrow.engine.executors.dask.shipment import packed_for, unpacked

pieces = st.lists(st.binary(min_size=1, max_size=400), max_size=12)


@given(pieces, st.data())
def test_what_arrives_is_what_was_sent(parts: list[bytes], data: st.DataObject) -> None:
    kept = [one for one in parts if data.draw(st.booleans())]
    base, candidate = b"".join(parts), b"".join(kept) + data.draw(st.binary(max_size=20))
    assert unpacked(base, packed_for(base, candidate)) == candidate


def test_what_changed_little_is_small() -> None:
    lines = [b"int variable_%d = %d;" % (number, number * 7919) for number in range(20_000)]
    base = b"\n".join(lines)
    candidate = b"\n".join(lines[:5000] + lines[5100:12_000] + lines[12_001:])
    assert len(packed_for(base, candidate)) < 100
    assert unpacked(base, packed_for(base, candidate)) == candidate
