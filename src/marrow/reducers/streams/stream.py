"""Streams of attempts: how an algorithm says what it wants tried, without running anything.

An *attempt* is a candidate, and the stream that follows if the test finds it interesting. A
*stream* is a generator of attempts, in the order in which the algorithm would make them if every
one of them failed. It returns the stream that follows when all of them have failed, or None at the
end. So algorithms read as in the papers, as functions that call each other at their end, and the
engine can look ahead through success and failure with as many workers as it has.

To write a pass, `yield attempt(candidate, phase, then, *args)` for each candidate: if it is
interesting, the stream of `then(*args)` replaces yours, else the code after the `yield` runs. At
the end, `return done(tree)`. Mostly `sweep` has that loop, and the pass names the items and the
candidates of an item. `docs/explanation/streams.md` teaches the rest, with examples:

- Keep state in arguments: the engine continues the same stream in several futures at once.
- A candidate has to be smaller in the total order; a change that grows first is a `detour`.
- After a success continue, do not start over: the pipeline repeats a pass as long as it pays.
- Bound every loop, give up what fails in a row, and mark what seldom works as `unlikely`.

The first half of this module is the vocabulary, the second half a small algebra: functions that
make reducers of reducers. Only `Attempts` drives a stream by hand, and only `Attempt.mapped`
changes what follows an attempt, so that no annotation gets lost on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, ParamSpec, Protocol, Self, TypeAlias, TypeVar

from marrow.tree import Tree

P = ParamSpec("P")

Stream: TypeAlias = Generator["Attempt", None, "Stream | None"]

#: Returns the stream that follows when an algorithm is finished with a tree.
Done: TypeAlias = Callable[[Tree], Stream | None]

#: An algorithm: takes a tree to reduce, and what to do with the result.
Reducer: TypeAlias = Callable[[Tree, Done], Stream | None]

#: Changes the stream that follows an attempt.
StreamChange: TypeAlias = Callable[[Stream | None], Stream | None]


class Hearing:
    """What became of the test of an attempt that failed, for an algorithm that learns from it.

    Nobody looks ahead past such an attempt before it has failed, and what is heard is in the
    journal: so a run is the same for any number of workers, and when it is resumed. `wants_output`:
    what the test wrote counts, not only whether it ran into the time limit.
    """

    def __init__(self, *, wants_output: bool = True) -> None:
        self.wants_output: Final = wants_output
        self.output = b""
        self.timed_out = False


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A candidate to try, what follows if it is interesting, and the phase to show to the user.

    The rest are annotations. `detour`: a step over a larger tree, not to be committed (see
    `streams.detour`). `unparsed`: worth a test even if the parser rejects it. `unlikely`: a
    pipeline tries it when nothing else is left to do. `left_out`: the candidates just before it
    that failed without a test, see `filtered`. In a pipeline, `pass_name` says whose attempt it is,
    and `skip` gives the stream that follows if the rest of that pass is skipped. `hearing` receives
    what the test writes, if the stream wants to know.
    """

    tree: Tree
    then: Callable[[], Stream | None]
    phase: str = ""
    hearing: Hearing | None = None
    detour: bool = False
    unparsed: bool = False
    unlikely: bool = False
    left_out: tuple[Tree, ...] = ()
    pass_name: str = ""
    skip: Callable[[], Stream | None] | None = None

    def mapped(self, success: StreamChange, skipped: StreamChange | None = None) -> Attempt:
        """Return the attempt with what follows it changed, and everything else as it is.

        `skipped` changes what follows a skip, if that is not the same as for a success.
        """
        skip = None if self.skip is None else _changed(self.skip, skipped or success)
        return replace(self, then=_changed(self.then, success), skip=skip)


def _changed(
    then: Callable[[], Stream | None], change: StreamChange
) -> Callable[[], Stream | None]:
    return lambda: change(then())


def attempt(
    tree: Tree, phase: str, then: Callable[P, Stream | None], *args: P.args, **kwargs: P.kwargs
) -> Attempt:
    """Return an attempt after whose success `then(*args, **kwargs)` follows.

    The arguments are bound now. A `lambda` in a loop would see the variables as they are when the
    engine asks what follows, which is later.
    """
    return Attempt(tree, partial(then, *args, **kwargs), phase)


