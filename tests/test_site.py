"""The documentation as a site: links, pages on a small screen, search without a server."""

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import pytest

import sdtext
from tests.support.browser import visited, width_of_content
from tests.support.command import ROOT

if TYPE_CHECKING:
    from playwright.sync_api import Browser

for package in ("furo", "myst_parser", "sphinx"):
    pytest.importorskip(package, reason="the extra site is not installed")
pytestmark = pytest.mark.deep


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built without a warning."""
    out = tmp_path_factory.mktemp("site")
    words = f"-m sphinx -q -W --keep-going -d {out}/trees -c docs/site . {out}/site"
    command = [sys.executable, *words.split()]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return out / "site"


class _Links(HTMLParser):
    """What a page refers to: links, and what it loads; and the places that it has."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.places: set[str] = set()
        self.feed(page.read_text("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {key: value or "" for key, value in attrs}
        self.places |= {values.get("id", "")}
        if tag == "a":
            self.links.append(values.get("href", ""))
        elif tag != "link" or values.get("rel") in {"stylesheet", "icon", "preload"}:
            self.loaded += [values[key] for key in ("src", "href", "data") if key in values]


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {page: _Links(page) for page in site.rglob("*.html")}
    assert len(pages) > 15
    for page, found in pages.items():
        assert not any(urlsplit(each).netloc for each in found.loaded), page
        for link in (*found.links, *found.loaded):
            address = urlsplit(link)
            if address.scheme or address.netloc or page.name in {"genindex.html", "search.html"}:
                continue
            target = (page.parent / unquote(address.path)).resolve() if address.path else page
            assert target.exists(), (page, link)
            if address.fragment and target in pages:
                assert unquote(address.fragment) in {*pages[target].places, "top"}, (page, link)


def test_the_reference_has_every_public_name(site: Path) -> None:
    reference = _Links(site / "docs" / "site" / "api.html")
    named = {name for name in sdtext.__all__ if callable(getattr(sdtext, name))}
    named |= set(
        re.findall(r"`([A-Z]\w+\.[a-z]\w+)", (ROOT / "docs" / "python.md").read_text("utf-8"))
    )
    assert len(named) > 100
    assert {f"sdtext.{name}" for name in named} <= reference.places


def test_pages_fit_a_small_screen_and_ask_for_nothing(site: Path, browser: "Browser") -> None:
    for file in site.rglob("*.html"):
        if file.name not in {"index.html", "genindex.html", "py-modindex.html"}:
            with visited(browser, file, viewport={"width": 360, "height": 740}) as page:
                assert width_of_content(page) <= 360, file


def test_the_search_works_in_files(site: Path, browser: "Browser") -> None:
    with visited(browser, site / "README.html") as page:
        page.get_by_placeholder("Search").first.fill("shingles")
        page.keyboard.press("Enter")
        first = page.locator("#search-results li a").first
        first.wait_for()
        with page.expect_navigation():
            first.click()
        assert "shingle" in page.content()
