"""The pages as people use them, in a browser: an officer, an editor; axe; wide, small, dark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tests.parts.readers.office import docx
from tests.support.browser import audit
from tests.support.cases import cases

from .conftest import TEXTS
from .server import Server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BODY = "<w:p><w:r><w:t>{}</w:t></w:r></w:p>"


@cases(
    "width, scheme",
    [(1280, "light"), (360, "dark")],
)
def test_an_officer_checks_a_word_file_and_saves_the_evidence(
    server: Server, browser: Browser, tmp_path: Path, width: int, scheme: str
) -> None:
    (tmp_path / "proposal.docx").write_bytes(docx(BODY.format(TEXTS[3])))
    context = browser.new_context(
        viewport={"width": width, "height": 800}, color_scheme=scheme, java_script_enabled=True
    )
    page = context.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        page.goto(server.first)
        assert "token" not in page.url
        assert audit(page).violations_count == 0
        page.set_input_files("input[name=document]", tmp_path / "proposal.docx")
        page.locator("select[name='is:organisation']").select_option('CSU\'s "lab"')
        page.get_by_label("year from").fill("2012")
        page.get_by_role("button", name="Check", exact=True).click()
        page.get_by_role("button", name="Delete now").wait_for(timeout=60_000)
        assert page.get_by_role("status").inner_text().startswith("100 % of proposal.docx")
        assert audit(page).violations_count == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
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
        page.go_back()
        page.get_by_role("link", name="Chapters").click()
        page.get_by_role("button", name="Delete now").click()
        page.wait_for_url(f"http://{server.host}/")
        for address in ("collections", "collections/archive", "terms", "api"):
            page.goto(f"http://{server.host}/{address}")
            assert audit(page).violations_count == 0, address
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert complaints == []
    finally:
        context.close()


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
