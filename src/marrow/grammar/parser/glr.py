"""The parser: a plain LR stack where the tables are deterministic, a graph where they conflict.

As long as one action applies, two lists are the stack. At a conflict the stack becomes a vertex
of a graph-structured stack (Tomita, "Efficient Parsing for Natural Language", 1985) and every
action is followed; as soon as one vertex is left, lists take over again. A stack entry becomes a
vertex at most once, so that changing over costs nothing in the long run. Since no production is
empty, an edge always spans text, and each new edge is the start of all reductions it makes
possible: none has to be repeated.

A derivation is a tuple `(production, start, *children)`, or a list of that form where the graph was
used. Children are derivations, or the positions of tokens. A text with several derivations of one
symbol over the same tokens keeps the preferred one: a list is changed in place (see `Preference`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from marrow.base.deadline import look
from marrow.grammar.parser.bnf import END_TERMINAL, HANDED_ON, Derivation, Preference, Production
from marrow.grammar.parser.lr_tables import ACCEPT, Tables

#: How often rules may ask for the end of the input, one after the other; grammars do so twice.
MOST_ENDS: Final = 8


class Rejected(Exception):
    """The text is not in the language; `position` is that of the first token that does not fit."""

    def __init__(self, position: int) -> None:
        super().__init__(position)
        self.position: Final = position


class Vertex:
    """A vertex of the graph-structured stack; its edges lead to what lies below it."""

    __slots__ = ("edges", "state")

    def __init__(self, state: int) -> None:
        self.state: Final = state
        self.edges: Final[dict[Vertex, Derivation]] = {}


class Engine:
    """Runs tables over terminals."""

    def __init__(
        self,
        tables: Tables,
        productions: Sequence[Production],
        variants: frozenset[int],
    ) -> None:
        self.actions: Final = tables.actions
        self.gotos: Final = tables.gotos
        self.lefts: Final = [one.left for one in productions]
        self.lengths: Final = [len(one.right) for one in productions]
        self.variants: Final = variants
        self.choosing: Final = Preference(productions)

    def parse(self, kinds: Sequence[int]) -> Derivation:
        """Return the preferred derivation of the terminals, or raise `Rejected`."""
        return _Run(self, kinds).result

    def stretches(self, kinds: Sequence[int]) -> dict[tuple[int, int], list[int]]:
        """Return where each symbol may end, by the symbol and where it starts: in all readings."""
        run = _AllReadings(self, kinds, 0)
        while run.step():
            continue
        return run.found

    def expected(self, kinds: Sequence[int], position: int, terminals: int) -> list[int]:
        """Return the terminals that could have stood at a position where parsing failed."""
        run = _Run(self, kinds, position)
        return [kind for kind in range(terminals) if run.could_shift(kind)]


class _Run:
    """One text on its way through the parser.

    With `stop` it only goes up to that position, on the graph alone, to say what could follow.
    """

    def __init__(self, engine: Engine, kinds: Sequence[int], stop: int | None = None) -> None:
        self._engine: Final = engine
        self._kinds: Final = [*kinds, *[END_TERMINAL] * MOST_ENDS]
        self._last: Final = len(kinds)
        self._position = 0
        self._frontier: dict[int, Vertex] = {0: Vertex(0)}
        self._packed: dict[tuple[int, int], list[Derivation]] = {}
        self.result: Derivation = None
        if stop is None:
            self._run()
        else:
            while self._position < stop and self.result is None:
                self._graph_step()

    def _run(self) -> None:
        while self.result is None:
            if len(self._frontier) == 1:
                self._stack_steps()
            if self.result is None:
                self._graph_step()

    def _reject(self) -> Rejected:
        return Rejected(min(self._position, self._last))

    # -- the stack ----------------------------------------------------------------------------

    def _stack_steps(self) -> None:
        """Parse with a plain stack until the tables conflict, or the end."""
        actions, gotos = self._engine.actions, self._engine.gotos
        lefts, lengths, kinds = self._engine.lefts, self._engine.lengths, self._kinds
        (base,) = self._frontier.values()
        states: list[int] = [base.state]
        values: list[Derivation] = [None]
        position = self._position
        kind = kinds[position]
        while True:
            action = actions[states[-1]].get(kind)
            if action.__class__ is not int:
                if action is None:
                    self._position = position
                    raise self._reject()
                break
            if action >= 0:
                states.append(action)
                values.append(position)
                position += 1
                if not position & 0x3FF:
                    look()
                try:
                    kind = kinds[position]
                except IndexError:  # a rule that asks for the end again and again
                    self._position = position
                    raise self._reject() from None
                continue
            production = ~action
            length = lengths[production]
            if length >= len(states):
                if len(base.edges) != 1:
                    break
                ((below, value),) = base.edges.items()
                states.insert(0, below.state)
                values[0] = value
                values.insert(0, None)
                base = below
                continue
            if production == ACCEPT:
                self.result = values[-1]
                return
            if length == 1:
                child = values[-1]
                start = child if child.__class__ is int else child[1]
                values[-1] = (production, start, child)
                states[-1] = gotos[states[-2]][lefts[production]]
            else:
                child = values[-length]
                start = child if child.__class__ is int else child[1]
                values[-length:] = [(production, start, *values[-length:])]
                del states[-length:]
                states.append(gotos[states[-1]][lefts[production]])
        self._position = position
        vertex = base
        for state, value in zip(states[1:], values[1:], strict=True):
            above = Vertex(state)
            above.edges[vertex] = value
            vertex = above
        self._frontier = {vertex.state: vertex}

    # -- the graph ----------------------------------------------------------------------------

    def _graph_step(self) -> None:
        """Make all reductions before the next token, then shift it."""
        if self._position >= len(self._kinds) - 1:
            raise self._reject()
        kind = self._kinds[self._position]
        self._reduce(kind)
        following: dict[int, Vertex] = {}
        for vertex in self._frontier.values():
            state = self._shift(vertex.state, kind)
            if state is not None:
                above = following.get(state)
                if above is None:
                    above = following[state] = Vertex(state)
                above.edges[vertex] = self._position
        if self.result is not None:
            return
        if not following:
            raise self._reject()
        self._frontier = following
        self._position += 1

    def _shift(self, state: int, kind: int) -> int | None:
        action = self._engine.actions[state].get(kind)
        if isinstance(action, tuple):
            action = action[0]
        return action if action is not None and action >= 0 else None

    def _reduce(self, kind: int) -> None:
        """Make every reduction that the terminal allows, edge by edge."""
        look()
        self._packed = {}
        actions, lengths = self._engine.actions, self._engine.lengths
        work = [(vertex, below) for vertex in self._frontier.values() for below in vertex.edges]
        while work:
            vertex, below = work.pop()
            action = actions[vertex.state].get(kind)
            if action is None:
                continue
            for one in action if isinstance(action, tuple) else (action,):
                if one >= 0:
                    continue
                production = ~one
                if production == ACCEPT:
                    value, prefers = vertex.edges[below], self._engine.choosing.prefers
                    if self.result is None or prefers(value, self.result, self._position):
                        self.result = value
                    continue
                length = lengths[production]
                first: tuple[Derivation, ...] = (vertex.edges[below],)
                paths = [(below, first)]
                while length > 1:
                    length -= 1
                    paths = [
                        (under, (value, *children))
                        for over, children in paths
                        for under, value in over.edges.items()
                    ]
                for bottom, children in paths:
                    self._add(production, bottom, children, work)

    def _add(
        self,
        production: int,
        bottom: Vertex,
        children: tuple[Derivation, ...],
        work: list[tuple[Vertex, Vertex]],
    ) -> None:
        """Add what a reduction makes: a derivation, or another way to derive one that is there."""
        left = self._engine.lefts[production]
        first = children[0]
        start = first if first.__class__ is int else first[1]
        made = self._packed.get((left, start))
        if made is None:
            made = self._packed[left, start] = [production, start, *children]
        else:
            self._engine.choosing.put(made, (production, start, *children), self._position)
        state = self._engine.gotos[bottom.state][left]
        vertex = self._frontier.get(state)
        if vertex is None:
            vertex = self._frontier[state] = Vertex(state)
        known = vertex.edges.get(bottom)
        if known is None:
            # Variants of a rule may lead to the same state: the edge then holds any of them.
            holds = [HANDED_ON, start, made] if left in self._engine.variants else made
            vertex.edges[bottom] = holds
            work.append((vertex, bottom))
        elif left in self._engine.variants and known[2] is not made:
            self._engine.choosing.put(known, (HANDED_ON, start, made), self._position)

    def step(self) -> bool:
        """Read one more terminal; false if it does not fit."""
        try:
            self._graph_step()
        except Rejected:
            return False
        return self.result is None

    def could_shift(self, kind: int) -> bool:
        """Whether a terminal could be read next; leaves everything as it was."""
        before = self._frontier
        self._frontier = {}
        for state, vertex in before.items():
            self._frontier[state] = Vertex(state)
            self._frontier[state].edges.update(vertex.edges)
        self.result = None
        self._reduce(kind)
        found = self.result is not None or any(
            self._shift(state, kind) is not None for state in self._frontier
        )
        self._frontier = before
        return found


class _AllReadings(_Run):
    """A run that notes what every reduction reads, and keeps no derivations."""

    def __init__(self, engine: Engine, kinds: Sequence[int], stop: int) -> None:
        self.found: dict[tuple[int, int], list[int]] = {}
        super().__init__(engine, kinds, stop)

    def _add(
        self,
        production: int,
        bottom: Vertex,
        children: tuple[Derivation, ...],
        work: list[tuple[Vertex, Vertex]],
    ) -> None:
        left = self._engine.lefts[production]
        first = children[0]
        start = first if first.__class__ is int else first[1]
        ends = self.found.setdefault((left, start), [])
        if ends[-1:] != [self._position]:
            ends.append(self._position)
        state = self._engine.gotos[bottom.state][left]
        vertex = self._frontier.setdefault(state, Vertex(state))
        if bottom not in vertex.edges:
            vertex.edges[bottom] = (production, start)
            work.append((vertex, bottom))
