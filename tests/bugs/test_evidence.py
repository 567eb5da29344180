"""What joins two failures, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.bugs.case import Case
from marrow.bugs.evidence import CallSiteStatistics, call_site_statistics, link
from marrow.bugs.failure_key import FailureKey, Site
from marrow.bugs.grouping import BugGroup, joined, parted
from marrow.diagnostics.message_rules import SANITIZER
from marrow.signature.signature import Signature


def case(text: bytes, message: str, function: str = "", line: int = 1) -> Case:
    sites = (Site(function, "t.py", str(line)), Site("run", "t.py", "9")) if function else ()
    key = FailureKey(1, "exception", message, sites)
    return Case(f"{text!r} {message}", key, Signature(status=1), text, key)


def called(text: bytes, caller: str) -> Case:
    sites = (Site("compare", "t.c", "5"), Site(caller, "t.c", "9"))
    key = FailureKey(1, "sanitizer", "overflow", sites)
    return Case(f"{text!r}", key, Signature(status=1), text, key)


def nameless(text: bytes, caller: str) -> Case:
    sites = (Site("<listcomp>", "t.py", str(len(caller))), Site(caller, "t.py", "9"))
    key = FailureKey(1, "exception", "IndexError: x", sites)
    return Case(f"{text!r}", key, Signature(status=1), text, key)


def asserted(text: bytes, line: int) -> Case:
    key = FailureKey(134, "assertion", "x", (Site("f", "t.py", str(line)),))
    return Case(f"{text!r}", key, Signature(status=134), text, key)


@pytest.mark.parametrize(
    ("one", "other", "rule"),
    [
        # The same function, and a word differs: whatever the failures are called.
        (
            case(b"create t(c)select avg()from t", "ZeroDivisionError: x", "total", 4),
            case(b"create u(b)select min()from u", "ValueError: y", "total", 5),
            "same function",
        ),
        # One place, two callers: the same is needed, or not.
        (called(b'max(["",0])', "most"), called(b'sort(["",0])', "sort"), "same place"),
        (called(b'""[9]', "element"), called(b'""[0:9]', "slice"), None),
        # One line and one sort of failure: what the message names is chance. Another sort is not.
        (
            case(b"select len(0)", "TypeError: 'int' has no len()", "call", 4),
            case(b"create t(a)select len(a)from t", "TypeError: 'None' has no len()", "call", 4),
            "same place",
        ),
        (
            case(b"select 0%0", "ZeroDivisionError: x", "reckon", 4),
            case(b"create t(a)select a%0 from t", "TypeError: x", "reckon", 4),
            None,
        ),
        # A comprehension is no function that two failures can share.
        (
            nameless(b"create t(c)select avg()from t", "total"),
            nameless(b"create u(b)select min()from u", "sort"),
            None,
        ),
        # One has a part more, and fails otherwise.
        (
            case(b"create t(c)select avg()from t", "ZeroDivisionError: x", "total", 4),
            case(b"create t(c)select avg(),d from t", "IndexError: y", "total", 2),
            None,
        ),
        # Values that are needed as they are count.
        (
            case(b"select len(0)", "TypeError: x", "call", 4),
            case(b"select chr(-1)", "ValueError: y", "call", 8),
            None,
        ),
        (
            case(b"select null+0", "TypeError: x", "reckon", 4),
            case(b"select 0-null", "TypeError: y", "reckon", 5),
            "same function",
        ),
        # Values alone differ: of a format's texts most do, so the function must be the same.
        (case(b"HEAD\0\1", "x", "f"), case(b"HEAD\0\2", "x", "g"), None),
        (case(b"HEAD\0\1", "x", "f"), case(b"HEAD\0\2\2", "y", "f", 2), None),
        (case(b"HEAD\0\1", "x"), case(b"HEAD\0\2", "x"), "same shape"),
        # An assertion guards what is behind it, not what is in front of it.
        (asserted(b"sum 0 of 0", 4), case(b"sum 1 of 0", "FPE", "f", 5), "same function"),
        (asserted(b"sum 0 of 0 and 0", 4), case(b"sum 1 of 1", "FPE", "f", 5), "same function"),
        (asserted(b"sum 0 of 0 and 0", 6), case(b"sum 1 of 1", "FPE", "f", 5), None),
        # What a result needs is a part of another one: evidence where nothing says more.
        (case(b"mute = on", "x"), case(b"mute = on;", "y"), "part of the other"),
        (case(b"mute = on", "x", "f"), case(b"mute = on;", "y", "g"), None),
        (case(b"mute = on", "x", "f"), case(b"mute  =  on", "y", "g"), "same result"),
    ],
)
def test_rules(one: Case, other: Case, rule: str | None) -> None:
    for here, there in ((one, other), (other, one)):
        found = link(here, there, CallSiteStatistics())
        assert (found and found.rule) == rule


def rule_of(one: Case, other: Case, cases: list[Case]) -> str | None:
    found = link(one, other, call_site_statistics(cases))
    return None if found is None else found.rule


# A helper follows references, and forgets that there may be nothing; `merge` hands it nothing.
REFERENCES = [
    called(b"a = &b\n? a", "show"),
    called(b"a = &b\n@count a", "count"),
    called(b"a = [&b]\n@longest a", "longest"),
    called(b"[a]\nc = &b\n@first a", "first"),
]
ELSEWHERE = [called(b"a = &b\n@average a", "average")]
MERGE = called(b"a = {}\n@merge a b", "merge")
# What else fails needs other signs: an equals sign tells nothing.
OTHERS = [
    case(b"a = []\n@count a.b", "overflow", "path"),
    case(b"@date 0-13-1", "overflow", "date"),
    case(b"a = 00000000", "overflow", "number"),
]


def test_a_place_that_many_callers_reach_is_at_fault_itself() -> None:
    cases = [*REFERENCES, *OTHERS]
    assert rule_of(REFERENCES[0], REFERENCES[2], cases) == "same place"
    assert rule_of(REFERENCES[1], REFERENCES[3], cases) == "same place"


def test_a_caller_that_does_without_what_the_others_need_has_a_cause_of_its_own() -> None:
    cases = [*REFERENCES, MERGE, *OTHERS]
    assert call_site_statistics(cases).needs == {MERGE.found.top: {b"&"}}
    assert rule_of(REFERENCES[1], MERGE, cases) is None
    assert rule_of(REFERENCES[1], REFERENCES[2], cases) == "same place"


def test_a_bucket_is_split_if_one_of_its_results_does_without_what_callers_need() -> None:
    at_show = called(b"a = []\n? a.b", "show")
    looks = [BugGroup([], [REFERENCES[0]]), BugGroup([], [at_show])]
    bucket = BugGroup([], [REFERENCES[0], at_show], looks=looks)
    others = [BugGroup([], [one]) for one in (*REFERENCES[1:], *ELSEWHERE, *OTHERS)]
    parts = parted([bucket, *others])
    assert [part.cases for part in parts[:2]] == [[REFERENCES[0]], [at_show]]
    assert "need `&`, and `a = [] ? a.b` does without" in parts[0].notes[0]
    found = joined(parts)
    assert [at_show] in [group.cases for group in found]
    assert [*REFERENCES, *ELSEWHERE] in [group.cases for group in found]
    # Nothing is known of a place that few callers reach.
    assert parted([bucket, *others[:2]]) == [bucket, *others[:2]]


def test_what_others_need_as_well_tells_nothing() -> None:
    odd = called(b"@date &0", "date")  # no equals sign, but most results have one
    assert rule_of(REFERENCES[1], odd, [*REFERENCES, odd, *OTHERS]) == "same place"


def test_results_that_end_alike_are_one_bug() -> None:
    # A word was tried as a whole first: `boom2` looked like another one than `boom`.
    groups = [
        BugGroup([], [case(b"boom", "x")], notes=["split: files reduce to `boom`, `boom2`"]),
        BugGroup(
            [],
            [replace(case(b"boom", "x"), file="2")],
            notes=["flaky", "split: files reduce to `boom`, `boom2`"],
        ),
        BugGroup([], [case(b"crash it", "x")]),
    ]
    found = joined(groups, rules=("same result",))
    assert [(len(one.cases), one.notes) for one in found] == [(2, ["flaky"]), (1, [])]
    assert [link.rule for link in found[0].links] == ["same result"]


def test_lines_of_one_function_are_one_caller() -> None:
    one, other = called(b'""[9]', "slice"), called(b'""[0:9]', "slice")
    sites = (other.found.sites[0], replace(other.found.sites[1], position="10"))
    other = replace(other, found=replace(other.found, sites=sites))
    assert rule_of(one, other, [one, other]) == "same place"


def test_one_line_that_reads_and_writes_may_have_two_bugs() -> None:
    read, written = (
        replace(one, found=replace(one.found, kind=SANITIZER, access=access))
        for one, access in ((called(b"copy 9 1", "f"), "read"), (called(b"fill 1 7", "f"), "write"))
    )
    assert rule_of(read, written, [read, written]) is None
    assert rule_of(read, read, [read, written]) is not None


def test_memory_that_one_line_freed_is_one_bug_wherever_it_is_used() -> None:
    freed = (Site("drop", "t.c", "80"),)
    show, sort, elsewhere = (
        replace(one, found=replace(one.found, freed=where, message="heap-use-after-free"))
        for one, where in (
            (case(b"drop a show", "", "show"), freed),
            (case(b"drop a sort b", "", "sort"), freed),
            (case(b"copy a a", "", "copy"), (Site("grow", "t.c", "7"),)),
        )
    )
    assert rule_of(show, sort, [show, sort]) == "same freeing"
    assert rule_of(show, elsewhere, [show, elsewhere]) is None
    # Freed by another function, it is another bug, though both fail in one function.
    append, moved = (
        replace(one, found=replace(one.found, freed=where))
        for one, where in (
            (case(b"MAKE b PICK b DROP b POST", "x", "append", 4), freed),
            (case(b"MAKE b PICK b POST POST COPY * b", "x", "append", 5), elsewhere.found.freed),
        )
    )
    assert rule_of(append, moved, [append, moved]) is None
    assert rule_of(append, replace(moved, found=append.found), [append, moved]) is not None
    # A place that misuses other memory, too, has a wild pointer: what that points at is chance.
    wild = replace(show, found=replace(show.found, kind=SANITIZER, freed=()))
    assert rule_of(show, sort, [show, sort, wild]) is None
