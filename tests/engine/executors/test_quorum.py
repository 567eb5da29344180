"""Votes on flaky tests: decided as early as can be, with no run in vain, whatever the workers."""

from __future__ import annotations

import random
import threading
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.engine.executors.executor import Job, outcome_of
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.executors.local import CommandExecutor
from marrow.engine.executors.quorum import (
    MOST_RUNS,
    Quorum,
    Reliability,
    SequentialTest,
    at_least,
    enough_for,
)
from marrow.engine.executors.votes import VoteExecutor
from marrow.engine.verdict import Outcome, Verdict
from tests.engine.scripts import alive, command, pid_in, quoted, soon

YES, NO, INVALID = Verdict.INTERESTING, Verdict.NOT_INTERESTING, Verdict.UNRESOLVED


@dataclass(eq=False)
class ByHand:
    """A run that the test of this module ends when it wants."""

    candidate: bytes
    future: Future[Outcome] = field(default_factory=Future)
    stopped: bool = False

    def cancel(self) -> None:
        self.stopped = True

    def end(self, verdict: Verdict) -> None:
        self.future.set_result(Outcome(verdict))


class Hands:
    """An executor whose runs are ended by hand."""

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self.runs: list[ByHand] = []

    def submit(self, candidate: bytes, *, capture: bool = False) -> Job:
        self.runs.append(ByHand(candidate))
        return self.runs[-1]

    def allow(self, seconds: float) -> None:
        pass

    def close(self) -> None:
        pass

    def under_way(self) -> list[bytes]:
        return [run.candidate for run in self.runs if not (run.future.done() or run.stopped)]


@st.composite
def quorums(draw: st.DrawFn) -> Quorum:
    runs = draw(st.integers(1, 9))
    return Quorum(draw(st.integers(1, runs)), runs)


def one_by_one(quorum: Quorum, answers: list[bool]) -> tuple[bool, int]:
    """Decide as the definition says: run after run until it is decided."""
    yes = no = 0
    for answer in answers:
        yes, no = yes + answer, no + (not answer)
        if yes == quorum.needed:
            return True, yes + no
        if no == quorum.runs - quorum.needed + 1:
            return False, yes + no
    raise AssertionError("N runs decide")


@given(quorums(), st.integers(1, 12), st.data())
def test_a_vote_is_that_of_runs_one_by_one_and_makes_none_in_vain(
    quorum: Quorum, workers: int, data: st.DataObject
) -> None:
    answers = data.draw(st.lists(st.booleans(), min_size=quorum.runs, max_size=quorum.runs))
    hands = Hands(workers)
    job = VoteExecutor(hands, quorum).submit(b"x")
    for at, answer in enumerate(answers):
        if job.future.done():
            break
        hands.runs[at].end(YES if answer else NO)
    assert job.future.done()
    wanted, runs = one_by_one(quorum, answers)
    assert (job.future.result().verdict is YES, len(hands.runs)) == (wanted, runs)


def test_runs_that_are_needed_in_any_case_run_at_once_the_first_candidate_first() -> None:
    hands = Hands(workers=4)
    votes = VoteExecutor(hands, Quorum(3, 5))
    first = votes.submit(b"first")
    votes.submit(b"second")
    assert hands.under_way() == [b"first"] * 3 + [b"second"]
    hands.runs[0].end(YES)  # two more are needed, and both are under way
    assert hands.under_way() == [b"first"] * 2 + [b"second"] * 2
    hands.runs[1].end(NO)
    hands.runs[2].end(NO)  # the last run decides
    assert hands.under_way() == [b"second"] * 2 + [b"first"] + [b"second"]
    hands.runs[5].end(YES)
    assert not first.future.done()
    hands.runs[-1].end(NO)
    assert votes.runs == len(hands.runs)


def test_a_vote_that_nobody_needs_stops_its_runs_and_makes_room() -> None:
    hands = Hands(workers=2)
    votes = VoteExecutor(hands, Quorum(2, 3))
    first = votes.submit(b"first")
    votes.submit(b"second")
    first.cancel()
    assert [run.stopped for run in hands.runs[:2]] == [True, True]
    assert hands.under_way() == [b"second"] * 2
    hands.runs[0].end(YES)  # too late to matter
    assert not first.future.done()


def test_a_no_says_what_most_of_the_others_said() -> None:
    hands = Hands(workers=1)
    job = VoteExecutor(hands, Quorum(2, 4)).submit(b"x")
    for verdict in (INVALID, YES, NO, INVALID):
        hands.runs[-1].end(verdict)
    assert job.future.result().verdict is INVALID


def test_a_run_that_cannot_be_made_ends_the_vote() -> None:
    hands = Hands(workers=3)
    job = VoteExecutor(hands, Quorum(3, 5)).submit(b"x")
    hands.runs[1].end(Verdict.ERROR)
    assert job.future.result().verdict is Verdict.ERROR
    assert [run.stopped for run in hands.runs] == [True, False, True]


