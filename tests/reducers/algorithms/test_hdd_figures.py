"""Figures 3 and 4 of Vince et al., "The Effect of Hoisting on Variants of Hierarchical Delta
Debugging", with real compilers, the grammars that ship, and the settings that were published.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from marrow.engine.executors.function import CallableExecutor
from marrow.engine.journal.journal import Journal
from marrow.grammar.language import Language
from marrow.grammars import grammar_path
from marrow.reducers.algorithms.hdd_variants import HDD_VARIANTS, Variant
from marrow.reducers.algorithms.hoist import Hoisting
from marrow.reducers.algorithms.settings import PRESETS, Settings
from marrow.reducers.pipeline.algorithm_table import algorithm_of
from marrow.run.reduction import Reduction
from marrow.syntax.grammar_front_end import GrammarFrontEnd
from marrow.syntax.views import FileView

PUBLISHED = PRESETS["published"].settings

#: The program that Figure 3 is about: a message printed inside an if that is always true.
HELLO = rb"""
int main() {
  if (1) {
    printf("Hello world!\n");
  }
}
"""
#: Figure 3(d): the inner block is hoisted to replace all that enclosed it.
HOISTED_HELLO = rb"""
int main() {
  printf("Hello world!\n");
}
"""

#: Figure 4(a), as printed.
LOCALIZED_PI = rb"""
public class LocalizedPi {
  private static String decSeparator(String locale) {
    if (locale.equals("en")) {
      return ".";
    }
    throw new Exception("Unsupported locale");
  }
  private static String formatParts(String intPart, String fracPart, String decSep) {
    return intPart.concat(decSep).concat(fracPart);
  }
  public static void main(String[] args) {
    String pi = formatParts("3", "14", decSeparator(args[0]));
    System.out.println(pi);
  }
}
"""
#: Figure 4(b): without hoisting. It differs from the figure in one statement. The figure has
#: `return decSep;`, but no node of `intPart.concat(decSep).concat(fracPart)` can be pruned so that
#: this is left: what recursion adds on the right may go, but `decSep` is an argument, and an
#: argument in the place of a call is hoisted. And the tool visits what comes last first, so that
#: nothing uses `fracPart` any more when its name is looked at.
PRUNED_PI = rb"""
class LocalizedPi {
  static String decSeparator(String locale) {
      if (locale.equals("en")) {
          return "";
      }
      throw new Exception("Unsupported locale");
  }
  static String formatParts(String intPart, String a, String decSep) {
      return intPart.concat(decSep);
  }
  public static void main(String[] args) {
      String a = formatParts("", "", decSeparator(args[0]));
  }
}
"""
#: Figure 4(c): with hoisting before pruning.
HOISTED_PI = rb"""
class LocalizedPi {
  static String decSeparator(String locale) {
      if (locale.equals("en")) {
          return "";
      }
      throw new Exception("Unsupported locale");
  }
  public static void main(String[] args) {
      String a = decSeparator(args[0]);
  }
}
"""

UNBLOCKED_PI = HOISTED_PI.replace(b"{\n          return", b"return").replace(
    b";\n      }\n      throw", b"; throw"
)

#: The exception that Figure 4 throws is a checked one, so that javac refuses the program as it is
#: printed. With an unchecked one of the same name beside it, it compiles without a letter changed.
UNCHECKED = """
class Exception extends RuntimeException {
  Exception(String message) { super(message); }
}
"""

#: Compiles and runs candidates in one virtual machine, as starting two for each takes a second.
#: Its input and output are lines: the path of a directory with a candidate, then yes or no.
JUDGE = """
import java.io.*;
import java.lang.reflect.*;
import java.net.*;
import java.nio.file.*;
import javax.tools.*;

public class Judge {
  static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();
  static final PrintStream OUT = System.out;

