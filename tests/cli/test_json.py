"""What programs read: every command prints one record that follows its schema, errors included."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path
from typing import Any
from unittest import mock

import jsonschema
import pytest

from marrow.schemas import SCHEMAS, schema_text
from tests.cli.running import ALGORITHM, PATIENCE, Ended, end, executable, marrow, start


def strict(schema: Any) -> Any:
    """Return a schema that allows no keys but those it describes."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: strict(value) for key, value in schema.items()}
    # A schema of an object with keys; a table of properties may have a key called type, too.
    if inner.get("properties") and "object" in str(schema.get("type")):
        inner.setdefault("additionalProperties", False)
    return inner


def check(record: Any, name: str) -> None:
    """Check a record against its schema, to the letter."""
    jsonschema.validate(record, strict(json.loads(schema_text(name))))
    signature = record.get("failure", {}).get("signature") if name == "result" else None
    if signature is not None:
        check(signature, "signature")


def record_of(ended: Ended, name: str) -> dict[str, Any]:
    """Return the only line of standard output as a record."""
    (line,) = ended.out.splitlines()
    record: dict[str, Any] = json.loads(line)
    check(record, name)
    return record


def error_of(ended: Ended, kind: str, code: int) -> dict[str, Any]:
    """Return the error that a command prints; a person reads it on standard error."""
    error: dict[str, Any] = record_of(ended, "error")["error"]
    assert (error["kind"], error["exit"], ended.code) == (kind, code, code)
    assert error["message"]
    assert error["message"] in ended.err
    return error


def test_schemas_are_schemas() -> None:
    for name in SCHEMAS:
        jsonschema.Draft202012Validator.check_schema(json.loads(schema_text(name)))
        assert marrow("schema", name).out.strip() == schema_text(name).strip()


def test_a_result_says_all(work: Path) -> None:
    ended = marrow("reduce", "input.c", "--json", "--explain", "--", "grep", "needle", "{}")
    # grep exits with 0: that is what is kept.
    assert ended.code in (0, 5)
    executable(work / "tool.sh", 'grep -q needle "$1" && { echo "bad: needle" >&2; exit 3; }')
    command = ("--report", "r.html", "--", "./tool.sh", "{}")
    record = record_of(marrow("reduce", "input.c", "--json", *command), "result")
    assert record["text"].encode() == Path(record["output"]).read_bytes()
    assert record["cut"]
    assert record["ending"] == "finished"
    assert "bad: needle" in record["failure"]["evidence"][0]
    assert record["failure"]["signature"]["ends"] == 3
    assert record["on_result"] == {
        "exit_code": 3,
        "ending": "exit code 3",
        "output": "bad: needle\n",
    }
    assert Path(record["files"]["report"]).exists()
    assert os.system(f"{record['reproduce']} >/dev/null 2>&1") == 0


def test_a_budget_that_cuts_nothing_says_so(work: Path) -> None:
    words = ("reduce", "input.c", "test.sh", "--json", "--max-time", "0.001s")
    record = record_of(marrow(*words), "result")
    assert (record["cut"], record["ending"], record["exit"]) == (False, "limit", 0)
    assert record["stopped"]
    assert "--resume" in record["resume"]
    goal = record_of(marrow("reduce", "input.c", "test.sh", "--json", "--stop-at", "90%"), "result")
    assert (goal["cut"], goal["ending"], goal["resume"]) == (True, "goal", None)
    few = ("reduce", "input.c", "test.sh", "--json", "--max-tests", "1", *ALGORITHM)
    assert record_of(marrow(*few), "result")["ending"] == "limit"


def test_binary_results_have_no_text(work: Path) -> None:
    (work / "x.bin").write_bytes(b"\0\xff needle \0\1\2")
    assert record_of(marrow("reduce", "x.bin", "test.sh", "--json"), "result")["text"]
    command = "grep -qaP 'n\\x00' \"$1\""
    (work / "y.bin").write_bytes(b"aan\0bb")
    assert record_of(marrow("reduce", "y.bin", "--shell", command, "--json"), "result")["text"] is (
        None
    )


