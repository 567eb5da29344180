"""Fixpoints over named expressions: one worklist for everything that rules know of one another."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping

from marrow.grammar.model.expressions import holds, references
from marrow.grammar.model.rules import Expression, Rule, TokenRule


def settle(bodies: Mapping[str, Expression], update: Callable[[str], bool]) -> None:
    """Update names until nothing changes.

    `update` says whether what is known of a name has changed; then all names whose bodies refer to
    it are updated again. Names come first in their own order, then in the order of the changes.
    """
    users: dict[str, dict[str, None]] = {}
    for name, body in bodies.items():
        for reference in references(body):
            users.setdefault(reference.name, {})[name] = None
    queue = deque(bodies)
    queued = set(bodies)
    while queue:
        name = queue.popleft()
        queued.remove(name)
        if update(name):
            again = [user for user in users.get(name, ()) if user not in queued]
            queue.extend(again)
            queued.update(again)


def least(
    bodies: Mapping[str, Expression], known: Callable[[Expression, set[str]], bool]
) -> frozenset[str]:
    """Return the least set of names whose bodies have a property (see `holds`), given that set.

    `known` answers for an atom, given the names found so far.
    """
    found: set[str] = set()

    def update(name: str) -> bool:
        if name in found or not holds(bodies[name], lambda atom: known(atom, found)):
            return False
        found.add(name)
        return True

    settle(bodies, update)
    return frozenset(found)


def bodies_of(named: Mapping[str, Rule | TokenRule]) -> dict[str, Expression]:
    """Return the bodies of rules, or of token rules, by name."""
    return {name: rule.body for name, rule in named.items()}
