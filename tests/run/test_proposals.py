"""`--propose`: what a program proposes is tested as any candidate, journaled and never trusted."""

from __future__ import annotations

import http.server
import json
import sys
import threading
from pathlib import Path

import pytest

from marrow.run.plan.proposer import ProposingCommand
from tests.cli.running import executable, marrow

EXAMPLES = Path(__file__).parents[2] / "examples/propose"
#: A test that only a program that knows what it is about can satisfy with less.
ODD = 'python3 - "$1" <<"E"\nimport sys\nsys.exit(eval(open(sys.argv[1]).read()) != 43956)\nE'
ANSWER = "sum(range(297))\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "answer.py").write_text(ANSWER)
    executable(tmp_path / "test.sh", ODD)
    return tmp_path


def proposing(here: Path, body: str) -> str:
    path = here / "proposer.py"
    path.write_text(f"import json, sys\nquestion = json.loads(sys.stdin.readline())\n{body}\n")
    return f"{sys.executable} {path}"


def reduced(*words: str) -> dict[str, object]:
    ended = marrow("reduce", "answer.py", "test.sh", "--json", *words)
    assert ended.code == 0, ended.err
    record: dict[str, object] = json.loads(ended.out)
    return {**record, "said": ended.err}


def test_a_program_finds_what_no_pass_does(here: Path) -> None:
    assert reduced()["text"] != "43956\n"
    command = proposing(here, 'print(json.dumps({"text": "43956\\n"}))')
    one = reduced("--propose", command, "-j", "1", "-o", "one.py")
    two = reduced("--propose", command, "-j", "2", "-o", "two.py")
    assert one["text"] == two["text"] == "43956\n"


def test_the_example_rewrites(here: Path) -> None:
    program = ProposingCommand(f"{sys.executable} {EXAMPLES / 'rewrite.py'}")
    assert program.propose(b"f(1, g(2)) + 3*4", []) == [b"f(1, 2) + 3*4", b"f(1, g(2)) + 12"]
    assert reduced("--propose", f"{sys.executable} {EXAMPLES / 'rewrite.py'}")["verified"]


def test_a_resumed_run_asks_nothing_twice(here: Path) -> None:
    log = here / "log"
    body = f'open({str(log)!r}, "a").write("x"); print(json.dumps({{"text": "43956\\n"}}))'
    words = ("--propose", proposing(here, body))
    first = reduced(*words)
    asked = log.read_text()
    again = reduced(*words, "--resume")
    assert again["text"] == first["text"]
    assert log.read_text() == asked


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("sys.exit('no idea')", "exits with 1 and says: no idea"),
        ("print('{')", "not understood"),
        ("print(json.dumps({'text': 3}))", "not understood"),
        ("print(json.dumps({'edits': [{'start': 3, 'end': 999}]}))", "outside of the text"),
    ],
)
def test_a_program_that_fails_is_not_asked_again(here: Path, body: str, why: str) -> None:
    record = reduced("--propose", proposing(here, body))
    assert record["verified"]
    assert str(record["said"]).count("not asked for proposals any more") == 1
    assert why in str(record["said"])


def test_proposals_that_do_not_fail_change_nothing(here: Path) -> None:
    body = 'print(json.dumps({"text": "1"})); print(json.dumps({"text": "x" * 999}))'
    assert reduced("--propose", proposing(here, body))["text"] == reduced("-o", "n.py")["text"]


def test_bad_commands_are_refused(here: Path) -> None:
    for command in ("", "'"):
        ended = marrow("reduce", "answer.py", "test.sh", "--propose", command)
        assert ended.code == 2, ended.err
        assert "--propose" in ended.err
    assert reduced("--propose", "./no-such-program")["verified"]


def test_edits_become_texts(here: Path) -> None:
    edits = [{"start": 0, "end": 1, "new": "yy"}, {"start": 2, "end": 3}]
    body = f"print(json.dumps({{'edits': {edits}}}))"
    assert ProposingCommand(proposing(here, body)).propose(b"abc", []) == [b"yyb"]


class ChatModel(http.server.BaseHTTPRequestHandler):
    """Answers every question with the same block."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        answer = {"choices": [{"message": {"content": "Try:\n```python\n43956\n```\n"}}]}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: object) -> None:
        pass


def test_the_example_asks_a_chat_model(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = f"{sys.executable} {EXAMPLES / 'chat.py'}"
    assert reduced("--propose", command, "-o", "off.py")["text"] != "43956\n"
    server = http.server.HTTPServer(("127.0.0.1", 0), ChatModel)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        monkeypatch.setenv("MODEL_ENDPOINT", f"http://127.0.0.1:{server.server_port}/")
        assert reduced("--propose", command, "-o", "on.py")["text"] == "43956\n"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
