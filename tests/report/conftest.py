"""One browser for all tests of pages in a process: starting it takes longer than most of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.report.browser import Browser, browser, missing


@pytest.fixture(scope="session")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser; tests that need it skip where it is not installed."""
    if missing():
        pytest.skip(missing())
    with browser(tmp_path_factory.mktemp("browser")) as started:
        yield started
