"""What failing tests say is missing, and how slices, runs and cuts use it."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.diagnostics.missing_names import messages, words_of_messages
from marrow.reducers.slicing.declaration_graph import DeclarationGraph, Unit
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import body_form
from marrow.reducers.slicing.dominator_cuts import DominatorCuts
from marrow.reducers.slicing.slice_repair import SliceRepair
from marrow.reducers.slicing.slices import sliced
from marrow.reducers.streams.stream import Attempts, Stream, finish
from marrow.syntax.outliner import Outliner
from marrow.tree.outline import DeclarationOutline


@pytest.mark.parametrize(
    ("output", "named"),
    [
        ("x.cc:3:5: error: use of undeclared identifier 'foo'", "foo"),
        ("x.cc:3:5: error: no member named 'foo' in namespace 'std::ranges'", "foo std ranges"),
        ("x.cc:3:5: error: undefined function 'operator==<A>'", "operator operator== A"),
        ("x.c:3:5: error: unknown type name ‘foo_t’; did you mean ‘bar’?", "foo_t bar"),
        ("error[E0412]: cannot find type `Foo` in this scope\n --> x.rs:3:9", "Foo"),
        ("./x.go:3:5: undefined: Foo", "undefined Foo"),
        ("NameError: name 'foo' is not defined", "foo"),
        ("ReferenceError: foo is not defined", "ReferenceError foo is not defined"),
        ("x.ts(3,5): error TS2304: Cannot find name 'Foo'.", "Foo"),
        ("a note about 'nothing'\nIn file included from x.cc:2:", ""),
        ("x.cc:3:5: note: 'foo' is declared here", ""),
        ("x.cc:(.text+0x1): undefined reference to `a::B<int, C<int> >::f(D const&)'", "f"),
        ("ld: x.o: undefined reference to `void (anonymous namespace)::f<E>(E*)'", "f"),
        ("ld: x.o: undefined reference to `std::f[abi:cxx11](int)'", "f"),
        ("ld: x.o: undefined reference to `A& std::operator<< <char>(A&)'", "operator<<"),
        ("ld.lld: error: undefined symbol: f", "f"),
        ("collect2: error: ld returned 1 exit status", ""),
    ],
)
def test_messages_name_what_is_missing(output: str, named: str) -> None:
    found = messages(output.encode())
    assert frozenset().union(*(one.named for one in found)) == frozenset(named.encode().split())


def test_marks_under_a_line_and_notes_name_something_too() -> None:
    output = (
        b"x.cc:8:40: error: noexcept specifier argument is not a constant expression\n"
        b"  operator=(A&& x) noexcept(T::f(g) && h)\n"
        b"                            ^~~~~~~\n"
        b"x.cc:2:1: note: in instantiation of 'Far' requested here\n"
    )
    (one,) = messages(output)
    assert not one.named
    assert one.marked == {b"T", b"f", b"g"}
    assert one.noted == {b"Far"}
    assert messages(output, words_of_messages(output)) == []  # those of the failure itself


def test_a_note_that_is_new_counts_where_the_message_is_that_of_the_failure() -> None:
    failure = (
        b"x.cc:9:20: error: constexpr variable 'all' must be initialized by a constant expression\n"
        b"    constexpr auto all = count();\n"
        b"                   ^     ~~~~~~~\n"
        b"x.cc:5:4: note: construction of member 'local' is not allowed in a constant expression\n"
        b"x.cc:9:26: note: in call to 'count()'\n"
    )
    other = (
        failure.splitlines(keepends=True)[0]
        + b"x.cc:4:9: note: undefined function 'length' cannot be used in a constant expression\n"
        b"  : size{T::length(text)}\n"
        b"            ^\n"
        b"x.cc:7:1: note: in call to 'view(\"a text\")'\n"
        b"x.cc:2:7: note: declared here\n"
    )
    usual = words_of_messages(failure)
    assert messages(failure, usual) == []
    (one,) = messages(other, usual)
    assert one.named == {b"length"}
    assert one.marked == {b"length"}
    assert one.about_definition


def test_what_has_no_definition_gets_its_body_back_before_others_of_its_name_come() -> None:
    outline = outlined(
        b"struct A { static int length() { return 1; } };\n"
        b"struct B { int length() { return 2; } };\nint main() { }\n"
    )
    a, b = at(outline, b"static int length"), at(outline, b"int length")
    deleted = frozenset((Unit(b), Unit(a, body=True)))
    growth = SliceRepair(DeclarationGraph(outline))
    undefined = b"x.cc:1:1: error: undefined function 'length' cannot be used here\n"
    assert growth.missing(undefined, deleted) == {Unit(a, body=True)}
    undeclared = b"x.cc:1:1: error: no member named 'length'\n"
    assert growth.missing(undeclared, deleted) == {Unit(b)}


LINKED = b"""\
struct A { virtual void g() const { } operator bool() const { return true; }
  int f() { return 1; } };
