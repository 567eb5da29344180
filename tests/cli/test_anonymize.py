"""`marrow reduce --anonymize` in the terminal, as JSON, with a command, and when it is resumed."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema

from marrow.schemas import schema_text
from tests.cli.running import executable, marrow

SECRET = """\
# salaries of Initech, ticket 48151
def salary_of(employee):
    return employee.needle + 90210


print(salary_of(None))
"""


def prepare(work: Path) -> None:
    (work / "secret.py").write_text(SECRET)
    executable(work / "looks.sh", """grep -qE 'def [a-z_]+.*' "$1" && grep -qE 'needle' "$1" """)


def test_the_table(work: Path) -> None:
    prepare(work)
    ended = marrow("reduce", "secret.py", "looks.sh", "--anonymize", "-o", "small.py")
    assert ended.code == 0
    after = ended.out.partition("words of the input in the result, and how often:\n")[2]
    assert after.splitlines() == ["    needle  1  named by the test or failure"]
    left = (work / "small.py").read_text()
    assert not any(word in left for word in ("salary", "employee", "Initech", "90210", "48151"))


def test_a_command_and_its_record(work: Path) -> None:
    prepare(work)
    executable(
        work / "tool.sh", 'grep -q "pay_out.*needle" "$1" && { echo "bad: call" >&2; exit 3; }'
    )
    (work / "secret.py").write_text("pay_out(salary.needle, 90210, call)  # ticket\n")
    command = ("--anonymize", "--json", "--", "./tool.sh", "{}")
    record = json.loads(marrow("reduce", "secret.py", *command).out)
    jsonschema.validate(record, json.loads(schema_text("result")))
    # The message of the failure names neither of them, and grep looks for both.
    assert [one["word"] for one in record["kept_words"]] == ["needle", "pay_out"]
    assert not any(one["in_test"] for one in record["kept_words"])
    assert record["text"].encode() == Path(record["output"]).read_bytes()
    assert record["contrasts"] == []


def test_a_resumed_run_ends_alike(work: Path) -> None:
    prepare(work)
    words = ("reduce", "secret.py", "looks.sh", "--anonymize", "--json", "-o", "small.py")
    first = json.loads(marrow(*words).out)
    again = json.loads(marrow(*words, "--resume").out)
    same = ("text", "kept_words", "guarantee", "tokens_after", "bytes_after")
    assert {name: again[name] for name in same} == {name: first[name] for name in same}
    assert again["cached"] > first["cached"]
    cut = json.loads(marrow(*words, "--max-tests", "5", "--force").out)
    assert cut["kept_words"] != []
    assert json.loads(marrow(*words, "--resume").out)["text"] == first["text"]


def test_with_what_keeps_parts(work: Path) -> None:
    prepare(work)
    ended = marrow("reduce", "secret.py", "looks.sh", "--anonymize", "--keep-names")
    assert ended.code == 2
    assert "--anonymize" in ended.err
    assert "Traceback" not in ended.err
