"""Pages of comparisons: each row leads to both texts, or the page names the command."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import sdtext
from tests.support.browser import audit, visited
from tests.support.cases import cases
from tests.support.command import done, prose

if TYPE_CHECKING:
    from playwright.sync_api import Browser

COPY, OTHER = prose(1, 300), prose(2, 300)


def written(folder: Path) -> Path:
    """A folder with two near-duplicates and another text."""
    folder.mkdir(exist_ok=True)
    for name, text in {"one": COPY, "two": COPY[:-200], "three": OTHER}.items():
        (folder / f"{name}.txt").write_text(text)
    return folder


@cases(
    "line",
    [
        "CompareDirectory TEXTS/one.txt TEXTS",
        "FindPairs STORED -s 50",
        "FindPairs KEPT -s 50",
        "FindSimilar KEPT TEXTS/one.txt",
        "Deduplicate TEXTS -s 50 -o OUT",
    ],
)
def test_a_row_leads_to_both_texts(browser: Browser, tmp_path: Path, line: str) -> None:
    texts = written(tmp_path / "texts")
    for name, is_kept in (("stored.sdx", False), ("kept.sdx", True)):
        rmtree(tmp_path / name, ignore_errors=True)
        with sdtext.create(tmp_path / name, recipe="deduplicate", keep_text=is_kept) as stored:
            stored.add(texts)
    places = {"TEXTS": "texts", "STORED": "stored.sdx", "KEPT": "kept.sdx", "OUT": "out.txt"}
    for word, place in places.items():
        line = line.replace(word, str(tmp_path / place))
    for name in ("out.txt", "page.html"):
        (tmp_path / name).unlink(missing_ok=True)
    done(*line.split(), "--html", tmp_path / "page.html")
    with visited(browser, tmp_path / "page.html") as visit:
        page = visit.page
        assert " stands in " in page.locator("#strongest li").first.inner_text()
        page.locator("#table tbody a").first.click()
        page.wait_for_selector(".sides")
        boxes = page.locator(".text").all_inner_texts()
        assert [COPY[:60] in " ".join(box.split()) for box in boxes] == [True, True]
        assert {"one.txt", "two.txt"} == {
            Path(name).name for name in page.locator(".side h3 a").all_inner_texts()
        }
        assert audit(page).violations_count == 0
        visit.check()


def test_metadata_are_columns_and_without_texts_the_command_is_named(
    browser: Browser, tmp_path: Path
) -> None:
    with sdtext.create(tmp_path / "a.sdx", recipe="deduplicate") as stored:
        stored.add({"id": name, "text": COPY, "organisation": "<b>HUT"} for name in "ab")
    done("FindPairs", tmp_path / "a.sdx", "--html", tmp_path / "pairs.html")
    with visited(browser, tmp_path / "pairs.html") as visit:
        assert "sdtext FindReuse FILE FILE --html" in visit.page.locator("#pairs").inner_text()
        visit.check()
    (tmp_path / "query.txt").write_text(COPY)
    words = ("FindSimilar", tmp_path / "a.sdx", tmp_path / "query.txt")
    done(*words, "--html", tmp_path / "similar.html")
    with visited(browser, tmp_path / "similar.html") as visit:
        assert "organisation" in visit.page.locator("#table thead").inner_text()
        assert "<b>HUT" in visit.page.locator("#table tbody").inner_text()
        visit.check()


def test_no_page_shows_a_file_that_nobody_gave(tmp_path: Path) -> None:
    """A record is called like a file, or a file of the collection was changed."""
    (tmp_path / "private.txt").write_text(f"{COPY} secret")
    names = [str(tmp_path / "private.txt"), "../private.txt"]
    texts = written(tmp_path / "texts")
    with sdtext.create(tmp_path / "a.sdx", recipe="deduplicate") as stored:
        stored.add({"id": name, "text": COPY} for name in names)
        stored.add(texts)
    (texts / "one.txt").write_text(f"{COPY} secret")
    done("FindPairs", tmp_path / "a.sdx", "-s", "50", "--html", tmp_path / "pairs.html")
    query = texts / "two.txt"
    done("FindSimilar", tmp_path / "a.sdx", query, "--html", tmp_path / "similar.html")
    for page in ("pairs.html", "similar.html"):
        assert "secret" not in (tmp_path / page).read_text()