struct B { int f() { return 2; } int h(); };
int B::h() { return 3; }
int f() { return 4; }
"""


@pytest.mark.parametrize(
    ("signature", "elements", "bodies"),
    [
        (b"A::f()", [], [b"int f() { return 1; }"]),
        (b"B::f()", [], [b"int f() { return 2; }"]),
        (b"A::operator bool() const", [], [b"operator bool() const { return true; }"]),
        (b"vtable for A", [], [b"virtual void g() const { }"]),
        (b"B::h()", [b"int B::h() { return 3; }"], [b"int B::h() { return 3; }"]),
        (b"unheard_of()", [], []),
    ],
)
def test_bodies_that_a_linker_misses_come_back(
    signature: bytes, elements: list[bytes], bodies: list[bytes]
) -> None:
    outline = outlined(LINKED)
    deleted = frozenset(
        Unit(at, body=not one.elsewhere) for at, one in enumerate(outline.elements) if one.body
    )
    output = b"/usr/bin/ld: x.o: undefined reference to `%s'\n" % signature
    found = SliceRepair(DeclarationGraph(outline)).missing(output, deleted)

    def texts(*, body: bool) -> list[bytes]:
        some = [outline.elements[one.at] for one in found if one.body is body]
        return [LINKED[one.start : one.end] for one in some]

    assert (texts(body=False), texts(body=True)) == (elements, bodies)


def test_java_names_what_is_missing_in_the_lines_below() -> None:
    output = b"A.java:3: error: cannot find symbol\n  symbol:   class Foo\n  location: class A\n"
    assert b"Foo" in messages(output)[0].named


@given(st.binary(max_size=300))
def test_any_output_has_messages(output: bytes) -> None:
    for one in messages(b"x.c:1:1: error: " + output):
        assert all(name in output or name in b"error" for name in one.named | one.marked)


def outlined(text: bytes, language: str = "cpp") -> DeclarationOutline:
    outline = Outliner(language).outline(text)
    assert outline is not None
    return outline


def at(outline: DeclarationOutline, text: bytes) -> int:
    """Return the first element that begins with a text."""
    (*_, found) = (
        index
        for index, one in enumerate(outline.elements)
        if outline.tree.text[one.start :].startswith(text)
    )
    return found


SCOPES = (
    b"namespace a { int f(int); }\nnamespace b { int f(long); }\n"
    b"struct A {\n  int f(); int g(); };\nstruct B { int f(); };\n"
    b"A operator+(A, A);\nB operator+(B, B);\nint h(int x) { return x; }\n"
)


@pytest.mark.parametrize(
    ("output", "elements", "bodies"),
    [
        ("no member named 'f' in namespace 'b'", [b"int f(long);"], []),
        ("no member named 'g' in 'A'", [b"int g();"], []),
        ("no member named 'f' in 'A'", [b"int f(); int g"], []),
        ("no type named 'B' in 'A'", [b"struct B"], []),
        ("invalid operands to binary expression ('A' and 'A')", [b"A operator+(A, A);"], []),
        ("undefined function 'h' in a constant expression", [], [b"int h(int x)"]),
        ("something else", [], []),
    ],
)
def test_a_slice_grows_by_what_messages_name(
    output: str, elements: list[bytes], bodies: list[bytes]
) -> None:
    outline = outlined(SCOPES)
    kept, emptied = at(outline, b"struct A"), at(outline, b"int h")
    others = (Unit(one) for one in range(len(outline.elements)) if one not in (kept, emptied))
    missing = SliceRepair(DeclarationGraph(outline)).missing(
        b"x.cc:1:2: error: " + output.encode(), frozenset((*others, Unit(emptied, body=True)))
    )
    assert missing == {
        *(Unit(at(outline, one)) for one in elements),
        *(Unit(at(outline, one), body=True) for one in bodies),
    }


def compiled(
    stream: Stream | None, test: Callable[[bytes], bool]
) -> tuple[bytes | None, list[bytes]]:
    """Return the first interesting text of a stream, and all that were tried.

    The test's compiler wants a declaration of every word that the text has in `use(...)`.
    """
    tried = []
    for one in Attempts(stream):
        text = one.tree.text
        tried.append(text)
        used = {word for call in re.findall(rb"USE\((.*?)\)", text) for word in call.split()}
        missing = sorted(word for word in used if not re.search(rb"int %s\b" % word, text))
        if not missing and test(text):
            return text, tried
        if one.hearing is not None:
            lines = (b"x.cc:1:1: error: unknown name '%s'\n" % word for word in missing)
            one.hearing.output = b"".join(lines)
    return None, tried


# What a string names is no mention, and the compiler of these tests wants it declared.
HIDDEN = b"".join(b"int v%d;\n" % n for n in range(40)) + b'int last() { "USE(v3 v17)"; }\n'


def test_a_slice_that_fails_grows_in_one_test_more() -> None:
    outline = outlined(HIDDEN)
    found, tried = compiled(sliced("cpp")(outline, finish), lambda _: True)
    assert found == b'int v3;\nint v17;\nint last() { "USE(v3 v17)"; }\n'
    assert len(tried) == 2


def test_a_run_that_fails_is_tried_without_what_is_needed() -> None:
    outline = outlined(HIDDEN)
    runs = DeleteRuns(outline, body_form("cpp"))
    units = [Unit(index) for index in range(40)]
    found, tried = compiled(runs.run(outline.tree, [units]), lambda _: True)
    assert found == b'int v3;\nint v17;\nint last() { "USE(v3 v17)"; }\n'
    assert len(tried) == 2


def test_a_cut_that_fails_leaves_what_is_needed() -> None:
    text = (
        b"int a;\nint b;\nint c;\nint big(int x) { return a + b + c + x; }\n"
        b'int other() { return big(1); }\nint last() { "USE(b)"; }\n'
    )
    outline = outlined(text)
    runs = DeleteRuns(outline, body_form("cpp"))
    cuts = DominatorCuts(outline, runs, lambda _tree, _known: None)
    found, tried = compiled(cuts.run(), lambda _: True)
    assert found == b'int b;\nint last() { "USE(b)"; }\n'
    assert len(tried) == 2
