"""The cases on which the published setting is compared with Picireny: inputs, grammars and tests.

`DEVELOPED` are those that the setting was written with. `CHECKED` are ten others, which were
written down before the setting was first run on any of them, and have changed nothing in it. Tests
are functions, so that both programs see the same verdicts in no time.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class PicirenyCase:
    """An input, the shipped grammar that describes it, and its test."""

    name: str
    grammar: str
    text: str
    test: Callable[[str], bool]


def _squeezed(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _all(*patterns: str) -> Callable[[str], bool]:
    """Return the test that all patterns are found, in this order or another, white space aside."""
    compiled = [re.compile(one) for one in patterns]
    return lambda text: all(one.search(_squeezed(text)) for one in compiled)


def _c(*patterns: str) -> Callable[[str], bool]:
    """Return such a test for C in which moreover every function that is called is known."""
    found = _all(*patterns)

    def test(text: str) -> bool:
        if not found(text) or text.count("{") != text.count("}"):
            return False
        defined = set(re.findall(r"\b\w+\s+\**(\w+)\s*\([^()]*\)\s*\{", text))
        called = set(re.findall(r"\b(\w+)\s*\(", text))
        known = {"printf", "if", "while", "for", "switch", "return", "sizeof"}
        return called <= defined | known

    return test


def _json(check: Callable[[Any], bool]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            return check(json.loads(text))
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
            return False

    return test


def _sqlite(check: Callable[[list[tuple[object, ...]]], bool], query: str) -> Callable[[str], bool]:
    """Return the test that a script runs, and that a query on what it leaves gives something."""

    def test(text: str) -> bool:
        connection = sqlite3.connect(":memory:")
        try:
            connection.executescript(text)
            return check(connection.execute(query).fetchall())
        except (sqlite3.Error, sqlite3.Warning, ValueError):
            return False
        finally:
            connection.close()

    return test


def _balanced(*patterns: str) -> Callable[[str], bool]:
    found = _all(*patterns)

    def test(text: str) -> bool:
        depth = 0
        for character in text:
            depth += {"(": 1, ")": -1}.get(character, 0)
            if depth < 0:
                return False
        return depth == 0 and found(text)

    return test


DEVELOPED: Final = (
    PicirenyCase(
        "hello", "c", 'int main() { if (1) printf("Hello world!"); }\n',
        _c(r"main\(\)\{.*printf\(\"Helloworld!\"\);.*\}"),
    ),
    PicirenyCase(
        "loops", "c",
        """int g; static int unused(int a, int b) { return a * b + g; }
int twice(int x) { int y = x + x; if (y > 10) { y = y - 1; } return y; }
int main(void) {
    int i, total = 0;
    for (i = 0; i < 10; i++) {
        while (total < 100) { total += twice(i) + unused(i, 2); }
        if (total % 2 == 0) { printf("even %d", total); } else printf("odd");
    }
    return total;
}
""",
        _c(r"main\(.*\)\{.*printf\(\"even%d\",\w+\)", r"twice\("),
    ),
    PicirenyCase(
        "settings", "json",
        '{"a": [1, 2, {"b": [3, [4, [5, 6]]]}], "c": {"d": null, "e": {"f": "target"}}, "g": true}',
        _json(lambda value: "target" in str(value) and "5" in str(value)),
    ),
    PicirenyCase(
        "totals", "sqlite",
        """CREATE TABLE t(a integer PRIMARY KEY, b text, c real);
INSERT INTO t VALUES (1, 'x', 2.5), (2, 'y', 3.5), (3, 'z', 4.5);
CREATE INDEX i ON t(b);
CREATE TABLE u AS SELECT a, sum(c) AS s FROM t WHERE b <> 'q' GROUP BY a ORDER BY s DESC;
DELETE FROM t WHERE a > 2 AND b IN ('z', 'w');
""",
        _sqlite(lambda rows: len(rows) >= 3, "SELECT * FROM u"),
    ),
)  # fmt: skip

CHECKED: Final = (
    PicirenyCase(
        "ledger", "c",
        """struct entry { int amount; char kind; struct entry *next; };
static int limit = 100; int counts[4] = { 1, 2, 3, 4 };
int sign(int x) { if (x < 0) return -1; else if (x > 0) { return 1; } return 0; }
int clamp(int x, int low, int high) { return x < low ? low : (x > high ? high : x); }
int sum(struct entry *head) {
    int total = 0; struct entry *at;
    for (at = head; at; at = at->next) {
        switch (at->kind) { case 'd': total -= at->amount; break; default: total += at->amount; }
        if (total > limit) { total = clamp(total, 0, limit); continue; }
        do { total = total + sign(total); } while (total < 0);
    }
    return total;
}
int main(void) { struct entry e = { 5, 'c', 0 }; printf("%d", sum(&e)); return sign(counts[2]); }
""",
        _c(r"total=clamp\(", r"->next", r"printf\(\"%d\",sum\("),
    ),
    PicirenyCase(
        "nested", "c",
        """int f(int n) { while (n) { if (n > 3) { { n = n - 2;
 { if (n == 7) { printf("seven"); } } } }
 else { n--; } } return n; }
