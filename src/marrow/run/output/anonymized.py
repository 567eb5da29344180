"""The result without the words of the input: what `--anonymize` does, and the table of what stays.

Reduction takes short names and numbers only where that is smaller. After the fixpoint each word of
the input that is left gives way to a neutral one wherever the test agrees: all of them at once,
then halves of each group that fails, then a word alone in several forms, at last its mentions one
by one. Verdicts come from the journal in a resumed run. Worst case: 2k log2(n) tests if k of n
words must stay, and 22 for each of these.

A word is a run of letters, digits and underscores, of two characters or more. It is one of the
input if it is there in any case, if it is a part of three characters or more of one there, or has
such a part: what a pass has cut out of a string, or joined, is still the user's. A word is the
language's own if the file of the language says so, or if it is a token that has another kind with
another word in its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import replace
from itertools import count
from string import ascii_lowercase
from typing import TYPE_CHECKING, Final

from marrow.base.errors import MarrowError
from marrow.engine.executors.executor import outcome_of
from marrow.engine.process.command import CapturedCommand, TestCommand
from marrow.engine.search.sample_tester import SampleTester
from marrow.engine.verdict import Verdict
from marrow.run.output.reporting import kept_words, readable_script
from marrow.run.output.result import Ending, KeptWord, Result
from marrow.run.plan.plan import Plan
from marrow.syntax.bundle import make_bundle, read_bundle
from marrow.syntax.file_set import FileSetView
from marrow.syntax.front_end import FrontEnd, spelling_of
from marrow.syntax.view_wrappers import WideTextView, as_narrow
from marrow.syntax.views import FileView

if TYPE_CHECKING:
    from marrow.run.run import Run

_WORD: Final = re.compile(r"\w+")

# Shorter parts of words tell nothing. Longer words are data, with too many parts to look for.
_LEAST_PART: Final = 3
_LONGEST: Final = 200

# Of a longer text, which is not the result of a whole reduction, the parser is not asked which
# words are the language's: that takes a parse for each of them.
_LONGEST_PARSED: Final = 20_000

#: The texts of a result by the names of their files; one for a single file.
_Texts = Mapping[str, str]


def anonymize_result(run: Run, result: Result) -> None:
    """Replace words of the input, unless a limit was reached, and list those that stay."""
    view, anonymizer = run.plan.view, Anonymizer(run.plan)
    try:
        if result.verified and result.ending is not Ending.LIMIT:
            tester = run.tester()
            text = anonymizer.anonymous(result.text, tester)
            outcome = outcome_of(run.executor.submit(text, capture=True))
            result.tests += tester.counts.tests
            result.count_repeats(1)
            shows = outcome.verdict is Verdict.INTERESTING
            if text != result.text and (shows or run.rule is not None):
                assert view is not None
                run.outcome = outcome if shows else run.outcome
                result.text, result.bytes_after = text, view.length(text)
                result.tokens_after = view.tokens(text, lambda by, one: by.parse(one))
                run.outputs.write_final(text)
    finally:
        result.kept_words = anonymizer.table(result.text, run.command)


class Anonymizer:
    """Knows the words of an input, and replaces them in its result."""

    def __init__(self, plan: Plan) -> None:
        self._plan: Final = plan
        self._before: Final = {word.casefold() for word in _words(self._texts(plan.source.text))}
        self._joined: Final = "\n".join(self._before)

    def anonymous(self, whole: bytes, tester: SampleTester) -> bytes:
        """Return a result with neutral words where the test agrees."""
        tester.phase("replacing words of the input")
        texts = self._texts(whole)
        groups = [list(self._named(texts))]

        def take(names: Mapping[str, str], mention: int | None = None) -> bool:
            """Take new names for words, if the result parses as before and passes the test."""
            nonlocal texts
            found = _renamed(texts, names, mention)
            if found == texts or any(
                front.errors(_coded(found[name])) and not front.errors(_coded(texts[name]))
                for name, front in self._fronts(texts)
            ):
                return False
            taken = tester.interesting(self._whole(whole, found))
            texts = found if taken else texts
            return taken

        try:
            while groups:
                group = groups.pop()
                if len(group) > 1:
                    names: dict[str, str] = {}
                    for word in group:
                        if forms := self._forms(word, texts, set(names.values())):
                            names[word] = forms[0]
                    if not take(names):
                        groups += [group[len(group) // 2 :], group[: len(group) // 2]]
                    continue
                for word in group:
                    forms = self._forms(word, texts, set())
                    times = min(16, _words(texts)[word])  # more are not tried one by one
                    if any(take({word: form}) for form in forms) or not forms:
                        continue
                    # From the last one: what has been replaced does not count any more.
                    for mention in reversed(range(times if times > 1 else 0)):
                        take({word: forms[0]}, mention)
        except MarrowError:  # the test cannot be run any more
            pass
        return self._whole(whole, texts)

    def table(self, whole: bytes, command: TestCommand | None) -> list[KeptWord]:
        """Return the words of the input that are in a result, the most frequent first."""
        asked = _asked(command).casefold()
        words = {*_WORD.findall(asked)}
        found = self._named(self._texts(whole))
        return [
            KeptWord(word, found[word], plain in words or (plain in asked and len(plain) > 2))
            for word in sorted(found, key=lambda one: (-found[one], one))
            for plain in [word.casefold()]
        ]

    def _texts(self, whole: bytes) -> dict[str, str]:
        texts = {"": as_narrow(whole)}
        if self._plan.source.several:
            texts = {one.name: one.content for one in read_bundle(whole) if one.regular}
        return {name: text.decode("utf-8", "surrogateescape") for name, text in texts.items()}

    def _whole(self, whole: bytes, texts: _Texts) -> bytes:
        """Return a result with other texts."""
        if texts == self._texts(whole):
            return whole
        if self._plan.source.several:
            return make_bundle(
                replace(one, content=_coded(texts[one.name])) if one.name in texts else one
                for one in read_bundle(whole)
            )
        view, text = self._plan.view, _coded(texts[""])
        return view.wide(text) if isinstance(view, WideTextView) else text

    def _fronts(self, texts: _Texts) -> Iterator[tuple[str, FrontEnd]]:
        """Yield the names of texts that have a syntax, each with its front end."""
        for name in texts:
            view = self._plan.view
            view = view.inner if isinstance(view, WideTextView) else view
            view = view.view_of(name) if isinstance(view, FileSetView) else view
            if isinstance(view, FileView) and view.counter.has_syntax:
                yield name, view.counter

    def _named(self, texts: _Texts) -> dict[str, int]:
        """Return the words of the input in a result, and how often; not those of the language."""
        found = {word: times for word, times in _words(texts).items() if self._known(word)}
        if sum(map(len, texts.values())) > _LONGEST_PARSED:
            return found
        return {word: found[word] for word in found if not self._reserved(word, texts)}

    def _known(self, word: str) -> bool:
        """Whether a word is one of the input, has one in it, or is a part of one."""
        plain = word.casefold()
        if plain in self._before or len(plain) < _LEAST_PART:
            return plain in self._before
        if len(plain) > _LONGEST or plain in self._joined:
            return True
        ends = range(_LEAST_PART, len(plain) + 1)
        return any(plain[at:end] in self._before for end in ends for at in range(end - 2))

    def _reserved(self, word: str, texts: _Texts) -> bool:
        """Whether a word is the language's: with another one a token has another kind."""
        for name, front in self._fronts(texts):
            known = spelling_of(front.name).known
            if known is not None and known.fullmatch(_coded(word)):
                return True
            tokens = _tokens(front, texts[name])
            if any(_WORD.findall(text) == [word] for _, text in tokens) and not word[0].isdigit():
                other = _renamed(texts, {word: self._forms(word, texts, set())[0]})
                if [kind for kind, _ in _tokens(front, other[name])] != [one for one, _ in tokens]:
                    return True
        return False

    def _forms(self, word: str, texts: _Texts, taken: Set[str]) -> list[str]:
        """Return what may take the place of a word and is not of the input, the plainest first.

        Names are not in the result yet and have the case of the word. After one of a letter come
        one of the same length, and one with the first letter, which may be a part of an escape.
        """
        if word[0].isdigit():
            least = 10 ** (len(word) - 1)
            forms = ["0", "1", *(str(least + more) for more in range(3)), "9" * len(word)]
            return [one for one in forms if not self._known(one) and one not in taken]
        used = {one.casefold() for one in (*taken, *_words(texts, least=1))}
        names = (letter * times for times in count(1) for letter in ascii_lowercase)
        name = next(one for one in names if one not in used and not self._known(one))
        name = name.upper() if word[0].isupper() else name
        longer = [name[0] * len(word), word[0] + name]
        return [name, *(one for one in longer if not (one.casefold() in used or self._known(one)))]


