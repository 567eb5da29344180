"""Collecting observations: the training task on file after file of a corpus, within bounds.

"Type Batched Program Reduction", section 3.1, on synthetic training data: normal code is reduced
while it passes a check (it compiles) and holds a token that was drawn by lot. Real failures are not
needed: what depends on what is the same. The reducer is one pass of Pardis, which removes one node
at a time. What is logged of each removal is the type of the node, the size of the input before it
over the size at the start, in tokens, and whether it succeeded. A list that is tried as a whole is
one removal, of the type that its elements have. Departures from the paper: size is in tokens, not
in nodes of the tree, as everywhere in marrow; a list of several types counts for each of them if it
goes, and for none if it stays; what the syntax forbids is not logged, as it costs no test.

The corpus is the files of a language below some directories, in an order drawn by lot.
Files take turns: each keeps a first token, then each a second one, so that a run that ends early
has seen as many files as it could. Lots depend on the seed and the name of the file alone, and
tests count in stream order, so that a run is the same with any number of workers, and a run that
is resumed ends as if it had never stopped (a time limit or Ctrl-C aside).
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Final, TypeAlias

from marrow.base.clock import running_time
from marrow.engine.events import Answer, Event, Tried
from marrow.engine.executors.executor import Executor, Job, outcome_of
from marrow.engine.journal.journal import Journal, digest
from marrow.engine.search.dispatcher import Limits, StopReductionError, TestFailureError
from marrow.engine.search.scheduler import Scheduler
from marrow.engine.verdict import Outcome, Verdict
from marrow.languages.recognition import language_of
from marrow.learn.types import node_type
from marrow.reducers.algorithms.pardis import pardis
from marrow.reducers.streams.stream import Stream, filtered, finish
from marrow.syntax.front_end import FrontEnd
from marrow.tree import Delete, Node, Token, Tree
from marrow.tree.node import spans_serial


@dataclass(frozen=True, slots=True)
class Removal:
    """A removal that was tried: the type of the node, the ratio of sizes, and how it went."""

    type_name: str
    ratio: float
    removed: bool


def keeping(stream: Stream | None, serial: int) -> Stream:
    """Pass on the attempts of a stream that keep the token with a serial number.

    The others fail without a test; they are reported with the next attempt that needs one.
    """
    return filtered(stream, lambda one: holds(one.tree, serial))


def holds(tree: Tree, serial: int) -> bool:
    """Whether the token with a serial number is in a tree.

    Looked for in the tree itself: an edit does not tell which separators go with what it deletes.
    """
    node: Node | None = tree.root
    while node is not None and node.children:
        node = next((child for child in node.children if spans_serial(child, serial)), None)
    return isinstance(node, Token) and node.serial == serial


class TrainingLog:
    """A listener that logs the outcome of every removal of a task, in stream order."""

    def __init__(self, tokens: int, observations: list[Removal]) -> None:
        """`tokens` is the size of the input at the start; what is observed is appended."""
        self.observations: Final = observations
        self._tokens: Final = tokens

    def __call__(self, event: Event) -> None:
        """Take an event."""
        if not isinstance(event, Tried):
            return
        for tree in event.attempt.left_out:
            self._log(tree, removed=False)
        if event.answer is Answer.TEST:
            self._log(event.attempt.tree, removed=event.verdict is Verdict.INTERESTING)

    def _log(self, tree: Tree, *, removed: bool) -> None:
        before = tree.origin
        if before is None:
            return
        deleted = (edit.place for edit in tree.edits if isinstance(edit, Delete))
        types = {name for place in deleted if (name := node_type(before, place)) is not None}
        if removed or len(types) == 1:
            ratio = before.token_count / self._tokens
            self.observations.extend(Removal(name, ratio, removed) for name in sorted(types))


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A file of the corpus. `name` is its path from there: the same wherever the corpus lies."""

    path: Path
    name: str


def find_sources(
    places: Iterable[Path], language: str, *, most_bytes: int | None = None, seed: int = 0
) -> list[CorpusFile]:
    """Return the files of a language, shuffled; a file that is named itself is always taken."""
    found = {
        source.name: source
        for place in places
        for source in _below(place, language)
        if most_bytes is None or source.path.stat().st_size <= most_bytes
    }
    sources = [source for _, source in sorted(found.items())]
    random.Random(str(seed)).shuffle(sources)
    return sources


