"""The evidence page: its values, and what a browser makes of them."""

from __future__ import annotations

import io
import json
import re
import tomllib
from base64 import b64decode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any
from zlib import decompress

import pypdfium2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import html

import sdtext
from sdtext.errors import FormatError
from sdtext.formats.evidence_xml import read_evidence
from sdtext.model import (
    Coverage,
    Edit,
    Evidence,
    Examined,
    Part,
    Passage,
    Problem,
    Shared,
    Similarity,
    Span,
)
from sdtext.reading.overwrite_guard import Output
from sdtext.reports.charts import level_of
from sdtext.reports.html.evidence_page import deflated, evidence_page
from sdtext.reports.html.report_page import HTML_REPORT, rendered, write_page
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import by_weight
from sdtext.reuse.texts_of_evidence import with_texts
from sdtext.text.disguises import disguises_in, problems_of, undisguised
from sdtext.text.document import Document
from tests.formats.evidence import example, written
from tests.support.browser import audit, report_opened, visited, width_of_content
from tests.support.command import prose
from tests.support.strategies import BRISK

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Locator, Page

EVIL = "</script><script>alert(1)</script> &amp; \u202e \U0001d518\U0001d52b \x1b[2J"
CHINESE = (
    "联合国的目标是维持国际和平及安全。为此目的，采取有效集体办法，以防止且消除对于和平之威胁。" * 2
)
ARABIC = "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا " * 3


TOPS, PAINTED, SEEN, ENGLISH = tomllib.loads(
    Path(__file__).with_name("evidence_page.toml").read_text("utf-8")
).values()


def paragraph(seed: int) -> str:
    return prose(seed, 80)


def texts() -> list[Document]:
    """A thesis with three sources, of which two overlap, in several scripts."""
    thesis = [paragraph(1), EVIL, paragraph(2), CHINESE, paragraph(3), ARABIC, paragraph(4)]
    changed = paragraph(2).replace(" ", " really ", 3)
    return [
        Document.of("\n\n".join(thesis), "essays/thesis.txt"),
        Document.of(f"{EVIL}\n{changed}\n\n{paragraph(7)}", "essays/<b>one</b>.txt"),
        Document.of(f"{paragraph(8)}\n{paragraph(2)}\n{paragraph(3)}", "essays/two.txt"),
        Document.of(f"{CHINESE}\n{paragraph(9)}\n{ARABIC}", "essays/three.txt"),
    ]


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    documents = texts()
    return sdtext.find_reuse(documents[0], documents[1:], texts=True, unit="chapter")


def values(evidence: Evidence) -> dict[str, Any]:
    """The data of the page, as its script reads them."""
    text = rendered(evidence_page(evidence))
    embedded = text.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    parsed: dict[str, Any] = json.loads(embedded)["evidence"]
    return parsed


@contextmanager
def opened(
    browser: Browser,
    folder: Path,
    evidence: Evidence,
    problems: Sequence[Problem] = (),
    **settings: Any,
) -> Iterator[Page]:
    """The page of the evidence in a browser."""
    report = evidence_page(replace(evidence, problems=tuple(problems)))
    with report_opened(browser, folder, report, **settings) as page:
        yield page


def go(page: Page, place: str, selector: str) -> None:
    """Follow a link within the page, and wait for what it leads to."""
    page.evaluate("place => { location.hash = place; }", place)
    page.wait_for_selector(selector)


def press(page: Page, keys: str) -> None:
    """Press keys, one after the other, where the passages are."""
    for key in keys:
        page.focus(".text")
        page.keyboard.press(key)


def words_in(entry: dict[str, Any], spans: list[tuple[int, int]]) -> int:
    """The words that begin in spans, as the script counts them, one boundary after the other."""
    bounds = list(zip(entry["at"], entry["before"], strict=True))
    return sum(
        after - before
        for (start, before), (_, after) in pairwise(bounds)
        if any(first <= start < last for first, last in spans)
    )


def corresponding(row: list[Any], side: int) -> list[tuple[int, int]]:
    """The spans of a side of a passage between its gaps."""
    return [(start, end) for start, end in row[6][side]]


@BRISK
@given(left_out=st.sets(st.integers(0, 20)))
def test_any_choice_of_passages_gives_the_shares_of_the_search(
    quoted: Evidence, left_out: set[int]
) -> None:
    """Shares of documents, of pairs and of chapters, from the numbers that the script has."""
    data = values(quoted)
    rows = [row for place, row in enumerate(data["passages"]) if place not in left_out]
    for number, (left, right, *_) in enumerate(data["pairs"]):
        for side, place in enumerate((left, right)):
            spans = [span for row in counting(rows, number) for span in corresponding(row, side)]
            expected = plain_words(quoted, place, spans)
            assert counted_words(data["documents"][place], spans) == len(expected)
    own = [span for row in counting(rows) for span in corresponding(row, 0)]
    entry, (coverage,) = data["documents"][0], quoted.coverage
    everywhere = plain_words(quoted, 0, own)
    assert counted_words(entry, own) == len(everywhere)
    if not left_out & set(range(len(data["passages"]))):
        assert len(everywhere) / quoted.documents[0].words == coverage.share
    for there, part in zip(entry["parts"], coverage.parts, strict=True):
        start, end = there["start"], there["end"]
        inside = [(max(first, start), min(last, end)) for first, last in own]
        starts = quoted.documents[0].word_starts
        expected = {place for place in everywhere if start <= starts[place] < end}
        assert counted_words(entry, inside) == len(expected)
        if not left_out & set(range(len(data["passages"]))):
            assert len(expected) / part.words == part.share


def counting(rows: list[list[Any]], pair: int | None = None) -> list[list[Any]]:
    """The passages that count, of one pair or of all."""
    return [row for row in rows if not row[3] and pair in (None, row[0])]


def counted_words(entry: dict[str, Any], spans: list[tuple[int, int]]) -> int:
    """The words in spans without those that are excluded, from the counts before boundaries."""
    excluded = entry.get("excluded", [0] * len(entry["at"]))
    return words_in(entry, spans) - words_in({**entry, "before": excluded}, spans)


def plain_words(evidence: Evidence, place: int, spans: list[tuple[int, int]]) -> set[int]:
    """The places of the words that begin in any of the spans, and in no excluded text."""
    document = evidence.documents[place]
    return {
        word
        for word, start in enumerate(document.word_starts)
        if any(first <= start < last for first, last in spans)
        and not any(span.start <= start < span.end for span in document.excluded)
    }


