"""Inputs for the programs: grammar fuzzers for texts, and a mutator for what a fuzzer found.

Generators know the syntax of a program and nothing of its bugs.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Final, Protocol


class Ember:
    """Programs in ember's language."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.names = ["a"]

    def text(self) -> bytes:
        lines = ["let a = " + self.expression(2)]
        lines += [self.statement(3) for _ in range(self.draw.randint(1, 12))]
        return ";\n".join(lines).encode()

    def one(self, *options: Callable[[], str]) -> str:
        return self.draw.choice(options)()

    def name(self) -> str:
        return self.draw.choice(self.names)

    def new_name(self) -> str:
        name = self.draw.choice(["a", "b", "count", "items", "word", "x", "total"])
        self.names.append(name)
        return name

    def number(self) -> str:
        return str(self.draw.choice([0, 1, 2, 3, 5, 8, 40, 1000]))

    def string(self) -> str:
        letters = "abcxyz ,-" + "\\\\" * (self.draw.random() < 0.2)
        size = self.draw.choice([0, 1, 3, 8, 30, 120] + [300] * (self.draw.random() < 0.1))
        body = "".join(self.draw.choice(letters) for _ in range(size)).replace("\\", "\\n")
        return f'"{body}"'

    def listed(self, depth: int) -> str:
        count = self.draw.choice([0, 0, 1, 2, 3, 5])
        return f"[{', '.join(self.expression(depth - 1) for _ in range(count))}]"

    def expression(self, depth: int) -> str:
        if depth <= 0:
            return self.one(self.name, self.number, self.number, self.string)
        deeper = depth - 1
        return self.one(
            self.number,
            self.string,
            self.name,
            lambda: self.listed(depth),
            lambda: self.listed(depth),
            lambda: (
                f"{self.expression(deeper)} {self.draw.choice('+-*/%')} {self.expression(deeper)}"
            ),
            lambda: (
                f"{self.expression(deeper)} {self.draw.choice('+-*/%')} {self.expression(deeper)}"
            ),
            lambda: f"{self.string()} * {self.expression(deeper)}",
            lambda: f"-{self.expression(deeper)}",
            lambda: f"({self.expression(deeper)})",
            lambda: f"{self.listed(deeper)}[{self.expression(deeper)}]",
            lambda: f"{self.name()}[{self.expression(deeper)}]",
            lambda: f"{self.string()}[{self.expression(deeper)}]",
            lambda: f"{self.name()}[{self.expression(deeper)}:{self.expression(deeper)}]",
            lambda: f"{self.string()}[{self.number()}:{self.number()}]",
            lambda: f"{self.listed(deeper)}[{self.expression(0)}:{self.expression(0)}]",
            lambda: (
                f"{self.draw.choice(['len', 'pop', 'max', 'upper', 'sort'])}({self.expression(deeper)})"
            ),
            lambda: f"{self.draw.choice(['pop', 'max', 'sort'])}({self.listed(deeper)})",
            lambda: f"push({self.name()}, {self.expression(deeper)})",
            lambda: f"join(split({self.string()}, {self.string()}), {self.string()})",
            lambda: (
                f"join([{self.string()}, {self.string()}, {self.string()}, {self.string()}, {self.string()}], {self.string()})"
            ),
        )

    def statement(self, depth: int) -> str:
        deeper = depth - 1
        options: list[Callable[[], str]] = [
            lambda: f"let {self.new_name()} = {self.expression(depth)}",
            lambda: f"print {self.expression(depth)}",
            lambda: f"push({self.name()}, {self.expression(1)})",
            lambda: f"set {self.name()}[{self.number()}] = {self.expression(depth)}",
        ]
        if depth > 1:
            options += [
                lambda: (
                    f"if {self.expression(1)} {{ {self.statement(deeper)} }} else {{ {self.statement(deeper)} }}"
                ),
                lambda: (
                    f"for {self.new_name()} in {self.listed(2)} {{ {self.statement(deeper)}; {self.statement(deeper)} }}"
                ),
            ]
        return self.one(*options)


