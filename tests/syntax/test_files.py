"""Sets of files: as one text, as a tree, and part by part."""

from __future__ import annotations

import stat
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.engine.events import Accepted, Event
from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.output.result import Result
from marrow.run.reduction import Reduction
from marrow.syntax.bundle import BundleEntry, make_bundle, read_bundle
from marrow.syntax.file_set import FileSetView, FilesFrontEnd
from marrow.tree import ROOT

NAMES = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="/\0"), min_size=1, max_size=4),
    min_size=1,
    max_size=3,
).map("/".join)
CONTENTS = st.one_of(
    st.binary(max_size=20),
    st.lists(st.sampled_from([b"==> 100644 a\n", b">==> x", b">>==> \n", b"\n", b"a"])).map(
        b"".join
    ),
)
MODES = st.sampled_from([stat.S_IFREG | 0o644, stat.S_IFREG | 0o755, stat.S_IFLNK | 0o777])
ENTRIES = st.dictionaries(NAMES, st.tuples(CONTENTS, MODES), max_size=8).map(
    lambda found: [BundleEntry(name, *rest) for name, rest in sorted(found.items())]
)


@given(ENTRIES)
def test_packing_loses_nothing(entries: list[BundleEntry]) -> None:
    assert read_bundle(make_bundle(entries)) == entries
    assert make_bundle(reversed(entries)) == make_bundle(entries)


@given(ENTRIES, st.data())
def test_the_tree_of_files(entries: list[BundleEntry], data: st.DataObject) -> None:
    bundle = make_bundle(entries)
    tree = FilesFrontEnd().parse(bundle)
    assert tree.text == bundle
    assert tree.token_count == len(entries)
    tokens = [place for place, node in tree.walk() if not node.children and node.token_count]
    gone = data.draw(st.sets(st.sampled_from(range(len(tokens))))) if tokens else set()
    left = tree.delete(tokens[index] for index in gone)
    assert read_bundle(left.text) == [one for at, one in enumerate(entries) if at not in gone]


def test_a_directory_is_a_node() -> None:
    names = ["a.c", "d/a.c", "d/e/x", "d/e/y", "d-/a.c", "z"]
    tree = FilesFrontEnd().parse(make_bundle(map(BundleEntry, names)))
    shape = [(place.depth, node.symbol) for place, node in tree.walk() if node.children]
    assert shape == [(0, "files"), (1, "directory d-"), (1, "directory d"), (2, "directory d/e")]
    directory = next(place for place, node in tree.walk() if node.symbol == "directory d")
    assert [one.name for one in read_bundle(tree.delete([directory]).text)] == [
        "a.c",
        "d-/a.c",
        "z",
    ]
    assert tree.at(ROOT) is tree.root


FILES = [
    BundleEntry("README", b"some words\nthat nobody needs\n"),
    BundleEntry("data/logo", b"\0\1needle\2\3"),
    BundleEntry("data/more", b"\0\1\2"),
    BundleEntry("src/a.c", b"int f(int a) {\n  return a;\n}\nint g(void) { return f(1); }\n"),
    BundleEntry("src/b.py", b"def f():\n    if x:\n        y = needle()\n    return 1\n"),
    BundleEntry("src/broken.json", b'{"a": [1, 2, }'),
]


def contains(wanted: bytes, text: bytes) -> bool:
    return wanted in text


def reduce(wanted: dict[str, bytes], algorithm: str = "perses*") -> tuple[Result, list[Event]]:
    """Reduce the files under a test that wants some contents in some files."""

    def test(text: bytes) -> bool:
        files = {entry.name: entry.content for entry in read_bundle(text)}
        return all(content in files.get(name, b"\n") for name, content in wanted.items())

    text = make_bundle(FILES)
    events: list[Event] = []
    executor = CallableExecutor(test)
    try:
        reduction = Reduction(
            text=text,
            view=FileSetView(text),
            strategy=algorithm_of(algorithm),
            executor=executor,
            journal=Journal.in_memory(),
            listener=events.append,
        )
        return reduction.run(), events
    finally:
        executor.close()


def test_each_file_in_its_own_language() -> None:
    result, events = reduce({"src/a.c": b"f", "src/b.py": b"needle", "data/logo": b"needle"})
    left = read_bundle(result.text)
    assert [one.name for one in left] == ["data/logo", "src/a.c", "src/b.py"]
    # Each file is what it would have become alone.
    for one, wanted in zip(left, (b"needle", b"f", b"needle"), strict=True):
        content = next(entry.content for entry in FILES if entry.name == one.name)
        alone = marrow.reduce(
            content, partial(contains, wanted), name=one.name, algorithm="perses*"
        )
        assert one.content == alone.text
    assert result.bytes_before == sum(len(one.content) for one in FILES)
    assert result.bytes_after == sum(len(one.content) for one in left)
    accepted = [event for event in events if isinstance(event, Accepted)]
    # Whole files go first; every step is smaller, and what it tells is the size of the whole.
    assert accepted[0].phase.startswith("deleting in files")
    assert accepted[-1].tokens == result.tokens_after
    assert accepted[-1].length == result.bytes_after
    assert [one.before for one in accepted[1:]] == [one.after for one in accepted[:-1]]
    sizes = [(one.tokens, one.length) for one in accepted]
    assert sizes == sorted(sizes, reverse=True)