@pytest.fixture(scope="module")
def quoted() -> Evidence:
    """Texts with chapters, of which one quotes what the others copy."""
    copied = [paragraph(number) for number in range(6)]
    thesis = [f"Chapter {number}\n\n{text}" for number, text in enumerate(copied, 1)]
    thesis[1] = f"{thesis[1]} “{paragraph(20).strip()}” {paragraph(21)}"
    others = [
        f"{copied[0]} {copied[1]} {paragraph(20)} {paragraph(21)}",
        f"{copied[3]} {paragraph(30)} {copied[4]} {copied[5]}",
        f"{copied[1]} {copied[3]}",
    ]
    documents = [Document.of(text, f"{place}.txt") for place, text in enumerate(others)]
    suspicious = Document.of("\n\n".join(thesis), "thesis.txt")
    return sdtext.find_reuse(suspicious, documents, texts=True, unit="chapter", exclude_quotes=True)


def test_a_text_is_in_the_page_once_and_places_alone_where_it_is_unknown(
    evidence: Evidence,
) -> None:
    page = rendered(evidence_page(evidence))
    assert page.count(json.dumps(ARABIC.strip(), ensure_ascii=False)[1:-1]) == 2  # of two texts
    bare = replace(evidence, documents=tuple(replace(item, text="") for item in evidence.documents))
    assert all(entry["text"] is None for entry in values(bare)["documents"])
    assert "4 documents without text" in rendered(evidence_page(bare))