class Query:
    """Scripts in query's language."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def text(self) -> bytes:
        lines = [
            "create t (a, b, c)",
            "create u (b, d)",
            *(self.insert() for _ in range(self.draw.randint(0, 4))),
            *(self.statement() for _ in range(self.draw.randint(1, 8))),
        ]
        return (";\n".join(lines) + ";").encode()

    def column(self) -> str:
        return self.draw.choice(["a", "b", "c", "d"])

    def value(self) -> str:
        return self.draw.choice(["null", "0", "1", "2", "7", "900", "'x'", "'some text'", "''"])

    def insert(self) -> str:
        table, count = self.draw.choice([("t", 3), ("u", 2)])
        if self.draw.random() < 0.04:
            count -= 1
        return f"insert {table} ({', '.join(self.value() for _ in range(count))})"

    def table(self) -> str:
        return self.draw.choice(["t", "t", "u"])

    def expression(self, depth: int) -> str:
        if depth <= 0:
            return self.draw.choice([self.column, self.value])()
        deeper = depth - 1
        kind = self.draw.randint(0, 13)
        one, two = self.expression(deeper), self.expression(deeper)
        return [
            one,
            self.column(),
            self.value(),
            f"{one} {self.draw.choice('+-*/%|')} {two}",
            f"({one} {self.draw.choice('+-*/%')} {two})",
            f"-{one}",
            f"len({one})",
            f"upper({one})",
            f"abs({one})",
            f"round({one}, {self.draw.choice(['0', '1', '5', two])})",
            f"char({one})",
            f"nth({one}, {two})",
            f"substr({one}, 0, 2)",
            f"replace({one}, 'x', 'y')",
        ][kind]

    def condition(self, depth: int) -> str:
        one, two = self.expression(1), self.expression(1)
        options = [
            f"{one} {self.draw.choice(['=', '<', '>', '<=', '>=', '<>'])} {two}",
            f"{one} is null",
            f"{one} between {two} and {self.value()}",
            f"{one} in ({two}, {self.value()})",
        ]
        if depth > 0:
            inner, more = self.condition(depth - 1), self.condition(depth - 1)
            options += [f"not {inner}", f"{inner} and {more}", f"{inner} or {more}"]
        return self.draw.choice(options)

    def statement(self) -> str:
        table = self.table()
        where = f" where {self.condition(1)}" if self.draw.random() < 0.4 else ""
        kind = self.draw.choice(
            ["select"] * 6
            + [
                "group",
                "aggregate",
                "aggregate",
                "update",
                "delete",
                "alter",
                "insert",
                "join",
                "bare",
                "star",
            ]
        )
        columns = ", ".join(self.expression(2) for _ in range(self.draw.randint(1, 3)))
        total = f"{self.draw.choice(['sum', 'min', 'max', 'avg', 'count'])}({self.draw.choice([self.column(), self.column(), self.expression(1), ''])})"
        if kind == "select":
            order = f" order by {self.expression(1)}" if self.draw.random() < 0.4 else ""
            limit = f" limit {self.draw.randint(0, 3)}" if self.draw.random() < 0.3 else ""
            return f"select {columns} from {table}{where}{order}{limit}"
        return {
            "group": f"select {total}, {self.column()} from {table}{where} group by {self.column()}",
            "aggregate": f"select {total}{self.draw.choice(['', ', ' + self.column()])} from {table}{where}",
            "update": f"update {table} set {self.column()} = {self.expression(2)}{where}",
            "delete": f"delete from {table}{where}",
            "alter": f"alter {table} add {self.draw.choice('defg')}",
            "insert": self.insert(),
            "join": f"select a, d from t join u on {self.condition(0)}",
            "bare": f"select {columns}",
            "star": f"select * {self.draw.choice(['', 'from ' + table])}{where if table else ''}",
        }[kind]


# Texts of jot from this number on are short: most of the long ones end early, with a complaint.
_SHORT: Final = 1_000_000


class Jot:
    """Files in jot's language."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.most = 16 if seed < _SHORT else 5

    def text(self) -> bytes:
        return "\n".join(self.line() for _ in range(self.draw.randint(3, self.most))).encode()

    def name(self) -> str:
        return self.draw.choice(["server", "names", "port", "a", "b", "limits", "x1", "base"])

    def number(self) -> str:
        digits = self.draw.choice(
            ["0", "1", "7", "80", "0x1f", "1_000", "2k", "-3", "12345678901234567"]
        )
        return digits + (
            "_123456789" * self.draw.randint(1, 4) if self.draw.random() < 0.05 else ""
        )

    def string(self) -> str:
        size = self.draw.choice([0, 1, 4, 12, 45, 70])
        body = "".join(self.draw.choice("abc d") for _ in range(size))
        escape = self.draw.choice(["", "", "\\n", "\\u00e9", "\\u20ac", "\\u4"])
        quote = self.draw.choice('""\'')
        return f"{quote}{body}{escape}{quote}"

    def value(self, depth: int) -> str:
        kind = self.draw.randint(0, 6 if depth > 0 else 2)
        if kind == 0:
            return self.number()
        if kind == 1:
            return self.string()
        if kind == 2:
            return f"&{self.name()}"
        count = self.draw.randint(0, 4)
        if kind < 5:
            same = self.draw.choice([self.number, self.string, None])
            parts = [self.value(depth - 1) if same is None else same() for _ in range(count)]
            return f"[{', '.join(parts)}]"
        parts = [f"{self.name()}{at}: {self.value(depth - 1)}" for at in range(count)]
        return f"{{{', '.join(parts)}}}"

    def path(self) -> str:
        parts = [self.name() for _ in range(self.draw.choice([1, 1, 2, 2, 3]))]
        if self.draw.random() < 0.4:
            parts.append(str(self.draw.choice([0, 1, 2, 3, 9])))
        return ".".join(parts)

    def line(self) -> str:
        kind = self.draw.choice(
            ["set"] * 6 + ["section"] * 2 + ["ask"] * 2 + ["command"] * 5 + ["cut"]
        )
        if kind == "set":
            return f"{self.name()} = {self.value(2)}"
        if kind == "section":
            return f"[{self.name()}]"
        if kind == "ask":
            return f"? {self.path()}"
        if kind == "cut":
            return f'{self.name()} = "ab\\u{self.draw.choice(["", "0", "00e"])}'
        command = self.draw.choice(
            ["count", "longest", "average", "first", "format"] * 2 + ["range", "date", "merge"]
        )
        if command == "range":
            return f"@range {self.number()} {self.number()}"
        if command == "date":
            return f"@date {self.draw.randint(1900, 2030)}-{self.draw.choice([1, 2, 12, 13, 40])}-{self.draw.choice([1, 28, 31])}"
        if command == "merge":
            return f"@merge {self.name()} {self.name()}"
        return f"@{command} {self.path()}"


