"""Cuts, runs and the far view: what goes leaves nothing behind that needs it."""

from __future__ import annotations

import ast
import re
from dataclasses import replace
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.engine.search.dispatcher import Limits
from marrow.reducers.pipeline.pass_table import passes_of
from marrow.reducers.pipeline.pipeline import Pipeline
from marrow.reducers.slicing.declaration_graph import Unit
from marrow.reducers.slicing.delete_runs import DeleteRuns
from marrow.reducers.slicing.dependents import body_form
from marrow.reducers.slicing.dominator_cuts import DominatorCuts
from marrow.reducers.slicing.slices import sliced
from marrow.reducers.slicing.user_code_slice import slice_user_code
from marrow.reducers.streams.stream import Attempts, finish
from marrow.run.reduction import Reduction
from marrow.syntax.outline_front_end import OutlineFrontEnd
from marrow.syntax.views import view_of
from marrow.tree.outline import OutputHints
from tests.reducers.slicing.outlined import outlined

STRINGS = (
    b"template<class T> struct traits { };\n"
    b"struct string { traits<char> t; int length(); };\n"
    b"int print(string *s);\n"
    b"bool operator==(string, string);\n"
    b"struct Item { int price; };\n"
    b"int total(Item *i) { print(0); return i->price; }\n"
    b"int main() { Item i; total(&i); }\n"
)


def test_a_cut_takes_users_and_what_is_needed_by_nothing_else() -> None:
    outline = outlined(STRINGS, "cpp")
    runs = DeleteRuns(outline, body_form("c"))
    attempts = list(Attempts(DominatorCuts(outline, runs, lambda _tree, _known: None).run()))
    cut = next(one.tree.text for one in attempts if b"struct string" not in one.tree.text)
    assert b"traits" not in cut  # nothing else needs it
    assert b"operator" not in cut
    assert b"print" not in cut  # and so the body that calls it
    assert b"int total(Item *i) ;" in cut
    assert b"struct Item { int price; };" in cut
    assert all(b"int main() {" in one.tree.text for one in attempts)


@settings(max_examples=20)
@given(st.data())
def test_what_goes_leaves_no_mention_behind(data: st.DataObject) -> None:
    outline = outlined(STRINGS, "cpp")
    runs = DeleteRuns(outline, body_form("c"))
    units = [one for region in runs.elements() for one in region]
    chosen = data.draw(st.lists(st.sampled_from(units), min_size=1))
    gone = runs.dependents.with_dependents(frozenset(), chosen)
    if gone is None:
        return
    left = [at for at in range(len(outline.elements)) if Unit(at) not in gone]
    declared = {name for at in left for name in outline.elements[at].declares}
    lost = {name for one in outline.elements for name in one.declares} - declared
    for at in left:
        element = outline.elements[at]
        assert not lost & element.mentions.words
        assert Unit(at, body=True) in gone or not lost & element.inside.words


LARGE = b"".join(
    b"struct s%d { int m%d; };\nint f%d(struct s%d *p) { return p->m%d; }\n" % ((n,) * 5)
    for n in range(150)
)
LARGE += (
    b"int h(struct s3 *p) { f3(p); return f9(0); }\n"
    b"int main(void) { f1(0); struct s7 a; f7(&a); h(0); return 1; }\n"
)


def fails(text: bytes) -> bool:
    return re.search(rb"return p->m7;.*f7\(&a\);", text, re.DOTALL) is not None


def test_the_far_view_is_the_same_for_any_number_of_workers_and_when_resumed(
    tmp_path: Path,
) -> None:
    def reduce(workers: int, limit: int | None, *, resume: bool) -> tuple[bytes, int]:
        view = view_of("a.c", LARGE)
        assert view.outline is not None
        view = replace(view, outline=view.outline.of_any_length())
        executor = CallableExecutor(fails, workers)
        journal = Journal(tmp_path / f"journal{workers}", {"input": "x"}, resume=resume)
        try:
            reduction = Reduction(
                text=LARGE,
                view=view,
                strategy=Pipeline(passes_of("none")),
                executor=executor,
                journal=journal,
                limits=Limits(tests=limit),
            )
            return reduction.run().text, reduction.scheduler.counts.asked
        finally:
            executor.close()
            journal.close()

    alone = reduce(1, None, resume=False)
    assert fails(alone[0])
    assert len(alone[0]) < 100
    assert reduce(2, None, resume=False) == alone
    reduce(2, 6, resume=False)
    assert reduce(2, None, resume=True) == alone


PYTHON = b"""\
class A:
    def f(self):
        return g(1)
    def h(self):
        return 2
class B:
    def m(self):
        return A
    @property
    def p(self):
        return 3
def g(x):
    if x:
        return 2
    return B().p
def last():
    return g(1)
"""


@given(st.sets(st.integers(0, 8)), st.sets(st.integers(0, 8)))
def test_no_block_is_left_empty_where_that_is_a_syntax_error(
    away: set[int], emptied: set[int]
) -> None:
    outline = outlined(PYTHON, "python")
    runs = DeleteRuns(outline, body_form("python"))
    bodies = [Unit(at, body=True) for at in emptied if at < len(outline.elements)]
    units = [Unit(at) for at in away if at < len(outline.elements)]
    gone = runs.dependents.with_dependents(frozenset(), units + bodies)
    candidate = None if gone is None else runs.without(outline.tree, frozenset(), gone)
    if candidate is not None:
        assert ast.parse(candidate.text)


def test_no_slice_leaves_a_block_empty() -> None:
    outline = outlined(PYTHON, "python")
    for one in Attempts(sliced("python")(outline, finish)):
        assert ast.parse(one.tree.text)
    page = OutlineFrontEnd("python", large=0, hints=OutputHints((b"return 3",)), deep=True).outline(
        PYTHON
    )
    assert page is not None
    for one in Attempts(slice_user_code("python")(page, finish)):
        ast.parse(one.tree.text)
        for emptied in Attempts(one.then()):
            ast.parse(emptied.tree.text)


def test_what_says_more_of_a_class_goes_with_it() -> None:
    text = (
        b"template<class T> class V;\ntemplate<class T> class V { T t; };\n"
        b"template<class T> class V<T *> { T t; };\ntemplate<class T> V(T) -> V<T>;\n"
        b"extern template class V<int>;\nnamespace p { template<class T> using V = ::V<T>; }\n"
        b"class W : B<V<int>, W> { };\nint f(int);\n"
        b"int f(V<int>);\nint main() { return f(1); }\n"
    )
    outline = outlined(text, "cpp")
    runs = DeleteRuns(outline, body_form("cpp"))
    (definition,) = (
        at for at, one in enumerate(outline.elements) if one.listed and one.start == 27
    )
    gone = runs.dependents.with_dependents(frozenset(), [Unit(definition)])
    assert gone is not None
    candidate = runs.without(outline.tree, frozenset(), gone)
    assert candidate is not None
    assert candidate.text == b"int f(int);\nint main() { return f(1); }\n"
