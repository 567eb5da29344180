"""The files of the languages: each can be read, and says nothing that another contradicts."""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from typing import get_args

import pytest
import tree_sitter_language_pack

from marrow.languages.language_facts import (
    FOLDER,
    LanguageFacts,
    LanguageFileError,
    facts_of,
    read_facts,
)
from marrow.languages.recognition import canonical_name, known_languages, suffixes_of
from marrow.reducers.passes.templates import rewrites_from

NAMES = sorted(path.stem for path in FOLDER.glob("*.toml"))
FACTS = [facts_of(name) for name in NAMES]


def test_all_files_can_be_read() -> None:
    for facts in FACTS:
        assert facts.blocks in ("", "indented", "aligned", "rows"), facts.name
        assert not facts.like or facts.like in NAMES
        assert facts.parser is None or len(facts.parser) in (0, 2)
        patterns = (*facts.interpreters, *facts.contents, *facts.shared_suffixes.values())
        for pattern in (*patterns, facts.names.spelling):
            re.compile(pattern.encode())
        re.compile(facts.names.known, re.VERBOSE)
        found = {one.name for one in rewrites_from(facts.rewrites, facts.name)}
        assert len(found) == len({str(one["name"]) for one in facts.rewrites})


def test_every_language_has_a_parser() -> None:
    """Names only: loading all parsers takes a while."""
    pack = set(get_args(tree_sitter_language_pack.SupportedLanguage))
    assert set(known_languages()) <= pack
    assert set(known_languages()) == {one.name for one in FACTS if one.parser != ()}


@pytest.mark.parametrize("key", ["suffixes", "filenames", "aliases", "interpreters", "contents"])
def test_nothing_belongs_to_two_languages(key: str) -> None:
    counts = Counter(one for facts in FACTS for one in getattr(facts, key))
    assert max(counts.values()) == 1


def test_names_and_suffixes_are_found() -> None:
    """The index reads the start of each file only."""
    for facts in FACTS:
        assert suffixes_of(facts.name) == tuple(facts.suffixes)
        for alias in facts.aliases:
            assert canonical_name(alias) == facts.name


def test_facts_are_inherited() -> None:
    c, cpp, cuda = facts_of("c"), facts_of("cpp"), facts_of("cuda")
    assert cpp.types == c.types == cuda.types
    assert cpp.definitions == cuda.definitions == c.definitions
    assert cpp.rewrites[-len(c.rewrites) :] == c.rewrites
    assert len(cpp.coupled) > len(c.coupled)
    assert not set(c.suffixes) & set(cpp.suffixes)
    assert facts_of("no such language") == LanguageFacts("no such language")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("colour = 1", "'colour' is not a fact of a language"),
        ("suffixes = 1", "suffixes has a value of the wrong type"),
        ("like = []", "like has a value of the wrong type"),
        ("[names]\ncolour = 1", r"\[names\]: .*colour"),
        ("suffixes = [", "odd.toml: "),
    ],
)
def test_a_file_that_cannot_be_used(text: str, said: str) -> None:
    with pytest.raises(LanguageFileError, match=said):
        read_facts("odd", text)


def test_only_what_asks_for_a_language_reads_a_file() -> None:
    command = [sys.executable, "-X", "importtime", "-m", "marrow", "--version"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "marrow.cli" in done.stderr
    assert "marrow.languages" not in done.stderr
    assert "tomllib" not in done.stderr
