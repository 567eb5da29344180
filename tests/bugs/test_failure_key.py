"""Keys of failures: what is the same at first sight, and what is no failure."""

from __future__ import annotations

import pytest

from marrow.bugs.failure_key import Criterion, FailureKey, NoFailure
from marrow.diagnostics.observation import Observation

ASAN = """==1==ERROR: AddressSanitizer: {kind} on address 0x60{pid} at pc 0x5 bp 0x7 sp 0x7
READ of size {size} at 0x602000000011 thread T0
    #0 0x7f in __interceptor_memcpy (/usr/lib/libasan.so.8+0x3)
    #1 0x55 in get /src/t.c:12:10
    #2 0x55 in parse /src/t.c:{line}
    #3 0x55 in main /src/t.c:50

SUMMARY: AddressSanitizer: {kind} /src/t.c:12 in get
"""

PYTHON = """Traceback (most recent call last):
  File "/x/calc.py", line 90, in <module>
    main()
  File "/x/calc.py", line {line}, in {function}
    return table[name]
KeyError: {name!r}
"""


def key(said: str, text: bytes = b"", status: int = 1) -> FailureKey:
    found = Criterion().judge(Observation(status, b"", said.encode()), text)
    assert isinstance(found, FailureKey)
    return found


def asan(kind: str = "heap-buffer-overflow", line: int = 40, pid: int = 1, size: int = 1) -> str:
    return ASAN.format(kind=kind, line=line, pid=pid, size=size)


def test_addresses_and_sizes_do_not_count() -> None:
    assert key(asan(pid=1)) == key(asan(pid=2, size=8))
    assert key(asan()).sites[0].function == "get"


def test_callers_are_in_the_near_key_alone() -> None:
    one, other = key(asan(line=40)), key(asan(line=41))
    assert one.near != other.near
    assert one.top == other.top


def test_names_of_the_input_do_not_count() -> None:
    one = key(PYTHON.format(line=5, function="find", name="foo"), b"foo + 1")
    other = key(PYTHON.format(line=5, function="find", name="bar"), b"bar - 2")
    assert one == other
    assert one.top != key(PYTHON.format(line=6, function="find", name="foo"), b"foo").top


@pytest.mark.parametrize(
    ("said", "place"),
    [
        (
            "target: src/t.c:150: read_filter: Assertion `count > 0' failed.",
            "read_filter (t.c:150)",
        ),
        ("t: /x/t.cc:7: int f(A, B): Assertion `a' failed.", "int f(A, B) (t.cc:7)"),
        ("Assertion failed: (a < b), function get, file t.c, line 12.", "get (t.c:12)"),
        (
            "thread 'main' panicked at src/lib.rs:41:9:\nindex out of bounds",
            "lib.rs:41 (lib.rs:41)",
        ),
    ],
)
def test_a_message_without_a_stack_may_name_its_place(said: str, place: str) -> None:
    assert [str(site) for site in key(said, status=134).sites] == [place]


def test_a_signal_is_the_same_from_a_shell() -> None:
    assert key("", status=-11) == key("", status=139)


def test_what_is_no_failure() -> None:
    judge = Criterion(forbidden=("out of memory",)).judge
    assert judge(Observation(0, b"fine"), b"") is NoFailure.PASSES
    refused = Observation(1, b"", b"input:1: error: syntax error: unexpected token ')'\n")
    assert judge(refused, b")") is NoFailure.REJECTED
    assert judge(Observation(1, b"", b"fatal: out of memory\n"), b"") is NoFailure.FORBIDDEN
    assert isinstance(judge(Observation(3), b""), FailureKey)


def test_a_test_script_fails_with_zero() -> None:
    judge = Criterion(zero_fails=True).judge
    assert isinstance(judge(Observation(0), b""), FailureKey)
    assert judge(Observation(1, b"", b"Traceback"), b"") is NoFailure.PASSES


