"""The live page: who may ask for it, what it answers, and edits that a run goes on from."""

from __future__ import annotations

import http.client
import json
import re
import socket
import struct
import threading
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

import marrow
from marrow.engine.events import Accepted, Answer, Event, Noted, PhaseBegan, Tried
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.engine.verdict import Verdict
from marrow.reducers.pipeline.pipeline import strategy_of
from marrow.report import live
from marrow.report.forecast import Forecast
from marrow.report.live import LivePage
from marrow.run.reduction import Reduction
from marrow.syntax.views import view_of
from tests.report.test_html import run_of
from tests.report.test_progress import ATTEMPT


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Iterator[LivePage]:
    monkeypatch.setattr(live, "_LAST_LOOK", 0.0)
    journal = run_of(b"a b c d", [b"a b c", b"a"])
    with LivePage(journal, Control(), 4, 7) as page:
        yield page


def ask(page: LivePage, method: str, path: str, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", page.port, timeout=600)
    try:
        connection.request(method, path, headers=headers, body=b"" if method == "POST" else None)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_only_the_token_the_name_and_the_origin_get_an_answer(page: LivePage) -> None:
    token = page.address.rstrip("/").rpartition("/")[2]
    here = f"http://127.0.0.1:{page.port}"
    status, text = ask(page, "GET", f"/{token}/")
    assert status == 200
    assert "connect-src 'self'" in text
    for path in ("/", "/wrong/", f"/{token[:-1]}/", f"/{token}x/", "/state", "//state"):
        assert ask(page, "GET", path)[0] == 403, path
    assert ask(page, "GET", f"/{token}/", Host="evil.example")[0] == 403
    assert ask(page, "GET", f"/{token}/", Host=f"localhost:{page.port}")[0] == 200
    assert ask(page, "GET", f"/{token}/other")[0] == 404
    assert ask(page, "POST", f"/{token}/pause")[0] == 403
    assert ask(page, "POST", f"/{token}/pause", Origin="http://evil.example")[0] == 403
    assert ask(page, "POST", f"/{token}/pause", Origin="null")[0] == 403
    assert not page.control.paused
    assert ask(page, "POST", f"/{token}/other", Origin=here)[0] == 404
    assert ask(page, "POST", f"/{token}/pause", Origin=here) == (200, '{"answer": "paused"}')
    assert page.control.paused
    assert ask(page, "POST", f"/{token}/stop", Origin=here)[0] == 200
    assert page.control.stopped


def test_a_wish_needs_no_body(page: LivePage) -> None:
    """`curl -X POST` sends no length; a body of unknown length is refused."""
    token = page.address.rstrip("/").rpartition("/")[2]
    for header, status in (("", b" 200 "), ("Transfer-Encoding: chunked\r\n", b" 411 ")):
        with socket.create_connection(("127.0.0.1", page.port), timeout=600) as raw:
            here = f"127.0.0.1:{page.port}"
            raw.sendall(
                f"POST /{token}/pause HTTP/1.1\r\nHost: {here}\r\nOrigin: http://{here}\r\n"
                f"{header}\r\n".encode()
            )
            assert status in raw.recv(100)
    assert page.control.paused


def test_the_state_says_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_LAST_LOOK", 0.0)
    journal = run_of(b"a b c d", [b"a b c", b"a"])
    limit = Forecast((), 4, most_tests=4)
    with LivePage(journal, Control(), 4, 7, forecast=limit) as page:
        assert page.state()["left"] == ""  # the pace is not known yet
        failed = Tried(Answer.TEST, Verdict.NOT_INTERESTING, ATTEMPT)
        for _ in range(3):
            page(failed)
        assert page.state()["left"] == "a few seconds left"
    with LivePage(journal, Control(), 4, 7, seconds=1000) as page:
        assert re.fullmatch(r"\d+ s left at most", str(page.state()["left"]))


def test_what_has_changed_is_sent_once(page: LivePage) -> None:
    token = page.address.rstrip("/").rpartition("/")[2]
    page(PhaseBegan("deleting \x1b[31m"))
    state: dict[str, Any] = json.loads(ask(page, "GET", f"/{token}/state?after=0")[1])
    assert state["phase"] == "deleting \\x1b[31m"
    assert len(state["data"]["steps"]) == 2
    again = json.loads(ask(page, "GET", f"/{token}/state?after={state['version']}")[1])
    assert "data" not in again


def reduced(
    journal: Journal, proposed: list[bytes], text: bytes, *, back: bool = False
) -> tuple[bytes, list[str]]:
    """Reduce a text; propose edits one after the other while it is paused."""
    control = Control()
    control.paused = bool(proposed)
    executor = CallableExecutor(lambda one: b"needle" in one and b"keep" in one, 1)
    answers: list[str] = []

    def propose() -> None:
        for edit in proposed:
            answers.append(control.propose(edit, back=back).answer(20))
        control.paused = False

    person = threading.Thread(target=propose)
    person.start()
    try:
        reduction = Reduction(
            text=text,
            view=view_of("a.js", text),
            strategy=strategy_of(passes="none"),
            executor=executor,
            journal=journal,
            control=control,
        )
        result = reduction.run()
    finally:
        control.stopped = True
        person.join()
        executor.close()
    return result.text, answers


def test_an_edit_is_tested_and_taken_and_taken_again_when_resumed() -> None:
    text = b"f(1);\nif (a) { needle(); }\ng(keep);\nh(2);\n"
    journal = Journal.in_memory()
    edits = [text + b"x", b"needle", b"keep;needle\n"]
    result, answers = reduced(journal, edits, text)
    assert [one.partition(":")[0] for one in answers] == [
        "It is not smaller",
        "It was tested and is not interesting",
        "Taken",
    ]
    # Without the edit, the order of the input is kept.
    assert result == b"keep;needle\n"
    assert reduced(Journal.in_memory(), [], text)[0].index(b"needle") == 0
    steps = [step.phase for step in journal.history.steps]
    assert "your edit" in steps
    taken = [step.after for step in journal.history.steps]
    assert reduced(journal, [], text)[0] == result
    assert [step.after for step in journal.history.steps] == taken


def test_a_program_is_told_the_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_LAST_LOOK", 0.0)
    found: list[bytes] = []

    def look(event: Event) -> None:
        if isinstance(event, Accepted) and not found:
            found.append(urllib.request.urlopen(addresses[0], timeout=600).read())
        elif isinstance(event, Noted) and event.message.startswith("live: "):
            addresses.append(event.message.removeprefix("live: "))

    addresses: list[str] = []
    marrow.reduce("[1, [2, 3]]", lambda text: b"3" in text, name="a.json", live=True, on_event=look)
    assert b'"live":{' in found[0]
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(addresses[0], timeout=600)


def test_going_back_is_repeated_when_resumed_and_loses_nothing() -> None:
    text = b"f(1);\nif (a) { needle(); }\ng(keep);\nh(2);\n"
    longer = b"keep(needle, 1);\n"
    journal = Journal.in_memory()
    # It was the best before, or the run would not be asked to go back to it.
    result, answers = reduced(journal, [longer], text, back=True)
    assert answers == ["The run continues from 7 tokens."]
    assert result == b"keep(needle)\n"
    phases = [step.phase for step in journal.history.steps]
    assert phases[0] == "going back"
    taken = [step.after for step in journal.history.steps]
    assert reduced(journal, [], text)[0] == result
    assert [step.after for step in journal.history.steps] == taken


def test_nonsense_says_nothing_on_the_terminal(
    page: LivePage, capfd: pytest.CaptureFixture[str]
) -> None:
    token = page.address.rstrip("/").rpartition("/")[2]
    head = f"Host: 127.0.0.1:{page.port}\r\n"
    here = f"Origin: http://127.0.0.1:{page.port}\r\n"
    for asked in (
        "\x16\x03\x01\x02",
        "GET",
        f"GET /{token}/state?after=\xb2 HTTP/1.1\r\n{head}\r\n",
        f"GET /{token}/state?after={'9' * 5000} HTTP/1.1\r\n{head}\r\n",
        f"POST /{token}/edit HTTP/1.1\r\n{head}{here}Content-Length: \xb2\r\n\r\n",
        f"POST /{token}/edit HTTP/1.1\r\n{head}{here}Content-Length: 9\r\n\r\nx",
        f"GET /{token}/ HTTP/1.1\r\n{head}\r\n" * 50,
    ):
        with socket.create_connection(("127.0.0.1", page.port), timeout=600) as connection:
            # A reader that is gone before it has an answer.
            reset = struct.pack("ii", 1, 0)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
            connection.sendall(asked.encode("latin-1"))
    assert ask(page, "GET", f"/{token}/")[0] == 200
    assert capfd.readouterr().err == ""
