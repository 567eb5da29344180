"""The last sweep: nothing that deletes by itself stays in a text with syntax errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from marrow.reducers.passes.pass_context import PassContext, Stock
from marrow.reducers.passes.token_runs import has_errors, last_sweep
from marrow.reducers.streams.stream import Attempts, finish
from marrow.reducers.streams.sweep import GIVE_UP_AFTER
from marrow.syntax.treesitter import TreeSitterFrontEnd
from marrow.tree import smaller

WORDS = [b"(", b")", b"{", b"}", b"[", b"]", b"a", b"b", b"1", b";", b"@", b"=", b"\n"]
PAIRS = {b")": b"(", b"]": b"[", b"}": b"{"}


def single_deletions(language: str, text: bytes) -> Iterator[bytes]:
    """Yield the text without each token, each line, each pair of brackets, and what is in one."""
    tokens = [token.text for token in TreeSitterFrontEnd(language).parse(text).tokens()]
    spans = [(at, at + 1) for at in range(len(tokens))]
    opened: list[int] = []
    for at, token in enumerate(tokens):
        if token in PAIRS.values():
            opened.append(at)
        elif token in PAIRS and any(tokens[one] == PAIRS[token] for one in opened):
            while tokens[opened[-1]] != PAIRS[token]:
                opened.pop()
            start = opened.pop()
            spans += [(start, at + 1), (start + 1, at)]
    for start, end in spans:
        yield b" ".join(tokens[:start] + tokens[end:])
    lines = text.splitlines(keepends=True)
    for at in range(len(lines)):
        yield b"".join(lines[:at] + lines[at + 1 :])


def swept(language: str, text: bytes, test: Callable[[bytes], bool]) -> bytes:
    """Return what the pass alone leaves of a text, run again until it finds nothing."""
    front = TreeSitterFrontEnd(language)
    while True:
        tree = front.parse(text)
        context = PassContext(front, front.parse, front.compact, Stock(tree, front))
        attempts = Attempts(last_sweep(context)(tree, finish))
        while (one := next(attempts, None)) is not None:
            if smaller(one.tree, tree) and test(one.tree.text):
                assert one.unparsed
                tree, attempts = front.parse(one.tree.text), Attempts(one.then())
        if tree.text == text:
            return text
        text = tree.text


@settings(max_examples=12, deadline=None)
@given(
    st.sampled_from(["cpp", "python", "javascript"]),
    st.lists(st.sampled_from(WORDS), min_size=5, max_size=30),
    st.integers(0, 3),
)
def test_nothing_that_deletes_by_itself_stays(language: str, words: list[bytes], at: int) -> None:
    counts = {word: words[at:].count(word) for word in words[at : at + 3] if word != b"\n"}

    def test(candidate: bytes) -> bool:
        return all(candidate.count(word) >= count for word, count in counts.items())

    result = swept(language, b" ".join(words), test)
    if has_errors(TreeSitterFrontEnd(language).parse(result)):
        left = [one for one in single_deletions(language, result) if one.strip()]
        assert not [one for one in left if one.split() != result.split() and test(one)]


def test_no_bracket_is_given_up() -> None:
    # More pairs have to stay than the pass `brackets` has patience for.
    kept = b"\n".join(b"@ {k%d k}" % at for at in range(GIVE_UP_AFTER + 1))

    def test(candidate: bytes) -> bool:
        tokens = b"".join(candidate.split())
        balanced = all(tokens.count(PAIRS[one]) == tokens.count(one) for one in PAIRS)
        return balanced and all(b"@{k%dk}" % at in tokens for at in range(GIVE_UP_AFTER + 1))

    result = swept("cpp", kept + b"\n@ ( )\n", test)
    assert b"".join(result.split()) == b"".join(kept.split())


def test_texts_without_errors_are_left_to_the_others() -> None:
    assert swept("c", b"int f() { return 1; }", lambda _: True) == b"int f() { return 1; }"
