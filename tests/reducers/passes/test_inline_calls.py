"""Functions are inlined where they are called, however the types of their parameters are spelt."""

from __future__ import annotations

import pytest

from marrow.reducers.passes.inline_calls import inlined
from marrow.reducers.pipeline.pipeline import rewrites_of
from marrow.syntax.views import view_of


def made(language: str, text: str) -> list[str]:
    tree = view_of("input", text.encode(), language).counter.parse(text.encode())
    found = [one for rewrite in rewrites_of(language) for one in inlined(tree, rewrite)]
    return ["".join(one.decode().split()) for one in found]


C_TYPES = (
    "int",
    "long",
    "unsigned",
    "unsigned char",
    "struct s",
    "const int",
    "T",
    "T *",
    "const char *",
)
CPP_TYPES = ("std::string", "vec<int>", "const T&", "auto", "T&&", "const std::vector<int>&")


@pytest.mark.parametrize(
    ("language", "spelt"), [("c", one) for one in C_TYPES] + [("cpp", one) for one in CPP_TYPES]
)
def test_a_parameter_of_any_type(language: str, spelt: str) -> None:
    found = made(language, f"void f({spelt} p) {{ g(p); }} int main() {{ f(h(1)); return 0; }}")
    body = "intmain(){%sreturn0;}"
    plain = "".join(spelt.split())
    assert found[:3] == [
        body % "g(h(1));",
        body % f"{plain}p=h(1);g(p);",
        body % f"g(({plain})(h(1)));",
    ]


@pytest.mark.parametrize("spelt", ["", "int ", "?int ", "\\A\\B "])
def test_a_typed_parameter_of_php(spelt: str) -> None:
    found = made("php", f"<?php function f({spelt}$p) {{ g($p); }} f(h(1));")
    assert found[:2] == ["<?phpg(h(1));", "<?php$p=h(1);g($p);"]


def test_a_local_variable_without_a_semicolon() -> None:
    found = made("javascript", "function f(a){g(a,a)}\nf(h())")
    assert "vara=h()g(a,a)" in found


def test_several_parameters() -> None:
    found = made(
        "c", "void f(long p, const char *q) { g(p, q); } int main() { f(1, h()); return 0; }"
    )
    assert found[0] == "intmain(){g(1,h());return0;}"
