"""Readable text: lines and indentation, the same tokens, and the same when done again."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.syntax.front_end import FrontEnd
from marrow.syntax.pretty_text import pretty_text, style_of
from marrow.syntax.views import view_of

JAVASCRIPT = """\
function total(items, rate = 0.2) {
  const prices = items.map((item) => {
    const {price, count} = item;
    return price * count;
  });
  if (prices.length > 3) {
    log("many", {a: 1, b: [1, 2, 3]});
  } else {
    log(`few ${rate}`);
  }
  return prices.reduce((a, b) => a + b, 0);
}
"""

C = """\
#include <stdio.h>
int f(int a, const char *b)
{
  for (int i = 0; i < a; i++) {
    if (b[i] == 'x' && a > 1)
      return -1;
    else if (!a) { g->x += 1; }
  }
  return *b + (int) a;
}
"""

RUBY = """\
class Foo
  def bar(a, b = 2)
    if a > b
      puts "x #{a}"
    elsif b
      [1, 2].each do |x|
        y = x + 1
      end
    else
      nil
    end
  end
end
"""

GO = """\
package main
import "fmt"
func (t *T) f(x int) (int, error) {
\tif x > 1 && t != nil {
\t\tfmt.Println("a", x)
\t} else {
\t\tx++
\t}
\tm := map[string]int{"a": 1}
\treturn x, nil
}
"""

PYTHON = """\
import os, sys
class A(object):
    x = {'a': 1, "b": [1, 2]}
    def f(self, a=1, *b, **c) -> int:
        if a > 1 and not b:
            return -a + b[1:2]
        else:
            pass
"""

LUA = """\
local function f(a, b)
  if a > 1 then
    return b .. "x"
  elseif b then
    for i = 1, 10 do print(i) end
  else
    local t = {x = 1, 2, 3}
  end
end
"""

TEXTS = {"a.js": JAVASCRIPT, "a.c": C, "a.rb": RUBY, "a.go": GO, "a.py": PYTHON, "a.lua": LUA}


def front_of(name: str, text: bytes) -> FrontEnd:
    return view_of(name, text).counter


def laid_out(name: str, whole: bytes, text: bytes) -> bytes:
    front = front_of(name, whole)
    return pretty_text(front.readings, front.parse(text), style_of(whole))


def without_blanks(text: str) -> list[str]:
    """Return the lines of a text with their indentation, and no other blanks."""
    return [re.sub(r"(?<=\S) +", "", line) for line in text.splitlines()]


@pytest.mark.parametrize("name", ["a.go", "a.js", "a.py"])
def test_what_was_made_compact_gets_its_lines_and_their_indentation_back(name: str) -> None:
    whole = TEXTS[name].encode()
    front = front_of(name, whole)
    short = front.compact(front.parse(whole))
    assert len(short) < len(whole)
    assert without_blanks(laid_out(name, whole, short).decode()) == without_blanks(TEXTS[name])


def test_lines_are_indented_and_end_where_they_did() -> None:
    text = b"int f(int a){\nint i;for(i=0;i<a;i++){\nif(a>1)\nreturn -1;\n}\nreturn a;\n}\n"
    assert laid_out("a.c", text, text).decode() == (
        "int f(int a){\n    int i;for(i=0;i<a;i++){\n        if(a>1)\n        return -1;\n"
        "    }\n    return a;\n}\n"
    )


def test_indentation_and_line_ends_are_those_of_the_input() -> None:
    whole = C.replace("\n", "\r\n").encode()
    found = laid_out("a.c", whole, b"int f(int a){\r\nreturn a;\r\n}\r\n")
    assert found == b"int f(int a){\r\n  return a;\r\n}\r\n"


@settings(max_examples=8)
@given(st.sampled_from(sorted(TEXTS)), st.sets(st.integers(0, 30), max_size=20))
def test_no_token_changes_and_done_again_nothing_does(name: str, gone: set[int]) -> None:
    """Also of what a reduction leaves, and of lines that do not parse."""
    whole = TEXTS[name].encode()
    lines = whole.splitlines(keepends=True)
    text = b"".join(line for number, line in enumerate(lines) if number not in gone)
    front = front_of(name, whole)
    found = laid_out(name, whole, text)
    assert list(front.readings(found)) == list(front.readings(text))
    assert laid_out(name, whole, found) == found
