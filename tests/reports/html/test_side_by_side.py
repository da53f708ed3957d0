"""Pages of comparisons: each row leads to both texts, or the page names the command."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING

import pytest

import sdtext
from sdtext.reports.html import side_by_side
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


def page_of(line: str, folder: Path) -> Path:
    """The page that a command writes about files of the folder, which it names in capitals."""
    for name in ("out.txt", "page.html"):
        (folder / name).unlink(missing_ok=True)
    for name in ("texts", "stored.sdx", "kept.sdx", "other.txt", "out.txt"):
        line = line.replace(name.partition(".")[0].upper(), str(folder / name))
    done(*line.split(), "--html", folder / "page.html")
    return folder / "page.html"


@cases("line", [
    "CompareDirectory TEXTS/one.txt TEXTS", "FindPairs STORED -s 50", "FindPairs KEPT -s 50",
    "FindSimilar KEPT TEXTS/one.txt", "Deduplicate TEXTS -s 50 -o OUT",
])  # fmt: skip
def test_a_row_leads_to_both_texts(browser: Browser, tmp_path: Path, line: str) -> None:
    texts = written(tmp_path / "texts")
    for name, is_kept in (("stored.sdx", False), ("kept.sdx", True)):
        rmtree(tmp_path / name, ignore_errors=True)
        with sdtext.create(tmp_path / name, recipe="deduplicate", keep_text=is_kept) as stored:
            stored.add(texts)
    with visited(browser, page_of(line, tmp_path)) as page:
        verdict = page.locator("#verdict").inner_text()
        assert re.fullmatch(r"\S+: \d+ % stands in \S+, where it makes up \d+ %\.", verdict)
        assert page.locator("#strongest li").first.inner_text().startswith(verdict)
        for width, height in ((1280, 400), (360, 400)):
            page.set_viewport_size({"width": width, "height": height})
            assert page.evaluate("byId('verdict').getBoundingClientRect().bottom") < height
        page.locator("#table tbody a").first.click()
        page.wait_for_selector(".sides")
        boxes = page.locator(".text").all_inner_texts()
        assert [COPY[:60] in " ".join(box.split()) for box in boxes] == [True, True]
        assert {"one.txt", "two.txt"} == {
            Path(name).name for name in page.locator(".side h3 a").all_inner_texts()
        }
        assert audit(page).violations_count == 0


def test_the_texts_of_the_listed_pairs_alone_are_compared(tmp_path: Path) -> None:
    """Not those of other pairs of these documents, which share an assignment."""
    (tmp_path / "texts").mkdir()
    for name, seed in {"a": 1, "b": 1, "c": 2, "d": 2}.items():
        whole = f"{prose(9, 60)} {prose(seed, 300)} {name}"
        (tmp_path / "texts" / f"{name}.txt").write_text(whole)
    page = page_of("Deduplicate TEXTS -s 50 -o OUT", tmp_path).read_text("utf-8")
    data = json.loads(re.findall(r'id="data">(.*?)</script>', page)[0])
    assert len(data["evidence"]["pairs"]) == len(data["overview"]["rows"]) == 2


def test_metadata_are_columns_and_the_strongest_case_comes_first(
    browser: Browser, tmp_path: Path
) -> None:
    with sdtext.create(tmp_path / "a.sdx", recipe="deduplicate") as stored:
        stored.add({"id": name, "text": COPY, "organisation": "<b>HUT"} for name in "ab")
    (tmp_path / "weaker.txt").write_text(COPY[:-200])
    (tmp_path / "query.txt").write_text(COPY)
    queries = tmp_path / "weaker.txt", tmp_path / "query.txt"
    words = ("FindSimilar", tmp_path / "a.sdx", *queries)
    done(*words, "--html", tmp_path / "similar.html")
    with visited(browser, tmp_path / "similar.html") as page:
        verdict = page.locator("#verdict").inner_text()
        assert verdict == f"{tmp_path}/query.txt and a are 99 % similar."
        assert "--keep-text" in page.locator("#beside").inner_text()
        assert "organisation" in page.locator("#table thead").inner_text()
        assert "<b>HUT" in page.locator("#table tbody").inner_text()
        assert audit(page).violations_count == 0


def test_pairs_without_texts_lead_to_the_command_that_shows_them(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = written(tmp_path / "the texts")
    monkeypatch.setattr(side_by_side, "MOST_ROWS", 1)
    words = ("CompareDirectory", texts / "one.txt", texts, "-s", "0", "--html")
    done(*words, tmp_path / "page.html")
    with visited(browser, tmp_path / "page.html") as page:
        assert not page.locator("#beside").is_visible()
        page.fill("#least", "")
        page.get_by_role("link", name="three.txt").click()
        command = page.locator("#beside code")
        assert command.is_visible()
        one, three = shlex.quote(f"{texts}/one.txt"), shlex.quote(f"{texts}/three.txt")
        assert command.inner_text() == f"sdtext FindReuse {one} {three} --html pair.html"
        page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; }")
        page.locator("#beside button").click()
        assert page.evaluate("window.copied") == command.inner_text()
        page.check("#anonymous")
        assert not command.is_visible()
    (texts / "two.txt").write_text(f"{COPY} changed")
    monkeypatch.setattr(side_by_side, "MOST_TEXT", 100)
    done(*words, tmp_path / "page.html")
    with visited(browser, tmp_path / "page.html") as page:
        assert f"{texts}/two.txt" in page.locator("#command").inner_text()
        strongest = page.locator("#strongest li").first.inner_text()
        assert strongest == page.locator("#verdict").inner_text()
        row = page.locator("#table tbody tr").first.inner_text().split()
        _, _, first, _, second, _ = row[2:]
        shares = f"{first} % of its terms stand in two.txt, where they make up {second} %"
        assert strongest == f"one.txt: {shares}."


@cases("line", [
    "CompareDirectory TEXTS/one.txt TEXTS -s 98", "FindPairs STORED -s 98",
    "FindSimilar STORED OTHER -s 50", "Deduplicate TEXTS -s 98 -o OUT",
])  # fmt: skip
def test_where_nothing_is_found_the_page_says_what_was_looked_for(
    browser: Browser, tmp_path: Path, line: str
) -> None:
    texts = written(tmp_path / "texts")
    (tmp_path / "other.txt").write_text(prose(3, 300))
    rmtree(tmp_path / "stored.sdx", ignore_errors=True)
    with sdtext.create(tmp_path / "stored.sdx", recipe="deduplicate") as stored:
        stored.add(texts)
    with visited(browser, page_of(line, tmp_path)) as page:
        said = page.locator("#nothing").inner_text()
        assert "shingles" in said
        assert re.search(r"\b(98|50)\b", said)
        assert re.search(r"\b[23]\b", page.locator("header").inner_text())  # documents
        assert page.locator("#pairs, #strongest").count() == 0
        assert audit(page).violations_count == 0


def lead_of(page: Path) -> str:
    """The first sentence of a page, without scripts."""
    return re.sub("<[^>]+>", "", re.findall(r'<p id="verdict".*?</p>', page.read_text("utf-8"))[0])


def test_where_nothing_is_found_the_first_sentence_names_both_sides(tmp_path: Path) -> None:
    texts = written(tmp_path / "texts")
    (tmp_path / "other.txt").write_text(prose(3, 300))
    for name, added in (("stored.sdx", texts), ("kept.sdx", tmp_path / "other.txt")):
        with sdtext.create(tmp_path / name, recipe="deduplicate") as stored:
            stored.add(added)
    page = page_of("FindPairs STORED KEPT -s 30", tmp_path)
    assert lead_of(page) == "0 pairs of similar documents between stored.sdx (3) and kept.sdx (1)."
    said = re.findall(r"<p>(No pair .*?)</p>", page.read_text("utf-8"))[0]
    assert len(re.findall(r"\b30\b", said)) == 1
    lead = lead_of(page_of("CompareDirectory OTHER TEXTS -s 30", tmp_path))
    compared = f"3 comparisons of {tmp_path}/other.txt with {texts}"
    assert lead == f"0 of {compared} reached a score of 30 or more."


def test_the_verdict_is_about_the_file_that_was_asked_for(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "part.txt").write_text(COPY[: len(COPY) // 2])
    (tmp_path / "other.txt").write_text(COPY)
    with sdtext.create(tmp_path / "kept.sdx", recipe="deduplicate", keep_text=True) as stored:
        stored.add(tmp_path / "texts")
    with visited(browser, page_of("FindSimilar KEPT OTHER", tmp_path)) as page:
        verdict = page.locator("#verdict").inner_text()
        found = re.search(r"^\S+other\.txt: (\d+) % stands in \S*part\.txt, .* (\d+) %\.$", verdict)
        assert found
        assert int(found[1]) < int(found[2])
        assert "listed from 1" in page.locator(".cards").inner_text()  # not the best score


def test_an_item_in_several_records_says_in_how_many(tmp_path: Path) -> None:
    rows = [{"id": f"r{number}", "text": f"{prose(number, 90)} {COPY}"} for number in (4, 5, 6)]
    (tmp_path / "corpus.jsonl").write_text("\n".join(map(json.dumps, rows)))
    item = {"id": "q", "question": " ".join(COPY.split()[:30]), "answer": "yes"}
    (tmp_path / "quiz.jsonl").write_text(json.dumps(item))
    words = f"Decontaminate {tmp_path}/corpus.jsonl --benchmark {tmp_path}/quiz.jsonl"
    page = page_of(words, tmp_path)
    lead = lead_of(page)
    assert re.search(r"of its words stand in record r[456] and in 2 more records\.$", lead), lead
    assert '<a href="#pairs">2 more records</a>' in page.read_text("utf-8")


def test_an_older_browser_gets_a_message_and_keys_reach_the_strongest_case(
    browser: Browser, tmp_path: Path
) -> None:
    done("FindReuse", written(tmp_path / "texts"), "--html", tmp_path / "page.html")

    def visit() -> None:
        with visited(browser, tmp_path / "page.html", reduced_motion="reduce") as page:
            assert page.locator("#old").count() == 0
            for key in ("Tab", "Enter", "Tab"):
                page.keyboard.press(key)
            assert page.evaluate("document.activeElement.closest('#content') !== null")
            page.add_init_script("delete Array.prototype.at")
            page.reload()
            assert page.locator("#old").is_visible()

    with pytest.raises(AssertionError, match="is not a function"):
        visit()


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
