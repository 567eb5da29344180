"""The promise of `--anonymize`: the table says which words of the input are left."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import marrow
from marrow.base.errors import UsageError
from marrow.cli.messages import kept_word_lines
from marrow.run.output.result import Result
from marrow.syntax.bundle import read_bundle

JAVASCRIPT = """\
// Written by Ada Lovelace for Initech, ticket 48151
const customerTable = { password: "hunter2", limit: 48151 };
function chargeCustomer(account, amount) {
    if (account.limit > amount) { throw new Error("overdrawn: " + account.password); }
    return [account, amount, [customerTable]];
}
chargeCustomer(customerTable, 90210);
"""
PYTHON = """\
# Payroll of Initech, see ticket 48151
class PayrollEntry:
    '''What an employee gets.'''
    def salary_of(self, employee, bonus=90210):
        return employee.base_salary + bonus  # never above Lumbergh's

def print_payroll(entries):
    for entry in entries:
        print("salary of", entry.name, entry.salary_of(entry))
"""
C = """\
/* Initech reactor firmware, revision 48151 */
#include <stdio.h>
struct reactor_state { int coolant_level; long serial; };
static int open_valve(struct reactor_state *state, int pressure) {
    while (state->coolant_level < pressure) { state->coolant_level += 90210; }
    printf("valve opened by %s\\n", "Lumbergh");
    return state->coolant_level;
}
"""
SQL = """\
-- Initech accounts, ticket 48151
SELECT customer_name, SUM(balance) FROM secret_accounts
WHERE branch = 'Lumbergh street' AND balance > 90210 GROUP BY customer_name;
"""
JSON = """\
{"customer": {"name": "Ada Lovelace", "cards": [4815162342, 90210]},
 "history": [{"bought": "reactor", "price": 48151}, {"bought": "valve", "price": null}]}
