"""The page of an experiment: its numbers, its grids, and that everybody can read it."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from lxml import html

from sdtext.experiment.chosen_files import ChosenFiles
from sdtext.experiment.plan import plan_of
from sdtext.experiment.run_experiment import ExperimentResult, run_experiment
from sdtext.model import Problem
from sdtext.reports.html.experiment_page import experiment_page
from sdtext.reports.html.report_page import rendered
from tests.support.browser import audit, report_opened, width_of_content
from tests.support.command import write_texts

if TYPE_CHECKING:
    from playwright.sync_api import Browser

EVIL = "<script>alert(1)</script>"
PROBLEMS = [Problem("warning", "edge-of-grid", "the chosen min_idf is at the edge")]


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ExperimentResult:
    """An experiment with two groups, two matchers and six ranges on twelve texts."""
    folder = write_texts(tmp_path_factory.mktemp("experiment") / "texts", 12, 72)
    plan = plan_of({
        "name": f"ours {EVIL}", "dataset": str(folder),
        "groups": [{"name": EVIL, "tokenizer": "words"}, {"tokenizer": "lines"}],
        "matcher": ["cosine", "idf-cosine"], "min_idf": [0.0, 0.2, 0.4], "max_idf": [0.7, 1.0],
        "manglers": ["shuffle", "keep-lines(share=0.3)"], "false_positive_rate": 0.1,
    })  # fmt: skip
    return run_experiment(plan)


def test_the_page_has_the_numbers_of_the_result(result: ExperimentResult) -> None:
    page = rendered(experiment_page(result, ChosenFiles(Path("results")), problems=PROBLEMS))
    assert EVIL not in page
    tree = html.fromstring(page)
    ids = tree.xpath("//@id")
    assert len(ids) == len(set(ids))
    text = tree.text_content()
    assert f"{100 * result.held_out.recall.share:.3g} %" in text
    assert f"-s {result.choice.cut}" in text
    for rate in result.held_out.by_mangler.values():
        assert f"{rate.part:,} of {rate.whole:,}" in text
    maps = tree.xpath("//section[@id='ranges']//figure")
    assert len(maps) == 4
    for figure in maps:
        assert len(figure.xpath(".//rect")) == 6
        assert len(figure.xpath(".//rect[contains(@class, 'chosen')]")) == 1
    best, cell = result.rows[0], result.plan.cells[result.choice.cell]
    tips = maps[0].xpath(".//rect[contains(@class, 'chosen')]/../title/text()")
    assert tips == [f"IDF {cell}: {100 * best.recall:.3g} % from score {best.cut}"]


def test_colours_go_from_the_least_to_the_greatest_value(result: ExperimentResult) -> None:
    page = rendered(experiment_page(result, ChosenFiles(Path("results"))))
    tree = html.fromstring(page)
    squares = tree.xpath("//section[@id='ranges']//figure//a")
    values = [float(square.xpath("title/text()")[0].split()[4]) for square in squares]
    levels = [int(square.xpath("rect/@class")[0][1]) for square in squares]
    assert min(values) < max(values)
    assert levels[values.index(max(values))] == 7
    assert levels[values.index(min(values))] == min(levels) < 2
    ranked = [level for _, level in sorted(zip(values, levels, strict=True))]
    assert ranked == sorted(levels)
    scale = tree.xpath("//div[contains(@class, 'scale')]//text/text()")
    assert scale == [f"{value:g} %" for value in (min(values), max(values))]


def test_copies_and_commands_are_explained(result: ExperimentResult) -> None:
    page = rendered(experiment_page(result, ChosenFiles(Path("results"))))
    [use] = html.fromstring(page).xpath("//section[@id='use']")
    text = use.text_content()
    assert "Keep each line with probability share, else" in text
    purposes = [place.text_content() for place in use.xpath(".//p[@class='purpose']")]
    assert purposes[:2] == [
        "List the documents here that resemble each other:",
        "Find the documents here that resemble FILE:",
    ]
    assert len(use.xpath(".//pre")) == len(purposes) + 1


def test_sizes_are_those_that_nothing_smaller_and_faster_equals(result: ExperimentResult) -> None:
    sizes = experiment_page(result, ChosenFiles(Path("results"))).data["sizes"]
    assert [row["is_chosen"] for row in sizes].count(True) == 1
    listed = [
        (row["bytes"], row["milliseconds"], -row["value"]) for row in sizes if not row["is_chosen"]
    ]
    for left, right in permutations(listed, 2):
        assert any(a < b for a, b in zip(left, right, strict=True))
    values = result.measurements.curve().value(result.plan.target)
    assert max(row["value"] for row in sizes) == values.max()
    for row in sizes:
        assert row["bytes"] == -(-row["terms"] // 8)
        assert row["milliseconds"] >= 0


def test_the_curve_of_all_folds_is_above_those_of_single_folds(result: ExperimentResult) -> None:
    drawing = rendered(experiment_page(result, ChosenFiles(Path("results"))))
    assert drawing.count('class="fold"') == result.plan.folds
    assert drawing.count('class="curve"') == 1


def test_everybody_can_read_the_page(
    browser: Browser, tmp_path: Path, result: ExperimentResult
) -> None:
    report = experiment_page(result, ChosenFiles(Path("results")), problems=PROBLEMS)
    with report_opened(browser, tmp_path, report, color_scheme="light") as page:
        assert width_of_content(page) <= 1280
        reports = [audit(page)]
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size({"width": 360, "height": 900})
        assert width_of_content(page) <= 360
        reports.append(audit(page, ["color-contrast"]))
        assert [report.generate_report() for report in reports if report.violations_count] == []


def test_a_square_opens_its_figures_and_commands(
    browser: Browser, result: ExperimentResult, tmp_path: Path
) -> None:
    report = experiment_page(result, ChosenFiles(Path("r")))
    with report_opened(browser, tmp_path, report) as page:
        assert page.locator(".cell:visible").count() == 0
        page.locator("#ranges figure a").nth(3).click()
        [cell] = page.locator(".cell:visible").all()
        tip = page.locator("#ranges figure a title").nth(3).text_content()
        assert tip in cell.inner_text()
        assert "sdtext TrimDictionary" in cell.inner_text()
        assert cell.get_by_role("button", name="Copy").is_visible()
        assert page.locator("#ranges figure").first.bounding_box()["width"] > 400