def _below(place: Path, language: str) -> Iterator[CorpusFile]:
    if place.is_file():
        yield CorpusFile(place, place.name)
        return
    for path in place.rglob("*"):
        # A link to a directory is not followed by rglob; one to a file is a file twice.
        if not path.is_symlink() and path.is_file() and language_of(path.name, b"") == language:
            yield CorpusFile(path, path.relative_to(place).as_posix())


@dataclass(frozen=True, slots=True)
class Bounds:
    """When to stop: tokens to keep of each file, tests of a task, tests and time of all."""

    tokens: int = 3
    task_tests: int = 1000
    tests: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class TaskEnded:
    """A task ended, the `turn`th on a file; `tests` and `observations` are of all so far."""

    source: CorpusFile
    turn: int
    tests: int
    observations: int


@dataclass(frozen=True, slots=True)
class RejectedFile:
    """A file that cannot be trained on, and why."""

    source: CorpusFile
    reason: str
    outcome: Outcome | None = None


TrainingEvent: TypeAlias = Event | TaskEnded | RejectedFile


@dataclass(slots=True)
class Collected:
    """The collection so far. `files` has the observations of each file that took part."""

    files: dict[str, list[Removal]] = field(default_factory=dict)
    rejected: list[RejectedFile] = field(default_factory=list)
    tests: int = 0
    run: int = 0
    stopped: str = ""

    @property
    def observations(self) -> list[Removal]:
        """All observations, file by file."""
        return [one for file in self.files.values() for one in file]


class Collection:
    """A collection under way. `collected` is there at any time, after Ctrl-C too."""

    def __init__(
        self,
        front: FrontEnd,
        executor_for: Callable[[str], AbstractContextManager[Executor]],
        journal: Journal,
        listener: Callable[[TrainingEvent], None],
        bounds: Bounds,
        seed: int = 0,
    ) -> None:
        """`executor_for` opens the executor that runs the check on files of a name."""
        self.collected: Final = Collected()
        self._front: Final = front
        self._executor_for: Final = executor_for
        self._journal: Final = journal
        self._listen: Final = listener
        self._bounds: Final = bounds
        self._seed: Final = seed
        self._deadline: Final = None if bounds.seconds is None else running_time() + bounds.seconds

    def run(self, sources: Sequence[CorpusFile]) -> Collected:
        """Collect from all sources; raise `TestFailureError` if the check cannot be run."""
        try:
            for turn, source in self._turns(sources):
                self._visit(source, turn)
        except _EnoughError as reason:
            self.collected.stopped = str(reason)
        return self.collected

    def _turns(self, sources: Sequence[CorpusFile]) -> Iterator[tuple[int, CorpusFile]]:
        for turn in range(self._bounds.tokens):
            for source in sources:
                if turn == 0 or source.name in self.collected.files:
                    yield turn, source

    def _visit(self, source: CorpusFile, turn: int) -> None:
        """Do one task on a file, after the first look at it."""
        try:
            text = source.path.read_bytes()
        except OSError as error:
            self._reject(RejectedFile(source, f"cannot be read: {error.strerror or error}"))
            return
        if turn == 0 and self._front.errors(text):
            self._reject(RejectedFile(source, "has syntax errors"))
            return
        tree = self._front.parse(text)
        if tree.token_count < 2:
            self._reject(RejectedFile(source, "has less than two tokens"))
            return
        with self._executor_for(source.path.name) as inner:
            executor = RememberingExecutor(inner, self._journal, source.name)
            try:
                if turn > 0 or self._passes(source, text, executor):
                    self._task(source, turn, tree, executor)
            finally:
                self.collected.run += executor.run

    def _passes(self, source: CorpusFile, text: bytes, executor: Executor) -> bool:
        self._limits()
        self.collected.tests += 1
        outcome = outcome_of(executor.submit(text, capture=True))
        if outcome.verdict is Verdict.ERROR:
            raise TestFailureError(outcome.message)
        if outcome.verdict is Verdict.INTERESTING:
            return True
        self._reject(RejectedFile(source, "does not pass the check", outcome))
        return False

    def _task(self, source: CorpusFile, turn: int, tree: Tree, executor: Executor) -> None:
        lot = random.Random(f"{self._seed} {turn} {source.name}").randrange(tree.token_count)
        kept = list(tree.tokens())[lot]
        log = TrainingLog(tree.token_count, self.collected.files.setdefault(source.name, []))

        def listen(event: Event) -> None:
            log(event)
            self._listen(event)

        # A journal in memory: what is known of this task alone.
        memory = Journal.in_memory()
        scheduler = Scheduler(executor, memory, listen, self._limits())
        broken_off = False
        try:
            stream = keeping(pardis(self._front)(tree, finish), kept.serial)
            for _ in scheduler.run(tree, stream, self._front.validity()):
                pass
        except TestFailureError:
            raise
        except StopReductionError:
            broken_off = True
        finally:
            self.collected.tests += scheduler.counts.needed
        count = len(self.collected.observations)
        self._listen(TaskEnded(source, turn, self.collected.tests, count))
        if broken_off:
            self._limits()

    def _limits(self) -> Limits:
        """Return what is left for a task; raise `_EnoughError` if nothing is."""
        bounds = self._bounds
        tests = bounds.task_tests
        if bounds.tests is not None:
            left = bounds.tests - self.collected.tests
            if left <= 0:
                raise _EnoughError(f"the limit of {bounds.tests:,} tests is reached")
            tests = min(tests, left)
        if self._deadline is None:
            return Limits(tests)
        seconds = self._deadline - running_time()
        if seconds <= 0:
            raise _EnoughError("the time limit is reached")
        return Limits(tests, seconds)

    def _reject(self, rejected: RejectedFile) -> None:
        self.collected.rejected.append(rejected)
        self._listen(rejected)