class Post:
    """Sessions in post's language."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def text(self) -> bytes:
        lines = [f"MAKE {self.folder()}", f"PICK {self.folder()}"]
        lines += [self.line() for _ in range(self.draw.randint(3, 20))]
        return ("\n".join(lines) + "\n").encode()

    def folder(self) -> str:
        return self.draw.choice(["work", "home", "old"])

    def field(self) -> str:
        return self.draw.choice(["subject", "from", "to"])

    def name(self) -> str:
        return self.draw.choice(["anna", "bob", "Boss", "me"])

    def message(self) -> str:
        return str(self.draw.choice([1, 1, 2, 3, 8]))

    def messages(self) -> str:
        return self.draw.choice([self.message(), f"{self.message()}:{self.message()}", "*"])

    def value(self) -> str:
        size = self.draw.choice([1, 4, 8, 20])
        return "".join(self.draw.choice("abcXYZ") for _ in range(size))

    def line(self) -> str:
        draw = self.draw
        fields = [f"{self.field()}={self.value()}" for _ in range(draw.randint(0, 3))]
        fields += [f"pri={draw.choice([0, 1, 2])}"] * (draw.random() < 0.3)
        flag = draw.choice(["seen", "deleted", "draft", "later"])
        return draw.choice(
            [f"POST {' '.join(fields)} : {self.value()}"] * 6
            + [f"MAKE {self.folder()}", f"MOVE {self.folder()} {self.folder()}"]
            + [f"PICK {self.folder()}", f"DROP {self.folder()}", "TREE", "WIPE", "STAT", "UNDO"]
            + [f"LIST {draw.choice(['*', 'w*', '?o*e', 'old', '*?'])}", f"SHOW {self.messages()}"]
            + [f"FLAG {self.message()} {flag}"] * 3
            + [f"COPY {self.messages()} {self.folder()}", f"FIND {self.field()} {self.value()[:2]}"]
            + [f"SORT {self.field()}", f"REPLY {self.message()}"]
            + [f"ALIAS {self.name()} {self.name()}", f"SEND {self.name()}"]
            + [f"QUOTA {draw.choice([1, 50, 5000])}", "USED", f"DECODE {self.value()}"]
        )


class Tiles:
    """Files in tiles' format: mostly well-formed chunks with numbers at their edges."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)

    def text(self) -> bytes:
        # Most images are no tiny ones, as in real folders.
        width = self.draw.choice([1, 4, 9, 9, 12, 12, 40, 40])
        height = self.draw.choice([1, 3, 3, 16, 16])
        head = struct.pack(">HHB", width, height, self.draw.choice([1, 2, 4, 4]))
        chunks = [b"TILE" + bytes([self.draw.choice([1, 2])]), self.chunk(b"HEAD", head)]
        chunks += [self.other(width, height) for _ in range(self.draw.randint(1, 6))]
        return b"".join(chunks)

    def chunk(self, tag: bytes, content: bytes) -> bytes:
        return tag + struct.pack(">H", len(content)) + content

    def some(self, most: int) -> bytes:
        return bytes(
            self.draw.choice([0, 1, 2, 7, 15, 127, 128, 255])
            for _ in range(self.draw.randint(0, most))
        )

    def other(self, width: int, height: int) -> bytes:
        kind = self.draw.randint(0, 8)
        near = self.draw.choice([0, 0, 0, -1, 1, 5])
        if kind == 0:
            count = self.draw.choice([1, 2, 4, 16])
            return self.chunk(
                b"PALT", bytes([count]) + bytes(self.draw.randrange(256) for _ in range(count * 3))
            )
        if kind == 1:
            return self.chunk(
                b"DATA",
                b"\0"
                + bytes(self.draw.randrange(16) for _ in range(max(0, width * height + near))),
            )
        if kind == 2:
            return self.chunk(b"DATA", b"\1" + self.some(8) * 2)
        if kind == 3:
            return self.chunk(b"DATA", b"\2" + self.some(12))
        if kind == 4:
            key = self.draw.choice([b"title", b"ratio", b"maker"])
            return self.chunk(b"TEXT", key + b"\0" + self.some(40))
        if kind == 5:
            left, top = self.draw.randrange(width), self.draw.randrange(height)
            right, bottom = (
                self.draw.randint(left, width),
                self.draw.randint(top, height + max(0, near)),
            )
            return self.chunk(b"CROP", struct.pack(">HHHH", left, top, right, bottom))
        if kind == 6:
            count = self.draw.choice([0, 1, 4, 16, 20])
            weights = bytes(self.draw.choice([0, 0, 3]) for _ in range(count))
            return self.chunk(b"FILT", bytes([self.draw.choice([1, 1, 2]), count]) + weights)
        if kind == 7:
            return self.chunk(
                b"TIME", struct.pack(">HBBBB", 2024, self.draw.choice([0, 1, 6, 12]), 3, 4, 5)
            )
        count = self.draw.choice([1, 2, 4])
        frames = b"".join(
            struct.pack(">HB", self.draw.choice([0, 1, width * height - 1, 600]), 1)
            for _ in range(count)
        )
        return self.chunk(b"ANIM", bytes([count]) + frames)


class Generator(Protocol):
    """Makes inputs."""

    def text(self) -> bytes:
        """Return the next one."""


GENERATORS: Final[dict[str, Callable[[int], Generator]]] = {
    "ember": Ember,
    "query": Query,
    "jot": Jot,
    "tiles": Tiles,
    "post": Post,
}


def mutated(text: bytes, draw: random.Random) -> bytes:
    """Return a text with a few changes, as fuzzers make them."""
    data = bytearray(text)
    for _ in range(draw.randint(1, 4)):
        if not data:
            break
        at = draw.randrange(len(data))
        kind = draw.randint(0, 4)
        if kind == 0:
            data[at] = draw.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 2:
            del data[at : at + draw.randint(1, 8)]
        elif kind == 3:
            data[at:at] = data[draw.randrange(len(data)) :][: draw.randint(1, 16)]
        else:
            data[at:at] = bytes([draw.choice([0, 1, 255, 127, 48])])
    return bytes(data)
