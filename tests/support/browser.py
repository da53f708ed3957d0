"""Pages in a real browser: the system's Chromium, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sdtext.reading.overwrite_guard import Output
from sdtext.reports.html.report_page import HTML_REPORT, ReportPage, write_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


@contextmanager
def running_browser() -> Iterator[Browser]:
    """Chromium; the test is skipped where it, or Playwright, is not installed."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        browser.new_context(offline=True)  # the one that visits share
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def visited(browser: Browser, path: Path, **settings: Any) -> Iterator[Page]:
    """The page in a file, opened offline in a window of that size and colour scheme.

    Before it is closed: it requested nothing but files, and there was no error or warning.
    """
    size = settings.pop("viewport", {"width": 1280, "height": 900})
    scheme = settings.pop("color_scheme", "light")
    with _window(browser, settings) as page:
        page.set_default_timeout(10_000)
        page.set_viewport_size(size)
        page.emulate_media(media="null", color_scheme=scheme)
        requests: list[str] = []
        complaints: list[str] = []
        listeners = {
            "request": lambda request: requests.append(request.url),
            "pageerror": lambda error: complaints.append(str(error)),
            "console": lambda message: _note(complaints, message),
        }
        for event, listener in listeners.items():
            page.on(event, listener)
        page.goto(path.as_uri())
        yield page
        assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
        assert complaints == []
        for event, listener in listeners.items():
            page.remove_listener(event, listener)


@contextmanager
def _window(browser: Browser, settings: dict[str, Any]) -> Iterator[Page]:
    """A window with settings; without any the one that visits share, which costs a third.

    A page that asks before it is left does not; after a failure the window is closed.
    """
    context = browser.new_context(offline=True, **settings) if settings else browser.contexts[0]
    page = context.pages[0] if context.pages else context.new_page()
    try:
        yield page
        page.evaluate("onbeforeunload = null")
        page.goto("about:blank")
    except BaseException:
        page.close()
        raise
    finally:
        if settings:
            context.close()


def _note(complaints: list[str], message: Any) -> None:
    if message.type in ("error", "warning"):
        complaints.append(message.text)


@contextmanager
def report_opened(
    browser: Browser, folder: Path, report: ReportPage, **settings: Any
) -> Iterator[Page]:
    """A report in a browser, from a file of the folder."""
    write_page(Output(folder / "out.html", HTML_REPORT), report)
    with visited(browser, folder / "out.html", **settings) as page:
        yield page


def width_of_content(page: Page) -> int:
    """The width that a page needs; more than that of the window means it scrolls."""
    width: int = page.evaluate("document.documentElement.scrollWidth")
    return width


def audit(page: Page, rules: list[str] | None = None) -> Any:
    """What axe finds on a page, by all its rules or some of them."""
    from axe_playwright_python.sync_playwright import Axe

    return Axe().run(page, options={"runOnly": rules} if rules else None)
