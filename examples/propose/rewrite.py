#!/usr/bin/env python3
"""A program for `marrow reduce --propose`: it proposes texts by simple rewriting.

marrow sends one JSON line: the text, and what was proposed for it in vain. Every line that this
prints is a proposal; marrow tests those that are smaller. Here: calls become their last argument,
and arithmetic on numbers becomes its value.

    marrow reduce crash.py --propose 'python3 examples/propose/rewrite.py' -- python3 {}
"""

import json
import re
import sys

CALL = re.compile(r"\b\w+\(([^()]*)\)")
SUM = re.compile(r"\b(\d+) *([-+*]) *(\d+)\b")
VALUES = {
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
    "*": lambda one, other: one * other,
}

question = json.loads(sys.stdin.readline())
text, failed = question["text"], set(question["failed"])

for found in CALL.finditer(text):
    last = found[1].split(",")[-1].strip()
    proposal = text[: found.start()] + last + text[found.end() :]
    if proposal not in failed:
        print(json.dumps({"text": proposal}))

for found in SUM.finditer(text):
    value = VALUES[found[2]](int(found[1]), int(found[3]))
    print(json.dumps({"edits": [{"start": found.start(), "end": found.end(), "new": str(value)}]}))
