"""What speaks for one cause of two failures, and what against it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.bugs.case import Case
from marrow.bugs.evidence import (
    CallSiteStatistics,
    bias,
    call_site_statistics,
    explanation,
    facts_of_failures,
    facts_of_results,
    odds_of,
    weights,
)
from marrow.bugs.failure_key import FailureKey, Site
from marrow.bugs.grouping import BugGroup, joined
from marrow.diagnostics.message_rules import SANITIZER
from marrow.signature.signature import Signature


def key(*stack: tuple[str, int], message: str = "overflow", **facts: object) -> FailureKey:
    sites = tuple(Site(function, "t.c", str(line)) for function, line in stack)
    return replace(FailureKey(1, SANITIZER, message, sites), **facts)  # type: ignore[arg-type]


def case(text: bytes, found: FailureKey, name: str = "") -> Case:
    return Case(f"{text!r} {found.words} {name}", found, Signature(status=1), text, found)


def group(*cases: Case) -> BugGroup:
    return BugGroup([], list(cases), failures=[one.found for one in cases])


READ = (("read", 5), ("load", 9))


@pytest.mark.parametrize(
    ("one", "other", "place"),
    [
        (key(*READ), key(*READ, message="else"), "same line, same caller"),
        (key(*READ), key(("read", 5), ("load", 7)), "same line, same caller"),
        (key(*READ), key(("read", 5), ("sort", 9)), "same line, other caller"),
        (key(*READ), key(("read", 6), ("load", 9)), "same function, other lines"),
        (key(*READ), key(("read", 60), ("sort", 9)), "same function, other lines"),
        (key(*READ), key(("load", 3), ("main", 9)), "one calls the other"),
        (key(*READ), key(("write", 3), ("load", 8)), "same caller"),
        (key(*READ), key(("write", 3), ("save", 8)), "same file"),
        # Functions of one name with other parameters are two functions.
        (key(("f(int*)", 5)), key(("f(float*)", 8)), "same file"),
        (key(*READ), key(), "unknown"),
        (key(("f", 0), ("g", 0), overflow=True), key(("f", 0), overflow=True), "same recursion"),
    ],
)
def test_places(one: FailureKey, other: FailureKey, place: str) -> None:
    for here, there in ((one, other), (other, one)):
        assert facts_of_failures(here, there, CallSiteStatistics())["place"] == place


def test_a_function_that_fails_for_callers_in_many_files_is_a_helper() -> None:
    # What reads a number fails for whoever did not check the length: the caller is at fault.
    top, end = Site("number", "t.h", "5"), Site("main", "t.c", "1")
    keys = [
        replace(key(), sites=(top, Site("load", file, str(line)), end))
        for file, line in (("a.c", 9), ("a.c", 80), ("b.c", 9), ("c.c", 9))
    ]
    places = [
        facts_of_failures(keys[0], other, call_site_statistics(keys))["place"] for other in keys[1:]
    ]
    assert places == ["same function, other lines", "same caller", "same caller"]
    # With callers in two files nobody knows whose fault it is: they are not joined by that alone.
    around = call_site_statistics(keys[:3])
    facts = facts_of_failures(keys[0], keys[2], around)
    assert facts["place"] == "same line, callers of two files"
    assert bias() + odds_of(facts) < 0
    # Functions of one file that fail in one of their own have the cause there.
    around = call_site_statistics(keys[:2])
    assert facts_of_failures(keys[0], keys[1], around)["place"] == "same line, same caller"


def test_bytes_that_look_alike_say_nothing() -> None:
    one, other = (case(text, key(*READ)) for text in (b"HEAD\0\1", b"HEAD\0\2"))
    assert not facts_of_results(one, other)


def test_what_a_sanitizer_says_of_the_block() -> None:
    freed, allocated = (Site("drop", "t.c", "80"),), (Site("grow", "t.c", "7"),)
    one = key(*READ, access="read", side="after", freed=freed, allocated=allocated)
    other = replace(one, access="write", side="", freed=(Site("drop", "t.c", "81"),))
    facts = facts_of_failures(one, other, CallSiteStatistics())
    assert facts["allocated"] == "same"
    assert (facts["access"], facts["freed"]) == ("other", "other")
    assert "side" not in facts  # of one of them it is not known


@pytest.mark.parametrize(
    ("one", "other", "result"),
    [
        (b"boom", b" boom ", "same"),
        (b"HEAD\0\1", b"HEAD\0\1", "same"),
        (b"create t(c)select avg()from t", b"create u(b)select min()from u", "same but for a word"),
        (b"mute = on", b"load a ; save b", "other"),
    ],
)
def test_results(one: bytes, other: bytes, result: str) -> None:
    found = facts_of_results(case(one, key(*READ)), case(other, key(*READ)))
    assert found == {"result": result}
    crash_file = replace(case(one, key(*READ)), reduced=False)
    assert not facts_of_results(crash_file, case(other, key(*READ)))


def test_what_one_needs_of_another_tells_only_where_failures_say_nothing() -> None:
    small, large = case(b"mute = on", key()), case(b"mute = on;", key(message="y"))
    assert facts_of_results(small, large) == {"result": "part of the other"}
    small, large = (replace(one, found=key(*READ)) for one in (small, large))
    assert facts_of_results(small, large)["result"] != "part of the other"


def test_every_value_has_a_weight_and_words() -> None:
    for values in weights()["fact"].values():
        for about in values.values():
            assert about["words"]
            assert isinstance(about["weight"], float)


def test_a_link_says_what_speaks_for_it_and_what_against_it() -> None:
    one = case(b"a", key(*READ))
    facts = {"place": "same line, same caller", "result": "other"}
    fact, why = explanation(facts, one, odds_of(facts))
    assert fact == "place"
    assert why.startswith(
        "both fail at one line, called by one function (read (t.c:5)); against it:"
    )
    assert why.endswith("% sure")


def test_the_threshold_moves() -> None:
    groups = [group(case(b"x", key(*READ))), group(case(b"y", key(("read", 5), ("load", 7)), "2"))]
    assert len(joined(groups)) == 1
    assert len(joined(groups, least=50.0)) == 2
    far = [group(case(b"x", key(*READ))), group(case(b"yy()", key(("other", 5), ("save", 7)), "2"))]
    assert len(joined(far)) == 2
    assert len(joined(far, least=-50.0)) == 1


def test_a_chain_of_neighbours_is_not_one_group() -> None:
    # Each is like the next: on the whole, the first is not like the last.
    stacks = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("e", "f"), ("f", "g")]
    keys = [key(*((name, 1) for name in stack)) for stack in stacks]
    texts = (b"one", b"two()", b"3+4", b"[five]", b"a six b", b"{}7;8")
    groups = [group(case(text, one)) for text, one in zip(texts, keys, strict=True)]
    near = odds_of(facts_of_failures(keys[0], keys[1], CallSiteStatistics()))
    assert len(joined(groups, least=near - 10)) < 6
    assert len(joined(groups, least=0.0)) > 1


def test_people_decide_first() -> None:
    one, other = case(b"x", key(*READ), "1"), case(b"x", key(*READ), "2")
    far = case(b"k(1)", key(("write", 1), ("save", 2)), "3")
    groups = [group(one), group(other), group(far)]
    found = joined(groups, same=[(one.file, far.file)], apart=[[one.file, other.file]])
    assert sorted(len(each.cases) for each in found) == [1, 2]
    assert [link.rule for each in found for link in each.links] == ["overruled: same"]


def test_results_that_end_alike_are_one_bug() -> None:
    # A word was tried as a whole first: `boom2` looked like another one than `boom`.
    mute = FailureKey(3)
    split = "split: files reduce to `boom`, `boom2`"
    groups = [
        BugGroup([], [case(b"boom", mute, "1")], notes=[split], failures=[mute]),
        BugGroup([], [case(b"boom", mute, "2")], notes=["flaky", split], failures=[mute]),
        BugGroup([], [case(b"crash it", mute)], failures=[mute]),
    ]
    found = joined(groups)
    assert [(len(one.cases), one.notes) for one in found] == [(2, ["flaky"]), (1, [])]
    assert [link.rule for link in found[0].links] == ["result"]