def heard(
    tree: Tree, phase: str, then: Callable[P, Stream | None], *args: P.args, **kwargs: P.kwargs
) -> tuple[Attempt, Hearing]:
    """Return an attempt like `attempt`, and what its test will have written if it fails."""
    hearing = Hearing()
    return replace(attempt(tree, phase, then, *args, **kwargs), hearing=hearing), hearing


def finish(_: Tree) -> None:
    """Nothing follows: the end of a pipeline."""
    return


class End(Generator[Attempt, None, Stream | None]):
    """The end of a reducer: a stream without attempts that holds the resulting tree.

    A combinator that needs the result starts a reducer with `End` as its `done`. The last of the
    reducer's streams is then the end.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree: Final = tree

    def send(self, _: None, /) -> Attempt:
        """Stop at once."""
        raise StopIteration

    def throw(self, *_: object) -> Attempt:
        """Stop at once."""
        raise StopIteration


class Attempts(Iterator[Attempt]):
    """The attempts of a stream, and of the streams that follow as long as all attempts fail.

    Afterwards, `end` is what the last stream returned: None, or the `End` of a reducer.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.end = stream

    def __next__(self) -> Attempt:
        while self.end is not None and not isinstance(self.end, End):
            try:
                return next(self.end)
            except StopIteration as ended:
                self.end = ended.value
        raise StopIteration


# -- Reducers of reducers -------------------------------------------------------------------------


def in_turn(first: Reducer, *others: Reducer) -> Reducer:
    """Run one reducer after the other."""
    if not others:
        return first
    rest = in_turn(*others)
    return lambda tree, done: first(tree, lambda between: rest(between, done))


def on(make: Callable[[Tree], Tree], reducer: Reducer) -> Reducer:
    """Run a reducer on another tree of the same text, such as the text parsed anew."""
    return lambda tree, done: reducer(make(tree), done)


def followed(
    reducer: Reducer, again: Callable[[Tree, Tree], tuple[Reducer, Tree] | None]
) -> Reducer:
    """Run a reducer, and then what `again` makes of the trees before and after it, if anything."""

    def run(tree: Tree, done: Done) -> Stream | None:
        def ended(after: Tree) -> Stream | None:
            following = again(tree, after)
            return done(after) if following is None else following[0](following[1], done)

        return reducer(tree, ended)

    return run


def unparsed(reducer: Reducer) -> Reducer:
    """Mark the attempts of a reducer as worth a test even if they do not match the grammar."""

    def marked(stream: Stream) -> Stream:
        attempts = Attempts(stream)
        for one in attempts:
            again = one.mapped(lambda rest: None if rest is None else marked(rest))
            yield replace(again, unparsed=True)
        return attempts.end

    def run(tree: Tree, done: Done) -> Stream | None:
        stream = reducer(tree, done)
        return None if stream is None else marked(stream)

    return run


def fixpoint(
    reducer: Reducer,
    parse: Callable[[bytes], Tree],
    late: Reducer | None = None,
    share: float = 0.0,
) -> Reducer:
    """Repeat a reducer until it changes nothing; each repetition sees the text parsed anew.

    A `late` reducer takes over, for good, once a repetition removes less than a `share` of the
    tokens.
    """

    def again(before: Tree, after: Tree) -> tuple[Reducer, Tree] | None:
        if after.text == before.text:
            return None
        little = before.token_count - after.token_count < share * before.token_count
        following = late if little and late is not None else reducer
        return fixpoint(following, parse, late, share), parse(after.text)

    return followed(reducer, again)


class Meter(Protocol):
    """What is known of a reducer from its attempts so far. A meter is never changed.

    Both methods are given the tree and the candidate that was made from it.
    """

    def failed(self, tree: Tree, candidate: Tree, /) -> Self:
        """Return what is known after another attempt failed."""

    def succeeded(self, tree: Tree, candidate: Tree, /) -> Self:
        """Return what is known after another attempt succeeded."""


class Pace(Meter, Protocol):
    """A meter that can tell when to give up."""

    def good(self, tree: Tree, /) -> bool:
        """Whether the reducer should continue with the tree."""


M = TypeVar("M", bound=Meter)
AnyPace = TypeVar("AnyPace", bound=Pace)


