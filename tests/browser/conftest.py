"""Chromium, one for the session, and pages in it that must not complain or leave the machine."""

import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.watching import Watch

CHROMIUM = "/usr/bin/chromium"

# Five seconds, the default, are too few where other processes have the processors meanwhile.
expect.set_options(timeout=30_000)

ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
)
"""Without a sandbox, which root cannot have; and without requests of the browser's own."""

OpenPage = Callable[..., Page]
"""Opens a file or an address; keywords are those of `Browser.new_context`."""


@pytest.fixture(scope="session")
def browser() -> Generator[Browser]:
    """Debian's Chromium, headless, with a profile of its own."""
    assert shutil.which(CHROMIUM), f"{CHROMIUM} not found: install Debian's package chromium"
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield running
        running.close()


@pytest.fixture
def watch() -> Watch:
    """What the pages of a test complain about; nothing, else the test fails at its end."""
    return Watch()


@pytest.fixture
def open_page(browser: Browser, watch: Watch) -> Generator[OpenPage]:
    """Opens watched pages, each as in a new browser."""
    contexts: list[Any] = []

    def opened(place: Path | str, **options: Any) -> Page:
        contexts.append(context := browser.new_context(**options))
        page = context.new_page()
        watch.follow(page)
        page.goto(place.as_uri() if isinstance(place, Path) else place)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert watch.problems == []
