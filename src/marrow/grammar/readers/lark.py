"""Reads Lark grammars: puts files together and turns them into the grammar model.

Terminals of higher priority come first, then fixed texts, then the order of the file: marrow's
lexer takes the longest match and then the earlier rule, which is what Lark does with most grammars.
Terminals that no rule uses are parts of others, as in Lark.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from marrow.grammar.model.rules import (
    Action,
    Characters,
    Command,
    Expression,
    Grammar,
    GrammarError,
    Literal,
    Position,
    Reference,
    Rule,
    TokenRule,
    walk,
)
from marrow.grammar.model.transform import choice, map_leaves
from marrow.grammar.readers.lark_common import COMMON
from marrow.grammar.readers.lark_file import Definition, Import, LarkFile
from marrow.grammar.readers.lark_parse import parse_lark
from marrow.grammar.readers.lark_template import expand_templates
from marrow.grammar.readers.loader import Loaded, Loader
from marrow.grammar.readers.scan import stem

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
    names = {name: f"{{+{len(earlier.uses)}{name}}}" for name in more.uses}
    uses = {
        names[name]: replace(
            use, arguments=tuple(_renamed(argument, names) for argument in use.arguments)
        )
        for name, use in more.uses.items()
    }
    body = choice([earlier.body, _renamed(more.body, names)])
    return replace(earlier, body=body, uses={**earlier.uses, **uses})


def _module(one: Import, load: Loader) -> Loaded:
    """Return the file to import from."""
    path = "/".join(one.module) + ".lark"
    found = load(path)
    if found is not None:
        return found
    if not one.local and len(one.module) == 1 and one.module[0] in COMMON:
        return Loaded(f"<{one.module[0]}>", COMMON[one.module[0]])
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
    found = [one.name for body in bodies for one in walk(body) if isinstance(one, Reference)]
    return found + [use.name for use in definition.uses.values()]


def _moved(definition: Definition, name: str, names: dict[str, str]) -> Definition:
    """Return a definition under another name, with the names in it changed."""
    inner = {old: new for old, new in names.items() if old not in definition.parameters}
    uses = {
        hole: replace(
            use,
            name=inner.get(use.name, use.name),
            arguments=tuple(_renamed(argument, inner) for argument in use.arguments),
        )
        for hole, use in definition.uses.items()
    }
    return replace(definition, name=name, body=_renamed(definition.body, inner), uses=uses)


def _renamed(body: Expression, names: dict[str, str]) -> Expression:
    def change(leaf: Expression) -> Expression:
        if isinstance(leaf, Reference) and leaf.name in names:
            return replace(leaf, name=names[leaf.name])
        return leaf

    return map_leaves(body, change)


def _tokens(
    file: LarkFile, definitions: dict[str, Definition], rules: dict[str, Rule]
) -> dict[str, TokenRule]:
    """Return the terminals in the order in which the lexer prefers them."""
    used = {
        one.name for rule in rules.values() for one in walk(rule.body) if isinstance(one, Reference)
    }
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
