"""Man pages are made from the help."""

from __future__ import annotations

import re

from tools.man import pages

from marrow.cli.command_table import COMMANDS


def test_every_command_has_a_page_and_options_stand_in_the_order_of_the_help() -> None:
    found = pages()
    assert set(found) == {"marrow.1", *(f"marrow-{name}.1" for name in COMMANDS)}
    for text in found.values():
        requests = set(re.findall(r"(?m)^[.'](\S*)", text))
        assert requests <= {"TH", "SH", "SS", "B", "BR", "PP", "TP", "nf", "fi"}
    reduce = found["marrow-reduce.1"]
    places = [reduce.index(words) for words in ("\\-\\-output", ".SS The input", "\\-\\-assume")]
    assert places == sorted(places)
