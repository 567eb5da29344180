"""Reads the body of a rule in an ANTLR v4 grammar, up to its semicolon."""

from __future__ import annotations

from typing import Final

from marrow.grammar.model.charset import ANY_CHARACTER, Ranges, any_case, complement, normalised
from marrow.grammar.model.expressions import choice
from marrow.grammar.model.rules import (
    EPSILON,
    Action,
    Characters,
    Choice,
    Command,
    Expression,
    Literal,
    Position,
    Reference,
    Rule,
    Sequence,
    walk,
)
from marrow.grammar.readers.build import BodyReader
from marrow.grammar.readers.g4_file import Excluded, G4File, G4Scanner, G4Token
from marrow.grammar.readers.predicates import add_note, holds
from marrow.grammar.readers.scan import END, Lexeme

_COMMANDS: Final = {action.value: action for action in Action}

#: Grammars for other targets write `-> Channel(HIDDEN)`.
_COMMANDS_ANY_CASE: Final = {name.lower(): action for name, action in _COMMANDS.items()}


class G4BodyReader(BodyReader):
    """Reads one rule's body; `~` and `.` of parser rules are left to be filled in later.

    A group keeps whether there is a `~` in front.
    """

    escaped = "'\\\"]-["

    def __init__(self, scanner: G4Scanner, file: G4File, name: str, ignore_case: bool) -> None:
        super().__init__(scanner, f"the rule {name}")
        self._scanner = scanner
        self._file = file
        self._name = name
        self._lexical = name[0].isupper()
        self._ignore_case = ignore_case
        self._negation: Lexeme | None = None
        self._commands: dict[int, tuple[Command, ...]] = {}
        self._guarded: set[int] = set()
        self._told: set[str] = set()

    def rule(self, position: Position) -> Rule:
        """Read the body of a parser rule."""
        return Rule(self._name, choice(self._read()), position)

    def token(self, fragment: bool, mode: str, position: Position) -> G4Token:
        """Read the body of a lexer rule."""
        alternatives = tuple(self._read())
        numbers = range(len(alternatives))
        return G4Token(
            self._name,
            alternatives,
            tuple(self._commands.get(number, ()) for number in numbers),
            tuple(number in self._guarded for number in numbers),
            fragment,
            mode,
            position,
        )

    def _read(self) -> list[Expression]:
        scanner = self._scanner
        while (lexeme := scanner.take()).text != ";":
            if lexeme.kind == END:
                scanner.fail(lexeme, f"{self.where} has no end. Add `;`.")
            if self._negation and lexeme.kind == "sign" and lexeme.text not in ("(", "[", "."):
                scanner.fail(lexeme, f"expected what `~` excludes, found {lexeme}.")
            self._element(lexeme)
        if self._negation and not self.depth:
            scanner.fail(self._negation, "expected what `~` excludes, found ';'.")
        return self.finish()

    def _element(self, lexeme: Lexeme) -> None:
        match lexeme.kind:
            case "text":
                self._text(lexeme)
            case "name":
                self._reference(lexeme)
            case "double":
                self._scanner.fail(lexeme, f"write {lexeme} in single quotes.")
            case _:
                self.sign(lexeme)

    def sign(self, lexeme: Lexeme) -> None:
        """Read a sign."""
        scanner = self._scanner
        match lexeme.text:
            case "(":
                self.open(lexeme, self._negation is not None)
                self._negation = None
                self._block_options()
            case ")":
                negated = self.kept
                body = choice(self.close(lexeme))
                self.add(self._negated(lexeme, body) if negated else body)
            case "*" | "+" | "?":
                self.quantify(lexeme, lexeme.text, greedy=scanner.accept("?") is None)
            case "~":
                self._negation = lexeme
            case ".":
                self._wildcard(lexeme)
            case "[":
                self._bracket(lexeme)
            case "{":
                self._action(lexeme)
            case "<":
                self._element_options(lexeme)
            case "->":
                self._lexer_commands(lexeme)
            case "#":
                scanner.expect_kind("name", "the alternative's label")
            case "^" | "!":
                self._tell(lexeme, f"`{lexeme.text}` belongs to ANTLR 3 and is passed over.")
            case ":":
                self.unexpected(lexeme, "Is a ';' missing before it?")
            case "]" | "}":
                self.unexpected(lexeme)
            case _:
                super().sign(lexeme)

    def _tell(self, lexeme: Lexeme, message: str) -> None:
        """Keep a note, once for each rule."""
        if message not in self._told:
            self._told.add(message)
            self._scanner.note(lexeme, message)

    # Atoms

    def _text(self, lexeme: Lexeme) -> None:
        atom = self.text(lexeme, self._ignore_case)
        if isinstance(atom, Characters):
            atom = Characters(self._cased(atom.ranges), atom.position)
            if not self._lexical:
                self._tell(lexeme, "a range in a parser rule means one character.")
        elif atom is EPSILON:
            self._tell(lexeme, "the empty text '' matches nothing and is passed over.")
        self._add(lexeme, atom)

    def _cased(self, ranges: Ranges) -> Ranges:
        return any_case(ranges) if self._ignore_case else ranges

    def _bracket(self, lexeme: Lexeme) -> None:
        scanner = self._scanner
        if not self._lexical:
            scanner.skip_arguments(lexeme)
            self._tell(lexeme, f"arguments in the rule {self._name} are passed over.")
            return
        ranges = self._cased(scanner.character_set(lexeme))
        if not ranges:
            self._tell(lexeme, "this character set is empty: nothing matches it.")
        self._add(lexeme, Characters(ranges, scanner.position(lexeme)))

    def _wildcard(self, lexeme: Lexeme) -> None:
        if self._negation:
            self._scanner.fail(lexeme, "`~.` excludes everything. Say what it should exclude.")
        position = self._scanner.position(lexeme)
        if self._lexical:
            self.add(Characters(ANY_CHARACTER, position))
        else:
            self.add(self._hole(Excluded(position), position))

    def _reference(self, lexeme: Lexeme) -> None:
        scanner = self._scanner
        if scanner.peek().text in ("=", "+="):
            if self._negation:
                scanner.fail(lexeme, "put the label before `~`.")
            scanner.take()
            return  # a label: what it names follows
        self._add(lexeme, Reference(lexeme.text, scanner.position(lexeme)))

    def _add(self, lexeme: Lexeme, atom: Expression) -> None:
        """Add an atom, or what it excludes if there is a `~` in front."""
        if self._negation:
            self._negation = None
            atom = self._negated(lexeme, atom)
        self.add(atom)

    # Negation

    def _negated(self, lexeme: Lexeme, body: Expression) -> Expression:
        position = self._scanner.position(lexeme)
        if self._lexical:
            return Characters(complement(self._characters(lexeme, body)), position)
        names: list[str] = []
        texts: list[str] = []
        for one in walk(body):
            match one:
                case Reference(name=name):
                    names.append(name)
                case Literal(text=text):
                    texts.append(text)
                case Choice() | Sequence(items=()) | Sequence(items=(_,)):
                    continue
                case _:
                    self._scanner.fail(lexeme, "`~` excludes single tokens: list them with `|`.")
        return self._hole(Excluded(position, tuple(names), tuple(texts)), position)

    def _characters(self, lexeme: Lexeme, body: Expression) -> Ranges:
        """Return the characters that `~` excludes in a lexer rule."""
        found: list[tuple[int, int]] = []
        for one in walk(body):
            match one:
                case Characters(ranges=ranges):
                    found.extend(ranges)
                case Literal(text=text) if len(text) == 1:
                    found.extend(self._cased(((ord(text), ord(text)),)))
                case Choice() | Reference(name="EOF"):
                    continue
                case Reference(name=name):
                    advice = "Write its characters out."
                    self._scanner.fail(lexeme, f"`~` cannot exclude the rule {name}. {advice}")
                case _:
                    advice = "List them with `|` or in brackets."
                    self._scanner.fail(lexeme, f"`~` excludes single characters. {advice}")
        return normalised(found)

    def _hole(self, excluded: Excluded, position: Position) -> Reference:
        """Return a reference that means any token but some, until all tokens are known."""
        name = f"~{self._file.name}~{len(self._file.excluded)}"
        self._file.excluded[name] = excluded
        return Reference(name, position)

    # What surrounds atoms

    def _block_options(self) -> None:
        """Go past `options {...} :` and actions at the beginning of a group."""
        scanner = self._scanner
        seen = False
        if scanner.peek().text == "options":
            word = scanner.take()
            if scanner.peek().text != "{":
                self._reference(word)
                return
            scanner.skip_action(scanner.take())
            seen = True
        while scanner.peek().text == "@":
            scanner.take()
            scanner.expect_kind("name", "the name of the action after `@`")
            scanner.skip_action(scanner.expect("{", "to begin the action"))
            seen = True
        if seen:
            scanner.accept(":")

    def _action(self, lexeme: Lexeme) -> None:
        """Go past an action or a predicate."""
        scanner = self._scanner
        text = scanner.skip_action(lexeme)
        if scanner.accept("?"):
            self._predicate(text, lexeme)
            return
        if text.strip():
            self._tell(lexeme, f"an action in {self._name} is passed over.")

    def _predicate(self, text: str, lexeme: Lexeme) -> None:
        """Let a predicate that never holds match nothing, and note those that are unknown."""
        self._file.calls.append(text)
        position = self._scanner.position(lexeme)
        found = holds(text, self._file.assume)
        add_note(self._scanner.notes, found, text, self._name, position)
        if found is False:
            self.add(Characters((), position))
        elif found is None and self._lexical and self.depth == 0:
            self._guarded.add(self.alternative)

    def _element_options(self, lexeme: Lexeme) -> None:
        """Read `<assoc=right>` and the like; only the associativity matters here."""
        scanner = self._scanner
        words: list[str] = []
        while (one := scanner.take()).text != ">":
            if one.kind == END or one.text == ";":
                scanner.fail(lexeme, "this '<' is never closed. Add '>', or quote it.")
            words.append(one.text)
        if words == ["assoc", "=", "right"]:
            self.associate_right()

    def _lexer_commands(self, lexeme: Lexeme) -> None:
        scanner = self._scanner
        if not self._lexical or self.depth:
            advice = "Put it at the end of an alternative of a lexer rule."
            scanner.fail(lexeme, f"a lexer command does not fit here. {advice}")
        found: list[Command] = []
        while True:
            name = scanner.expect_kind("name", "a lexer command, such as `skip`")
            argument = ""
            if scanner.accept("("):
                if scanner.peek().text != ")":
                    argument = scanner.take().text
                scanner.expect(")", f"after the argument of {name.text}")
            action = _COMMANDS.get(name.text) or _COMMANDS_ANY_CASE.get(name.text.lower())
            if action is None:
                self._tell(name, f"the lexer command {name.text!r} is not known: passed over.")
            elif (action not in (Action.SKIP, Action.MORE, Action.POP_MODE)) and not argument:
                scanner.fail(name, f"{name.text} needs an argument, as in `{name.text}(NAME)`.")
            else:
                found.append(Command(action, argument))
            if not scanner.accept(","):
                break
        if scanner.peek().text not in ("|", ";"):
            scanner.fail(scanner.peek(), f"expected ';' or '|', found {scanner.peek()}.")
        self._commands[self.alternative] = tuple(found)
