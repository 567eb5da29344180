"""Reads Lark grammars: puts files together and turns them into the grammar model.

Terminals of higher priority come first, then fixed texts, then the order of the file: marrow's
lexer takes the longest match and then the earlier rule, which is what Lark does with most grammars.
Terminals that no rule uses are parts of others, as in Lark.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import Final

from marrow.grammar.model.expressions import choice, map_leaves, references, renamed, within
from marrow.grammar.model.rules import (
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Note,
    Position,
    Reference,
    Rule,
    TokenRule,
    parts,
)
from marrow.grammar.readers.lark_parse import Definition, Import, LarkFile, TemplateUse, parse_lark
from marrow.grammar.readers.scan import Loaded, Loader, library, stem

#: How many files may import one another in a row: more is a circle.
_DEEPEST_IMPORT: Final = 20


def read_lark(text: str, name: str, start: str | None, load: Loader) -> Grammar:
    """Read a grammar; without `start` it starts at `start`, or else at the first rule."""
    file = _resolved(parse_lark(text, name), load, 0)
    definitions, notes = expand_templates(file)
    rules = {
        one.name: Rule(one.name, one.body, one.position)
        for one in definitions.values()
        if not one.terminal
    }
    if not rules:
        raise GrammarError("the grammar has no rules. Add one: `start: ...`.", Position(name, 1, 1))
    tokens = _tokens(file, definitions, rules)
    chosen = start or ("start" if "start" in rules else next(iter(rules)))
    return Grammar(stem(name), chosen, rules, tokens, (*file.notes, *notes))


def _resolved(file: LarkFile, load: Loader, depth: int) -> LarkFile:
    """Add to a file what it imports, then apply its overrides."""
    loaded: dict[str, LarkFile] = {}
    # What one import brings along knows what the others import from the same file by that name.
    names: dict[str, dict[str, str]] = {}
    for one in file.imports:
        names.setdefault("/".join(one.module), {}).setdefault(one.name, one.alias)
    for one in file.imports:
        key = "/".join(one.module)
        if key not in loaded:
            if depth >= _DEEPEST_IMPORT:
                message = "these grammars import one another in a circle. Break it."
                raise GrammarError(message, one.position)
            found = _module(one, load)
            loaded[key] = _resolved(parse_lark(found.text, found.name), load, depth + 1)
        _add_import(file, one, loaded[key], names[key])
    for kind, definition in file.overrides:
        earlier = file.definitions.get(definition.name)
        if earlier is not None and kind == "%extend":
            definition = _extended(earlier, definition)
        file.definitions[definition.name] = definition
    return file


def _extended(earlier: Definition, more: Definition) -> Definition:
    """Return a definition with more alternatives; placeholders of both keep their meaning."""
    more = _moved(more, more.name, {hole: f"{{+{len(earlier.uses)}{hole}}}" for hole in more.uses})
    body = choice([earlier.body, more.body])
    return replace(earlier, body=body, uses={**earlier.uses, **more.uses})


def _module(one: Import, load: Loader) -> Loaded:
    """Return the file to import from."""
    path = "/".join(one.module) + ".lark"
    found = load(path)
    if found is not None:
        return found
    shipped = library(path) if not one.local else None
    if shipped is not None:
        return shipped
    raise GrammarError(
        f"cannot find {path}, which this grammar imports. Put it beside this file.", one.position
    )


def _add_import(file: LarkFile, one: Import, module: LarkFile, imported: dict[str, str]) -> None:
    """Add a definition of another file, and what it needs under names of their own."""
    if one.name not in module.definitions and one.name not in module.declared:
        message = f"{one.module[-1]} has no {one.name} to import. Check the name."
        raise GrammarError(message, one.position)
    prefix = "__".join(one.module)
    names = {**imported, one.name: one.alias}
    added = {one.name: None}
    waiting = [one.name]
    while waiting:
        name = waiting.pop()
        if name in module.declared:
            file.declared.setdefault(names[name], module.declared[name])
        definition = module.definitions.get(name)
        if definition is None:
            continue
        for needed in _needs(definition):
            known = needed in module.definitions or needed in module.declared
            if needed not in added and known:
                names.setdefault(needed, _prefixed(prefix, needed))
                added[needed] = None
                waiting.append(needed)
    for name in added:
        new = names[name]
        definition = module.definitions.get(name)
        if definition is not None and new not in file.definitions:
            file.definitions[new] = _moved(definition, new, names)


def _prefixed(prefix: str, name: str) -> str:
    """Return the name of an imported definition that the file does not name itself."""
    bare = name.lstrip("_")
    inner = prefix.upper() if bare[:1].isupper() else prefix.lower()
    return f"{name[: len(name) - len(bare)]}{inner}__{bare}"


def _needs(definition: Definition) -> list[str]:
    bodies = [definition.body, *(one for use in definition.uses.values() for one in use.arguments)]
    found = [one.name for body in bodies for one in references(body)]
    return found + [use.name for use in definition.uses.values()]


def _moved(definition: Definition, name: str, names: dict[str, str]) -> Definition:
    """Return a definition under another name, with the names in it changed."""
    inner = {old: new for old, new in names.items() if old not in definition.parameters}
    uses = {
        inner.get(hole, hole): replace(
            use,
            name=inner.get(use.name, use.name),
            arguments=tuple(renamed(argument, inner) for argument in use.arguments),
        )
        for hole, use in definition.uses.items()
    }
    return replace(definition, name=name, body=renamed(definition.body, inner), uses=uses)


def _tokens(
    file: LarkFile, definitions: dict[str, Definition], rules: dict[str, Rule]
) -> dict[str, TokenRule]:
    """Return the terminals in the order in which the lexer prefers them."""
    used = {one.name for one in within(rules, Reference)}
    terminals = [one for one in definitions.values() if one.terminal]
    terminals.sort(key=lambda one: (-one.priority, not isinstance(one.body, Literal)))
    tokens: dict[str, TokenRule] = {}
    for one in terminals:
        hidden = one.name in file.ignored
        tokens[one.name] = TokenRule(
            one.name,
            one.body,
            fragment=one.name not in used and not hidden,
            commands=(Command(Action.SKIP),) if hidden else (),
            guarded=one.guarded,
            position=one.position,
        )
    for name, position in file.declared.items():
        if name not in tokens and name not in rules:
            tokens[name] = TokenRule(name, Characters(()), position=position)
    return tokens


#: How many rules templates may be written out to. Real grammars have dozens; a template that uses
#: itself with growing arguments never ends.
_MOST_INSTANCES: Final = 2000


@dataclass(frozen=True, slots=True)
class _Instance:
    """A template to write out under a name, with the values of its parameters."""

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
            if isinstance(template, Reference):  # a parameter whose value is a template
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
