"""Java: a parser that fails on files of the JDK which javac parses."""

from __future__ import annotations

from typing import Final

from bench.cases.case import Case
from bench.cases.sources import JavaTool, Member, PythonTool

# From Debian's openjdk-17-source.
_SOURCES: Final = "/usr/lib/jvm/openjdk-17/lib/src.zip"

_TOOLS: Final = (
    PythonTool("javalang-0.13.0", ("javalang==0.13.0", "six==1.16.0")),
    JavaTool("ParseOnly"),
)


#: What javac does with a candidate: parses it, or compiles it as a part of the module it is of.
_PARSES: Final = "java -Xshare:auto -XX:TieredStopAtLevel=1 -cp $TOOLS/ParseOnly ParseOnly {file}"
_COMPILES: Final = (
    "javac -J-XX:TieredStopAtLevel=1 -proc:none -nowarn --patch-module java.base=. -d out {file} "
    "> said 2>&1"
)


def _case(
    name: str,
    about: str,
    member: str,
    error: tuple[str, str],
    *sizes: int,
    file: str = "Input.java",
    sound: str = _PARSES,
) -> Case:
    """Return a case: javalang's error has a description and is at a token; javac sees none."""
    # Inside double quotes the shell leaves a backslash in front of a single quote alone.
    description, token = error[0].replace("'", "\\'"), error[1]
    tokens, size = sizes
    script = f"""\
timeout 10 $PYTHON -I -c "
import sys
sys.path.insert(0, '$TOOLS/javalang-0.13.0')
import javalang
try: javalang.parse.parse(open('{file}').read())
except javalang.parser.JavaSyntaxError as error:
    seen = error.description, getattr(error.at, 'value', '')
    sys.exit(seen != ('{description}', '{token}'))
sys.exit(1)
" > said 2>&1 || exit 1
timeout 10 {sound.format(file=file)}
"""
    about = f"javalang 0.13.0 cannot parse {about}"
    source = Member(_SOURCES, f"java.base/{member}")
    needs = ("python3.11", "java", "javac", _SOURCES)
    return Case(name, file, "java", about, source, script, tokens, size, needs, _TOOLS)


JAVA_CASES: Final = (
    _case(
        "java-intersection-cast",
        "a cast to an intersection of types",
        "java/util/Comparator.java",
        ("Expected expression", "&"),
        808,
        23_431,
    ),
    _case(
        "java-switch-expression",
        "a switch that is an expression",
        "java/lang/invoke/DirectMethodHandle.java",
        ("Expected expression", "switch"),
        5_729,
        42_344,
    ),
    _case(
        "java-instanceof-pattern",
        "instanceof with a pattern",
        "java/util/jar/Attributes.java",
        ("Expected ';'", "&&"),
        2_364,
        27_653,
    ),
    _case(
        "java-constructor-reference",
        "a reference to the constructor of an array",
        "java/util/stream/ReferencePipeline.java",
        ("Expected '.'", "new"),
        4_108,
        31_798,
    ),
    _case(
        "java-instanceof-typed",
        "instanceof with a pattern, in a program that compiles",
        "java/util/jar/Attributes.java",
        ("Expected ';'", "&&"),
        2_364,
        27_653,
        file="Attributes.java",
        sound=_COMPILES,
    ),
    _case(
        "java-constructor-typed",
        "a reference to the constructor of an array, in a program that compiles",
        "java/util/stream/ReferencePipeline.java",
        ("Expected '.'", "new"),
        4_108,
        31_798,
        sound=_COMPILES,
    ),
)
