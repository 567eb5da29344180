"""The folder that examples are run in: files of the names that help and documents use."""

from __future__ import annotations

import shutil
import tarfile
import zipfile
from pathlib import Path

_CALC = """grammar Calc;
start : expr EOF ;
expr : term (('+' | '-') term)* ;
term : NUMBER | '(' expr ')' ;
NUMBER : [0-9]+ ;
WS : [ \\t\\r\\n]+ -> skip ;
"""

_FILES = {
    "crash.c": "int unused;\nint f(void) { return needle; }\n",
    "big.c": "int unused;\nint f(void) { return needle; }\n",
    "good.c": "int f(void) { return 0; }\n",
    "bad.c": "int f(void) { return needle; }\n",
    "main.c": '#include "util.h"\nint f(void) { return needle; }\n',
    "util.h": "int unused;\n",
    "crash.js": "const unused = 1;\nneedle.x;\n",
    "big.js": "const x = 1;\nx();\n",
    "bug.js": "function needle() { needle(); }\nneedle();\n",
    "exploit.js": "const unused = 1;\nneedle.x;\n",
    "crash.lua": "print(needle.x)\n",
    "new-report.lua": "print(needle)\n",
    "report.lua": "local unused = 1\nprint(needle.x)\n",
    "slow.py": "needle = 1\n",
    "reports/1.lua": "print(needle)\n",
    "src/fine.lua": "return 1\n",
    "src/fine.py": "print(1)\n",
    "src/one.c": "int one;\nint two;\nint three;\n",
    "crash.py": "unused = 1\nneedle.x\n",
    "query.sql": "SELECT needle FROM t WHERE a = 1;\n",
    "race.go": "package main\n\nfunc needle() {}\n",
    "project/main.c": "int needle;\n",
    "project/rules.mk": "all:\n",
    "calc.txt": "1+((2))",
    "Calc.g4": _CALC,
    "Expr.g4": _CALC.replace("grammar Calc", "grammar Expr"),
    "ExprLexer.g4": "lexer grammar ExprLexer;\nNUMBER : [0-9]+ ;\nPLUS : '+' ;\n",
    "ExprParser.g4": "parser grammar ExprParser;\noptions { tokenVocab = ExprLexer; }\n"
    "start : NUMBER (PLUS NUMBER)* EOF ;\n",
    "JsParser.g4": "grammar JsParser;\nstart : ID (Assign (ID | REGEX))* EOF ;\nID : [a-z]+ ;\n"
    "Assign : '=' ;\nComma : ',' ;\nLET : {this.IsStrictMode()}? 'let' ;\n"
    "REGEX : {this.regexAllowed()}? '/' [a-z]+ '/' ;\n",
    "C.g4": "grammar C;\nfile : item* EOF ;\nitem : 'int' ID ';' ;\nID : [a-z]+ ;\n"
    "WS : [ \\n]+ -> skip ;\n",
    "calc.json": '{"<start>": ["<expr>"], "<expr>": ["<term>", "<term>+<expr>"], '
    '"<term>": ["<digit>", "(<expr>)"], "<digit>": ["0", "1", "2"]}\n',
    "programs/one.c": "int one(void) { return 1; }\nint two(int a) { return a + one(); }\n",
    "programs/two.c": "int b;\nint three(int a) { return a; }\nint c;\n",
    "crashes/1": "aaa needle bbb\n",
    "crashes/2": "ccc needle\n",
    "out/default/crashes/id:000000,sig:06": "aaa needle bbb\n",
    "crash-1": "aaa needle bbb\n",
    "leak-1": "ccc needle\n",
}

_SCRIPTS = {
    "test.sh": "#!/bin/sh\ngrep -rqE 'needle|[(][(]' \"$1\"\n",
    "target": "#!/bin/sh\nif grep -q needle \"$1\"; then echo 'fatal: needle' >&2; exit 3; fi\n",
    "fuzz_target": "#!/bin/sh\nif grep -q needle \"$1\"; then echo 'fatal: a' >&2; exit 3; fi\n",
}


def make_folder(place: Path) -> None:
    """Write the files."""
    for name, text in (_FILES | _SCRIPTS).items():
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        if name in _SCRIPTS:
            path.chmod(0o755)
    with zipfile.ZipFile(place / "crashes.zip", "w") as archive:
        archive.write(place / "crash.lua", "crash.lua")
    with tarfile.open(place / "more.tar.gz", "w:gz") as tar:
        tar.add(place / "new-report.lua", "more.lua")


def missing_program(line: str) -> str:
    """Return a program that a command line needs and that is not installed, if there is one."""
    words = set(line.replace("'", " ").replace('"', " ").split())
    needed = [name for name in _PROGRAMS if name in words]
    if "--sandbox" in words:
        needed.append("bwrap")
    return next((name for name in needed if shutil.which(name) is None), "")


_PROGRAMS = (
    "node",
    "gcc",
    "tcc",
    "lua",
    "luac",
    "z3",
    "cvc5",
    "go",
    "python3",
    "zsh",
    "less",
    "mypy",
)
