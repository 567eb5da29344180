"""Large grammars made here: thousands of rules, hundreds of keywords that are also names.

No package brings the grammars of the large SQL dialects (PL/SQL, T-SQL, Teradata); these stand in.
They have the same shape: clauses that begin with a keyword and use clauses further down, optional
parts, lists in parentheses, and an identifier that is any of most keywords.
"""

from __future__ import annotations

import random


def large_grammar(rules: int = 1300, keywords: int = 700, seed: int = 1) -> str:
    """Return a grammar in ANTLR's notation; the default is about as large as that of PL/SQL."""
    chance = random.Random(seed)
    words = [f"KW{number}" for number in range(keywords)]
    names = [f"clause{number}" for number in range(rules)]

    def item(number: int) -> str:
        below = names[number + 1 :] or ["identifier"]
        kind = chance.random()
        if kind < 0.4:
            found = chance.choice(words)
        elif kind < 0.6:
            found = "identifier"
        elif kind < 0.72:
            found = "expression"
        elif kind < 0.8:
            one = chance.choice(below)
            found = f"'(' {one} (',' {one})* ')'"
        else:
            found = chance.choice(below[:40])
        if chance.random() < 0.3:
            return f"({found} {chance.choice(words)})?" if chance.random() < 0.5 else f"({found})?"
        return found

    lines = ["grammar Large;", "options { caseInsensitive = true; }", "script: statement* EOF;"]
    lines.append(f"statement: ({' | '.join(names[: max(1, rules // 10)])}) ';';")
    for number, name in enumerate(names):
        options = [
            " ".join([chance.choice(words), *(item(number) for _ in range(chance.randint(1, 5)))])
            for _ in range(chance.randint(1, 4))
        ]
        lines.append(f"{name}: {' | '.join(options)};")
    lines.append(
        "expression: expression '*' expression | expression '+' expression"
        " | expression AND expression | '(' expression ')'"
        " | identifier ('.' identifier)* ('(' (expression (',' expression)*)? ')')?"
        " | NUMBER | STRING;"
    )
    lines.append(f"identifier: ID | {' | '.join(words[: keywords * 4 // 5])};")
    lines.extend(f"{word}: '{word}';" for word in words)
    lines.append("AND: 'and'; ID: [a-z_] [a-z0-9_]*; NUMBER: [0-9]+; STRING: '\\'' ~[']* '\\'';")
    lines.append("WS: [ \\t\\n]+ -> skip;")
    return "\n".join(lines) + "\n"