  public static void main(String[] arguments) throws Throwable {
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line; (line = lines.readLine()) != null; ) {
      OUT.println(judge(Path.of(line)) ? "yes" : "no");
      OUT.flush();
    }
  }

  static boolean judge(Path home) throws Throwable {
    OutputStream nowhere = OutputStream.nullOutputStream();
    int code = COMPILER.run(null, nowhere, nowhere, "-proc:none", "-d", home.toString(),
        home + "/LocalizedPi.java", home + "/Exception.java");
    return code == 0 && thrown(home, "en").isEmpty()
        && thrown(home, "hu").equals("Exception: Unsupported locale");
  }

  /** What the program throws, as the launcher would print it; nothing if it ends well. */
  static String thrown(Path home, String locale) throws Throwable {
    URL[] path = {home.toUri().toURL()};
    try (URLClassLoader loader = new URLClassLoader(path, null)) {
      Method main = loader.loadClass("LocalizedPi").getMethod("main", String[].class);
      if (!Modifier.isStatic(main.getModifiers())) return "no main";
      main.setAccessible(true);
      main.invoke(null, (Object) new String[] {locale});
      return "";
    } catch (InvocationTargetException failure) {
      return failure.getCause().toString();
    } catch (ReflectiveOperationException failure) {
      return "no main";
    }
  }
}
"""


def squeezed(text: bytes) -> bytes:
    """A text without white space."""
    return b"".join(text.split())


@pytest.fixture(scope="module")
def prints_hello(tmp_path_factory: pytest.TempPathFactory) -> Callable[[bytes], bool]:
    """Whether a C program prints the message; what was asked before is remembered."""
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    work = tmp_path_factory.mktemp("hello")
    known: dict[bytes, bool] = {}

    def test(text: bytes) -> bool:
        if text not in known:
            known[text] = run(text)
        return known[text]

    def run(text: bytes) -> bool:
        (work / "hello.c").write_bytes(text)
        # The figure has neither an include nor anything that is not C any more.
        flags = ["-include", "stdio.h", "-Werror=implicit-int"]
        command = ["gcc", *flags, "hello.c", "-o", "hello"]
        if subprocess.run(command, cwd=work, capture_output=True, check=False).returncode:
            return False
        ended = subprocess.run(["./hello"], cwd=work, capture_output=True, check=False)
        return ended.stdout == b"Hello world!\n"

    return test


def reduced(
    text: bytes, test: Callable[[bytes], bool], grammar: str, algorithm: str, settings: Settings
) -> bytes:
    front = front_end(grammar)
    executor = CallableExecutor(test, 1)
    chosen = algorithm_of(algorithm, settings)
    journal = Journal.in_memory()
    reduction = Reduction(
        text=text,
        view=FileView((front,), front),
        strategy=chosen,
        executor=executor,
        journal=journal,
    )
    try:
        result = reduction.run()
    finally:
        executor.close()
    assert result.stopped is None
    return squeezed(result.text)


@cache
def front_end(grammar: str) -> GrammarFrontEnd:
    return GrammarFrontEnd(Language.from_file(grammar_path(grammar)))


@pytest.mark.parametrize("settings", [PUBLISHED, Settings()], ids=["published", "default"])
@pytest.mark.parametrize("variant", HDD_VARIANTS, ids=lambda variant: variant.name)
def test_figure_3(
    variant: Variant, settings: Settings, prints_hello: Callable[[bytes], bool]
) -> None:
    hoists = variant.hoisting is not Hoisting.NONE
    if variant.coarse and settings is PUBLISHED:
        # What the coarse ones hoist while they prune may also vanish: the if, and there is none
        # below it. Before that they hoist everything, as the tables of the paper show.
        hoists = variant.hoisting.before
    result = reduced(HELLO, prints_hello, "c", variant.name, settings)
    assert result == squeezed(HOISTED_HELLO if hoists else HELLO)


@pytest.fixture(scope="module")
def throws(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[bytes], bool]]:
    """Whether a Java program runs with `en` and throws the figure's exception with `hu`."""
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("javac or java is not installed")
    work = tmp_path_factory.mktemp("pi")
    (work / "Judge.java").write_text(JUDGE)
    subprocess.run(["javac", "Judge.java"], cwd=work, check=True)
    (work / "Exception.java").write_text(UNCHECKED)
    known: dict[bytes, bool] = {}
    with subprocess.Popen(
        ["java", "-XX:TieredStopAtLevel=1", "Judge"],
        cwd=work, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    ) as judge:  # fmt: skip

        def test(text: bytes) -> bool:
            if text not in known:
                known[text] = ask(text, work / str(len(known)))
            return known[text]

        def ask(text: bytes, home: Path) -> bool:
            home.mkdir()
            (home / "LocalizedPi.java").write_bytes(text)
            shutil.copy(work / "Exception.java", home)
            assert judge.stdin is not None
            assert judge.stdout is not None
            judge.stdin.write(f"{home}\n")
            judge.stdin.flush()
            answer = judge.stdout.readline().strip()
            assert answer in ("yes", "no")
            return answer == "yes"

        yield test
        assert judge.stdin is not None
        judge.stdin.close()


# The figure shows one pass: a second one has a chance to shorten the names of parameters that
# nothing uses any more by then.
@pytest.mark.parametrize(
    ("algorithm", "expected"),
    [
        ("hddr*", PRUNED_PI),
        # By our grammar the block and the statement in it are both of the rule `statement`.
        ("hoistr*+hddr*", UNBLOCKED_PI),
    ],
)
def test_figure_4(algorithm: str, expected: bytes, throws: Callable[[bytes], bool]) -> None:
    result = reduced(LOCALIZED_PI, throws, "java", algorithm, replace(PUBLISHED, once=True))
    assert result == squeezed(expected)


def test_figure_4_becomes_smaller_where_the_slot_decides(throws: Callable[[bytes], bool]) -> None:
    """`return ""` is a statement as the block around it is, though not of the same rule."""
    result = reduced(LOCALIZED_PI, throws, "java", "hoistr*+hddr*", Settings(once=True))
    assert result == squeezed(UNBLOCKED_PI)
