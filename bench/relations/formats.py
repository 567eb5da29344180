"""Cases in formats that real readers know: SAT, matrices, images, HTTP, JSON, C and more."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any, Final

from bench.relations.case import Case, InvalidError, Reader, need, rows
from bench.relations.contests import ints, letters


def said(command: Sequence[str], text: bytes, suffix: str = ".txt") -> str:
    """Return what a program says of a file, with its exit code at the end."""
    if shutil.which(command[0]) is None:
        raise FileNotFoundError(command[0])
    with tempfile.TemporaryDirectory(prefix="relations-") as place:
        file = Path(place) / f"input{suffix}"
        file.write_bytes(text)
        whole = [*command, str(file)]
        done = subprocess.run(whole, capture_output=True, timeout=20, check=False)
    return f"{(done.stdout + done.stderr).decode('utf-8', 'replace')}\nexit {done.returncode}"


def strict(read: Callable[[bytes], bool]) -> Callable[[bytes], bool]:
    """Return a test that is false for whatever its reader does not take."""

    def fails(text: bytes) -> bool:
        try:
            return read(text)
        except (InvalidError, ValueError, KeyError, IndexError, TypeError, OSError, SyntaxError):
            return False

    return fails


def clauses(random: Random, variables: int, count: int) -> str:
    found = [
        [one * random.choice((1, -1)) for one in random.sample(range(1, variables + 1), 3)] + [0]
        for _ in range(count)
    ]
    return f"c made at random\np cnf {variables} {count}\n" + rows(found)


def unsatisfiable(text: bytes) -> bool:
    """minisat says so, and does not complain of the header."""
    output = said(["minisat", "-verb=1"], text)
    bad = "mismatch" in output or "PARSE ERROR" in output
    return output.endswith("exit 20") and not bad


def units_conflict(text: bytes) -> bool:
    """A strict reader of our own; the failure is a clause that has a variable both ways."""
    reader = Reader(text)
    line = reader.words()
    while line[0] == "c":
        line = reader.words()
    need(line[:2] == ["p", "cnf"] and len(line) == 4)
    n, m = int(line[2]), int(line[3])
    found = [reader.ints(None, -n, n) for _ in range(m)]
    reader.end()
    need(all(one[-1] == 0 and 0 not in one[:-1] for one in found))
    return any(-x in one for one in found for x in one[:-1])


def market(random: Random) -> str:
    cells = random.sample(range(40 * 30), 300)
    lines = "".join(f"{c // 30 + 1} {c % 30 + 1} {random.randint(-99, 99)}\n" for c in cells)
    return f"%%MatrixMarket matrix coordinate integer general\n40 30 300\n{lines}"


def negative_trace(text: bytes) -> bool:
    mmread: Any = import_module("scipy.io").mmread
    return bool(
        mmread(io.BytesIO(text)).diagonal().sum() < 0 or mmread(io.BytesIO(text)).min() < -90
    )


def grey(random: Random) -> str:
    return "P2\n48 40\n255\n" + rows(ints(random, 48, 0, 255) for _ in range(40))


def dark(text: bytes) -> bool:
    """Pillow reads all pixels, exactly as many as there are; one of them is dark."""
    image = import_module("PIL.Image").open(io.BytesIO(text))
    image.load()
    words = text.split()
    need(words[0] == b"P2" and len(words) == 4 + image.width * image.height)
    return bool(min(image.getdata()) < 3)


def table(random: Random) -> str:
    head = "# " + " ".join(f"c{at}" for at in range(8)) + "\n"
    return head + rows(ints(random, 8, 0, 999) for _ in range(200))


def tall(text: bytes) -> bool:
    """numpy reads a table, whose columns are those of its head."""
    values = import_module("numpy").loadtxt(io.BytesIO(text), ndmin=2)
    names = text.split(b"\n")[0].split()
    need(names[:1] == [b"#"] and len(names) == values.shape[1] + 1 and values.size)
    return bool((values[:, -1] > 950).any())


def request(random: Random) -> str:
    body = json.dumps({"items": [letters(random, 8, "abc") for _ in range(200)], "x": -1})
    head = f"POST /a HTTP/1.1\r\nHost: example.org\r\nContent-Length: {len(body)}\r\n\r\n"
    return head + body


def posts(text: bytes) -> bool:
    """h11 reads the whole request, and the body has a negative number."""
    h11: Any = import_module("h11")
    connection = h11.Connection(h11.SERVER)
    connection.receive_data(text)
    body = b""
    try:
        ended = (h11.NEED_DATA, h11.PAUSED)
        while not isinstance(event := connection.next_event(), h11.ConnectionClosed):
            if event in ended:
                return False
            body += bytes(event.data) if isinstance(event, h11.Data) else b""
            if isinstance(event, h11.EndOfMessage):
                return connection.trailing_data[0] == b"" and b"-1" in body
    except h11.ProtocolError:
        return False
    return False


def document(random: Random) -> str:
    items = [{"id": at, "v": random.randint(0, 10**6)} for at in range(120)]
    return json.dumps({"kind": "list", "length": 120, "items": items}, indent=1) + "\n"


def counted_items(text: bytes) -> bool:
    value = json.loads(text)
    need(value["length"] == len(value["items"]) and value["kind"] == "list")
    return any(one["v"] > 950_000 for one in value["items"])


def sheet(random: Random) -> str:
    head = ",".join(["rows=150", "columns=6"]) + "\n"
    return head + "".join(",".join(map(str, ints(random, 6, 0, 99))) + "\n" for _ in range(150))


def checked_sheet(text: bytes) -> bool:
    head, *lines = csv.reader(io.StringIO(text.decode()))
    sizes = dict(one.split("=") for one in head)
    need(int(sizes["rows"]) == len(lines))
    need(all(len(one) == int(sizes["columns"]) for one in lines))
    return any(one[-1] == "99" for one in lines)


def off(random: Random) -> str:
    points = rows([random.randint(-2, 2) for _ in range(3)] for _ in range(150))
    faces = rows([3, *random.sample(range(150), 3)] for _ in range(260))
    return f"OFF\n150 260 0\n{points}{faces}"


def flat_face(text: bytes) -> bool:
    """A strict reader of OFF; a face has no area."""
    reader = Reader(text)
    need(reader.line() == "OFF")
    n, m, _ = reader.ints(3, 0)
    points = [reader.ints(3) for _ in range(n)]
    faces = [reader.ints(None, 0) for _ in range(m)]
    reader.end()
    need(all(one[0] == len(one) - 1 >= 3 and max(one[1:]) < n for one in faces))
    for _, a, b, c, *_ in faces:
        u = [points[b][at] - points[a][at] for at in range(3)]
        v = [points[c][at] - points[a][at] for at in range(3)]
        cross = [u[i - 2] * v[i - 1] - u[i - 1] * v[i - 2] for i in range(3)]
        if not any(cross):
            return True
    return False


def _case(name: str, make: Any, read: Any, hand: str, suffix: str) -> Case:
    return Case(name, make, strict(read), hand, suffix)


_REQUEST: Final = "POST / HTTP/1.1\r\nHost:\r\nContent-Length: 2\r\n\r\n-1"

FORMATS: Final[tuple[Case, ...]] = (
    _case(
        "dimacs-unsat",
        lambda q: clauses(q, 30, 180),
        unsatisfiable,
        "p cnf 1 2\n1 0\n-1 0\n",
        ".cnf",
    ),
    _case(
        "dimacs-own",
        lambda q: clauses(q, 60, 200).replace("\n-", "\n1 -1 -", 1).replace(" cnf 60", " cnf 60"),
        units_conflict,
        "p cnf 1 1\n1 -1 0\n",
        ".cnf",
    ),
    _case(
        "market",
        market,
        negative_trace,
        "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 -1\n",
        ".mtx",
    ),
    _case("grey", grey, dark, "P2\n1 1\n1\n0\n", ".pgm"),
    _case("table", table, tall, "# a\n951\n", ".txt"),
    _case("request", request, posts, _REQUEST, ".http"),
    _case(
        "json",
        document,
        counted_items,
        '{"kind":"list","length":1,"items":[{"v":950001}]}',
        ".json",
    ),
    _case("csv", sheet, checked_sheet, "rows=1,columns=1\n99\n", ".csv"),
    _case("off", off, flat_face, "OFF\n1 1 0\n0 0 0\n3 0 0 0\n", ".off"),
)
