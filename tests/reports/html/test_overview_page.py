"""The overview in a browser: sorted, filtered, shown in steps, by pointer and keys, and printed."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from sdtext.model import Problem
from sdtext.reading.overwrite_guard import Output
from sdtext.reports.charts import level_of
from sdtext.reports.html import overview_page
from sdtext.reports.html.overview_page import Card, Listed, Overview, PairColumn, page_of
from sdtext.reports.html.report_page import (
    HTML_REPORT,
    InputDigest,
    PageProvenance,
    rendered,
    write_page,
)
from tests.support.browser import audit, report_opened, visited, width_of_content

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

NAMES = ["essays/<b>1</b>.txt", "essays/رسالة.txt", "essays/论文.txt"]
FACTS = PageProvenance(
    "sdtext FindPairs t.sdx", "2026-01-02T03:04:05Z", [("Rule", "direct")],
    [InputDigest("a.txt", "0" * 64, "read")],
)  # fmt: skip
PROBLEMS = [Problem("error", "unreadable", "a.pdf: damaged")]


def overview(documents: int, pairs: int, queries: int = 0) -> Overview:
    """Random pairs, most within groups of six documents."""
    draw = Random(documents)
    names = [*NAMES, *(f"essays/{place}.txt" for place in range(3, documents))]
    listed = list(map(Listed, names))
    drawn: dict[tuple[int, int], int] = {}
    while len(drawn) < pairs:
        left = draw.randrange(queries or documents)
        start = queries or left // 6 * 6
        right = draw.randrange(start, min(documents, start + (documents if queries else 6)))
        if left != right and (right, left) not in drawn:
            drawn[left, right] = draw.randint(10, 99)
    pairs_drawn = [(listed[left], listed[right], score) for (left, right), score in drawn.items()]
    scores = [score for *_, score in pairs_drawn]
    columns = [
        PairColumn("Terms", "count", [score * 7 for score in scores]),
        PairColumn("Share", "share", [score / 100 for score in scores]),
        PairColumn("Note", "text", ["said <i>" for _ in scores]),
    ]
    cards = [Card("Documents", documents), Card("Pairs", pairs, "listed from 10", "pairs")]
    return Overview(
        "Pairs", "Some pairs.", cards, pairs_drawn, columns, listed[:queries], queries, cut=10,
        linked=10, targets=["#pairs"] * pairs,
    )  # fmt: skip


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("page") / "out.html"
    write_page(Output(target, HTML_REPORT), page_of(overview(60, 130), FACTS, PROBLEMS))
    return target


def column(page: Page, number: int) -> list[str]:
    """The texts of a column of the table."""
    texts: list[str] = page.locator(f"#table tbody td:nth-child({number})").all_inner_texts()
    return [text.strip() for text in texts]


@pytest.mark.parametrize("lowest", [False, True])
def test_of_very_many_pairs_the_page_has_the_best_or_the_lowest(
    monkeypatch: pytest.MonkeyPatch, *, lowest: bool
) -> None:
    monkeypatch.setattr(overview_page, "MOST_PAIRS", 40)
    page = page_of(replace(overview(60, 130), lowest=lowest), FACTS, PROBLEMS)
    scores = sorted((score for *_, score in overview(60, 130).pairs), reverse=True)
    listed = [row[2] for row in page.embedded["overview"]["rows"]]
    assert listed == (scores[-40:] if lowest else scores[:40])
    which = "those with the lowest scores" if lowest else "the best"
    assert f"The page has {which}, 40 of 130 pairs." in rendered(page)


def test_queries_have_the_first_numbers_in_their_order() -> None:
    asked = overview(60, 130, queries=20)
    shown = page_of(asked, FACTS, PROBLEMS).embedded["overview"]["names"]
    assert shown[:20] == [document.name for document in asked.first]
    assert len(set(shown)) == len(shown)


def test_numbers_in_place_of_names_hide_a_note_with_names(browser: Browser, tmp_path: Path) -> None:
    named = replace(overview(9, 12), notes=[("No file is listed for", ["essays/secret.txt"])])
    with report_opened(browser, tmp_path, page_of(named, FACTS, PROBLEMS)) as page:
        assert page.get_by_text("essays/secret.txt").is_visible()
        page.check("#anonymous")
        assert not page.get_by_text("essays/secret.txt").is_visible()
        assert page.get_by_text("No file is listed for").is_visible()


def test_the_table_is_sorted_by_its_headings(browser: Browser, file: Path) -> None:
    with visited(browser, file) as page:
        scores = list(map(int, column(page, 3)))
        assert scores == sorted(scores, reverse=True)
        assert len(scores) == 100
        heading = page.get_by_role("button", name="Score")
        heading.focus()
        page.keyboard.press("Enter")
        assert (scores := list(map(int, column(page, 3)))) == sorted(scores)
        page.get_by_role("button", name="Document", exact=True).click()
        names = column(page, 1)
        assert names[0] == NAMES[0]
        assert page.locator("th[aria-sort]").inner_text().startswith("Document")
        page.get_by_role("button", name="Show more").click()
        assert len(column(page, 3)) == 130


def test_the_table_is_filtered_by_name_and_score(browser: Browser, file: Path) -> None:
    with visited(browser, file) as page:
        data: dict[str, Any] = page.evaluate("data.overview")
        page.get_by_label("Name contains").fill("论文")
        rows = list(zip(column(page, 1), column(page, 2), strict=True))
        assert rows
        assert all(NAMES[2] in row for row in rows)
        assert page.locator("#count").inner_text().startswith(f"{len(rows)} pair")
        page.get_by_label("Name contains").fill("")
        page.get_by_label("Score from").fill("90")
        expected = sum(row[2] >= 90 for row in data["rows"])
        assert len(column(page, 3)) == expected
        page.get_by_label("Score from").fill("")


def test_the_matrix_names_the_pair_under_the_pointer(browser: Browser, file: Path) -> None:
    with visited(browser, file) as page:
        left, right, score = page.evaluate("data.overview.rows[5]")[:3]
        order, every = page.evaluate("[data.overview.matrix.rows, data.overview.names]")
        names = [every[place] for place in order]
        row, place = order.index(left), order.index(right)
        page.locator(".heat-map").scroll_into_view_if_needed()
        box = page.locator(".heat-map").bounding_box()
        assert box
        start = box["width"] * page.evaluate(
            "document.querySelector('.matrix').dataset.left"
            " / document.querySelector('.heat-map').viewBox.baseVal.width"
        )
        side = (box["width"] - start) / len(names)
        across, down = start + (place + 0.5) * side, (row + 0.5) * side
        page.mouse.move(box["x"] + across, box["y"] + down)
        output = page.locator("#cell")
        assert output.inner_text() == f"{names[row]} × {names[place]}: {score}"
        page.mouse.down()
        page.mouse.up()
        page.wait_for_function("location.hash === '#pairs'")  # the target of the pair


@pytest.mark.parametrize("queries", [0, 20])
def test_the_matrix_has_the_documents_with_scores_alone_and_their_names(queries: int) -> None:
    scored = overview(60, 30, queries)
    every = [*NAMES, *(f"essays/{place}.txt" for place in range(3, 60))]
    others = [(Listed(left), Listed(right), 0) for left in every for right in every if left < right]
    both = page_of(replace(scored, pairs=[*others, *scored.pairs], columns=[], targets=[]), FACTS)
    drawn, names = both.embedded["overview"]["matrix"], both.embedded["overview"]["names"]
    assert drawn["rows"]
    named = {left.name for left, *_ in scored.pairs}
    named |= {right.name for _, right, _ in scored.pairs if not queries}
    assert {names[place] for place in drawn["rows"]} == named
    assert len(drawn["rows"]) < 60


def test_the_page_fits_and_everybody_can_read_it(browser: Browser, tmp_path: Path) -> None:
    report = page_of(overview(12, 20), FACTS, PROBLEMS)
    with report_opened(browser, tmp_path, report, color_scheme="light") as page:
        page.click("#clusters summary")
        page.click("#provenance summary")
        assert width_of_content(page) <= 1280
        results = [audit(page)]
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 900})
        assert width_of_content(page) <= 360
        results.append(audit(page, ["color-contrast"]))
        assert [result.generate_report() for result in results if result.violations_count] == []


def test_the_number_of_pairs_says_from_which_score_on(browser: Browser, file: Path) -> None:
    with visited(browser, file) as page:
        scores = [row[2] for row in page.evaluate("data.overview.rows")]
        for least in (10, 60, 0, 10):
            page.locator("#least").fill(str(least))
            number = sum(score >= least for score in scores)
            card = page.locator("[data-card=pairs] dd").inner_text()
            assert card.split("\n") == [str(number), f"listed from {least}"]


@pytest.mark.parametrize("queries", [0, 20])
def test_the_matrix_has_a_square_for_each_pair_from_the_cut_on(
    browser: Browser, tmp_path: Path, queries: int
) -> None:
    with report_opened(browser, tmp_path, page_of(overview(60, 130, queries), FACTS)) as page:
        data = page.evaluate("data.overview")
        left, side = page.evaluate("[+grid.dataset.left, +grid.dataset.side]")
        rows, columns = data["matrix"]["rows"], data["matrix"]["columns"]
        for least in (60, 85, 10):
            page.locator("#least").fill(str(least))
            drawn = page.locator(".heat-map path").evaluate_all(
                "paths => paths.map((path) => path.getAttribute('d'))"
            )
            squares = {
                (rows[round(float(y) / side)], columns[round((float(x) - left) / side)], level)
                for level, path in enumerate(drawn)
                for x, y in re.findall(r"M(\S+) ([\d.]+)h", path)
            }
            pairs = [tuple(row[:3]) for row in data["rows"] if row[2] >= least]
            expected = {(one, other, level_of(score)) for one, other, score in pairs}
            if not queries:
                expected |= {(other, one, level) for one, other, level in expected}
            assert squares == expected
        assert page.locator(".clusters .marked").count() == queries


def test_without_scripts_and_on_paper_there_is_a_table(browser: Browser, file: Path) -> None:
    with visited(browser, file, java_script_enabled=False) as page:
        assert len(column(page, 3)) == 100
        assert column(page, 5)[0].endswith("%")
        assert not page.get_by_label("Name contains").is_visible()
        page.emulate_media(media="print")
        assert not page.locator("nav").is_visible()
        assert page.pdf()[:5] == b"%PDF-"


def test_paper_is_light_and_has_all_lists(browser: Browser, file: Path) -> None:
    with visited(browser, file, color_scheme="dark") as page:
        colour = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(colour) != "rgb(255, 255, 255)"
        page.emulate_media(media="print", color_scheme="dark")
        assert page.evaluate(colour) == "rgb(255, 255, 255)"
        lists = page.locator("details table").all()
        assert len(lists) == 2
        assert all(table.is_visible() for table in lists)
        page.emulate_media(media="screen")
        assert not any(table.is_visible() for table in lists)


def test_paper_has_what_is_folded_in_browsers_without_details_content(
    browser: Browser, file: Path
) -> None:
    with visited(browser, file) as page:
        assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 2
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 0
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 2