"""
TEXT = "Dear Ada, the reactor of Initech <<leaks 48151 liters>> near (valve 90210). Lumbergh\n"


def finds(expression: str) -> Callable[[bytes], bool]:
    return lambda text: re.search(expression.encode(), text, re.DOTALL) is not None


def words_of(text: str) -> Counter[str]:
    """Return the words that can give something away."""
    return Counter(word for word in re.findall(r"\w+", text) if len(word) > 1)


def shared(source: str, result: str) -> Counter[str]:
    """Return the words of a result that the input has, or has parts of."""

    def one_in_other(one: str, other: str) -> bool:
        short, long = sorted((one.casefold(), other.casefold()), key=len)
        return short == long or (len(short) > 2 and short in long)

    before = words_of(source)
    found = words_of(result)
    return Counter({one: found[one] for one in found if any(one_in_other(one, b) for b in before)})


def reduced(source: str, name: str, test: Callable[[bytes], bool]) -> Result:
    result = marrow.reduce(source, test, name=name, anonymize=True)
    assert test(result.text)
    assert result.verified
    return result


# Structures, with the words of the language in them; no word of the input is asked for.
STRUCTURES = [
    ("x.js", JAVASCRIPT, r"if *\(.+>.+\).*throw new \w+\(\"[^\"]+\"", {"if", "throw", "new"}),
    ("x.js", JAVASCRIPT, r"//[^\n]*\w+ \w+.*\{ *\w+: *\"\w+\"", {"const"}),
    ("x.py", PYTHON, r"class \w+.*def \w+\(\w+, \w+, \w+=\d\d\d\d\d\)", {"class", "def", "pass"}),
    ("x.py", PYTHON, r"for (\w+) in \w+:.*\(\"[^\"]+\", \1\.\w+", {"for", "in"}),
    ("x.c", C, r"struct \w+ *\{.*long \w+; *\}.*while *\(", {"struct", "long", "while", "int"}),
    ("x.c", C, r"/\*.*\w\w+.*\*/.*\(\"[^\"]*%s", {"int", "void"}),
    ("x.sql", SQL, r"SELECT.*\w+\(\w+\).*FROM.*'[^']{5,}'", {"SELECT", "FROM", "WHERE", "AND"}),
    ("x.json", JSON, r"\"\w+\": *\[.*null", {"null"}),
    ("x.json", JSON, r"\"\w{4,}\": *\d{6,}|\[\d{6,}", set()),
    ("x.unknown", TEXT, r"<<\w+ \d\d\d+ \w+>>.*\(.+\)", set()),
]


@pytest.mark.parametrize(("name", "source", "expression", "language"), STRUCTURES)
def test_nothing_stays_where_a_structure_fails(
    name: str, source: str, expression: str, language: set[str]
) -> None:
    result = reduced(source, name, finds(expression))
    assert result.kept_words == []
    assert set(shared(source, result.text.decode())) <= language
    assert kept_word_lines(result) == ["  words of the input in the result: none"]


NEEDED = [
    ("x.js", JAVASCRIPT, r"hunter2.*chargeCustomer\("),
    ("x.py", PYTHON, r"def salary_of.*Lumbergh"),
    ("x.c", C, r"printf.*90210|90210.*printf"),
    ("x.sql", SQL, r"secret_acc.*90210"),
    ("x.json", JSON, r"Lovel.*actor"),
    ("x.unknown", TEXT, r"Initech.*90210"),
]


@pytest.mark.parametrize(("name", "source", "expression"), NEEDED)
def test_the_table_is_all_that_stays(name: str, source: str, expression: str) -> None:
    result = reduced(source, name, finds(expression))
    assert result.kept_words
    table = {one.word: one.times for one in result.kept_words}
    found = shared(source, result.text.decode())
    own = {"function", "def", "int", "return", "SELECT", "FROM", "WHERE", "include"}
    assert table == {word: times for word, times in found.items() if word in table}
    assert set(found) - set(table) <= own
    asked = set(re.findall(r"\w{3,}", expression))
    assert all(any(one in word for one in asked) or word in own for word in table)


def test_a_word_that_looks_like_an_escape_is_listed() -> None:
    """What the parser takes apart is still a word of the input."""
    result = reduced('x = "\\u0041secret"\n', "x.py", finds(r"u0041secret"))
    assert [one.word for one in result.kept_words or ()] == ["u0041secret"]


def test_mentions_go_one_by_one() -> None:
    """A word that must stay in one place goes in the others."""
    source = "[needle, needle, needle]\n"
    result = reduced(source, "x.unknown", finds(r"\[\w+, needle, \w+\]"))
    assert [(one.word, one.times) for one in result.kept_words or ()] == [("needle", 1)]


def test_several_files(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("secret_name = 48151\n")
    (tmp_path / "two.py").write_text("from one import secret_name\nprint(secret_name)\n")

    def both(bundle: bytes) -> bool:
        texts = {one.name: one.content.decode() for one in read_bundle(bundle)}
        one, two = texts.get("one.py", ""), texts.get("two.py", "")
        found = re.search(r"(\w+) ?= ?\d\d", one)
        return found is not None and f"({found[1]})" in two

    result = marrow.reduce(tmp_path, both, anonymize=True)
    left = "".join(text.decode() for text in result.files.values())
    assert "secret_name" not in left
    assert "48151" not in left


def test_utf_16() -> None:
    source = "\ufeff" + "secret: <<48151>>\n"

    def test(text: bytes) -> bool:
        return re.search(r"\w\w+: <<\d\d+>>", text.decode("utf-16", "ignore")) is not None

    result = marrow.reduce(source.encode("utf-16-le"), test, name="x.unknown", anonymize=True)
    assert result.kept_words == []
    assert test(result.text)


def test_the_result_is_the_same_with_more_workers() -> None:
    test = finds(r"hunter\d.*\(.*,.*\).*throw|throw.*90210")
    one, two = (
        marrow.reduce(JAVASCRIPT, test, name="x.js", anonymize=True, workers=workers)
        for workers in (1, 2)
    )
    assert (one.text, one.kept_words) == (two.text, two.kept_words)


def test_what_keeps_parts_excludes_it() -> None:
    with pytest.raises(UsageError, match="anonymize"):
        marrow.reduce("a b", finds("a"), name="x.unknown", anonymize=True, keep_names=True)
    with pytest.raises(UsageError, match="anonymize"):
        marrow.reduce("a b", finds("a"), name="x.unknown", anonymize=True, keep_lines=["1"])


def test_keywords_of_a_language_without_a_parser_are_no_words_of_the_input() -> None:
    source = "Require Import Secrets.\nLemma payroll : forall staff, staff = 3.\nAdmitted.\n"
    test = finds(r"Lemma \w+ *:.*forall \w+,.*staff")
    result = marrow.reduce(source, test, name="x.v", anonymize=True)
    assert [(one.word, one.in_test) for one in result.kept_words or ()] == [("staff", False)]
