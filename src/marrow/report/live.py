"""The live page: the report of a run while it runs, served on the loopback, with a few controls.

The server is that of Python's standard library: one page, one reader, a request a second. Only
who knows the token in the address gets an answer; requests by another name than the loopback's
(DNS rebinding) and from other pages (their origin) are refused.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from marrow.base.clock import running_time
from marrow.engine.journal.journal import Journal
from marrow.engine.search.control import Control
from marrow.report.html import NoReportError, html_report, report_data
from marrow.report.plain import plain
from marrow.report.progress import Progress

# Nobody types more.
_LARGEST_EDIT: Final = 1 << 26

# Numbers in requests are counts of bytes and of steps.
_DIGITS: Final = 12

# How long a person's edit may take to be tested, in seconds, before the page says so.
_EDIT_SECONDS: Final = 600.0

# After the end, a page that has just been looked at gets the last state: it asks once a second.
_LAST_LOOK: Final = 3.0


class LivePage(Progress):
    """Serves the page of a run inside its `with` block; it follows the events of the run."""

    def __init__(
        self,
        journal: Journal,
        control: Control,
        tokens: int,
        length: int,
        **more: Any,
    ) -> None:
        """For the sizes, and for more, see `Progress`."""
        super().__init__(tokens, length, **more)
        self.control: Final = control
        self.ended = False
        self._journal: Final = journal
        self._token: Final = secrets.token_urlsafe(18)
        self._looked = 0.0
        self._told = threading.Event()
        self._server: Final = _Server(("127.0.0.1", 0), _Handler)
        self._server.page = self
        #: The port that was free.
        self.port: Final = int(self._server.server_address[1])
        #: The address of the page, with its token.
        self.address: Final = f"http://127.0.0.1:{self.port}/{self._token}/"
        #: The names by which the page may be asked for.
        self.hosts: Final = frozenset({f"127.0.0.1:{self.port}", f"localhost:{self.port}"})
        self._thread: Final = threading.Thread(
            target=self._server.serve_forever, name="marrow-live", daemon=True
        )

    def __enter__(self) -> LivePage:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ended = True
        if time.monotonic() - self._looked < _LAST_LOOK:
            self._told.wait(_LAST_LOOK)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def knows(self, path: str) -> str | None:
        """Return what is asked for below the token; None if the token is wrong."""
        token, _, rest = path.removeprefix("/").partition("/")
        return rest if secrets.compare_digest(token.encode(), self._token.encode()) else None

    @property
    def version(self) -> int:
        """Changes whenever the page does."""
        return 2 * len(self._journal.history.steps) + self.ended

    def page(self) -> str:
        """Return the page as it is now; raise `NoReportError` if the run has not begun."""
        return html_report(self._journal.record, live=self.state())

    def state(self) -> dict[str, object]:
        """Return the state of the run."""
        return {
            "version": self.version,
            "ended": self.ended,
            "paused": self.control.paused,
            "phase": plain(self.phase),
            "pass": self.pass_name,
            "size": self.size,
            "unit": self.unit,
            "tests": self.tests,
            "seconds": round(running_time() - self.started, 1),
            "left": self.left,
        }

    def state_after(self, version: int) -> dict[str, object]:
        """Return the state of the run, with the data of the page if they have changed."""
        self._looked = time.monotonic()
        found = self.state()
        if found["version"] != version:
            found["data"] = {**report_data(self._journal.record), "live": self.state()}
        if found["ended"]:
            self._told.set()
        return found

    def wish(self, what: str, body: bytes) -> str:
        """Do what the reader asks for; return an answer in words."""
        if what == "edit":
            return self.control.propose(body).answer(_EDIT_SECONDS)
        if what == "skip":
            self.control.skip(self.pass_name)
            return "the rest of the pass is skipped"
        if what == "stop":
            self.control.stopped = True
            return "stopping"
        self.control.paused = not self.control.paused
        return "paused" if self.control.paused else "running"


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    page: LivePage

    def handle_error(self, *_: object) -> None:
        """Ignore readers that disconnect or send nonsense."""


class _Handler(BaseHTTPRequestHandler):
    """Answers requests for the page."""

    server: _Server
    protocol_version = "HTTP/1.1"
    server_version = "marrow"
    sys_version = ""
    # A client that sends nothing does not hold a thread for ever.
    timeout = 30

    def do_GET(self) -> None:
        """Send the page, or the state of the run."""
        what = self._asked()
        if what is None:
            return
        name, _, query = what.partition("?")
        try:
            if name == "":
                self._send(HTTPStatus.OK, "text/html; charset=utf-8", self.server.page.page())
            elif name == "state":
                after = query.removeprefix("after=")
                known = int(after) if _is_number(after) else -1
                self._send_json(self.server.page.state_after(known))
            else:
                self._refuse(HTTPStatus.NOT_FOUND, "page not found")
        except (NoReportError, RuntimeError):
            self._refuse(HTTPStatus.SERVICE_UNAVAILABLE, "the run has not begun: try again")

    def do_POST(self) -> None:
        """Take a control: pause, skip, stop, an edit."""
        what = self._asked()
        if what is None:
            return
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Origin") not in {f"http://{host}" for host in self.server.page.hosts}:
            self._refuse(HTTPStatus.FORBIDDEN, "not from this page")
        elif "Transfer-Encoding" in self.headers:
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the length is missing")
        elif not _is_number(length) or int(length) > _LARGEST_EDIT:
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too large")
        elif what not in ("pause", "skip", "stop", "edit"):
            self._refuse(HTTPStatus.NOT_FOUND, "unknown control")
        else:
            body = self.rfile.read(int(length))
            self._send_json({"answer": plain(self.server.page.wish(what, body))})

    def _asked(self) -> str | None:
        """Return what is asked for, if the request may be answered; answer it otherwise."""
        if self.headers.get("Host") not in self.server.page.hosts:
            self._refuse(HTTPStatus.FORBIDDEN, "not by this name")
            return None
        what = self.server.page.knows(self.path)
        if what is None:
            self._refuse(HTTPStatus.FORBIDDEN, "the token in the address is wrong")
        return what

    def _refuse(self, status: HTTPStatus, words: str) -> None:
        self.close_connection = True
        self._send(status, "text/plain; charset=utf-8", f"{words}\n")

    def _send_json(self, data: object) -> None:
        self._send(HTTPStatus.OK, "application/json", json.dumps(data))

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        content = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in (
            ("Content-Type", kind),
            ("Content-Length", str(len(content))),
            ("Cache-Control", "no-store"),
            ("X-Content-Type-Options", "nosniff"),
            ("X-Frame-Options", "DENY"),
            ("Referrer-Policy", "no-referrer"),  # the token is part of the address
            ("Cross-Origin-Resource-Policy", "same-origin"),
        ):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal belongs to the run."""


def _is_number(words: str) -> bool:
    """Whether a text is a number, and not so long that it cannot be read as one."""
    return words.isascii() and words.isdigit() and len(words) <= _DIGITS
