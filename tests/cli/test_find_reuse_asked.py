"""FindReuse: what does not count, chapters, how windows are chosen, short texts, records."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sdtext.reading import parallel_run as batches
from sdtext.reuse import documents as documents_of_search
from tests.parts.readers.office import docx, paragraph, run, t
from tests.parts.readers.pdfs import pdf

from .command import done, federalist
from .planted import FORM, PLANTED, check_planted, text

pytestmark = pytest.mark.usefixtures("files")


def rows(*arguments: object) -> list[dict[str, str]]:
    return done("FindReuse", *arguments).table


def chapters(first: str, second: str) -> str:
    """A page with two chapters."""
    begin = "<!doctype html><html>"
    return f"{begin}<h1>First</h1><p>{first}</p><h1>Second</h1><p>{second}</p></html>"


def test_text_of_a_template_does_not_count() -> None:
    for name in ("a.txt", "b.txt"):
        place = Path(name)
        place.write_text(f"{place.read_text()} {text(name[0] * 4, 0, 40)} {FORM}")
    Path("form.txt").write_text(f"{text('other')} {FORM}")
    plain = rows("a.txt", "b.txt")
    assert [row["excluded"] for row in plain] == ["", ""]
    outcome = done("FindReuse", "a.txt", "b.txt", "--template", "form.txt")
    planted, form = outcome.table
    assert (planted["excluded"], form["excluded"]) == ("", "template")
    check_planted(planted)
    check_planted(form, FORM)
    assert float(planted["left_share"]) < float(plain[0]["left_share"])
    assert "1 passage left out of the shares: template 1" in outcome.err
    assert outcome.errors[-1] == "1 passage found"
    pan = done("FindReuse", "a.txt", "b.txt", "--template", "form.txt", "--format", "pan")
    assert pan.text.count("<feature") == 1


def test_a_text_shorter_than_a_window_is_compared_with_a_warning() -> None:
    Path("b.txt").write_text(f"{text('cedar', 5, 25)}\n")
    outcome = done("FindReuse", "a.txt", "b.txt")
    (row,) = outcome.table
    check_planted(row, text("cedar", 5, 25))
    assert "warning: b.txt: has 20 terms, fewer than a window of 30; it is compared as one" in (
        outcome.err
    )
    Path("b.txt").write_text(text("cedar", 0, 9))
    outcome = done("FindReuse", "a.txt", "b.txt")
    assert outcome.table == []
    assert "has 9 terms" in outcome.err


def test_batches_of_stored_documents_make_no_difference(
    stored: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("d.txt").write_text(f"{text('dune')} {PLANTED}")
    done("AddDocuments", stored, "d.txt")
    asked = ([stored], [stored, "-i", "a.txt", "-i", "c.txt"], [stored, stored])
    whole = [sorted(done("FindReuse", *item).text.splitlines()) for item in asked]
    monkeypatch.setattr(documents_of_search, "_BATCH_DOCUMENTS", 1)
    monkeypatch.setattr(documents_of_search, "_BATCH_WORDS", 1)
    monkeypatch.setattr(batches, "_MAX_BATCH_FILES", 1)
    assert [sorted(done("FindReuse", *item).text.splitlines()) for item in asked] == whole
    assert len(whole[0]) == 4


QUOTED = {
    ("67", "76"): "judges of the Supreme Court",
    ("69", "74"): "of the army and navy of the United States, and of the militia",
    ("33", "44"): "necessary and proper for carrying into execution",
    ("09", "43"): "popular insurrection happen in one of the confederate states",
}
"""Words of what two papers quote, by the papers."""


@pytest.mark.parametrize("papers", list(QUOTED))
def test_the_quotations_of_the_federalist_are_found(papers: tuple[str, str]) -> None:
    left, right = (federalist() / f"{number}.txt" for number in papers)
    whole = left.read_text("utf-8")
    places = [
        (int(row["left_offset"]), int(row["left_length"])) for row in rows(left, right, "--short")
    ]
    result = [" ".join(whole[start : start + length].split()) for start, length in places]
    assert any(QUOTED[papers].lower() in stretch.lower() for stretch in result), result


def test_places_in_pdf_and_word_files_are_those_of_the_text_that_is_extracted() -> None:
    words = PLANTED.split()
    parted = [
        f"{word[:5]}-\n{word[5:]}" if place % 9 == 4 else word for place, word in enumerate(words)
    ]
    lines = "\n".join(" ".join(parted[start : start + 6]) for start in range(0, 60, 6))
    Path("a.pdf").write_bytes(pdf([f"{text('alder', 0, 9)}\n{lines}\n{text('elder', 0, 9)}"]))
    body = "".join(
        paragraph(run(t(item))) for item in (text("oak", 0, 40), PLANTED, text("fir", 0, 9))
    )
    Path("b.docx").write_bytes(docx(body))
    (row,) = rows("a.pdf", "b.docx")
    left, right = (done("ExtractText", "-i", name).text for name in ("a.pdf", "b.docx"))
    start, length = int(row["left_offset"]), int(row["left_length"])
    result = re.sub("[-\xad]\\s*", "", left[start : start + length])  # one engine says U+00AD
    assert result.split() == words
    start, length = int(row["right_offset"]), int(row["right_length"])
    assert right[start : start + length] == PLANTED