ERRORS = {
    "usage": (2, ("reduce", "input.c", "--json", "--no-such-option")),
    "input": (3, ("reduce", "missing.c", "test.sh", "--json")),
    "test": (4, ("reduce", "input.c", "missing.sh", "--json")),
    "not-interesting": (5, ("reduce", "input.c", "--shell", "echo oh; false", "--json")),
    "timeout": (5, ("reduce", "input.c", "--shell", "sleep 9", "--timeout", "0.1", "--json")),
    "flaky": (6, ("reduce", "input.c", "flaky.sh", "--flaky", "3/4", "-j", "1", "--json")),
    "empty-interesting": (7, ("reduce", "input.c", "--shell", "true", "--json")),
    "output": (8, ("reduce", "input.c", "test.sh", "-o", "none/out.c", "--json")),
    "journal": (9, ("reduce", "input.c", "test.sh", "--journal", "broken", "--resume", "--json")),
    "cluster": (11, ("reduce", "input.c", "test.sh", "--scheduler", "tcp://127.0.0.1:9", "--json")),
}


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_is_a_record(work: Path, kind: str) -> None:
    counter = 'n=$(cat "$0.n" 2>/dev/null || echo 0); echo $((n + 1)) > "$0.n"; [ $((n % 2)) = 0 ]'
    executable(work / "flaky.sh", counter)
    (work / "broken").write_text("not a journal")
    code, words = ERRORS[kind]
    if kind == "cluster":
        pytest.importorskip("distributed")
    error = error_of(marrow(*words), kind, code)
    if kind == "not-interesting":
        assert error["output"] == "oh\n"
    if kind not in ("usage", "cluster"):
        assert error["hint"]


def test_errors_of_other_commands_are_records(work: Path) -> None:
    (work / "crashes").mkdir()
    (work / "crashes" / "a").write_text("x")
    error_of(marrow("abstract", "missing.c", "test.sh", "--json"), "input", 3)
    error_of(marrow("match", "missing.json", "input.c", "--json"), "input", 3)
    error_of(marrow("produce", "missing.json", "--json"), "input", 3)
    error_of(marrow("triage", "crashes", "--json", "--", "true", "{}"), "not-interesting", 5)
    error_of(marrow("languages", "--json", "--oh"), "usage", 2)
    error_of(marrow("no-such-command", "--json"), "usage", 2)
    assert "error" not in marrow("reduce", "missing.c", "--", "true", "--json", "{}").out


