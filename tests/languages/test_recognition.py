"""Which language a file is in."""

from __future__ import annotations

import pytest

from marrow.languages.recognition import (
    canonical_name,
    is_binary,
    known_languages,
    language_of,
)
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.syntax.views import UnknownLanguageError, view_of
from marrow.tree import Kind
from tests.syntax.cases import DIRECTORY, front_end, sample


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.c", b"", "c"),
        ("A.C++", b"", "cpp"),
        ("a.h", b"int f(void);\n", "c"),
        ("a.h", b"namespace a {\nclass B;\n}\n", "cpp"),
        ("a.m", b"x = 1;\n", "matlab"),
        ("a.m", b"@interface A\n@end\n", "objc"),
        ("a.v", b"module top(input a);\nendmodule\n", "verilog"),
        ("a.v", b"module main\n\nfn main() {}\n", "v"),
        ("a.v", b"Require Import Arith.\n", "coq"),
        ("a.v", b"Lemma a : True.\nProof. trivial. Qed.\n", "coq"),
        ("a.lean", b"", "lean"),
        ("a.pl", b":- module(a, [b/1]).\nb(X) :- c(X).\n", None),
        ("a.pl", b"my $a = 1;\n", "perl"),
        ("a.cls", b"\\ProvidesClass{a}\n", "latex"),
        ("a.cls", b"public class A {}\n", "apex"),
        ("go.mod", b"module a\n", "gomod"),
        ("a.mod", b"MODULE a;\n", None),
        ("a.tar.py", b"", "python"),
        ("Makefile", b"", "make"),
        ("CMakeLists.txt", b"", "cmake"),
        ("Dockerfile", b"", "dockerfile"),
        ("problem.smt2", b"", "scheme"),
        ("run", b"#!/bin/sh\n", "bash"),
        ("run", b"#!/usr/bin/env python3\n", "python"),
        ("run", b"#! /usr/bin/env -S node --flag\n", "javascript"),
        ("run", b"#!/usr/bin/perl -w\n", "perl"),
        ("run", b"#!/opt/unknown\n", None),
        ("crash", b'<?xml version="1.0"?><a/>', "xml"),
        ("crash", b"<!DOCTYPE html>\n<html></html>", "html"),
        ("crash", b'{"a": 1}', "json"),
        ("crash", b"(set-logic QF_BV)\n", "scheme"),
        ("crash", b"#include <stdio.h>\n", "c"),
        ("crash", b"some words\n", None),
        ("notes.txt", b"some words\n", None),
    ],
)
def test_language_of_a_file(name: str, text: bytes, language: str | None) -> None:
    assert language_of(name, text) == language


@pytest.mark.parametrize(
    "given", ["c++", "C++", "py", "js", "smt2", "smtlib", ".rs", "sh", "golang"]
)
def test_people_have_other_names(given: str) -> None:
    assert canonical_name(given) in known_languages()


@pytest.mark.parametrize(
    ("text", "binary"),
    [
        (b"", False),
        (b"plain text\n", False),
        ("é".encode(), False),
        ("é".encode("latin-1"), False),
        (b"a\0b", True),
        (bytes(range(1, 32)) * 4 + b"\xff\xfe", True),
    ],
)
def test_binary_texts(text: bytes, binary: bool) -> None:
    assert is_binary(text) is binary


def test_an_unknown_language_gets_advice() -> None:
    with pytest.raises(UnknownLanguageError, match="javascript"):
        view_of("a", b"x", "javascrip")
    with pytest.raises(LookupError):
        TreeSitterFrontEnd("no such language")


def test_a_file_of_no_known_language_is_seen_as_text() -> None:
    view = view_of("notes", b"some words\nmore\n")
    names = [front.name for front in view.fronts]
    assert names == ["brackets", "blocks", "lines", "words", "bytes"]


def test_smt_lib_as_scheme() -> None:
    front, text, tree = sample("solve.smt2")
    assert front.name == "scheme"
    place, commands = next((place, node) for place, node in tree.walk() if node.kind is Kind.STAR)
    assert len(commands.children) == 9
    texts = [token.text for token in tree.tokens()]
    assert b"|a name|" in texts
    after = tree.delete([place.child(commands.children[0].key)])
    assert b"set-logic" not in after.text
    assert not front.errors(after.text)
    assert text.count(b"\n") > after.text.count(b"\n")


@pytest.mark.parametrize("language", [None, "smtlib", "SMT2"])
def test_smt_lib_is_read_by_the_grammar_that_ships(language: str | None) -> None:
    view = view_of("solve.smt2", (DIRECTORY / "solve.smt2").read_bytes(), language)
    assert view.language == "smtlib"
    assert not view.note


@pytest.mark.parametrize(
    ("name", "text", "language"),
    [
        ("a.v", b"Goal True.\nProof. trivial. Qed.\n", None),
        ("a", b"Check 1.\n", "rocq"),
        ("a.lean", b"theorem a : True := by\n  trivial\n", None),
    ],
)
def test_proofs_are_read_by_the_grammars_that_ship(
    name: str, text: bytes, language: str | None
) -> None:
    view = view_of(name, text, language)
    assert view.language in {"coq", "lean"}
    assert not view.note


def test_a_proof_that_its_grammar_does_not_match_is_a_text() -> None:
    view = view_of("a.v", b"Lemma a : (True.\nProof. trivial. Qed.\n")
    assert view.fronts[0].name == "brackets"
    assert "coq" in view.note


def test_what_that_grammar_does_not_match_is_read_as_scheme() -> None:
    view = view_of("solve.smt2", b"(assert))\n")
    assert view.language == "scheme"
    assert "syntax errors" in view.note


def test_what_may_stand_in_a_slot() -> None:
    front = front_end("python")
    tree = front.parse(b"x = f(a, 1 + 2)\ny = g\n")
    call = next(node for _, node in tree.walk() if node.symbol == "call")
    name = next(node for _, node in tree.walk() if getattr(node, "text", b"") == b"g")
    keyword = next(node for _, node in tree.walk() if getattr(node, "text", b"") == b"=")
    assert front.accepts(call.slot, name)
    assert not front.accepts(call.slot, keyword)
