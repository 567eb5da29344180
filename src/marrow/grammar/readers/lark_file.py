"""The content of one Lark file, before imports, templates and priorities are worked out."""

from __future__ import annotations

from dataclasses import dataclass, field

from marrow.grammar.model.rules import Expression, Note, Position


@dataclass(frozen=True, slots=True)
class TemplateUse:
    """A template with its arguments; the arguments may refer to earlier uses."""

    name: str
    arguments: tuple[Expression, ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Definition:
    """A rule or terminal. `uses` holds what the placeholders in the body stand for, inner first."""

    name: str
    body: Expression
    position: Position
    parameters: tuple[str, ...] = ()
    priority: int = 0
    guarded: bool = False
    uses: dict[str, TemplateUse] = field(default_factory=dict)

    @property
    def terminal(self) -> bool:
        """Whether this is a terminal: they are written in capitals."""
        return self.name.lstrip("_")[:1].isupper()


@dataclass(frozen=True, slots=True)
class Import:
    """`%import module.name -> alias`; the module is beside the file if `local`."""

    module: tuple[str, ...]
    name: str
    alias: str
    local: bool
    position: Position


@dataclass(slots=True)
class LarkFile:
    """A grammar file."""

    name: str
    definitions: dict[str, Definition] = field(default_factory=dict)
    ignored: dict[str, None] = field(default_factory=dict)
    imports: list[Import] = field(default_factory=list)
    declared: dict[str, Position] = field(default_factory=dict)
    overrides: list[tuple[str, Definition]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