def test_the_rarer_ends_are_records(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("reduce", "input.c", "test.sh", "--json")
    with monkeypatch.context() as patched:
        patched.setattr("shutil.which", lambda *_, **__: None)
        assert error_of(marrow(*words, "--sandbox"), "sandbox", 12)["hint"]
    for error, kind, code in (
        (MemoryError(), "memory", 13),
        (ZeroDivisionError("oh"), "internal", 70),
    ):
        with monkeypatch.context() as patched:
            patched.setattr("marrow.run.run.Run.reduce", mock.Mock(side_effect=error))
            record = error_of(marrow(*words), kind, code)
        assert (record["kind"], record["exit"]) == (kind, code)
        assert not (work / "input.reduced.c").exists()


def test_new_bugs_are_a_record(work: Path) -> None:
    for name in ("old", "new"):
        (work / name).mkdir()
        (work / name / "a").write_text(f"needle {name}")
    executable(work / "tool.sh", 'grep -q needle "$1" && { echo "bad: $(cat "$1")" >&2; exit 3; }')
    command = ("--", "./tool.sh", "{}")
    assert marrow("triage", "old", "-o", "bugs", "-q", *command).code == 0
    ended = marrow("triage", "old", "--known", "bugs", "-o", "again", "--json", *command)
    assert (ended.code, record_of(ended, "triage")["failing"]) == (0, 1)
    executable(work / "tool.sh", 'grep -q new "$1" && { echo "worse" >&2; exit 4; }')
    ended = marrow("triage", "new", "--known", "bugs", "-o", "third", "--json", *command)
    assert (ended.code, record_of(ended, "triage")["bugs"][0]["status"]) == (14, "new")


def test_examples_in_the_documents_follow_the_schemas() -> None:
    docs = Path(__file__).parents[2] / "docs"
    found = 0
    for page in docs.rglob("*.md"):
        for line in page.read_text().splitlines():
            if line.startswith(('{"schema": "marrow-', '{"event": ')):
                record = json.loads(line)
                check(record, "event" if "event" in record else record["schema"].split("-")[1])
                found += 1
    assert found > 3


def test_an_interrupted_run_prints_a_record(work: Path) -> None:
    # Runs on the input and on an empty file end at once; candidates wait for the signal.
    body = 'grep -q needle "$1" && exit; [ -s "$1" ] || exit 1; echo > "$0.waits"; sleep 60; exit 1'
    executable(work / "slow.sh", body)
    words = ("reduce", "input.c", "slow.sh", "--json", "--timeout", "60", "-j", "1", *ALGORITHM)
    process = start(*words, cwd=work)
    waited = time.monotonic() + PATIENCE
    while not (work / "slow.sh.waits").exists():
        assert process.poll() is None
        assert time.monotonic() < waited
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    ended = end(process)
    assert ended.code == 130
    (line,) = ended.out.splitlines()
    record = json.loads(line)
    check(record, "result" if "output" in record else "error")


def test_other_records(work: Path) -> None:
    check(json.loads(marrow("languages", "--json").out), "languages")
    check(json.loads(marrow("config", "--json").out), "options")
    (work / "calc.txt").write_text("1 + ((2 * 3 / 4))")
    executable(work / "double.sh", 'grep -q "((.*))" "$1"')
    words = ("calc.txt", "double.sh", "--grammar", "calculator", "--checks", "10", "--json")
    found = record_of(marrow("abstract", *words), "pattern")
    pattern = found["output"]
    assert record_of(marrow("produce", pattern, "-n", "2", "--json"), "inputs")["inputs"]
    (work / "yes.txt").write_text("((7))")
    (work / "no.txt").write_text("1")
    ended = marrow("match", pattern, "yes.txt", "no.txt", "none.txt", "--json")
    first, second, third = record_of(ended, "matches")["files"]
    assert (first["matches"], second["matches"], third["matches"]) == (True, False, False)
    assert ended.code == 3
    assert "none.txt" in ended.err


def test_triage_prints_a_record(work: Path) -> None:
    (work / "crashes").mkdir()
    (work / "crashes" / "a").write_text("needle 1")
    executable(work / "tool.sh", 'grep -q needle "$1" && { echo "bad: needle" >&2; exit 3; }')
    words = ("--json", "--events", "e", "-o", "bugs", "--", "./tool.sh", "{}")
    record = record_of(marrow("triage", "crashes", *words), "triage")
    (bug,) = record["bugs"]
    assert "needle" in bug["smallest"]
    assert events_in(work / "e")[-1] == "ended"


def events_in(path: Path) -> list[str]:
    """Return the names of the events in a file, each checked."""
    names = []
    for line in path.read_text().splitlines():
        record = json.loads(line)
        check(record, "event")
        names.append(record["event"])
    return names


def test_events_tell_a_run(work: Path) -> None:
    words = ("reduce", "input.c", "test.sh", "--json", "-o", "out.c")
    ended = marrow(*words, "--events", "e.jsonl", "--event-texts")
    names = events_in(work / "e.jsonl")
    assert (names[0], names[-1]) == ("started", "ended")
    assert {"phase", "improved", "note", "progress"} <= set(names)
    lines = [json.loads(line) for line in (work / "e.jsonl").read_text().splitlines()]
    improved = [line for line in lines if line["event"] == "improved"]
    assert improved[-1]["text"].encode().split() == (work / "out.c").read_bytes().split()
    assert lines[-1]["tokens"] == record_of(ended, "result")["tokens_after"]


def test_events_of_a_run_that_fails(work: Path) -> None:
    assert marrow("reduce", "input.c", "--shell", "false", "--events", "e").code == 5
    assert json.loads((work / "e").read_text().splitlines()[-1])["exit"] == 5


def test_events_go_to_a_descriptor(work: Path) -> None:
    reading, writing = os.pipe()
    words = ("reduce", "input.c", "test.sh", "--max-tests", "3", "-q", *ALGORITHM)
    assert marrow(*words, "--events", str(writing)).code == 0
    os.close(writing)
    with os.fdopen(reading) as stream:
        (work / "e").write_text(stream.read())
    assert events_in(work / "e")[-1] == "ended"


def test_a_reader_that_leaves_does_not_end_the_run(work: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    assert marrow("reduce", "input.c", "test.sh", "-q", "--events", str(writing)).code == 0
    os.close(writing)


def test_events_do_not_replace_files_of_the_user(work: Path) -> None:
    words = ("reduce", "input.c", "test.sh", "-q", "--events")
    assert marrow(*words, "input.c").code == 8
    assert "needle" in (work / "input.c").read_text()
    error = marrow(*words, "99")
    assert error.code == 2
    assert "descriptor" in error.err


def test_standard_output_holds_the_result_alone(work: Path) -> None:
    ended = end(start("reduce", "input.c", "test.sh", "-o", "-", cwd=work))
    assert ended.out == (work / "input.reduced.c").read_text()
