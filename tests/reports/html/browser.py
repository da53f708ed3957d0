"""Pages in a real browser: the system's Chromium, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@dataclass
class Visit:
    """A page that a browser has opened, and what it asked for and complained about."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Nothing was requested but the file itself, and there was no error or warning."""
        assert [url for url in self.requests if not url.startswith(("file:", "data:"))] == []
        assert self.complaints == []

    def width_of_content(self) -> int:
        """The width that the page needs; more than that of the window means it scrolls."""
        width: int = self.page.evaluate("document.documentElement.scrollWidth")
        return width


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Chromium; the test is skipped where it, or Playwright, is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visited(browser: Browser, path: Path, **settings: Any) -> Iterator[Visit]:
    """The page in a file, opened in a window of its own."""
    size = settings.pop("viewport", {"width": 1280, "height": 900})
    context = browser.new_context(offline=True, viewport=size, **settings)
    try:
        context.set_default_timeout(10_000)
        visit = Visit(context.new_page())
        visit.page.on("request", lambda request: visit.requests.append(request.url))
        visit.page.on("pageerror", lambda error: visit.complaints.append(str(error)))
        visit.page.on("console", lambda message: _note(visit, message))
        visit.page.goto(path.as_uri())
        yield visit
    finally:
        context.close()


def _note(visit: Visit, message: Any) -> None:
    if message.type in ("error", "warning"):
        visit.complaints.append(message.text)
