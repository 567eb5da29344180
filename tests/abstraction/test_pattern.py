"""Patterns as data: their compact form, and that JSON keeps all of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from marrow.abstraction.pattern import Counts, Evidence, Mark, Marked, Pattern, compact, segments
from marrow.abstraction.pattern_json import PatternError, from_json, read_pattern, to_json
from marrow.abstraction.pattern_language import visibility_of
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.tree import Place, Tree
from tests.abstraction.finding import search


def example() -> Pattern:
    language = Language.from_file(grammar_path("calculator"))
    tree = language.parse(b"a + a")
    variables = places(tree, "var")
    group = Marked(Mark.CONTEXT_SENSITIVE, "var", 1, Evidence(12), (b"b", b"\xff"))
    marks = dict.fromkeys(variables, group)
    marks[places(tree, "op")[0]] = Marked(
        Mark.ABSTRACT, "op", evidence=Evidence(3, exhaustive=True)
    )
    marks[places(tree, "space_star")[0]] = Marked(Mark.INVISIBLE, "space*")
    marks[places(tree, "expr")[0]] = Marked(
        Mark.CONCRETE, "expr", evidence=Evidence(1, 1, 2, 3, counterexample=b"0", reason="passes")
    )
    return Pattern(
        tree, marks, language, Evidence(100), 7, 100, counts=Counts(9, 8, 7), stopped="no"
    )


def places(tree: Tree, symbol: str) -> list[Place]:
    return [place for place, node in tree.walk() if node.symbol == symbol]


def test_compact_form() -> None:
    pattern = example()
    assert compact(pattern) == "<$var1> <op> <$var1>"
    marks = {segment.text: segment.mark for segment in segments(pattern)}
    assert marks["<op>"] is Mark.ABSTRACT
    assert marks["<$var1>"] is Mark.CONTEXT_SENSITIVE


def test_holes_come_in_the_order_of_the_text_and_groups_as_one() -> None:
    holes = example().holes()
    assert [(hole.symbol, len(hole.places)) for hole in holes] == [
        ("space_star", 1),
        ("var", 2),
        ("op", 1),
    ]


def test_json_keeps_everything(tmp_path: Path) -> None:
    pattern = example()
    file = tmp_path / "pattern.json"
    file.write_text(to_json(pattern), encoding="utf-8")
    again = read_pattern(file)
    assert again.tree.text == pattern.tree.text
    assert again.marks == pattern.marks
    assert isinstance(again.language, Language)
    assert isinstance(pattern.language, Language)
    assert again.language.grammar.rules == pattern.language.grammar.rules
    assert to_json(again) == to_json(pattern)


def test_deep_trees_are_kept() -> None:
    language = Language.from_file(grammar_path("calculator"))
    text = b"(" * 1500 + b"1" + b")" * 1500
    pattern = Pattern(language.parse(text), {}, language)
    assert from_json(to_json(pattern)).tree.text == text
    assert compact(pattern) == text.decode()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": "marrow pattern", "version": 99}'])
def test_what_is_no_pattern_is_refused(text: str) -> None:
    with pytest.raises(PatternError):
        from_json(text)


@pytest.mark.parametrize("damage", ["tree", "grammar", "joint", "seed"])
def test_damaged_patterns_are_refused(damage: str) -> None:
    content = json.loads(to_json(example()))
    del content[damage]
    with pytest.raises(PatternError, match="damaged"):
        from_json(json.dumps(content))
    content = json.loads(to_json(example()))
    content["input"] += "+1"
    with pytest.raises(PatternError, match="damaged"):
        from_json(json.dumps(content))
    content = json.loads(to_json(example()))
    content["grammar"]["text"] = ["not", "a", "text"]
    with pytest.raises(PatternError, match="damaged"):
        from_json(json.dumps(content))


def test_confidence() -> None:
    assert Evidence(100).confidence == pytest.approx(0.97)
    assert Evidence(2).confidence == 0.0
    assert Evidence(3, exhaustive=True).confidence == 1.0
    assert Evidence(99, passing=1).confidence == 0.0


def test_a_grammar_in_several_files_is_embedded_whole(tmp_path: Path) -> None:
    (tmp_path / "Words.g4").write_text("grammar Words; word : 'a' | 'b' ;")
    main = tmp_path / "Main.g4"
    main.write_text("grammar Main; import Words; start : word+ EOF ;")
    language = Language.from_file(main)
    assert list(language.source.read().rules) == ["start", "word"]


def test_the_start_of_a_grammar_in_two_files_need_not_be_its_first_rule(tmp_path: Path) -> None:
    (tmp_path / "L.g4").write_text("lexer grammar L; A : 'a' ; B : 'b' ; C : 'c' ;")
    main = tmp_path / "P.g4"
    main.write_text("parser grammar P; options { tokenVocab=L; } x : A | C ; all : B x+ EOF ;")
    source = Language.from_file(main).self_contained.source
    assert source.start == "all"
    assert Language(source).matches(b"baca")
    pattern, _ = search(b"ba", lambda text: text.startswith(b"b"), Language.from_file(main))
    assert from_json(to_json(pattern)).language.matches(b"bcc")


def test_a_part_without_a_name_is_shown_by_all_that_it_may_hold() -> None:
    language = Language.from_file(grammar_path("javascript")).self_contained
    tree = language.parse(b"[, , 7];")
    names = {visibility_of(language).name(tree, place) for place, _ in tree.walk()}
    assert ", argument?" in names
    assert "," not in names
