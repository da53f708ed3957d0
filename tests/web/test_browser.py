"""The pages as an officer, an editor and an analyst use them in a browser; axe, narrow, dark."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

import pytest

from sdtext.fingerprinting.load_and_save import load_dictionary
from tests.parts.readers.office import docx
from tests.parts.readers.pdfs import pdf
from tests.support.browser import audit
from tests.support.cases import cases
from tests.support.command import done

from .conftest import TEXTS
from .server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

BODY = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@contextmanager
def opened(
    browser: Browser, server: Server, width: int = 1280, scheme: str = "light"
) -> Iterator[Page]:
    """The first page, in a window of its own, in which nothing complains."""
    context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme)
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(server.first)
        assert "token" not in page.url
        yield page
        assert complaints == []
    finally:
        context.close()


def check_usable(page: Page) -> None:
    """Axe finds no fault, and the page is no wider than the window."""
    assert page.viewport_size
    assert audit(page).violations_count == 0, page.url
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]


def wait_for_result(page: Page) -> str:
    """What came out, once the page of a job has it."""
    page.get_by_role("button", name="Delete now").wait_for(timeout=60_000)
    check_usable(page)
    return str(page.get_by_role("status").inner_text())


def drop(page: Page, zone: Locator, file: Path) -> None:
    """Drop a file near the lower right corner of a zone, as from a file manager."""
    box = zone.bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] - 9, "y": box["y"] + box["height"] - 9}
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    session = page.context.new_cdp_session(page)
    for kind in ("dragEnter", "dragOver", "drop"):
        session.send("Input.dispatchDragEvent", {"type": kind, "data": data, **at})


@cases("width, scheme", [(1280, "light"), (360, "dark")])
def test_an_officer_checks_a_word_file_and_saves_the_evidence(
    server: Server, browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    (tmp_path / "proposal.docx").write_bytes(docx(BODY.format(TEXTS[3])))
    with opened(browser, server, width, scheme) as page:
        check_usable(page)
        page.set_input_files("input[name=document]", tmp_path / "proposal.docx")
        page.locator("select[name='is:organisation']").select_option('CSU\'s "lab"')
        page.get_by_label("year from").fill("2012")
        page.get_by_role("button", name="Check", exact=True).click()
        assert wait_for_result(page).startswith("100 % of proposal.docx")
        with page.expect_download() as download:
            page.get_by_role("link", name="XML").click()
        assert download.value.suggested_filename == "proposal.xml"
        page.get_by_role("link", name="Details").first.click()
        page.wait_for_url("**/page#*")
        assert "3.txt" in page.inner_text("body")
        page.get_by_label("Reviewed", exact=True).check()
        with page.expect_response("**/evidence.xml") as response:
            page.click("#save")
        assert response.value.status == 204
        page.reload()
        assert page.get_by_label("Reviewed", exact=True).is_checked()
        page.locator(".passages input").first.uncheck()
        with page.expect_response("**/evidence.xml"):
            page.click("#save")
        page.go_back()
        page.reload()
        assert wait_for_result(page).startswith("Nothing of proposal.docx")
        page.get_by_role("link", name="Chapters").click()
        page.get_by_role("button", name="Delete now").click()
        page.wait_for_url(f"http://{server.host}/")
        for address in ("collections", "collections/archive", "experiments", "terms", "api"):
            page.goto(f"http://{server.host}/{address}")
            check_usable(page)


@pytest.mark.deep
def test_an_editor_compares_two_pdf_files_and_prints(
    server: Server, browser: Browser, tmp_path: Path
) -> None:
    import pypdfium2

    texts = {"submitted.pdf": TEXTS[0][:900] + TEXTS[1], "published.pdf": TEXTS[1] + TEXTS[2][:900]}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(pdf([fill(text, 80)]))
    with opened(browser, server) as page:
        drop(page, page.locator(".drop"), tmp_path / "submitted.pdf")
        page.get_by_label("Compare it with this document alone").set_input_files(
            tmp_path / "published.pdf"
        )
        page.get_by_role("button", name="Check", exact=True).click()
        assert "of submitted.pdf is found in published.pdf" in wait_for_result(page)
        page.get_by_role("link", name="Open the evidence").click()
        page.locator(".side").first.wait_for()
        printed = pypdfium2.PdfDocument(page.pdf())
    paper = " ".join(sheet.get_textpage().get_text_bounded() for sheet in printed)
    assert all(name in paper for name in texts)
    words = [word for word in TEXTS[1].split() if len(word) > 5][:40]
    assert [word for word in words if paper.count(word) < 2] == []


@pytest.mark.deep
def test_an_analyst_takes_a_cell_of_the_heat_map(
    server: Server, browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(browser, server) as page:
        page.get_by_role("link", name="Parameters").click()
        page.get_by_label("Recipes").select_option("english")
        page.get_by_label("Steps of IDF").select_option("0.2")
        page.get_by_role("button", name="Start").click()
        assert wait_for_result(page).startswith("Chosen: english")
        page.get_by_role("link", name="Open the page").click()
        page.locator("#ranges svg a").nth(2).click()
        cell = page.locator(".cell:target")
        chosen = cell.locator("p").first.inner_text().partition(":")[0]
        commands = cell.locator("pre").inner_text().splitlines()
        cell.get_by_role("link", name="Use this").click()
        page.get_by_role("button", name="Use this").click()
        assert chosen.removeprefix("IDF ") in wait_for_result(page)
        for name in ("Recipe", "Dictionary", "Plan"):
            with page.expect_download() as download:
                page.get_by_role("link", name=name, exact=True).click()
            download.value.save_as(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    Path("DIR").mkdir()
    for number, text in enumerate(TEXTS):
        Path(f"DIR/{number}.txt").write_text(text)
    done("Experiment", "-c", "Plan", "-p", "DIR", "-o", "out")
    assert Path("Recipe").read_text() == Path("out/recipe.toml").read_text()
    for command in commands[:2]:  # those that make the dictionary
        done(*shlex.split(command)[1:])
    assert load_dictionary("Dictionary").digest == load_dictionary("trimmed.xml").digest


def test_all_works_without_scripts(server: Server, browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(TEXTS[1])
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    try:
        page.goto(server.first)
        page.set_input_files("input[name=document]", tmp_path / "a.txt")
        page.get_by_role("button", name="Check", exact=True).click()
        page.get_by_role("button", name="Delete now").wait_for(timeout=60_000)
        assert "1.txt" in page.inner_text("main")
    finally:
        context.close()
