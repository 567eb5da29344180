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


def _case(name: str, about: str, member: str, error: tuple[str, str], *sizes: int) -> Case:
    """Return a case: javalang's error has a description and is at a token; javac sees none."""
    # Inside double quotes the shell leaves a backslash in front of a single quote alone.
    description, token = error[0].replace("'", "\\'"), error[1]
    tokens, size = sizes
    script = f"""\
timeout 10 $PYTHON -I -c "
import sys
sys.path.insert(0, '$TOOLS/javalang-0.13.0')
import javalang
try: javalang.parse.parse(open('Input.java').read())
except javalang.parser.JavaSyntaxError as error:
    seen = error.description, getattr(error.at, 'value', '')
    sys.exit(seen != ('{description}', '{token}'))
sys.exit(1)
" > said 2>&1 || exit 1
timeout 10 java -Xshare:auto -XX:TieredStopAtLevel=1 -cp $TOOLS/ParseOnly ParseOnly Input.java
"""
    about = f"javalang 0.13.0 cannot parse {about}"
    source = Member(_SOURCES, f"java.base/{member}")
    needs = ("python3.11", "java", "javac", _SOURCES)
    return Case(name, "Input.java", "java", about, source, script, tokens, size, needs, _TOOLS)


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
)