def test_recursion_is_known_by_the_functions_that_take_part() -> None:
    frames = "".join(
        f"    #{2 * at} 0x55 in expr /s.c:1\n    #{2 * at + 1} 0x55 in atom /s.c:2\n"
        for at in range(9)
    )
    said = "==1==ERROR: AddressSanitizer: stack-overflow on address 0x7 (pc 0x5 bp 0x7 sp 0x7 T0)\n"
    found = key(said + frames + "    #90 0x55 in start /s.c:9\n")
    assert [site.function for site in found.sites] == ["atom", "expr"]
    assert found.top.sites == found.sites


def test_a_function_that_calls_itself_has_the_caller_of_its_first_call() -> None:
    start = "Traceback (most recent call last):\n"
    line = '  File "/x/q.py", line {}, in {}\n    x\n'
    calls = [(9, "select"), (7, "walk"), (5, "each"), (7, "walk"), (3, "walk")]
    end = "KeyError: 'a'\n"
    deep = key(start + "".join(line.format(*one) for one in calls) + end)
    flat = key(start + line.format(9, "select") + line.format(3, "walk") + end)
    assert deep.near == flat.near
    assert [site.function for site in deep.sites] == ["walk", "select"]


def test_comprehensions_are_not_one_another() -> None:
    start = "Traceback (most recent call last):\n"
    line = '  File "/x/q.py", line {}, in {}\n    x\n'
    calls = [(9, "select"), (8, "<listcomp>"), (5, "total"), (5, "<listcomp>")]
    found = key(start + "".join(line.format(*one) for one in calls) + "IndexError: x\n")
    assert [str(site) for site in found.near.sites] == ["<listcomp> (q.py:5)", "total (q.py:5)"]
    assert (found.function, found.caller) == (("<listcomp>", "total"), "select")


def test_reads_and_writes_are_told_apart() -> None:
    said = asan().replace("    #0 0x7f in __interceptor_memcpy (/usr/lib/libasan.so.8+0x3)\n", "")
    read, written = key(said), key(said.replace("READ", "WRITE"))
    assert (read.access, written.access) == ("read", "write")
    assert read.top != written.top
    # Of a copy either side may be at fault.
    assert key(asan()) == key(asan().replace("READ", "WRITE"))
    wild = "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0 (pc 0x5 bp 0x7 sp 0x7 T0)\n"
    wild += "==1==The signal is caused by a WRITE memory access.\n    #0 0x55 in put /src/t.c:3\n"
    assert key(wild).access == "write"
    valgrind = "==1== Invalid read of size 4\n==1==    at 0x1091: get (t.c:7)\n"
    assert key(valgrind, status=-11).access == "read"


def test_the_line_that_freed_memory_is_known() -> None:
    freed = """0x6020 is located 1 bytes inside of 8-byte region [0x6020,0x6028)
freed by thread T0 here:
    #0 0x7f in free (/usr/lib/libasan.so.8+0x3)
    #1 0x55 in release /src/t.c:70
    #2 0x55 in drop /src/t.c:80
    #3 0x55 in main /src/t.c:99

previously allocated by thread T0 here:
    #0 0x7f in malloc (/usr/lib/libasan.so.8+0x3)
    #1 0x55 in make /src/t.c:60
"""
    found = key(asan("heap-use-after-free").replace("SUMMARY", freed + "SUMMARY"))
    assert [str(site) for site in found.freed] == ["release (t.c:70)", "drop (t.c:80)"]
    assert found == key(asan("heap-use-after-free"))  # it tells nothing apart
    valgrind = """==1== Invalid read of size 4
==1==    at 0x1091: get (t.c:7)
==1==  Address 0x4a is 0 bytes inside a block of size 4 free'd
==1==    at 0x4848: free (in /usr/libexec/valgrind/vgpreload_memcheck-amd64-linux.so)
==1==    by 0x1092: drop (t.c:80)
"""
    assert [str(site) for site in key(valgrind, status=-11).freed] == ["drop (t.c:80)"]
