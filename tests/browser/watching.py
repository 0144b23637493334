"""A page of the browser that is watched: what it complains about, and what it asks the network for."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Error, Page, Request

_LOCAL_SCHEMES = frozenset({"file", "data", "blob", "about"})
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def is_local(url: str) -> bool:
    """Whether an address stays on this machine."""
    parts = urlsplit(url)
    return parts.scheme in _LOCAL_SCHEMES or parts.hostname in _LOOPBACK


@dataclass
class Watch:
    """What is wrong with a page, as it happens."""

    problems: list[str] = field(default_factory=list[str])

    def follow(self, page: Page) -> None:
        """Listens to a page from now on."""
        page.on("console", self._said)
        page.on("pageerror", self._raised)
        page.on("request", self._asked)

    def _said(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type}: {message.text}")

    def _raised(self, error: Error) -> None:
        self.problems.append(f"exception: {error}")

    def _asked(self, request: Request) -> None:
        if not is_local(request.url):
            self.problems.append(f"request: {request.url}")
