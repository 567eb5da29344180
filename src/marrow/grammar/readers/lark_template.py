"""Writes out the templates of a Lark grammar: each use with its arguments becomes a rule."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.model.rules import (
    Expression,
    GrammarError,
    Note,
    Reference,
    parts,
)
from marrow.grammar.model.transform import map_leaves
from marrow.grammar.readers.lark_file import Definition, LarkFile, TemplateUse

#: How many rules templates may be written out to. Real grammars have dozens; a template that uses
#: itself with growing arguments never ends.
_MOST_INSTANCES: Final = 2000


@dataclass(frozen=True, slots=True)
class _Instance:
    """A template to write out under a name, with what its parameters stand for."""

    name: str
    template: Definition
    arguments: tuple[Expression, ...]


def expand_templates(file: LarkFile) -> tuple[dict[str, Definition], list[Note]]:
    """Return the definitions without templates, and what to say about them."""
    return _Expander(file).expand()


class _Expander:
    def __init__(self, file: LarkFile) -> None:
        self._definitions = file.definitions
        self._names: dict[tuple[str, tuple[Expression, ...]], str] = {}
        self._taken = set(file.definitions)
        self._numbers: dict[str, int] = {}
        self._waiting: deque[_Instance] = deque()
        self._found: dict[str, Definition] = {}
        self._notes: list[Note] = []

    def expand(self) -> tuple[dict[str, Definition], list[Note]]:
        for definition in self._definitions.values():
            if not definition.parameters:
                self._found[definition.name] = self._filled(definition, {})
        while self._waiting:
            one = self._waiting.popleft()
            values = dict(zip(one.template.parameters, one.arguments, strict=True))
            filled = self._filled(one.template, values)
            self._found[one.name] = replace(filled, name=one.name, parameters=())
        return self._found, self._notes

    def _filled(self, definition: Definition, values: dict[str, Expression]) -> Definition:
        """Return a definition with parameters and uses of templates replaced."""
        known = dict(values)

        def change(leaf: Expression) -> Expression:
            return known.get(leaf.name, leaf) if isinstance(leaf, Reference) else leaf

        for hole, use in definition.uses.items():
            arguments = tuple(map_leaves(argument, change) for argument in use.arguments)
            template = values.get(use.name)
            if isinstance(template, Reference):  # a parameter that stands for a template
                use = replace(use, name=template.name)
            known[hole] = Reference(self._instance(use, arguments), use.position)
        return replace(definition, body=map_leaves(definition.body, change), uses={})

    def _instance(self, use: TemplateUse, arguments: tuple[Expression, ...]) -> str:
        """Return the name of the rule that a template with these arguments becomes."""
        template = self._definitions.get(use.name)
        if template is None or not template.parameters:
            message = f"{use.name} is not a template. Define it as `{use.name}{{x}}: ...`."
            raise GrammarError(message, use.position)
        if len(arguments) != len(template.parameters):
            count = len(template.parameters)
            message = f"{use.name} has {count} parameters, but {len(arguments)} are given here."
            raise GrammarError(f"{message} Give it {count}.", use.position)
        if any(parts(argument) for argument in arguments):
            advice = "Define a rule for it, and pass the rule's name."
            message = "an argument of a template is a name or a text here."
            raise GrammarError(f"{message} {advice}", use.position)
        key = (use.name, arguments)
        if key not in self._names:
            if len(self._names) >= _MOST_INSTANCES:
                message = f"the template {use.name} never ends: each use of it makes another."
                raise GrammarError(f"{message} Remove the recursion.", use.position)
            self._names[key] = name = self._free(use.name)
            self._waiting.append(_Instance(name, template, arguments))
        return self._names[key]

    def _free(self, name: str) -> str:
        number = self._numbers.get(name, 1)
        while f"{name}_{number}" in self._taken:
            number += 1
        self._numbers[name] = number
        self._taken.add(f"{name}_{number}")
        return f"{name}_{number}"
