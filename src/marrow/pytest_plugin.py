"""The pytest plugin: `pytest --marrow` shrinks the text on which a test fails, and shows it.

A test says which of its arguments is the text: `@pytest.mark.marrow("source", language="c")`, or
`@pytest.mark.marrow` if there is but one. Parametrised tests, fixtures that return a text and tests
by Hypothesis (whose falsifying example is handed on) work alike. The fixture `marrow_shrink` is for
texts that a test makes itself.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Generator, Iterator, Mapping
from typing import Any

import pytest

from marrow.base.errors import MarrowError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option."""
    parser.getgroup("marrow").addoption(
        "--marrow",
        action="store_true",
        help="shrink the texts on which tests marked with `marrow` fail, and show them",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark."""
    config.addinivalue_line(
        "markers",
        "marrow(argument, **options): with --marrow, shrink this argument of a test that fails; "
        "the options are those of marrow.testing.shrink",
    )


@pytest.fixture
def marrow_shrink(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return `marrow.testing.shrink`, which only shrinks with `--marrow`, and else only checks."""
    from marrow.testing import shrink

    if request.config.getoption("--marrow"):
        return shrink

    def check_only(
        source: Any,
        check: Callable[[Any], object],
        *,
        parse: Callable[[Any], Any] | None = None,
        **_: Any,
    ) -> None:
        __tracebackhide__ = True
        if check(source if parse is None else parse(source)) is False:
            raise AssertionError("the check returned False (--marrow shrinks the input)")

    return check_only


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Run a test; if it fails, shrink its text and fail with that."""
    mark = pyfuncitem.get_closest_marker("marrow")
    if mark is None or not pyfuncitem.config.getoption("--marrow"):
        return (yield)
    called = _Called(pyfuncitem)
    try:
        with called.recording():
            return (yield)
    except (KeyboardInterrupt, pytest.skip.Exception, pytest.xfail.Exception):
        raise
    except BaseException as failure:
        _shrink(called, mark, failure)
        raise


class _Called:
    """A test function, and the arguments that it failed with."""

    def __init__(self, item: pytest.Function) -> None:
        self._item = item
        names = item._fixtureinfo.argnames
        self.arguments: Mapping[str, Any] = {name: item.funcargs[name] for name in names}
        self.function: Callable[..., object] = item.obj

    @contextlib.contextmanager
    def recording(self) -> Iterator[None]:
        """Record what Hypothesis calls its inner test with, if there is one."""
        handle = getattr(self._item.obj, "hypothesis", None)
        if handle is None:
            yield
            return
        inner = handle.inner_test

        @functools.wraps(inner)
        def recorded(*positional: Any, **named: Any) -> object:
            try:
                return inner(*positional, **named)
            except Exception:
                # The last one that fails is the example that Hypothesis shows.
                self.arguments = named
                self.function = functools.partial(inner, *positional)
                raise

        handle.inner_test = recorded
        try:
            yield
        finally:
            handle.inner_test = inner


def _shrink(called: _Called, mark: pytest.Mark, failure: BaseException) -> None:
    """Raise the failure on a smaller text; return if none is found."""
    from marrow.testing import shrink

    __tracebackhide__ = True
    name = _argument(mark, called.arguments)
    source = called.arguments[name]
    arguments, function = dict(called.arguments), called.function

    def check(text: Any) -> object:
        __tracebackhide__ = True
        return function(**{**arguments, name: text}) and None

    try:
        shrink(source, check, **mark.kwargs)
    except MarrowError as error:
        failure.add_note(f"marrow did not shrink {name}: {error}")


def _argument(mark: pytest.Mark, arguments: Mapping[str, Any]) -> str:
    """Return which argument is the text."""
    texts = [name for name, value in arguments.items() if isinstance(value, str | bytes)]
    there = f"there are {', '.join(texts) or 'none'}"
    if mark.args and str(mark.args[0]) not in texts:
        name = str(mark.args[0])
        raise pytest.UsageError(
            f"@pytest.mark.marrow: {name!r} is not a text argument of the test; {there}"
        )
    if not mark.args and len(texts) != 1:
        raise pytest.UsageError(f"@pytest.mark.marrow: say which argument is the text; {there}")
    return str(mark.args[0]) if mark.args else texts[0]
