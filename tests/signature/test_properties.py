"""What holds for every signature: harmless changes do not matter, files say all of it."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.diagnostics.observation import Observation
from marrow.diagnostics.texts import InputText, one_line
from marrow.signature.inference import infer_signature
from marrow.signature.signature import Fact, Signature, label_of
from marrow.signature.template import Template, TemplatePart, template_of

LINES = st.text(st.characters(codec="utf-8", exclude_characters="\n\r\x1b"), max_size=60)
NAMES = st.from_regex(r"[a-z]{3,8}_[a-z]{1,5}", fullmatch=True)
NUMBERS = st.integers(0, 99_999)

#: Messages of many tools; names and numbers of the input are filled in.
FORMS = (
    "input.c:{a}:{b}: error: use of undeclared identifier '{x}'\n    {x}\n    ^\n"
    "1 error generated.\n",
    "error[E0425]: cannot find value `{x}` in this scope\n --> input.c:{a}:{b}\n  |\n{a} | {x};\n",
    'Traceback (most recent call last):\n  File "/opt/tool/scope.py", line {a}, in lookup\n'
    "    return self.names[name]\nKeyError: '{x}'\n",
    "==={a}===\n=={a}==ERROR: AddressSanitizer: heap-use-after-free on address {h} at pc {h}\n"
    "READ of size {b} at {h} thread T0\n    #0 {h} in fold /src/fold.cc:88:1\n"
    "    #1 {h} in parse /src/fold.cc:99:1\n",
    'psql:input.c:{a}: ERROR:  column "{x}" does not exist\nLINE {b}: {x}\n',
    "panic: no such key: {x}\n\ngoroutine {a} [running]:\nexample.com/db.(*Store).Get({h})\n"
    "\t/src/db.go:12 +{h}\n",
    "tool: {x}: unbound variable at line {a}\n",
    "(tool:{a}): Gtk-CRITICAL **: 12:00:0{d}.{b}: gtk_foo: assertion 'x != NULL' failed\n",
    "input.c:{a}: undefined: {x}.{y}\n",
)


#: Words that messages have of themselves: a name with such a part would make them the input's.
OWN_WORDS = frozenset(re.findall("[a-z]+", " ".join(FORMS).lower()))
FREE_NAMES = NAMES.filter(lambda name: OWN_WORDS.isdisjoint(name.split("_")))


def printed(form: str, x: str, y: str, a: int, b: int) -> Observation:
    said = form.format(x=x, y=y, a=a, b=b, d=a % 10, h=hex(a * 7919 + b + 4096))
    return Observation(1, b"", said.encode())


@settings(max_examples=20)
@given(
    st.sampled_from(FORMS),
    st.lists(FREE_NAMES, min_size=4, max_size=4, unique=True),
    NUMBERS,
    NUMBERS,
)
def test_renamed_and_moved_it_is_the_same_failure(
    form: str, names: list[str], a: int, b: int
) -> None:
    x, y, u, v = names
    text, other = f"{x} {y} = 1;\n".encode(), f"\n\n{u} {v} = 1;\n".encode()
    seen = printed(form, x, y, 3, 4)
    signature = infer_signature([seen] * 3, text, "input.c").best
    again = printed(form, u, v, a, b)
    judged = signature.judge(again, other)
    assert judged.matches, judged.why
    assert judged.label == label_of(seen, text, "input.c") == signature.judge(seen, text).label
    # A name that is not the candidate's is another failure, or none of this input.
    if x in form.format(x=x, y=y, a=1, b=1, d=1, h=1) and "{x}" in form:
        assert not signature.judge(again, b"nothing of the kind").matches


@settings(max_examples=40)
@given(st.sampled_from(FORMS), st.sampled_from(FORMS))
def test_other_failures_are_told_apart(form: str, other: str) -> None:
    text = b"one_name two_names = 1;\n"
    seen, another = (printed(one, "one_name", "two_names", 3, 4) for one in (form, other))
    signature = infer_signature([seen] * 3, text, "input.c").best
    assert signature.judge(another, text).matches == (form == other)
    labels = {label_of(one, text, "input.c") for one in (seen, another)}
    assert len(labels) == (1 if form == other else 2)


@given(LINES, LINES)
def test_a_template_matches_its_message(message: str, text: str) -> None:
    source = InputText(text.encode(), "input.c")
    said = one_line(message)
    template = template_of(said, source)
    assert template.matches(said, source)
    assert Template.read(str(template)) == template


@given(LINES, LINES)
def test_making_a_template_again_changes_nothing(message: str, text: str) -> None:
    source = InputText(text.encode(), "input.c")
    once = template_of(message, source)
    assert template_of(one_line(message), source) == once
    assert str(Template.read(str(once))) == str(once)


@given(st.binary(max_size=200), st.binary(max_size=200), st.binary(max_size=40))
def test_any_output_gets_an_answer_and_always_the_same(
    stdout: bytes, stderr: bytes, text: bytes
) -> None:
    runs = [Observation(3, stdout, stderr)] * 2
    first = infer_signature(runs, text, "input.c")
    assert first == infer_signature(runs, text, "input.c")
    assert first.signatures or first.refusal
    for signature in first.signatures:
        assert signature.judge(runs[0], text).matches
        assert Signature.from_toml(signature.to_toml()) == signature


TEXTS = st.text(max_size=20)
EXPRESSIONS = st.lists(TEXTS.map(re.escape), max_size=2).map(tuple)
PARTS = st.one_of(
    st.builds(TemplatePart, st.just(""), TEXTS.filter(bool)),
    st.builds(TemplatePart, st.sampled_from(["name", "literal", "code"]), TEXTS.filter(bool)),
    st.builds(TemplatePart, st.sampled_from(["number", "path", "any", "directory"])),
)
TEMPLATES = st.lists(PARTS, max_size=4).map(
    lambda parts: Template.read(str(Template(tuple(parts))))
)


@settings(max_examples=30)
@given(
    st.builds(
        Signature,
        status=st.one_of(st.none(), st.integers(-64, 2**32)),
        kind=TEXTS,
        facts=st.lists(
            st.builds(Fact, st.sampled_from(["stderr", "stdout"]), TEMPLATES, TEXTS), max_size=2
        ).map(tuple),
        frames=st.lists(TEXTS, max_size=2).map(tuple),
        known=st.lists(TEMPLATES, max_size=2).map(tuple),
        new_errors=st.booleans(),
        stderr=EXPRESSIONS,
        stdout=EXPRESSIONS,
        forbidden=EXPRESSIONS,
        name=TEXTS,
    )
)
def test_a_file_says_all_of_a_signature(signature: Signature) -> None:
    assert Signature.from_toml(signature.to_toml()) == signature
    assert Signature.from_dict(signature.to_dict()) == signature