def _words(texts: _Texts, least: int = 2) -> Counter[str]:
    """Return the words of texts; a single letter or digit of ASCII gives nothing away."""
    found = Counter(word for text in texts.values() for word in _WORD.findall(text))
    return Counter({one: found[one] for one in found if len(one) >= least or not one.isascii()})


def _coded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _tokens(front: FrontEnd, text: str) -> list[tuple[str, str]]:
    """Return the kinds and texts of the tokens of a text."""
    tokens = front.fresh().parse(_coded(text)).tokens()
    return [(token.symbol, token.text.decode("utf-8", "replace")) for token in tokens]


def _renamed(texts: _Texts, names: Mapping[str, str], mention: int | None = None) -> dict[str, str]:
    """Return texts with other words; with a `mention`, in the mention of that number alone."""
    seen = count()

    def new(found: re.Match[str]) -> str:
        other = names.get(found[0])
        return found[0] if other is None or mention not in (None, next(seen)) else other

    return {name: _WORD.sub(new, text) for name, text in texts.items()}


def _asked(command: TestCommand | None) -> str:
    """Return the words of a test: of its command, its script, and the failure that is kept."""
    said = [] if command is None else [*command.arguments, *kept_words(command)[1]]
    if isinstance(command, CapturedCommand):
        said += [*command.second, *command.guards, repr(command.judge.identity)]
    if script := readable_script(command):
        said.append(script[1].decode("utf-8", "replace"))
    return "\n".join(said)
