"""An HTTP server on the loopback: reads and checks requests, and sends the site's answers."""

from __future__ import annotations

import socketserver
import sys
import threading
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from tileir_xdsl.view.answering import Answer, Site
from tileir_xdsl.view.compilations import Compilations
from tileir_xdsl.view.guarding import (
    LOOPBACK,
    METHODS,
    Guard,
    Refusal,
    body_length,
    new_token,
)
from tileir_xdsl.view.revisions import Revisions
from tileir_xdsl.view.watching import WatchedFolder

_MOST_CONNECTIONS = 64
"""Further connections are closed at once, since each needs a thread."""

_SECONDS_OF_SILENCE = 30.0
"""A connection that sends nothing for so long is closed."""

_HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class ViewServer(socketserver.ThreadingTCPServer):
    """Listens on the loopback; raises OSError for a port that is not available."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 32

    def __init__(self, port: int, site: Site):
        self._free = threading.BoundedSemaphore(_MOST_CONNECTIONS)
        super().__init__((LOOPBACK, port), _Handler)
        self.site = site
        self.guard = Guard(self.server_address[1], new_token())

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{LOOPBACK}:{self.guard.port}/{self.guard.token}/"

    def process_request(self, request: Any, client_address: Any) -> None:
        """Starts a thread for a connection, unless there are too many."""
        if self._free.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Serves a connection to its end."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._free.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Prints errors, except those of closed connections."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: ViewServer  # pyright: ignore[reportIncompatibleVariableOverride]
    protocol_version = "HTTP/1.1"
    timeout = _SECONDS_OF_SILENCE

    def version_string(self) -> str:
        return "tileir"

    def log_message(self, format: str, *args: Any) -> None:
        """Prints nothing: requests are not logged."""

    def parse_request(self) -> bool:
        """Routes every method to one handler; the base class expects a function for each method."""
        parsed = super().parse_request()
        if parsed:
            self._answer()
        return False

    def _answer(self) -> None:
        try:
            answer = self._answered()
        except Refusal as refusal:
            # The rest of the request is not read.
            self.close_connection = True
            answer = Answer(f"{refusal.message}\n".encode(), status=refusal.status)
        self._send(answer)

    def _answered(self) -> Answer:
        headers = {name.lower(): ",".join(self.headers.get_all(name, [])) for name in self.headers}
        rest = self.server.guard.check(self.command, self.path, headers)
        if self.command == "GET":
            if "content-length" in headers or "transfer-encoding" in headers:
                raise Refusal(HTTPStatus.BAD_REQUEST, "a GET request must not have a body")
            return self.server.site.get(rest)
        length = body_length(headers)
        return self.server.site.post(rest, lambda: self.rfile.read(length))

    def _send(self, answer: Answer) -> None:
        self.send_response(answer.status)
        self.send_header("Content-Type", f"{answer.type}; charset=utf-8")
        self.send_header("Content-Length", str(len(answer.body)))
        self.send_header("Content-Security-Policy", answer.policy)
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        if answer.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", ", ".join(METHODS))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(answer.body)


@contextmanager
def viewing(
    folder: Path, port: int, options: Sequence[str] = (), script: str | None = None
) -> Generator[ViewServer]:
    """A server of the reports of a folder, or of a script in it; run `serve_forever` on the server.

    `options` are given to `tileir explain`. Raises OSError for a folder that cannot be read and for
    a port that is not available.
    """
    revisions = Revisions()
    with ExitStack() as stack:
        compilations = Compilations(folder.resolve(), options, revisions)
        stack.callback(compilations.close)
        watched = WatchedFolder(folder, compilations, revisions, script)
        stack.callback(watched.close)
        stack.callback(revisions.end)
        yield stack.enter_context(ViewServer(port, Site(watched, compilations, revisions)))