def test_the_page_has_the_texts_of_documents_that_share_passages_alone(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    """Whatever texts the evidence has; with one more document than shares anything."""
    alone = Examined("essays/alone.txt", 9, 40, text="what nobody else has written anywhere")
    whole = replace(evidence, documents=(*evidence.documents, alone))
    assert [entry["text"] is None for entry in values(whole)["documents"]] == [*[False] * 4, True]
    with opened(browser, tmp_path, whole) as page:
        content = page.content()
        assert "nobody else" not in content
        assert page.locator(".muted", has_text="without text").count() == 0
        assert not page.locator(".kinds").is_visible()  # no passage is a quotation
        go(page, "#d5", "[aria-label='alone.txt']")
        assert page.locator(".nothing").inner_text() == (
            "It shares no passages: its text is not in the page."
        )


def test_text_in_many_documents_is_quoted_only_where_the_page_has_it() -> None:
    passage = Passage(Span(0, 9), Span(0, 9), Similarity(3, 4), excluded="boilerplate")
    shared = tuple(Shared(*pair, (passage,), 0, 0) for pair in combinations(range(5), 2))
    for text, quoted in (("some text", ["some text"]), ("", [])):
        documents = tuple(Examined(f"{name}.txt", 2, 9, text=text) for name in "abcde")
        page = html.fromstring(rendered(evidence_page(Evidence(documents, shared, ()))))
        assert page.xpath("//section[@id='frequent']//li/a/text()") == ["stands in 5 documents"]
        assert page.xpath("//section[@id='frequent']//li/p/text()") == quoted


AWKWARD = st.sampled_from(
    ["", " ", "a.txt", "a.txt!b", "A.TXT", "x/a.txt", "é", "e\u0301", "d1", "p1", "pairs", "data"]
) | st.text(st.characters() | st.sampled_from("<&\"'#%/\\\x00\u202e"), max_size=6)


@BRISK
@given(names=st.lists(AWKWARD, min_size=2, max_size=6), title=AWKWARD)
def test_ids_on_the_page_are_unique(names: list[str], title: str) -> None:
    passage = Passage(Span(0, 9), Span(0, 9), Similarity(3, 4))
    documents = tuple(Examined(name, 9, 90, text="some words " * 9) for name in names)
    shared = tuple(
        Shared(*pair, (passage,), 0.5, 0.5) for pair in combinations(range(len(names)), 2)
    )
    parts = tuple(Part(Span(start, start + 40, title), 4, 0.5) for start in (0, 40))
    coverage = tuple(Coverage(place, 0.5, {}, parts) for place in range(len(names)))
    problems = tuple(Problem.at("warning", "partly-read", name, "in part") for name in names)
    whole = Evidence(documents, shared, coverage, problems=problems)
    page = html.fromstring(rendered(evidence_page(whole)))
    ids = page.xpath("//@id")
    assert sorted(ids) == sorted(set(ids))
    named = [word for words in page.xpath("//@aria-labelledby | //@for") for word in words.split()]
    assert set(named) <= set(ids)


def test_the_reader_in_a_browser(browser: Browser, evidence: Evidence, tmp_path: Path) -> None:
    with opened(browser, tmp_path, evidence) as page:
        assert page.locator("#view").input_value() == "d1"  # the document that was compared
        page.select_option("#view", "p1")
        count = page.locator(".passages > li").count()
        assert count == len(by_weight(evidence).shared[0].passages)
        shown = page.locator(".side .text").first.evaluate("box => box.textContent")
        text = evidence.documents[0].text.translate(dict.fromkeys(map(ord, "\u202e\x1b"), "\u25af"))
        assert shown.replace("\n", " ") == text.replace("\n", " ")
        assert page.locator("#place").inner_text().startswith("Passage 1, 1 of")
        page.wait_for_function(f"Math.abs(({TOPS}).reduce((one, other) => one - other)) < 2")
        assert page.url.endswith("#m1")
        assert page.locator(".ribbons path").count() == count
        for side in ("left", "right"):  # each heading stands above its text
            heading, box = (page.locator(f".side.{side} {part}") for part in ("h3", ".text"))
            assert left_edge(heading) == left_edge(box)
        marks = page.locator(".side.left mark").all_text_contents()
        assert "".join(marks).split() == words_that_correspond(evidence)


def left_edge(element: Locator) -> float:
    box = element.bounding_box()
    assert box
    return float(box["x"])


def words_that_correspond(evidence: Evidence) -> list[str]:
    """The words on the left of the first pair that stand in a passage, but in no gap of it."""
    pair = by_weight(evidence).shared[0]
    text = evidence.documents[pair.left].text
    (passage,) = pair.passages
    assert passage.gaps[0]
    return "".join(text[span.start : span.end] for span in passage.corresponding[0]).split()


def test_paper_has_the_names_and_shares_above_two_columns(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, evidence, viewport={"width": 688, "height": 1000}) as page:
        go(page, "#p1", ".sides")
        page.emulate_media(media="print")
        headings = page.locator(".side h3")
        assert headings.locator("bdi").all_inner_texts() == ["thesis.txt", "two.txt"]
        assert all("of its words" in text for text in headings.all_inner_texts())
        assert headings.first.is_visible()
        assert not page.locator(".frame").first.is_visible()
        assert page.locator(".passages .whose bdi").all_inner_texts()[:2] == [
            "thesis.txt",
            "two.txt",
        ]
        whole = "passage => getComputedStyle(passage).breakInside"
        assert page.locator(".passages > li").first.evaluate(whole) == "avoid"
        left, right = page.locator(".pair p").all()[:2]
        assert left_edge(left) + left.evaluate("text => text.clientWidth") < left_edge(right)
        assert_paper_of_a_document_has_the_texts_of_its_sources(page)


def assert_paper_of_a_document_has_the_texts_of_its_sources(page: Page) -> None:
    page.locator(".passages input").first.evaluate("() => leave([passages[0]], 'cited')")
    go(page, "#d1", ".whole")
    document = pypdfium2.PdfDocument(page.pdf())
    text = "\n".join(sheet.get_textpage().get_text_bounded() for sheet in document)
    whole = " ".join(text.split())
    assert whole.count("of its words in passages") == 6
    assert all(name in whole for name in ("two.txt", "<b>one</b>.txt", "three.txt"))
    words = [word.rstrip(".") for seed in (2, 3) for word in paragraph(seed).split()]
    assert [word for word in words if word not in whole] == []
    assert "left out: cited" in whole[: whole.index("By hand, left out: cited")]
    page.wait_for_function("() => !document.querySelector('.leaf')")
    assert page.locator("#view").input_value() == "d1"


def test_a_link_leads_to_a_passage_and_to_a_document(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, evidence, viewport={"width": 360, "height": 1100}) as page:
        go(page, "#d1", ".sources li")
        names = page.locator(".sources bdi").all_inner_texts()
        assert sorted(names) == ["<b>one</b>.txt", "three.txt", "two.txt"]
        assert width_of_content(page) <= 360
        go(page, "#m2", ".side mark.now[data-m~='2']")
        page.reload()
        page.wait_for_selector(".side mark.now[data-m~='2']")
        for _ in range(60):
            page.wait_for_timeout(50)
            if all(page.evaluate(SEEN)):
                break
        assert page.evaluate(SEEN) == [True, True]
        assert width_of_content(page) <= 360
        page.evaluate("leave(passages, choices[0])")
        page.evaluate("location.hash = '#d2'")  # nothing of it counts: the list has no entry for it
        page.wait_for_selector("#view option:checked[value='d2']", state="attached")
        shown = page.locator("#view option:checked").inner_text()
        assert shown in {name.split("/")[-1] for name in names}
        press(page, "k")


def test_what_is_left_out_changes_the_shares_and_is_saved(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, evidence) as page:
        untouched = saved_by(page)
        go(page, "#d1", ".sources li")
        before = page.locator("#summary strong").nth(1).inner_text()
        assert look_of_overlap(page) == ["k1", "0 2px var(--c3-line)"]
        page.locator(".sources input").first.click()
        page.select_option("#notice select", "cited")
        assert page.locator("#summary strong").nth(1).inner_text() != before
        assert look_of_overlap(page) == ["k3", ""]
        changed = saved_by(page)
    read = read_evidence(io.BytesIO(untouched), "saved.xml")
    assert read.documents == evidence.documents
    assert_same_shares(read, evidence)
    left_out = read_evidence(io.BytesIO(changed), "saved.xml")
    reasons = {item.excluded for pair in left_out.shared for item in pair.passages}
    assert reasons == {"", "cited"}
    assert left_out.coverage[0].share < read.coverage[0].share
    assert left_out.parameters == read.parameters


def test_saving_needs_no_browser_that_decompresses(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, evidence, reduced_motion="reduce") as page:
        saved = saved_by(page)
        page.add_init_script("delete window.DecompressionStream")
        page.reload()
        assert saved_by(page) == saved
        draw = Random(1)
        letters = [chr(draw.choice((draw.randrange(32, 127), 0x6587))) for _ in range(90_000)]
        texts = ["", "a" * 70_000, prose(1, 9000), "".join(letters[:40_000] * 2)]
        texts += ["".join(draw.choices(letters, k=draw.randrange(300))) for _ in range(200)]
        inflated = page.evaluate(
            "all => all.map((packed) => inflated(atob(packed)))", list(map(deflated, texts))
        )
        assert inflated == [text.replace("文", "&#25991;") for text in texts]


def look_of_overlap(page: Page) -> list[str]:
    """The colour and the lines of the first text that two sources have; each source has a strip."""
    assert page.locator(".sources .where:has(rect)").count() == 3
    look: list[str] = page.locator("mark[data-m*=' ']").first.evaluate(
        "({ className, style }) => [className, style.boxShadow]"
    )
    return [look[0].removesuffix(" now"), look[1]]


def essays(folder: Path) -> tuple[Path, list[Path]]:
    """The text of an assignment, and essays that have it, and copied paragraphs around it."""
    task, shared = paragraph(30), paragraph(31)
    mixed = f"{paragraph(32)} {task} {paragraph(40)}"
    chapters = [
        [[task, paragraph(34)], [mixed, paragraph(35)], [shared]],
        [[task, shared], [paragraph(36), mixed], [CHINESE]],
        [[task, ARABIC], [paragraph(37), CHINESE]],
        [[task], [paragraph(38)]],
        [[f"{task} {paragraph(39)}"]],
    ]
    paths = [folder / f"essay{number}.html" for number in range(len(chapters))]
    for path, parts in zip(paths, chapters, strict=True):
        content = [
            f"<h1>Chapter {number}</h1>{''.join(f'<p>{text}</p>' for text in part)}"
            for number, part in enumerate(parts, 1)
        ]
        page = f"<!DOCTYPE html><html><body>{''.join(content)}</body></html>"
        path.write_text(page, encoding="utf-8")
    template = folder / "task.txt"
    template.write_text(task, encoding="utf-8")
    return template, paths


@dataclass(frozen=True)
class Class:
    """Essays with the text of their assignment left out, compared with each other."""

    paths: list[Path]
    evidence: Evidence
    page: Path


@pytest.fixture(scope="module")
def essay_class(tmp_path_factory: pytest.TempPathFactory) -> Class:
    folder = tmp_path_factory.mktemp("class")
    template, paths = essays(folder)
    evidence = sdtext.find_reuse(paths, texts=True, unit="chapter", template=[template])
    target = folder / "out.html"
    write_page(Output(target, HTML_REPORT), evidence_page(evidence))
    return Class(paths, evidence, target)


@pytest.fixture
def page(browser: Browser, essay_class: Class) -> Iterator[Page]:
    """The page of the essays in a browser."""
    with visited(browser, essay_class.page) as opened:
        yield opened


def test_only_pairs_and_passages_that_count_are_offered(page: Page) -> None:
    assert page.locator("#table tbody tr").count() == 2
    groups = page.locator("#view optgroup").evaluate_all(
        "all => all.map((group) => [group.label, group.children.length])"
    )
    assert groups[0] == ["Two documents side by side", 2]
    assert groups[2] == ["Left out", 8]
    assert "shared by 8 more pairs" in page.locator("#pairs").inner_text()
    go(page, "#p1", "mark.now")
    assert page.locator("mark.now:not(.off)").count() >= 2
    assert page.locator("#place").inner_text().endswith(", 1 of 3")
    press(page, "kj")
    assert page.locator("#place").inner_text().endswith(", 2 of 3")
    assert_a_key_gives_the_first_reason_again(page)
    go(page, "#d4", ".sources")
    assert page.locator(".tag").count() == 0
    page.evaluate("location.hash = '#d1'")
    assert page.locator(".sources .why").first.text_content() == "3 of 7 count"
    assert page.locator(".sources input").first.evaluate("box => box.indeterminate")


def assert_a_key_gives_the_first_reason_again(page: Page) -> None:
    """What the search left out has no colour, and its reason, whichever was chosen last."""
    page.evaluate("location.hash = `#m${passages.find(({ reason }) => reason).number}`")
    page.wait_for_selector("mark.now.off")
    colour = "mark => getComputedStyle(mark).backgroundColor"
    assert page.locator("mark.now.off").first.evaluate(colour) == "rgba(0, 0, 0, 0)"
    page.evaluate("shown.reason = 'cited'")
    for reason in ("", "template"):
        press(page, "x")
        assert_current_counts(page, reason)


def assert_current_counts(page: Page, reason: str) -> None:
    """The passage that is shown counts, or does not for a reason."""
    assert page.get_by_label("Count this passage").is_checked() is not bool(reason)
    if reason:
        assert page.locator("#notice select").input_value() == reason
        assert "left out" in page.locator("#current .why").inner_text()


def test_nothing_happens_by_accident_and_back_leads_back(page: Page, essay_class: Class) -> None:
    verdict, cards = page.locator("#verdict").inner_text(), page.locator(".cards").inner_text()
    strongest = by_weight(essay_class.evidence).shared[0]
    for place in (strongest.left, strongest.right):
        assert Path(essay_class.evidence.documents[place].name).name in verdict
    for share in (strongest.left_share, strongest.right_share):
        assert percent(share).replace("\u202f", " ") in verdict.replace("\u202f", " ")
    page.keyboard.press("3")  # the focus is not in the passages
    assert page.locator("#notice").inner_text() == ""
    press(page, "3")
    assert "common wording" in page.locator("#notice").inner_text()
    assert page.locator("#verdict").inner_text() != verdict
    page.click("#notice button")
    assert page.locator("#verdict").inner_text() == verdict
    assert page.locator(".cards").inner_text() == cards
    # Reload and Back restore the view, and the passage in it.
    page.select_option("#view", "d1")
    page.click("#next")
    assert re.search("#d1m[0-9]+$", page.url)
    number = page.locator("mark.now").first.get_attribute("data-m")
    page.evaluate("onbeforeunload = null")
    page.reload()
    assert page.locator("#view").input_value() == "d1"
    assert page.locator("mark.now").first.get_attribute("data-m") == number
    page.go_back()
    page.wait_for_function("document.querySelector('#view').value === 'p1'")
    page.go_forward()
    page.wait_for_function("document.querySelector('#view').value === 'd1'")


def test_keys_go_on_from_what_is_chosen_in_the_list(page: Page) -> None:
    page.focus("#view")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowUp")
    assert page.evaluate("document.activeElement.id") == "view"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "text"
    page.keyboard.press("j")
    assert page.locator("#place").inner_text().endswith(", 2 of 3")
    for key in "jj":  # beyond the last passage of the pair
        page.keyboard.press(key)
    assert page.locator("#view").input_value() == "p2"
    first = page.locator("mark.now .tag").first.get_attribute("data-n")
    assert page.locator("#place").inner_text() == f"Passage {first}, 1 of 1"
    page.keyboard.press("k")
    assert page.locator("#view").input_value() == "p1"
    assert page.locator("#place").inner_text().endswith(", 3 of 3")


def test_sources_stand_in_the_order_of_what_each_adds(browser: Browser, tmp_path: Path) -> None:
    """Two sources share most of what they have; a third one, which has less, adds more."""
    parts = [paragraph(seed) for seed in range(50, 60)]
    joined = "\n\n".join
    documents = [
        Document.of(joined(parts), "query.txt"),
        Document.of(joined(parts[:6]), "first.txt"),
        Document.of(joined(parts[:5]), "same.txt"),
        Document.of(joined(parts[7:9]), "other.txt"),
    ]
    evidence = sdtext.find_reuse(documents[0], documents[1:], texts=True)
    with opened(browser, tmp_path, evidence) as page:
        names = page.locator(".sources a bdi").all_inner_texts()
        assert names == ["first.txt", "other.txt", "same.txt"]
        adds = [
            text.split()[-2]
            for text in page.locator(".sources small:not(:empty)").all_inner_texts()
        ]
        shares = [pair.left_share for pair in by_weight(evidence).shared]
        assert adds[:1] == [percent(shares[2]).split()[0]]
        assert adds[1] == "0"


def test_a_line_of_the_graph_opens_its_pair(page: Page) -> None:
    page.click("#figures > summary")
    link = page.locator("[data-link]").last
    places = link.get_attribute("data-link") or ""
    link.dispatch_event("click")
    page.wait_for_function("shown.pair && /#m/.test(location.hash)")
    sides = page.evaluate("shown.pair.sides.map(({ place }) => place)")
    assert sorted(sides) == sorted(map(int, places.split()))


def test_the_overview_follows_the_cut(browser: Browser, essay_class: Class) -> None:
    shares = [max(pair.left_share, pair.right_share) for pair in essay_class.evidence.shared]
    low, high = sorted(int(100 * share) for share in shares if share)
    with visited(browser, essay_class.page) as page:
        page.click("#figures > summary")
        assert overview_of(page) == [2, 2, 2, 2, 4]
        page.locator("#least").fill(str(high))
        assert overview_of(page) == [1, 1, 1, 1, 2]
        assert page.locator(".histogram:visible g.cut").text_content() == f"listed from {high}"
        page.locator("#least").fill(str(low))
        assert overview_of(page) == [2, 2, 2, 2, 4]
        page.locator("#least").fill("")
        sharing = [pair for pair in essay_class.evidence.shared if max(pair.left_share, 0)]
        shares = [max(pair.left_share, pair.right_share) for pair in sharing]
        scores = page.locator("#table td:nth-child(3)").all_inner_texts()
        assert sorted(map(int, scores)) == sorted(int(100 * share + 1e-9) for share in shares)
        assert_charts_follow_the_scores(page)


def assert_charts_follow_the_scores(page: Page) -> None:
    """The histogram has each pair, and the lines of the graph have the colours of their scores."""
    rows = page.evaluate("overview.rows.map((row) => row.slice(0, 3))")
    tips = page.locator(".histogram:visible g:has(.bar) title").all_text_contents()
    assert sum(int(tip.split()[0]) for tip in tips) == len(rows)
    scores = {f"{left} {right}": score for left, right, score in rows}
    links = page.locator("[data-link]").evaluate_all(
        "all => all.map((link) => [link.dataset.link, link.getAttribute('class')])"
    )
    assert links
    for pair, kind in links:
        level = max(2, level_of(scores[pair]))
        assert kind.split() == ["link", f"h{level}", *["apart"] * (scores[pair] < 15)]


def test_the_overview_and_the_saved_file_follow_what_is_left_out(
    browser: Browser, essay_class: Class, tmp_path: Path
) -> None:
    saved = tmp_path / "saved.xml"
    with visited(browser, essay_class.page) as page:
        leave_a_pair_out(page)
        page.click("#figures > summary")
        assert overview_of(page) == [1, 1, 1, 1, 2]
        heights = "all => all.map((bar) => Number(bar.getAttribute('height')))"
        bars = page.locator(".histogram:visible .bar").evaluate_all(heights)
        assert sum(height > 0 for height in bars) == 1
        assert reload_asks(page)
        with page.expect_download() as download:
            page.click("#save")
        download.value.save_as(saved)
        assert not reload_asks(page)
    evidence = read_evidence(io.BytesIO(saved.read_bytes()), "saved.xml")
    reasons = [item.excluded for pair in evidence.shared for item in pair.passages]
    assert reasons.count("own-work") == 3
    before, after = parts_of(essay_class.evidence), parts_of(evidence)
    assert sum(share < other for share, other in zip(after, before, strict=True)) >= 2
    with opened(browser, tmp_path, with_texts(evidence, essay_class.paths)) as page:
        assert overview_of(page) == [1, 1, 1, 1, 2]
        assert_same_shares(read_evidence(io.BytesIO(saved_by(page)), "s.xml"), evidence)


def parts_of(evidence: Evidence) -> list[float]:
    """The shares of all chapters."""
    return [part.share for item in evidence.coverage for part in item.parts]


def leave_a_pair_out(page: Page) -> None:
    """By keys alone: the three passages of the first pair are own work."""
    go(page, "#p1", "mark.now")
    for key, reason in (("2", "cited"), ("x", ""), ("4", "own-work")):
        press(page, key)
        assert_current_counts(page, reason)
    press(page, "jxjx")  # with the reason that was chosen last
    assert_current_counts(page, "own-work")


def reload_asks(page: Page) -> bool:
    """Whether the browser asks before the page is left."""
    seen: list[str] = []

    def stay(dialog: Dialog) -> None:
        seen.append(dialog.type)
        dialog.dismiss()

    def loaded(_: Page) -> None:
        seen.append("loaded")

    page.on("dialog", stay)
    page.on("load", loaded)
    page.evaluate("setTimeout(() => location.reload())")
    for _ in range(3000):
        page.wait_for_timeout(20)
        if seen:
            break
    page.remove_listener("dialog", stay)
    page.remove_listener("load", loaded)
    assert seen in (["beforeunload"], ["loaded"])
    return seen == ["beforeunload"]


def assert_same_shares(evidence: Evidence, expected: Evidence) -> None:
    """The shares of pairs, documents, sources and chapters, and the passages that count."""
    for item, other in zip(evidence.coverage, expected.coverage, strict=True):
        assert item.share == pytest.approx(other.share)
        assert item.sources == pytest.approx(other.sources)
        shares = [part.share for part in item.parts]
        assert shares == pytest.approx([part.share for part in other.parts])
    pairs = {(pair.left, pair.right): pair for pair in expected.shared}
    assert len(evidence.shared) == len(pairs)
    for pair in evidence.shared:
        match = pairs[pair.left, pair.right]
        assert set(pair.passages) == set(match.passages)
        shown = pair.left_share, pair.right_share
        assert shown == pytest.approx((match.left_share, match.right_share))


def test_a_switch_puts_numbers_in_place_of_names(browser: Browser, essay_class: Class) -> None:
    names = [path.name for path in essay_class.paths]
    with visited(browser, essay_class.page) as page:
        assert_numbers_stand_in_place_of_names(page, names)


def overview_of(page: Page) -> list[int]:
    """How many pairs the card, the list, the table, the graph and the matrix have (twice)."""
    squares = "all => all.map((path) => path.getAttribute('d').split('M').length - 1)"
    return [
        int(page.locator("[data-card=pairs] dd").evaluate("number => number.firstChild.data")),
        int(page.locator("#count").inner_text().split()[0]),
        page.locator("#table tbody tr").count(),
        page.locator(".clusters .link:not(.apart)").count(),
        sum(page.locator(".heat-map path").evaluate_all(squares)),
    ]


def saved_by(page: Page) -> bytes:
    """The evidence file that the page would save."""
    text: str = page.evaluate("evidenceFile()")
    return text.encode()


def assert_numbers_stand_in_place_of_names(page: Page, names: list[str]) -> None:
    """The switch takes the names out of all that is shown, and out of its labels."""
    words = """() => [document.title, document.body.innerText,
        ...Array.from(document.querySelectorAll("svg *"), (part) => part.textContent),
        ...Array.from(document.querySelectorAll("[aria-label]"), (part) => part.ariaLabel),
    ].join(" ")"""
    go(page, "#p1", ".sides")
    before = page.evaluate(words)
    page.check("#anonymous")
    shown = page.evaluate(words)
    assert any(name in before for name in names)
    assert not [name for name in names if name in shown]
    assert "Document 1" in shown
    go(page, "#d1", ".sources")
    shown = page.evaluate(words)
    assert not [name for name in names if name in shown]
    page.uncheck("#anonymous")
    assert any(name in page.evaluate(words) for name in names)


def test_passages_at_the_ends_of_texts_stand_at_the_same_height(
    browser: Browser, tmp_path: Path
) -> None:
    first, last = paragraph(2), paragraph(3)
    documents = [
        Document.of(f"{first}\n{prose(4, 900)}\n{last}", "a.txt"),
        Document.of(f"{last}\n{prose(5, 900)}\n{first}", "b.txt"),
        Document.of(last, "c.txt"),
    ]
    evidence = sdtext.find_reuse(documents, texts=True)
    with opened(browser, tmp_path, evidence) as page:
        numbers = page.evaluate("data.evidence.passages.map((_, place) => place + 1)")
        assert len(numbers) == 4
        for number in numbers:
            page.evaluate(f"location.hash = '#m{number}'")
            page.wait_for_selector(f".side.right mark.now[data-m='{number}']")
            page.wait_for_function(
                f"Math.abs(({TOPS}).reduce((one, other) => one - other)) < 2"
                f" && ({SEEN})().every(one => one)"
            )


@pytest.mark.parametrize("is_reopened", [False, True])
def test_before_any_click_all_shares_are_those_of_the_evidence(
    browser: Browser, essay_class: Class, tmp_path: Path, *, is_reopened: bool
) -> None:
    evidence, paths = essay_class.evidence, essay_class.paths
    if is_reopened:  # without the words and the excluded spans, as other programs may write it
        evidence = with_texts(read_evidence(io.BytesIO(written(evidence)), "e.xml"), paths)
        bare = (replace(item, word_counts=None, excluded=()) for item in evidence.documents)
        evidence = replace(evidence, documents=tuple(bare))
    shares = [part.share for item in evidence.coverage for part in item.parts]
    assert 0 in shares
    assert len(set(shares)) > 4
    with opened(browser, tmp_path, evidence) as page:
        assert_same_shares(read_evidence(io.BytesIO(saved_by(page)), "s.xml"), evidence)
        for expected in evidence.coverage:
            page.evaluate(f"location.hash = '#d{expected.document + 1}'")
            page.wait_for_selector(f".whole [aria-label='essay{expected.document}.html']")
            cells = page.locator(".chapters tbody .number").all_inner_texts()
            texts = [percent(part.share) for part in expected.parts]
            assert [cell.replace("\xa0", " ") for cell in cells] == texts


SHARES = "[documents.map((entry) => entry.now), pairs.map((pair) => pair.now).sort()]"
"""The shares of documents and pairs that the page shows."""


def test_shares_stay_exact_where_evidence_is_opened_again(
    browser: Browser, quoted: Evidence, tmp_path: Path
) -> None:
    """Quotations are counted, by one control, and a passage is left out; then without the texts."""
    with opened(browser, tmp_path, quoted) as page:
        page.evaluate("location.hash = '#p1'")
        quotation = "".join(page.locator(".excluded").all_text_contents())
        assert quotation.strip("“”. ").split() == paragraph(20).strip().strip(".").split()
        page.get_by_label("quoted, without a citation").check()
        assert page.locator(".excluded").count() == 0
        press(page, "j3")
        saved = read_evidence(io.BytesIO(saved_by(page)), "saved.xml")
        first = page.evaluate(SHARES)
        page.evaluate("leave(passages.filter(({ spans }) => spans[0][0] > 3000), 'cited')")
        after = page.evaluate(SHARES)
    assert after != first
    assert saved.coverage[0].share == first[0][0] == plain_share(saved, quoted.documents[0])
    with opened(browser, tmp_path, saved) as page:
        assert page.evaluate(SHARES) == first
        page.evaluate("leave(passages.filter(({ spans }) => spans[0][0] > 3000), 'cited')")
        assert page.evaluate(SHARES) == after


def test_a_quotation_with_a_citation_nearby_is_a_group_of_its_own(
    browser: Browser, tmp_path: Path
) -> None:
    source = Document.of(f"{paragraph(20)} {paragraph(21)} {paragraph(22)}", "source.txt")
    quoted, other = (f"“{paragraph(number).strip()}”" for number in (20, 21))
    text = f"{paragraph(1)} {quoted} (Miller, 1999, p. 3). {paragraph(2)}"
    text += f" {paragraph(3)} {other}. {paragraph(4)} {paragraph(22)}"
    evidence = sdtext.find_reuse(Document.of(text, "essay.txt"), source, texts=True)
    with opened(browser, tmp_path, evidence) as page:
        labels = page.locator("#reasons label").all_inner_texts()
        assert [label.split(": ")[1].split(" (")[0].strip() for label in labels] == [
            *("neither quoted nor left out", "quoted, without a citation"),
            "quoted, with a citation nearby",
        ]
        whole = max(page.evaluate(SHARES)[0])
        parts = [int(label.rpartition("(")[2].split()[0]) / 100 for label in labels]
        assert abs(sum(parts) - whole) < 0.03
        page.get_by_label("with a citation nearby").uncheck()
        assert page.evaluate("passages.map(({ reason }) => reason)").count("quote") == 1
        assert page.locator("#notice select").input_value() == "quote"
        assert 0 < max(page.evaluate(SHARES)[0]) < whole
        page.get_by_label("with a citation nearby").check()
        assert max(page.evaluate(SHARES)[0]) == whole


def test_reviews_are_saved_listed_and_opened_again(
    browser: Browser, essay_class: Class, tmp_path: Path
) -> None:
    with visited(browser, essay_class.page) as page:
        page.get_by_label("Pair reviewed", exact=True).check()
        page.get_by_label("Note, pair reviewed").press_sequentially('seen <b>&" x14jk')
        assert page.evaluate("passages.every(({ reason, first }) => reason === first)")
        page.get_by_label("Note, pair reviewed").fill('seen <b>&"')
        page.get_by_label("Note, pair reviewed").press("Enter")
        page.click("#next")
        page.get_by_label("Reviewed", exact=True).check()
        assert page.locator("#changes li").count() == 2
        assert 'seen <b>&"' in page.locator("#changes").inner_text()
        content = saved_by(page)
    saved = read_evidence(io.BytesIO(content), "saved.xml")
    assert [pair.review for pair in saved.shared if pair.review is not None] == ['seen <b>&"']
    assert [p.review for pair in saved.shared for p in pair.passages if p.review is not None] == [
        ""
    ]
    with opened(browser, tmp_path, saved) as page:
        assert page.get_by_label("Note, pair reviewed").input_value() == 'seen <b>&"'
        assert page.locator("#changes li").count() == 2


def test_a_saved_file_that_was_changed_is_refused(browser: Browser, essay_class: Class) -> None:
    with visited(browser, essay_class.page) as page:
        content = saved_by(page)
    read_evidence(io.BytesIO(content), "saved.xml")
    for place in range(content.index(b"<passage"), len(content) - 200, 997):
        changed = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        with pytest.raises(FormatError):
            read_evidence(io.BytesIO(changed), "saved.xml")


def test_where_nothing_is_shared_the_page_says_what_was_looked_for(
    browser: Browser, tmp_path: Path
) -> None:
    texts = Document.of(paragraph(1), "a.txt"), Document.of(paragraph(2), "b.txt")
    with opened(browser, tmp_path, sdtext.find_reuse(*texts, texts=True)) as page:
        assert page.locator("#verdict").inner_text().startswith("No shared passage")
        assert "windows of" in page.locator("#reader > p").first.inner_text()
        boxes = page.locator(".text").all_inner_texts()
        assert [paragraph(1)[:20] in boxes[0], paragraph(2)[:20] in boxes[1]] == [True, True]
        assert page.locator("#reader :is(button, select):visible").count() == 0


def test_a_chapter_leads_to_its_first_passage_and_has_the_share_of_the_pair(
    browser: Browser, tmp_path: Path
) -> None:
    thesis = "\n\n".join(f"Chapter {number}\n\n{paragraph(number)}" for number in range(1, 4))
    sources = [Document.of(paragraph(number), f"{number}.txt") for number in (1, 3)]
    evidence = sdtext.find_reuse(
        Document.of(thesis, "thesis.txt"), sources, texts=True, unit="chapter"
    )
    with opened(browser, tmp_path, evidence) as page:
        page.evaluate("location.hash = '#p2'")
        rows = page.locator("#chapters tbody tr").all_inner_texts()
        pair = [row.split("\t")[-1].strip()[:1] != "0" for row in rows]
        assert sum(pair) == 1
        column, sheet = (page.locator(part).bounding_box() for part in ("#chapters", "#sheet"))
        assert column
        assert sheet
        assert column["x"] + column["width"] < sheet["x"]  # beside, narrow
        assert column["width"] < sheet["width"] / 3
        page.locator("#chapters a").click()
        assert page.evaluate("shown.current?.pair.id") == "p2"
        page.evaluate("location.hash = '#d1'")
        assert page.locator("#chapters a").count() == 2
        page.emulate_media(media="print")
        page.evaluate("prepare(true)")
        assert page.locator("#leaves .leaf").count() == 2  # the texts of its sources


def plain_share(evidence: Evidence, document: Examined) -> float:
    """The share of the first document in passages that count, word by word."""
    own = [item for pair in evidence.shared for item in pair.passages if not item.excluded]
    spans = [(span.start, span.end) for item in own for span in item.corresponding[0]]
    placed = replace(document, excluded=evidence.documents[0].excluded)
    return len(plain_words(replace(evidence, documents=(placed,)), 0, spans)) / document.words


def test_metadata_pairs_and_given_reasons_survive_in_the_page() -> None:
    data = values(example())
    read = read_evidence(io.BytesIO(decompress(b64decode(data["xml"]), -15)), "e.xml")
    assert replace(read, shared=()) == replace(example(), shared=())
    expected = by_weight(example()).shared
    assert [pair.likeness for pair in read.shared] == [pair.likeness for pair in expected]
    assert [row[3] for row in data["passages"]] == ["", "quote"]


def test_no_violations_of_accessibility_rules(
    browser: Browser, evidence: Evidence, tmp_path: Path
) -> None:
    with opened(browser, tmp_path, evidence, bypass_csp=True) as page:
        press(page, "x")
        results = [audit(page)]
        go(page, "#d1", ".sources li")
        page.locator(".sources input").first.click()
        page.select_option("#notice select", "own-work")
        page.emulate_media(color_scheme="dark")
        results.append(audit(page))
        assert [result.generate_report() for result in results if result.violations_count] == []
        assert page.locator("details summary", has_text="nothing that counts").is_visible()


def counted_in_the_warning(text: str) -> str:
    """The number of disguises of the one kind in a text, in the words of the warning about it."""
    (warning,) = problems_of(undisguised(text).undone, "")
    return warning.what.partition(",")[0]


def test_disguises_and_hidden_text_are_marked_where_they_stand(
    browser: Browser, tmp_path: Path
) -> None:
    plain = paragraph(1)
    disguised = f"\U0001d54f {plain} Hush!".translate(str.maketrans("aeo", "\u0430\u0435\u043e"))
    documents = [Document.of(plain, "a.txt"), Document.of(disguised, "b<i>.docx")]
    evidence = sdtext.find_reuse(documents[:1], documents[1:], texts=True)
    what = "9 characters are hidden from readers, from “<i>secret” on"
    problems = [
        Problem("warning", "hidden-text", f"b<i>.docx: {what}", "b<i>.docx", what, ("Hush!",))
    ]
    with opened(browser, tmp_path, evidence, problems=problems, bypass_csp=True) as page:
        assert page.locator(".side.left .disguise").count() == 0
        right = page.locator(".side.right .text")
        assert right.evaluate("box => box.textContent").split() == disguised.split()
        marked = right.locator(".disguise")
        places = disguises_in(disguised)
        assert marked.all_text_contents() == [
            *(disguised[start:stop] for start, stop, _ in places),
            "Hush!",
        ]
        titles = [mark.get_attribute("title") for mark in (marked.first, marked.last)]
        assert titles == ["Disguised by confusable letters", "Hidden"]
        assert marked.first.get_attribute("aria-label") == titles[0]
        assert page.locator("#summary .note").all_inner_texts() == [
            f"b<i>.docx {counted_in_the_warning(disguised)}; marked in {len(places)} places.",
            f"b<i>.docx holds text that it does not show: {what}.",
        ]
        results = [audit(page)]
        page.emulate_media(color_scheme="dark")
        results.append(audit(page))
        assert [result.generate_report() for result in results if result.violations_count] == []


def test_the_interface_is_also_chinese_and_texts_are_not_touched(
    browser: Browser, tmp_path: Path
) -> None:
    text = (
        "随着信息时代的发展，数字文档呈几何级增长。由于数字文档具有易复制性，这导致项目重复申请。"
        * 4
    )
    documents = [Document.of(f"{text}Show", "Passages"), Document.of(text, "b.txt")]
    with opened(browser, tmp_path, sdtext.find_reuse(*documents, texts=True)) as page:
        page.evaluate("location.hash = '#d1'")
        assert f"{len(text) + 4} characters" in page.locator("#summary").inner_text()
        page.click("#language")
        assert page.locator("#reader-title").inner_text() == "雷同段落"
        assert f"{len(text) + 4} 字" in page.locator("#summary").inner_text()
        assert page.evaluate(ENGLISH) == []
        assert "Show" in page.locator(".text").inner_text()
        assert "Passages" in page.locator("#summary bdi").inner_text()
        go(page, "#p1", ".sides")
        assert "第 1 段" in page.locator("#place").inner_text()
        assert audit(page).violations_count == 0
        page.click("#language")
        page.wait_for_selector("html[lang=en]")
        assert page.locator("#reader-title").inner_text() == "Passages"


@pytest.mark.deep
def test_thousands_of_passages_stay_aligned(browser: Browser, tmp_path: Path) -> None:
    words = " ".join(prose(seed, 170) for seed in range(1000))
    step = len(words) // 5000
    passages = tuple(
        Passage(
            Span(place * step, place * step + step - 20),
            Span(place * 37 % 5000 * step, place * 37 % 5000 * step + step - 20),
            Similarity(3, 4),
            edits=(Edit("replace", Span(place * step + 9, place * step + 14), Span(0, 0)),),
        )
        for place in range(5000)
    )
    documents = tuple(Examined(name, 170000, len(words), text=words) for name in "ab")
    shared = (Shared(0, 1, passages, 0.9, 0.9),)
    whole = Evidence(documents, shared, (Coverage(0, 0.9, {1: 0.9}),))
    with opened(browser, tmp_path, whole) as page:
        for number in (4000, 10, 2500, 4999, 2501):
            heights = page.evaluate(PAINTED, number)
            heights = [pair for pair in heights if None not in pair]
            assert len(heights) > 30
            assert [pair for pair in heights if abs(pair[0] - pair[1]) > 3] == []
            assert page.evaluate(SEEN) == [True, True]


@pytest.mark.deep
def test_hostile_names_and_texts_do_nothing_in_a_page_of_many_passages(
    browser: Browser, tmp_path: Path
) -> None:
    piece = f"{EVIL} <img src=x onerror=alert(1)> {'w' * 60} \u2028\u2066\u0000"
    text = piece * 10_000 + "x" * 1_000_000  # in one line
    passages = tuple(
        Passage(Span(start, start + 30), Span(start, start + 30), Similarity(3, 4))
        for start in range(0, 10_000 * len(piece), len(piece))
    )
    names = (f"a/{EVIL}.txt", "a/\u202e<img src=x onerror=alert(1)>" + "n" * 5000)
    facts = {EVIL: EVIL}
    documents = tuple(
        Examined(name, 90_000, len(text), text=text, metadata=facts) for name in names
    )
    problem = Problem("warning", "hidden-text", f"{names[0]}: {EVIL}", names[0], EVIL)
    whole = Evidence(documents, (Shared(0, 1, passages, 0.5, 0.5),), (Coverage(0, 0.5, {1: 0.5}),))
    made = evidence_page(replace(whole, problems=(problem,)))
    made = replace(made, provenance=replace(made.provenance, command=EVIL))
    with report_opened(browser, tmp_path, made, viewport={"width": 360, "height": 900}) as page:
        page.set_default_timeout(60_000)
        dialogs: list[str] = []
        page.on("dialog", lambda dialog: dialogs.append(dialog.message))
        for address in ("#m10000", "#d1", "#p1"):
            page.evaluate("address => { location.hash = address; }", address)
            page.wait_for_timeout(500)
            assert width_of_content(page) <= 360
        shown = page.evaluate("document.body.innerText")
        assert not set("\u202e\u2066\x1b\0") & set(shown)
        assert page.locator("img").count() == 0
        assert page.locator("script").count() == 2
        assert page.locator(".side.left mark").count() >= 10_000
        assert dialogs == []


def test_text_in_another_order_has_moved_and_its_ribbons_cross(
    browser: Browser, tmp_path: Path
) -> None:
    first, second = prose(1, 60), prose(2, 60)
    texts = Document.of(f"{first} {second}", "a.txt"), Document.of(f"{second} {first}", "b.txt")
    with opened(browser, tmp_path, sdtext.find_reuse(*texts, texts=True)) as page:
        assert page.locator(".sides .moved, .sides .tag").count() >= 4
        assert page.locator(".sides .edit").count() == 0
        ends = page.evaluate(
            "all('.ribbons path').map((path) => path.getAttribute('d').match(/[\\d.]+/g))"
            ".map(([, top, , , , start]) => [+top, +start])"
        )
        assert any(a[0] < b[0] and a[1] > b[1] for a in ends for b in ends)


def test_the_verdict_on_one_document_names_its_chapter_and_the_strongest_source(
    browser: Browser, tmp_path: Path
) -> None:
    _, paths = essays(tmp_path)
    evidence = sdtext.find_reuse(paths[0], paths[1:], texts=True, unit="chapter")
    with opened(browser, tmp_path, evidence) as page:
        verdict = page.locator("#verdict").inner_text()
        found = r"essay0.html: \d+ % found in 4 of 4 documents; most in Chapter \d, \d+ %."
        shares = r"\d+ % stands in \S+, where it makes up \d+ %\."
        assert re.fullmatch(f"{found} {shares}", verdict)
        # One document opens at its heaviest passage; a source is left out with a reason.
        page.locator("#verdict a").first.click()
        words = "({ spans: [[start, end]] }) => end - start"
        lengths = page.evaluate(f"preferred(shown.steps).map({words})")
        assert page.evaluate(f"({words})(shown.current)") >= 0.9 * max(lengths)
        before = page.locator("#summary").inner_text()
        page.get_by_role("checkbox", name="Count this source").first.click()
        assert page.locator("#summary").inner_text() != before
        assert page.locator("#notice select").is_visible()


def test_cards_of_one_pair_and_numbers_follow_what_counts(browser: Browser, tmp_path: Path) -> None:
    template, paths = essays(tmp_path)
    evidence = sdtext.find_reuse(paths[0], paths[1], texts=True, template=[template])
    with opened(browser, tmp_path, evidence) as page:
        count = page.evaluate("counting(passages).length")
        numbers = page.evaluate("counting(passages).map(({ number }) => number)")
        assert numbers == list(range(1, count + 1))
        assert page.evaluate("passages.length") > count
        for _ in range(count):
            page.locator(".passages li:not(.off) .leave input").first.click()
        cards = " ".join(page.locator(".cards").inner_text().split())
        assert "Passages 0" in cards
        assert "Largest total share 0 %" in cards


def test_nodes_and_bars_narrow_the_table(page: Page) -> None:
    page.click("#figures > summary")
    name = page.locator("[data-node] title").first.text_content()
    page.locator("[data-node]").first.dispatch_event("click")
    rows = page.locator("#table tbody tr").all_inner_texts()
    assert rows
    assert all(str(name) in row for row in rows)
    assert page.locator("#table tbody tr").first.locator("a").count() == 2
    page.fill("#words", "")
    page.locator(".histogram g:has(.bar)").nth(5).dispatch_event("click")
    assert page.locator("#least").input_value() == "25"


def test_pairs_and_documents_open_at_their_heaviest_passage(
    browser: Browser, tmp_path: Path
) -> None:
    short, long = prose(1, 40), prose(2, 120)
    texts = (f"{short} {prose(seed, 900)} {long}" for seed in (3, 4))
    first, *others = (Document.of(text, name) for text, name in zip(texts, "ab", strict=True))
    for sources, place in (
        (others, "Passage 2, 2 of 2"),  # a pair
        ([*others, Document.of(prose(5, 90), "c")], "Source 1, passage 2 of 2"),  # a document
    ):
        evidence = sdtext.find_reuse(first, sources, texts=True)
        with opened(browser, tmp_path, evidence) as page:
            assert page.locator("#place").inner_text() == place
            page.wait_for_function(f"({SEEN})().every(one => one)")
            assert page.locator(".text").first.evaluate("box => box.scrollTop") > 500


def test_the_verdict_counts_all_documents_of_a_collection(browser: Browser, tmp_path: Path) -> None:
    """Those, too, that share nothing; the shares are those of what was asked about."""
    for seed in range(5):
        (tmp_path / f"{seed}.txt").write_text(f"{paragraph(seed)} {paragraph(seed + 20)}")
    with sdtext.create(tmp_path / "a.sdx", recipe="reuse", keep_text=True) as stored:
        stored.add(tmp_path)
    query = Document.of(f"{paragraph(0)} {paragraph(1)} {prose(30, 400)}", "0.txt")
    evidence = sdtext.find_reuse(query, tmp_path / "a.sdx", texts=True)
    with opened(browser, tmp_path, evidence) as page:
        verdict = page.locator("#verdict").inner_text()
        shares = re.findall(r"(\d+) %", verdict)
        assert "found in 2 of 5 documents" in verdict
        assert int(shares[1]) < int(shares[0]) < int(shares[2])
        assert page.locator("#verdict a").last.get_attribute("href") == "#p1"
        assert re.search(r"0.txt: .* stands in (a\.sdx/0|1)\.txt,", verdict)
        assert page.evaluate("overview.names") == ["0.txt", "a.sdx/0.txt", "1.txt"]
