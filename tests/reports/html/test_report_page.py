"""What every HTML report has: one file, a strict policy, its provenance, escaped names."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pypdfium2
import pytest

from sdtext.errors import OutputError
from sdtext.model import Problem
from sdtext.reading.overwrite_guard import Output
from sdtext.reports.html.report_page import (
    HTML_REPORT,
    InputDigest,
    PageProvenance,
    ReportPage,
    rendered,
    write_page,
)
from tests.support.browser import report_opened, visited, width_of_content
from tests.support.command import done, prose

if TYPE_CHECKING:
    from playwright.sync_api import Browser
from sdtext.model import Examined
from sdtext.reports.html.report_page import digests_of, digests_of_examined, digests_of_inputs

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
    write_page(Output(target, HTML_REPORT), PAGE)
    first = target.read_bytes()
    output = Output(target, HTML_REPORT)
    output.check([tmp_path / "a.txt"])
    write_page(output, PAGE)
    assert target.read_bytes() == first
    target.write_text("<!doctype html><p>Somebody's page")
    with pytest.raises(OutputError, match="already exists and is not an HTML report of sdtext"):
        Output(target, HTML_REPORT).check()


def test_a_browser_shows_it_without_a_request_or_a_complaint(
    browser: Browser, tmp_path: Path
) -> None:
    for width, scheme in ((1280, "light"), (360, "dark")):
        size = {"width": width, "height": 900}
        with report_opened(browser, tmp_path, PAGE, viewport=size, color_scheme=scheme) as page:
            assert page.evaluate("data.names[1]") == "</script>"
            assert width_of_content(page) <= width
            assert page.locator("h1").count() == 1
            page.click("summary")
            assert page.locator(".digests code").inner_text() == "0" * 64


def test_paper_has_the_beginnings_of_digests_on_few_pages(browser: Browser, tmp_path: Path) -> None:
    digests = [sha256(bytes([number])).hexdigest() for number in range(60)]
    pages = []
    for number in (1, 60):
        inputs = [InputDigest(f"essays/{digest[:5]}.txt", digest) for digest in digests[:number]]
        report = replace(PAGE, provenance=PageProvenance(inputs=inputs), problems=())
        with report_opened(browser, tmp_path, report) as page:
            pages.append(pypdfium2.PdfDocument(page.pdf()))
            page.click("summary")
            shown = page.locator(".digests code").all_inner_texts()
            assert shown == digests[:number]  # in full, to verify
            assert not page.locator(".paper").first.is_visible()
    text = "".join(sheet.get_textpage().get_text_bounded() for sheet in pages[1])
    assert all(digest[:12] in text and digest[:13] not in text for digest in digests)
    assert len(pages[1]) <= len(pages[0]) + 1


SYNTAX = re.compile(
    r"/[dgimsuy]*v[dgimsuy]*[.,;)]|\(\?[ims-]+:|\b(await )?using \w+ =|^\s*@\w+", re.MULTILINE
)
"""What came into the language after ES2022."""


def test_browsers_of_2022_run_the_scripts(browser: Browser, tmp_path: Path) -> None:
    texts = [tmp_path / f"{name}.txt" for name in "abc"]
    for seed, path in enumerate(texts, 2):
        path.write_text(f"{prose(1, 90)} {prose(seed, 90)}")
    done("FindReuse", *texts, "--html", tmp_path / "page.html")
    with visited(browser, tmp_path / "page.html", reduced_motion="reduce") as page:
        page.add_init_script(path=Path(__file__).with_name("before_2022.js"))
        page.reload()
        assert page.evaluate("[Object.groupBy, [].toSorted, [].findLast]") == [None] * 3
        assert page.locator("#old").count() == 0
        page.evaluate("location.hash = '#d1'")
        page.wait_for_selector(".sources")
        page.get_by_role("checkbox", name="Count this source").first.click()
        page.click("#notice button")
        page.click("#language")
        assert "hashdigest" in page.evaluate("evidenceFile()")
    folder = Path(str(files("sdtext.reports.html"))) / "templates"
    assert not [p.name for p in folder.glob("*.js") if SYNTAX.search(p.read_text("utf-8"))]


def test_the_scripts_stay_small() -> None:
    folder = Path(str(files("sdtext.reports.html"))) / "templates"
    scripts = list(folder.glob("*.js"))
    assert len(scripts) >= 3
    assert sum(script.stat().st_size for script in scripts) <= 45 << 10


ODD = ["-", "", "missing.txt", "x" * 5000, "nul\0byte", "\udcff", "folder", "locked.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("a.txt", "b.zip", "c.xml", "folder/a.txt", "id7"):
        (tmp_path / name).write_text(f"This is {name}.")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_parts_of_a_file_have_its_digest_once() -> None:
    names = ["a.txt", "b.zip!in/d.txt", "b.zip!e.txt", "c.xml#17", *ODD]
    digests = {item.name: item.digest for item in digests_of(names, "read")}
    assert digests == {
        name: sha256(Path(name).read_bytes()).hexdigest() for name in ("a.txt", "b.zip", "c.xml")
    }


@pytest.mark.usefixtures("folder")
def test_records_have_the_digest_of_their_text_and_archives_their_number_of_documents() -> None:
    documents = [Examined(name, 3, digest="d1") for name in ("b.zip!c.txt", "b.zip!d.txt", "row 7")]
    archive, record = digests_of_examined(documents, "compared")
    assert (archive.name, archive.role, archive.documents) == ("b.zip", "compared", 2)
    assert archive.digest == sha256(Path("b.zip").read_bytes()).hexdigest()
    assert (record.name, record.digest) == ("row 7", "d1")
    assert record.role == "compared (BLAKE2b of the content)"


@pytest.mark.usefixtures("folder")
def test_a_record_is_not_taken_for_a_file_of_its_name() -> None:
    given = ["records.jsonl", "folder", "a.txt"]
    digests = digests_of_inputs(given, ["id7", "a.txt", "folder/a.txt", "folder/gone.txt"], "read")
    assert [item.name for item in digests] == ["a.txt", "folder/a.txt"]


def test_a_file_that_cannot_be_read_again_is_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.isfile", lambda _: True)
    assert [item.name for item in digests_of([folder / "gone.txt"], "read")] == []
