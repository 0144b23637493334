"""Computes the answer to a request that the guard has accepted, without using sockets."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tileir_xdsl.view.compilations import Compilations
from tileir_xdsl.view.folder import Entry, Kind
from tileir_xdsl.view.guarding import Refusal
from tileir_xdsl.view.pages import (
    POLICY,
    STATIC,
    BadReportError,
    kernel_page,
    report_page,
    static_file,
)
from tileir_xdsl.view.revisions import Revisions
from tileir_xdsl.view.watching import WatchedFolder

SECONDS_TO_WAIT = 20.0
"""How long a request for changes waits before it is answered without a change."""

_MOST_CHOICES = 200
_LONGEST_CHOICE = 500


@dataclass(frozen=True)
class Answer:
    """The answer to a request."""

    body: bytes
    type: str = "text/plain"
    status: HTTPStatus = HTTPStatus.OK
    policy: str = POLICY


@dataclass(frozen=True)
class Site:
    """The resources that pages request: pages, changes, and compilations with other choices."""

    folder: WatchedFolder
    compilations: Compilations
    revisions: Revisions

    def get(self, target: str) -> Answer:
        """Answers a GET of a path, after the token. Raises Refusal."""
        address = urlsplit(target)
        if address.path in STATIC:
            name, type = STATIC[address.path]
            return Answer(static_file(name), type)
        if address.path == "changes":
            return self._changes(parse_qs(address.query).get("since", [""])[0])
        entry = self._entry("report", address.path)
        revision = _revision(entry)
        try:
            if entry.kind is Kind.KERNEL:
                page = kernel_page(entry.name, self.compilations.state(entry))
            else:
                page = report_page(entry.name, revision, entry.path.read_bytes())
        except OSError as error:
            raise Refusal(HTTPStatus.NOT_FOUND, f"{entry.name}: {error.strerror}") from error
        except BadReportError as error:
            raise Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"{entry.name}: {error}") from error
        return Answer(page.text.encode(), "text/html", policy=page.policy)

    def post(self, target: str, read: Callable[[], bytes]) -> Answer:
        """Answers a POST, whose body `read` reads. Raises Refusal."""
        entry = self._entry("force", target)
        forced = _forced(read())
        if entry.kind is not Kind.KERNEL:
            raise Refusal(
                HTTPStatus.CONFLICT, f"{entry.name} is not a kernel, so it cannot be compiled again"
            )
        state = self.compilations.force(entry, forced)
        return _json({"revision": str(state.revision)})

    def _entry(self, action: str, path: str) -> Entry:
        """The entry of an address, found by its name, which is never used as a path."""
        start, _, name = path.partition("/")
        entry = self.folder.entries().get(unquote(name)) if start == action else None
        if entry is None:
            raise Refusal(HTTPStatus.NOT_FOUND, "there is nothing at this address")
        return entry

    def _changes(self, since: str) -> Answer:
        """All entries: at once if `since` is empty, otherwise after the next change."""
        if since.isascii() and since.isdecimal() and len(since) < 16:
            self.revisions.wait(int(since), SECONDS_TO_WAIT)
        revision, states = self.revisions.last, self.compilations.states()
        listed: dict[str, Any] = {}
        for entry in self.folder.entries().values():
            state = states.get(entry.name)
            listed[entry.name] = {"kind": entry.kind, "revision": _revision(entry)}
            if state is not None:
                listed[entry.name] |= {
                    "revision": str(state.revision),
                    "status": state.status,
                    "forced": state.forced,
                    "message": state.message,
                }
        return _json({"revision": revision, "entries": listed})


def _revision(entry: Entry) -> str:
    """The state of a stored report, used like the revision number of a compilation."""
    return ".".join(map(str, entry.state))


def _json(data: Any) -> Answer:
    return Answer(json.dumps(data).encode(), "application/json")


def _forced(body: bytes) -> list[str]:
    """The choices of `{"force": [..]}`. Raises Refusal."""
    try:
        forced = json.loads(body)["force"]
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise Refusal(HTTPStatus.BAD_REQUEST, 'expected {"force": [..]}') from error
    texts = isinstance(forced, list) and len(forced) <= _MOST_CHOICES
    if not texts or not all(isinstance(t, str) and len(t) <= _LONGEST_CHOICE for t in forced):
        raise Refusal(
            HTTPStatus.BAD_REQUEST,
            f"expected at most {_MOST_CHOICES} strings of at most "
            f"{_LONGEST_CHOICE} characters each",
        )
    return forced
