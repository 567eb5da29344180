"""Python: tools that fail, or complain, on files of the standard library of Python 3.11.7."""

from __future__ import annotations

import sysconfig
from typing import Final

from bench.cases.case import Case, Tool
from bench.cases.sources import File, PythonTool

_LIBRARY: Final = sysconfig.get_path("stdlib")

_ASTUNPARSE: Final = PythonTool(
    "astunparse-1.6.3", ("astunparse==1.6.3", "six==1.16.0", "wheel==0.40.0")
)
_PARSO: Final = PythonTool("parso-0.2.0", ("parso==0.2.0",))
_AUTOPEP8: Final = PythonTool("autopep8-1.4", ("autopep8==1.4", "pycodestyle==2.4.0"))
_MYPY: Final = PythonTool(
    "mypy-2.4.1",
    (
        *("mypy==2.4.1", "librt==0.16.0", "mypy_extensions==1.2.0"),
        *("pathspec==1.1.1", "typing_extensions==4.16.0"),
    ),
)


def _python(program: str) -> str:
    """Return a test: a program with the input as `text`, which ends here if it is not valid."""
    start = "import ast, sys\ntext = open('input.py').read()\nast.parse(text)\n"
    quoted = (start + program).replace('"', '\\"')
    return f'timeout 10 $PYTHON -I -W ignore -c "{quoted}" > said 2>&1\n'


def _raises(tool: str, name: str, call: str, error: str) -> str:
    """Return a test: a call of a tool raises an error with a certain text."""
    path = f"sys.path.insert(0, '$TOOLS/{tool}')\n" if tool else ""
    return _python(
        f"{path}import {name}\n"
        f"try: {call}\n"
        f"except Exception as error: sys.exit({error!r} not in repr(error))\n"
        "sys.exit(1)\n"
    )


def _mypy(error: str) -> str:
    """Return a test: mypy has an error to tell, and all names are defined."""
    options = "--no-error-summary --check-untyped-defs --cache-dir $TOOLS/mypy-2.4.1/cache"
    return (
        f"PYTHONPATH=$TOOLS/mypy-2.4.1 timeout 20 $PYTHON -m mypy {options} input.py > said 2>&1\n"
        f"grep -q '{error}' said && ! grep -q -e '\\[name-defined\\]' -e '\\[syntax\\]' said\n"
    )


def _case(
    name: str, about: str, path: str, script: str, sizes: tuple[int, int], *tools: Tool
) -> Case:
    source = File(f"{_LIBRARY}/{path}")
    needs = ("python3.11", source.path)
    return Case(name, "input.py", "python", about, source, script, *sizes, needs, tools)


PYTHON_CASES: Final = (
    _case(
        "py-astunparse-match",
        "astunparse 1.6.3 does not know match statements",
        "dataclasses.py",
        _raises("astunparse-1.6.3", "astunparse", "astunparse.unparse(ast.parse(text))", "_Match"),
        (4_964, 58_299),
        _ASTUNPARSE,
    ),
    _case(
        "py-parso-prefix",
        "parso 0.2.0 raises AttributeError on an f-string",
        "email/_encoded_words.py",
        _raises(
            "parso-0.2.0",
            "parso",
            "g = parso.load_grammar(version='3.7'); list(g.iter_errors(g.parse(text)))",
            "no attribute 'string_prefix'",
        ),
        (707, 8_541),
        _PARSO,
    ),
    _case(
        "py-lib2to3-print",
        "lib2to3 of Python 3.11 takes print with a keyword for a syntax error",
        "email/generator.py",
        _raises(
            "",
            "lib2to3.refactor as refactor",
            "refactor.RefactoringTool([]).refactor_string(text + chr(10), 'x')",
            "bad input",
        ),
        (1_914, 20_189),
    ),
    _case(
        "py-autopep8-invalid",
        "autopep8 1.4 turns valid code into a syntax error",
        "linecache.py",
        _python(
            "sys.path.insert(0, '$TOOLS/autopep8-1.4')\n"
            "import autopep8\n"
            "fixed = autopep8.fix_code(text, options={'aggressive': 2})\n"
            "try: ast.parse(fixed)\n"
            "except SyntaxError: sys.exit(0)\n"
            "sys.exit(1)\n"
        ),
        (678, 5_690),
        _AUTOPEP8,
    ),
    _case(
        "py-mypy-bases",
        "mypy 2.4.1: two base classes do not go together",
        "typing.py",
        _mypy("in base class .* is incompatible with definition in base class"),
        (12_161, 120_077),
        _MYPY,
    ),
    _case(
        "py-mypy-variable",
        "mypy 2.4.1: a value that a type variable does not take",
        "pathlib.py",
        _mypy("Value of type variable .AnyStr. of .readlink. cannot be"),
        (5_867, 48_566),
        _MYPY,
    ),
)
