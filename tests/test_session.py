"""Sessions: the caller runs the tests."""

from __future__ import annotations

import doctest
import gc
import threading
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import marrow
import marrow.session
from marrow import Accepted, Ending, Event, Session, Verdict

SOURCE = b"int f() { return 1; }\nint g() { h(2); return 3; }\n"


def contains(word: bytes, text: bytes) -> bool:
    return word in text


def session_threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "marrow-session"]


def test_examples_in_the_docstrings() -> None:
    failures, tests = doctest.testmod(marrow.session)
    assert tests > 0
    assert failures == 0


@settings(max_examples=25)
@given(st.sets(st.integers(0, 30), min_size=1, max_size=4), st.integers(0, 30))
def test_it_is_the_reduction_that_a_function_gets(needed: set[int], most: int) -> None:
    source = str(list(range(most + 1))).encode()
    words = [str(number).encode() for number in needed if number <= most]

    def test(text: bytes) -> bool:
        return all(word in text for word in words)

    asked = []
    with Session(source, language="json") as session:
        for candidate in session:
            asked.append(candidate)
            session.answer(test(candidate))
    result = session.stop()
    assert result.text == marrow.reduce(source, test, language="json", allow_empty=True).text
    assert result.text == session.best
    assert result.ending is Ending.FINISHED
    assert result.tests == len(asked) == len(set(asked))


def test_the_candidate_stays_until_it_is_answered() -> None:
    with Session(SOURCE, name="x.c") as session:
        first = session.next()
        assert first is not None
        assert session.next() == first
        session.answer(Verdict.UNRESOLVED)
        assert session.next() != first
        assert session.best == SOURCE


def test_the_best_is_there_at_once_and_events_come_in_the_callers_thread() -> None:
    events: list[Event] = []
    threads = set()

    def listen(event: Event) -> None:
        events.append(event)
        threads.add(threading.current_thread())

    with Session(SOURCE, name="x.c", on_event=listen) as session:
        for candidate in session:
            interesting = b"h(2)" in candidate
            session.answer(interesting)
            if interesting:
                assert session.best == candidate
    accepted = [event.after for event in events if isinstance(event, Accepted)]
    assert accepted[-1] == session.best
    assert threads == {threading.current_thread()}


def test_stopped_early() -> None:
    session = Session(SOURCE, name="x.c")
    assert session.next() is not None
    result = session.stop()
    assert result.text == SOURCE
    assert result.ending is Ending.INTERRUPTED
    assert session.next() is None
    assert session.stop() is result
    session.answer(True)
    assert session.best == SOURCE


def test_limits() -> None:
    with Session(SOURCE, name="x.c", max_tests=2) as session:
        for number, _ in enumerate(session):
            assert number < 2
            session.answer(False)
    assert session.stop().ending is Ending.LIMIT
    with Session(SOURCE, name="x.c", max_seconds=0.01) as session:
        while session.next() is not None:
            threading.Event().wait(0.02)
            session.answer(True)  # too late, once the time is up
    assert session.stop().ending is Ending.LIMIT


def test_nothing_to_answer() -> None:
    with Session(SOURCE, name="x.c") as session:
        assert session.next() is not None
        session.answer(False)
        assert session.next() is not None
    with pytest.raises(ValueError, match="no language called"), Session(b"x", language="nonesuch"):
        pass


def test_a_caller_that_cannot_run_the_test() -> None:
    with Session(SOURCE, name="x.c") as session:
        assert session.next() is not None
        session.answer(Verdict.ERROR)
        assert session.next() is None
    assert session.stop().ending is Ending.TEST_FAILED


def test_resumed_from_the_journal(tmp_path: Path) -> None:
    journal = tmp_path / "journal"
    asked = []
    with Session(SOURCE, name="x.c", journal=journal) as session:
        for candidate in session:
            asked.append(candidate)
            session.answer(b"h(2)" in candidate)
            if len(asked) == 5:
                break
        best = session.best
    with Session(SOURCE, name="x.c", journal=journal) as session:
        first = session.next()
        assert session.best == best
        assert first not in asked
        for candidate in session:
            asked.append(candidate)
            session.answer(b"h(2)" in candidate)
    assert len(asked) == len(set(asked))
    assert session.best == marrow.reduce(SOURCE, lambda text: b"h(2)" in text, name="x.c").text
    with pytest.raises(marrow.JournalError, match="input"):
        Session(b"another", journal=journal)


def test_a_session_that_is_dropped_leaves_no_thread() -> None:
    session = Session(SOURCE, name="x.c")
    assert session.next() is not None
    (thread,) = session_threads()
    del session
    gc.collect()
    thread.join(10)
    assert not thread.is_alive()


def test_several_at_once() -> None:
    sessions = {word: Session(SOURCE, name="x.c") for word in (b"f()", b"h(2)", b"return 3")}
    waiting = set(sessions)
    while waiting:
        for word in sorted(waiting):
            candidate = sessions[word].next()
            if candidate is None:
                waiting.discard(word)
            else:
                sessions[word].answer(word in candidate)
    for word, session in sessions.items():
        alone = marrow.reduce(SOURCE, partial(contains, word), name="x.c")
        assert session.best == alone.text