int g(int a, int b) { return f(a + b) * (f(a) - (f(b) + ((a)))); }
int main() { int x = g(1, (2 + (3 * (4)))); return x ? g(f(x), 0) : f(f(f(1))); }
""",
        _c(r"printf\(\"seven\"\)", r"main\(\)"),
    ),
    PicirenyCase(
        "pointers", "c",
        """typedef unsigned long size; extern int table[2][3]; int *p, **q;
static size measure(const char *s) { size n = 0; while (*s++) n += 1; return n; }
int pick(int i, int j) { int k = table[i][j]; p = &k; q = &p; return **q + (int) sizeof(size); }
int main(void) { int r = pick(1, 2) << 3 | 4; goto end;
 r = r ^ 0x10; end: return (int) measure("x"); }
""",
        _c(r"\*\*q", r"end:return", r"pick\("),
    ),
    PicirenyCase(
        "manifest", "json",
        """{"name": "demo", "versions": [{"id": 1, "tags": ["a", "b"], "deep":
 {"x": {"y": [[], [1, [2, [3]]]]}}}, {"id": 2, "tags": [], "deep": null}, {"id": 3, "tags": ["z"]}],
 "flags": {"on": true,
 "off": false, "more": [0, -1, 2.5e3, "text"]}, "end": ""}""",
        _json(lambda value: '"id": 3' in json.dumps(dict(value)["versions"])),
    ),
    PicirenyCase(
        "matrix", "json",
        '[[1, 2, [3, 4]], [[5, [6, 7, [8, {"k": [9, 10]}]]], 11],'
        ' {"m": {"n": [12, [13, 14]]}}, [[[[15]]]]]',
        _json(lambda value: json.dumps(value).count("[") > 4 and "13" in json.dumps(value)),
    ),
    PicirenyCase(
        "orders", "sqlite",
        """CREATE TABLE customers(id integer PRIMARY KEY, name text NOT NULL,
 city text DEFAULT 'here');
CREATE TABLE orders(id integer, customer integer, amount real CHECK (amount >= 0));
INSERT INTO customers(id, name) VALUES (1, 'ann'), (2, 'bob');
INSERT INTO orders VALUES (10, 1, 9.5), (11, 1, 0.5), (12, 2, 7);
CREATE VIEW big AS SELECT c.name, sum(o.amount) AS total FROM customers c JOIN orders o
  ON o.customer = c.id WHERE o.amount > 0.1 AND (c.name LIKE 'a%' OR c.city = 'here')
  GROUP BY c.name HAVING total > 1 ORDER BY total LIMIT 5;
UPDATE orders SET amount = amount + 1 WHERE id BETWEEN 10 AND 11;
""",
        _sqlite(lambda rows: any(row[-1] == 12.0 for row in rows), "SELECT * FROM big"),
    ),
    PicirenyCase(
        "triggers", "sqlite",
        """CREATE TABLE log(message text);
CREATE TABLE a(x, y);
CREATE TRIGGER noted AFTER INSERT ON a WHEN new.x > 1 BEGIN
  INSERT INTO log VALUES ('got ' || new.y); DELETE FROM log WHERE message IS NULL; END;
INSERT INTO a VALUES (1, 'one'), (2, 'two'), (3, CASE WHEN 1 < 2 THEN 'three' ELSE 'four' END);
INSERT INTO a SELECT x + 1, y FROM a WHERE y <> 'one' AND x NOT IN (7, 8);
""",
        _sqlite(lambda rows: ("got three",) in rows, "SELECT * FROM log"),
    ),
    PicirenyCase(
        "solver", "smtlib",
        """(set-logic QF_LIA)
(declare-fun x () Int) (declare-fun y () Int) (declare-const z Bool)
(define-fun f ((a Int) (b Int)) Int (ite (> a b) (- a b) (+ a (* 2 b))))
(assert (and (or z (< x (+ y 3))) (=> z (= (f x y) (let ((k (+ x 1))) (* k k))))))
(push 1) (assert (not (= x (- 5)))) (check-sat) (pop 1) (get-model)
(exit)
""",
        _balanced(r"\(let\(", r"\(check-sat\)"),
    ),
    PicirenyCase(
        "lists", "smtlib",
        """(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
(declare-fun l () L) (declare-fun m () (Array Int Bool))
(assert (forall ((i Int) (j Int)) (=> (< i j) (or (select m i) (not (select m j)) (= i 0)))))
(assert (! (= (head (tail l)) (+ 1 (head l) (ite (select m 4) 2 3))) :named deep))
(check-sat)
""",
        _balanced(r"\(tail", r"select"),
    ),
    PicirenyCase(
        "closures", "lua",
        """local function counter(start, step)
  local n = start or 0
  return function(times) for i = 1, times or 1 do n = n + (step or 1) end return n end
end
local t = { a = 1, ["b"] = { 2, 3, { c = "deep" } }, counter(1, 2),
 [4] = function(...) return ... end }
while t.a < 10 do if t.a % 2 == 0 then t.a = t.a + 3 elseif t.a == 7
 then break else t.a = t.a + 1 end end
repeat local x = t.b[3].c .. "er" print(x, #x, not t[4]) until true
return t[1](5) + counter(2)(3)
""",
        _all(r"elseift\.a==", r"\"deep\""),
    ),
)  # fmt: skip
