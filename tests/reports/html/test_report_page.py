"""What every HTML report has: one file, a strict policy, its provenance, escaped names."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sdtext.errors import OutputError
from sdtext.model import Problem
from sdtext.reports.html.report_page import (
    InputDigest,
    PageProvenance,
    ReportPage,
    html_output,
    rendered,
    write_page,
)
from tests.support.browser import visited

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "</script><script>alert(1)</script>\"'><img src=x onerror=alert(2)>\u202etxt.exe\x1b[2J"
PAGE = ReportPage(
    "base.html",
    f"Report of {EVIL}",
    {},
    PageProvenance(
        f"sdtext {EVIL}",
        "2026-01-02T03:04:05Z",
        [("Matcher", EVIL)],
        [InputDigest(EVIL, "0" * 64, "document")],
        [f"quotes of {EVIL}"],
    ),
    [Problem("error", "unreadable", f"{EVIL}: damaged"), Problem("warning", "short", EVIL)],
    embedded={"names": [EVIL, "</script>", "\u2028"]},
)


@pytest.mark.parametrize("tag", ["style", "script"])
def test_the_policy_allows_the_styles_and_scripts_of_the_page_alone(tag: str) -> None:
    text = rendered(PAGE)
    (content,) = re.findall(f"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
    digest = b64encode(sha256(content.encode()).digest()).decode()
    policy = re.findall('Content-Security-Policy" content="([^"]*)"', text)[0]
    assert f"{tag}-src &#39;sha256-{digest}&#39;" in policy or f"'sha256-{digest}'" in policy
    assert "unsafe" not in policy
    assert policy.replace("&#39;", "'").startswith("default-src 'none';")


def test_nothing_of_strangers_is_markup_or_directs_text() -> None:
    text = rendered(PAGE)
    body = text.split("</style>")[1]
    assert len(re.findall("<script", body)) == 2
    assert "<img" not in body
    shown = body.split('<script type="application/json"')[0]
    assert "\u202e" not in shown
    assert "\x1b" not in shown
    assert "\\u202etxt.exe" in shown


def test_a_file_is_replaced_only_if_it_is_a_report(tmp_path: Path) -> None:
    target = tmp_path / "out.html"
    write_page(html_output(str(target)), PAGE)
    first = target.read_bytes()
    output = html_output(str(target))
    output.check([tmp_path / "a.txt"])
    write_page(output, PAGE)
    assert target.read_bytes() == first
    target.write_text("<!doctype html><p>Somebody's page")
    with pytest.raises(OutputError, match="already exists and is not an HTML report of sdtext"):
        html_output(str(target)).check()


def test_a_browser_shows_it_without_a_request_or_a_complaint(
    browser: Browser, tmp_path: Path
) -> None:
    target = tmp_path / "out.html"
    write_page(html_output(str(target)), PAGE)
    for width, scheme in ((1280, "light"), (360, "dark")):
        size = {"width": width, "height": 900}
        with visited(browser, target, viewport=size, color_scheme=scheme) as visit:
            visit.check()
            assert visit.page.evaluate("data.names[1]") == "</script>"
            assert visit.width_of_content() <= width
            assert visit.page.locator("h1").count() == 1
            visit.page.click("summary")
            assert visit.page.locator(".digests code").inner_text() == "0" * 64


def test_the_scripts_stay_small() -> None:
    folder = Path(str(files("sdtext.reports.html"))) / "templates"
    scripts = list(folder.glob("*.js"))
    assert len(scripts) >= 3
    assert sum(script.stat().st_size for script in scripts) <= 45 << 10