def test_an_algorithm_on_lines_still_removes_whole_files() -> None:
    result, _ = reduce({"src/b.py": b"needle"}, "ddmin*")
    assert read_bundle(result.text) == [BundleEntry("src/b.py", b"y = needle()\n")]


def test_what_one_file_frees_in_another_is_found() -> None:
    """The test needs `x` in a file as long as another file, which is reduced later, has `y`."""

    def test(text: bytes) -> bool:
        files = {entry.name: entry.content for entry in read_bundle(text)}
        first, second = files.get("1.txt", b""), files.get("2.txt", b"")
        return b"k" in second and (b"y" not in second or b"x" in first)

    text = make_bundle([BundleEntry("1.txt", b"x\n" * 9), BundleEntry("2.txt", b"y\nk\n")])
    executor = CallableExecutor(test)
    journal = Journal.in_memory()
    reduction = Reduction(
        text=text,
        view=FileSetView(text),
        strategy=algorithm_of("perses*"),
        executor=executor,
        journal=journal,
    )
    result = reduction.run()
    executor.close()
    assert [one.name for one in read_bundle(result.text)] == ["2.txt"]
    assert read_bundle(result.text)[0].content.strip() == b"k"


def test_from_coarse_to_fine() -> None:
    """What is coarse goes from all files before one is polished, and the file is named."""
    names = ("a.c", "b.c")
    files: dict[str, bytes | str] = {
        name: "".join(f"int f{at}(int longer) {{ return longer + {at}; }}\n" for at in range(8))
        + f"int needle_{name[0]}(int longer) {{ return longer; }}\n"
        for name in names
    }

    def test(bundle: bytes) -> bool:
        return all(b"needle_%c" % name.encode()[0] in bundle for name in names) and (
            bundle.count(b"return") > 1
        )

    seen: list[Event] = []
    result = marrow.reduce(files, test, on_event=seen.append, one_file=False)
    steps = [one for one in seen if isinstance(one, Accepted)]
    levels = {"perses*": 0, "files": 0, "perses": 1}
    order = [levels.get(one.pass_name, 3) for one in steps]
    assert order == sorted(order)
    for level in (1, 3):
        phases = [one.phase for one, at in zip(steps, order, strict=True) if at == level]
        assert {phase.partition(": ")[0] for phase in phases} == set(names)
    assert set(result.files) == set(names)
    again = marrow.reduce(result.files, test, one_file=False)
    assert again.files == result.files


def test_bodies_go_from_all_files_before_anything_mentions_others() -> None:
    """Each body calls what another file has: only without them can files go."""

    def module(other: str) -> str:
        line = f"    return {other}.f0(1, 2, 3) + {other}.f1(4, 5, 6)\n"
        return f"import {other}\n" + "".join(f"def f{n}(a, b, c):\n{line * 4}" for n in range(9))

    files: dict[str, bytes | str] = {
        "a.py": module("b") + "keep = 1\n",
        "b.py": module("c"),
        "c.py": module("b"),
    }

    def test(bundle: bytes) -> bool:
        imports = [b"import " in one.content for one in read_bundle(bundle)]
        return b"keep = 1" in bundle and len(imports) == 3 and all(imports)

    seen: list[Event] = []
    result = marrow.reduce(files, test, on_event=seen.append)
    phases = [one.phase for one in seen if isinstance(one, Accepted)]
    assert all(phase.endswith("declarations: block") for phase in phases[:3])
    assert not any("declarations" in phase for phase in phases[3:])
    assert result.tokens_after < 20


def test_a_text_whose_bodies_went_is_parsed_again() -> None:
    """What is left has lists again, also where no other file is parsed in between."""
    functions = "".join(
        f"int f{n}(void) {{ g(1, 2, 3); return g(4, 5, {n}); }}\n" for n in range(9)
    )
    files: dict[str, bytes | str] = {"a.c": "int keep;\n" + functions, "b.txt": "keep"}

    def test(bundle: bytes) -> bool:
        return bundle.count(b"keep") == 2

    seen: list[Event] = []
    marrow.reduce(files, test, on_event=seen.append)
    passes = [one.pass_name for one in seen if isinstance(one, Accepted)]
    assert passes[:2] == ["declarations", "perses"]
