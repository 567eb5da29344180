#!/usr/bin/env python3
"""A test for `marrow abstract`: objects with the same key twice, which most readers let pass.

Exits with 0 if an object has a key twice, 125 if the file is not JSON, 1 if all is well.
"""

import json
import sys


def check(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Raise `KeyError` if a key stands there twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise KeyError
    return found


try:
    with open(sys.argv[1], encoding="utf-8") as file:
        json.load(file, object_pairs_hook=check)
except KeyError:
    sys.exit(0)
except (ValueError, RecursionError):
    sys.exit(125)
sys.exit(1)