def metered(
    reducer: Reducer,
    tree: Tree,
    meter: M,
    ended: Callable[[Tree, M], Stream | None],
    marked: Callable[[Attempt, Tree, M], Attempt] = lambda one, _tree, _meter: one,
    known: Callable[[Tree, Attempt, M], bool] = lambda _tree, _one, _meter: False,
    stops: Callable[[Tree, M], bool] = lambda _tree, _meter: False,
    stopped: Done = finish,
) -> Stream | None:
    """Run a reducer under a meter, whose last reading goes to `ended` with the result.

    `marked` annotates the attempts, given the tree and the meter before each. Attempts count in the
    order of the stream, so the reading is the same for any number of workers. Those of which it is
    `known` that they fail, or likely, do so without a test, and do not count. Where it `stops`
    before the next attempt, `stopped` follows.
    """

    def follow(tree: Tree, meter: M, stream: Stream | None) -> Stream | None:
        if stream is None or isinstance(stream, End):
            return None if stream is None else ended(stream.tree, meter)
        return run(tree, meter, stream)

    def run(tree: Tree, meter: M, stream: Stream) -> Stream:
        attempts = Attempts(stream)
        while not stops(tree, meter):
            one = next(attempts, None)
            if one is None:
                return follow(tree, meter, attempts.end)
            if known(tree, one, meter):
                continue
            success, skipped = partial(succeeded, one, tree, meter), partial(follow, tree, meter)
            yield marked(one.mapped(success, skipped), tree, meter)
            meter = meter.failed(tree, one.tree)
        return stopped(tree)

    def succeeded(one: Attempt, tree: Tree, meter: M, rest: Stream | None) -> Stream | None:
        if one.detour:
            return follow(tree, meter.failed(tree, one.tree), rest)
        return follow(one.tree, meter.succeeded(tree, one.tree), rest)

    return follow(tree, meter, reducer(tree, End))


def unchanged(tree: Tree, done: Done) -> Stream | None:
    """Leave a tree as it is: the reducer that does nothing."""
    return done(tree)


def while_it_pays(reducer: Reducer, pace: AnyPace, otherwise: Reducer = unchanged) -> Reducer:
    """Run a reducer as long as its pace is good; when it no longer is, `otherwise` takes over."""

    def run(tree: Tree, done: Done) -> Stream | None:
        return metered(
            reducer,
            tree,
            pace,
            lambda after, _: done(after),
            stops=lambda at, now: not now.good(at),
            stopped=lambda at: otherwise(at, done),
        )

    return run


@dataclass(frozen=True, slots=True)
class FewFailures:
    """A pace that is good as long as fewer than `most` attempts fail in a row.

    Or as long as no more do than a `share` of the tokens.
    """

    most: int = 1
    share: float = 0.0
    failures: int = 0

    def failed(self, _tree: Tree, _candidate: Tree) -> FewFailures:
        """Count a failure."""
        return replace(self, failures=self.failures + 1)

    def succeeded(self, _tree: Tree, _candidate: Tree) -> FewFailures:
        """Start counting again."""
        return replace(self, failures=0)

    def good(self, tree: Tree) -> bool:
        """Whether the failures are few."""
        return self.failures < self.most or self.failures <= self.share * tree.token_count


@dataclass(frozen=True, slots=True)
class FewAttempts:
    """A pace that is good for so many attempts, whatever comes of them."""

    left: int

    def failed(self, _tree: Tree, _candidate: Tree) -> FewAttempts:
        """Count a failure."""
        return FewAttempts(self.left - 1)

    succeeded = failed

    def good(self, _: Tree) -> bool:
        """Whether attempts are left."""
        return self.left > 0


def lifted(stream: Stream | None, whole: Callable[[Tree], Tree], done: Done) -> Stream:
    """Yield attempts on a part as attempts on the `whole` that the part makes.

    Where the stream ends with a tree (`End`), `done` says what follows.
    """
    attempts = Attempts(stream)
    for one in attempts:
        made = one.mapped(lambda rest: lifted(rest, whole, done))
        yield replace(made, tree=whole(one.tree), left_out=())
    return done(attempts.end.tree) if isinstance(attempts.end, End) else attempts.end


def filtered(stream: Stream | None, wanted: Callable[[Attempt], bool]) -> Stream:
    """Yield the wanted attempts; the others fail without a test.

    The next wanted attempt lists them as `left_out`.
    """
    left_out: list[Tree] = []
    attempts = Attempts(stream)
    for one in attempts:
        left_out.extend(one.left_out)
        if wanted(one):
            noted = replace(one, left_out=tuple(left_out))
            yield noted.mapped(lambda rest: filtered(rest, wanted))
            left_out.clear()
        else:
            left_out.append(one.tree)
    return attempts.end