def test_what_a_run_raises_the_vote_raises() -> None:
    hands = Hands(workers=1)
    job = VoteExecutor(hands, Quorum(1, 2)).submit(b"x")
    hands.runs[0].future.set_exception(RuntimeError("the cluster is gone"))
    with pytest.raises(RuntimeError, match="the cluster"):
        job.future.result()


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_votes_on_threads_come_to_the_share_that_was_meant(workers: int) -> None:
    lots = random.Random(1)
    lock = threading.Lock()

    def test(_: bytes) -> bool:
        with lock:
            return lots.random() < 0.5

    single = CallableExecutor(test, workers)
    votes = VoteExecutor(single, Quorum(2, 5))
    jobs = [votes.submit(b"%d" % number) for number in range(400)]
    accepted = sum(outcome_of(job).verdict is YES for job in jobs)
    single.close()
    # 81% of all votes; four standard deviations of 400 votes are 8%.
    assert 0.73 < accepted / 400 < 0.89
    assert 400 * 2 <= votes.runs <= 400 * 5


def test_many_runs_of_a_vote_need_no_stack() -> None:
    single = CallableExecutor(lambda _: False, 1)
    job = VoteExecutor(single, Quorum(1, MOST_RUNS)).submit(b"x")
    assert outcome_of(job).verdict is NO
    single.close()


def test_cancelled_votes_kill_their_processes(temporary: Path, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    single = CommandExecutor(command(tmp_path, f"echo $$ > {quoted(pid)}; sleep 1000"), "x")
    job = VoteExecutor(single, Quorum(1, 3)).submit(b"x")
    running = pid_in(pid)
    job.cancel()
    assert soon(lambda: not alive(running))
    single.close()


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "1/0", "a/b", "1/2/3", "-1/3", "1/9999"])
def test_what_is_no_quorum_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"runs|K/N"):
        Quorum.parse(text)


def test_quorums_are_read_and_written() -> None:
    assert Quorum.parse(" 2 / 5 ") == Quorum(2, 5)
    assert str(Quorum(2, 5)) == "2/5"
    assert Quorum(2, 5).stricter == Quorum(4, 10)
    assert Quorum(2, 900).stricter == Quorum(2, 900)


@given(quorums(), st.data())
def test_as_many_runs_as_the_quorum_asks_for_hold(quorum: Quorum, data: st.DataObject) -> None:
    seen = data.draw(st.integers(0, quorum.runs))
    assert quorum.holds(Reliability(seen, quorum.runs)) == (seen >= quorum.needed)


@given(st.integers(1, 60), st.data())
def test_the_bound_is_where_as_many_would_be_rare(runs: int, data: st.DataObject) -> None:
    seen = Reliability(data.draw(st.integers(0, runs)), runs)
    assert 0.0 <= seen.lowest <= seen.share
    if seen.interesting:
        assert at_least(seen.interesting, runs, seen.lowest) == pytest.approx(0.05, abs=1e-6)


def test_bounds_are_the_published_ones() -> None:
    # All of n: the n-th root of 5%. 10 of 20: the table of Clopper and Pearson.
    assert Reliability(20, 20).lowest == pytest.approx(0.05 ** (1 / 20), abs=1e-6)
    assert Reliability(10, 20).lowest == pytest.approx(0.3020, abs=1e-4)
    assert Reliability(0, 20).lowest == 0.0


@given(st.integers(1, 50), st.integers(1, 50))
def test_a_quorum_for_what_was_seen_is_nearly_always_reached(yes: int, no: int) -> None:
    seen = Reliability(yes, yes + no)
    assert enough_for(seen).chance(seen.share) >= 0.95


rates = st.builds(
    lambda yes, no: SequentialTest(Reliability(yes, yes + no)),
    st.integers(5, 40),
    st.integers(1, 200),
)


@given(rates, st.randoms(use_true_random=False), st.floats(0.0, 1.0))
def test_a_sequential_vote_is_not_decided_before_the_runs_it_needs(
    rule: SequentialTest, lots: random.Random, share: float
) -> None:
    yes = no = 0
    while (missing := rule.missing(yes, no)) > 0:
        answers = [lots.random() < share for _ in range(missing)]
        for answer in answers[:-1]:
            yes, no = yes + answer, no + (not answer)
            assert rule.missing(yes, no) > 0, "runs at once would be in vain"
        yes, no = yes + answers[-1], no + (not answers[-1])
    assert yes + no <= rule.runs
    assert not (rule.accepts(yes, no) and rule.refuses(yes, no))


def test_few_runs_refuse_what_never_fails_and_more_accept() -> None:
    for seen in (Reliability(16, 320), Reliability(16, 32), Reliability(38, 40)):
        rule = SequentialTest(seen)
        refused = next(no for no in range(1, 1000) if rule.missing(0, no) == 0)
        assert refused * rule.rate <= 3.0
        assert not rule.accepts(0, refused)
        assert rule.weaker < rule.rate
        strict = SequentialTest(seen, strict=True)
        assert rule.weaker < strict.weaker