class _EnoughError(Exception):
    """A limit of the whole collection is reached."""


@dataclass(eq=False, slots=True)
class _Job:
    """A test under way, or the answer of the journal."""

    future: Future[Outcome]
    inner: Job | None = None
    cancelled: bool = False

    def cancel(self) -> None:
        """Stop the test; the verdict on a test that was killed must not be remembered."""
        self.cancelled = True
        if self.inner is not None:
            self.inner.cancel()


class RememberingExecutor:
    """Runs tests on the candidates of one file, each candidate once in the life of the journal.

    All tasks share one journal, but each needs a memory that knows nothing of the others, or its
    limits would depend on what ran before. So the journal answers for the executor here, not for
    the scheduler as in a single reduction.
    """

    def __init__(self, executor: Executor, journal: Journal, name: str) -> None:
        self._executor: Final = executor
        self._journal: Final = journal
        # A verdict may depend on the name of the file, as that of a Java compiler does.
        self._salt: Final = name.encode("utf-8", "surrogateescape") + b"\0"
        self._lock: Final = threading.Lock()
        #: How many tests were run.
        self.run = 0

    @property
    def workers(self) -> int:
        """How many tests may run at once."""
        return self._executor.workers

    def allow(self, seconds: float) -> None:
        """Pass the limit on."""
        self._executor.allow(seconds)

    def close(self) -> None:
        """Do nothing: its owner closes the other one."""

    def submit(self, candidate: bytes, *, capture: bool = False) -> _Job:
        """Answer from the journal, or start the test; an answer has no output to capture."""
        key = digest(self._salt + candidate)
        known = self._journal.get(key)
        if known is not None:
            future: Future[Outcome] = Future()
            future.set_running_or_notify_cancel()
            future.set_result(Outcome(known))
            return _Job(future)
        inner = self._executor.submit(candidate, capture=capture)
        job = _Job(inner.future, inner)
        job.future.add_done_callback(partial(self._remember, key, job))
        return job

    def _remember(self, key: bytes, job: _Job, future: Future[Outcome]) -> None:
        """Put a verdict into the journal; called in a worker's thread."""
        if job.cancelled or future.cancelled():
            return
        outcome = future.result()
        with self._lock:
            self.run += 1
            if outcome.verdict is not Verdict.ERROR:
                self._journal.put(key, outcome.verdict, outcome.exit_code, outcome.seconds)
