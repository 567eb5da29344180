"""A real browser without a window, driven over the WebDriver protocol with the standard library."""

from __future__ import annotations

import base64
import contextlib
import importlib.util
import json
import shutil
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: Debian's packages are called chromium and chromium-driver.
PROGRAMS = ("chromium", "chromedriver")

#: Where axe-core is, which checks pages for everybody: the script of a package that wraps it.
_PACKAGE = importlib.util.find_spec("axe_core_python")
AXE = Path(_PACKAGE.origin).with_name("axe.min.js") if _PACKAGE and _PACKAGE.origin else None

# All rules of axe-core, its good practices too.
_RUN_AXE = """
const done = arguments[arguments.length - 1];
axe.run().then((found) => done(found.violations.flatMap((one) =>
  one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 120)} ${node.failureSummary}`))));
"""


def missing() -> str:
    """Return what is missing for tests in a browser, in words; empty if nothing is."""
    lacking = [name for name in PROGRAMS if shutil.which(name) is None]
    return f"{' and '.join(lacking)} not installed" if lacking else ""


class Browser:
    """A browser that has a page open."""

    def __init__(self, session: str) -> None:
        self._session = session

    def open(self, path: Path) -> None:
        """Open a file, and wait until it has drawn itself."""
        self._post("url", {"url": "about:blank"})
        self.requests()
        self._post("url", {"url": path.resolve().as_uri()})

    def open_address(self, address: str) -> None:
        """Open a page of a server."""
        self._post("url", {"url": address})

    def emulate(self, width: int, *, dark: bool) -> None:
        """Have a screen of this width, and light or dark colours."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        self._devtools("Emulation.setDeviceMetricsOverride", size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self._devtools("Emulation.setEmulatedMedia", {"features": [scheme]})

    def press(self, selector: str, key: str) -> None:
        """Put the focus on an element and press a key, as WebDriver spells it."""
        self.run(f"document.querySelector({selector!r}).focus()")
        self.key(key)

    def key(self, key: str) -> None:
        """Press a key where the focus is."""
        keys = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._post("actions", {"actions": [{"type": "key", "id": "keys", "actions": keys}]})

    def wait(self, condition: str, seconds: float = 600.0) -> None:
        """Wait until an expression is true in the page."""
        end = time.monotonic() + seconds
        while not self.run(f"return Boolean({condition})"):
            if time.monotonic() > end:
                raise AssertionError(f"not true in time: {condition}")
            time.sleep(0.05)

    def _devtools(self, command: str, parameters: dict[str, Any]) -> None:
        self._post("goog/cdp/execute", {"cmd": command, "params": parameters})

    def run(self, script: str) -> Any:
        """Run a script in the page and return its value."""
        return self._post("execute/sync", {"script": script, "args": []})

    def faults(self) -> list[str]:
        """Return what keeps somebody from using the page: by axe-core, and what is too wide."""
        if AXE is None:
            raise AssertionError("axe-core-python is not installed: pip install -e '.[dev]'")
        self.run(AXE.read_text(encoding="utf-8"))
        found = self._post("execute/async", {"script": _RUN_AXE, "args": []})
        wide = self.run(
            "const page = document.documentElement;"
            "return page.scrollWidth > innerWidth ? [`too wide: ${page.scrollWidth}`] : []"
        )
        return [*found, *wide]

    def text(self, selector: str) -> str:
        """Return the text of an element."""
        return str(self.run(f"return document.querySelector({selector!r}).textContent"))

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the last call."""
        entries = self._post("se/log", {"type": "performance"})
        messages = [json.loads(entry["message"])["message"] for entry in entries]
        return [
            message["params"]["request"]["url"]
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Return what the browser wrote to its console."""
        return [entry["message"] for entry in self._post("se/log", {"type": "browser"})]

    def picture(self, path: Path) -> None:
        """Save what is to be seen."""
        answer = call(f"{self._session}/screenshot")
        path.write_bytes(base64.b64decode(answer["value"]))

    def _post(self, what: str, body: dict[str, Any]) -> Any:
        return call(f"{self._session}/{what}", body)["value"]


def call(address: str, body: dict[str, Any] | None = None, method: str | None = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(
        address, data, {"Content-Type": "application/json"}, method=method
    )
    # Never through a proxy: the driver is on this machine.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(request, timeout=2000) as answer:
        return json.load(answer)


@contextlib.contextmanager
def browser(directory: Path, *more: str) -> Iterator[Browser]:
    """Start a browser whose files all go to a directory."""
    driver = subprocess.Popen(
        ["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True, cwd=directory
    )
    try:
        assert driver.stdout is not None
        line = next(line for line in driver.stdout if "successfully on port" in line)
        server = f"http://127.0.0.1:{line.rstrip().rstrip('.').rpartition(' ')[2]}"
        arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1280,1000",
            f"--user-data-dir={directory / 'profile'}",
            *more,
        ]
        wanted = {
            "goog:chromeOptions": {"args": arguments, "binary": shutil.which("chromium")},
            "goog:loggingPrefs": {"performance": "ALL", "browser": "ALL"},
        }
        answer = call(f"{server}/session", {"capabilities": {"alwaysMatch": wanted}})
        session = f"{server}/session/{answer['value']['sessionId']}"
        try:
            yield Browser(session)
        finally:
            call(session, method="DELETE")
    finally:
        driver.terminate()
        driver.communicate(timeout=600)
