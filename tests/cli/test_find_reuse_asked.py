"""FindReuse: what does not count, chapters, how windows are chosen, short texts, records."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sdtext.reading import parallel_run as batches
from sdtext.reuse import documents as documents_of_search
from tests.parts.readers.office import docx, paragraph, run, t
from tests.parts.readers.pdfs import pdf

from .command import done, federalist, here, there
from .planted import FORM, PLANTED, RECIPE, check_planted, text

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


def test_a_template_of_several_documents_is_one_row_unless_all_are_asked_for() -> None:
    for name in ("a", "b", "d", "e"):
        Path("essays").mkdir(exist_ok=True)
        planted = PLANTED if name in "ab" else ""
        Path(f"essays/{name}.txt").write_text(f"{text(name * 4, 0, 99)} {planted} {FORM}\n")
    Path("form.txt").write_text(FORM)
    asked = ["FindReuse", "essays", "--template", "form.txt"]
    outcome = done(*asked)
    copied, form = outcome.table
    check_planted(copied)
    assert (form["right"], form["excluded"], form["documents"]) == ("", "template", "4")
    start, length = int(form["left_offset"]), int(form["left_length"])
    assert Path(form["left"]).read_text()[start : start + length] == FORM
    assert "6 passages left out of the shares: template 6" in outcome.err
    assert "1 excluded text in several documents, one row each; --all lists all rows" in outcome.err
    shown = done(*asked, "--show").text
    assert shown.count(FORM.split()[-1]) == 1
    assert "2. stands in 4 documents; does not count: template" in shown
    assert done(*asked, "--format", "table").text.count("template") == 1
    every = [row["excluded"] for row in rows(*asked[1:], "--all")]
    assert sorted(every) == ["", *["template"] * 6]
    evidence = done(*asked, "--format", "xml").text
    assert evidence.count('excluded="template"') == 6


def test_what_is_quoted_does_not_count_if_that_is_asked_for() -> None:
    Path("a.txt").write_text(f"{text('alder', 0, 100)} “{PLANTED}” {text('alder', 100)}")
    (row,) = rows("a.txt", "b.txt")
    assert row["excluded"] == ""
    (row,) = rows("a.txt", "b.txt", "--exclude-quotes")
    assert row["excluded"] == "quote"
    assert float(row["left_share"]) == 0
    outcome = here("FindReuse", "a.txt", "b.txt", "--exclude-quotes", "--exit-code")
    assert outcome.code == 1


def test_lists_of_references_do_not_count_if_that_is_asked_for() -> None:
    listed = "\n".join(
        f"[{number}] Alder, B. {text('cedar', 6 * number, 6 * number + 6)} ({1990 + number})."
        for number in range(1, 10)
    )
    for name in ("a.txt", "b.txt"):
        Path(name).write_text(f"{text(name[0] * 4)}\n\nReferences\n\n{listed}\n")
    (row,) = rows("a.txt", "b.txt")
    assert row["excluded"] == ""
    (row,) = rows("a.txt", "b.txt", "--exclude-references")
    assert row["excluded"] == "references"


def test_stored_documents_know_their_quotes_and_chapters() -> None:
    Path("recipe.toml").write_text(RECIPE)
    Path("a.html").write_text(chapters(text("alder"), f"„{PLANTED}“"))
    done("AddDocuments", "x.sdx", "a.html", "b.txt", "-c", "recipe.toml")
    (row,) = rows("x.sdx", "--exclude-quotes")
    assert row["excluded"] == "quote"
    reported = done("FindReuse", "x.sdx", "--unit", "chapter", "--format", "json").json["coverage"]
    parts = {item["title"]: item["share"] for item in reported[0]["parts"]}
    assert parts == {"First": 0, "Second": pytest.approx(60 / 61)}


def test_the_shares_of_chapters_are_reported() -> None:
    Path("a.html").write_text(chapters(text("alder"), f"{PLANTED} {PLANTED}"))
    outcome = done("FindReuse", "a.html", "b.txt", "--unit", "chapter", "--format", "json")
    parts = {item["title"]: item for item in outcome.json["coverage"][0]["parts"]}
    assert parts["First"]["share"] == 0
    assert parts["Second"]["share"] == pytest.approx(120 / 121)
    assert "chapters: Second 99 %" in outcome.err


def test_short_windows_find_shorter_passages() -> None:
    Path("b.txt").write_text(f"{text('birch', 0, 100)} {text('cedar', 3, 17)} {text('birch', 100)}")
    assert rows("a.txt", "b.txt") == []
    (row,) = rows("a.txt", "b.txt", "--short")
    check_planted(row, text("cedar", 3, 17))
    assert rows("a.txt", "b.txt", "--short", "--min-passage", "15") == []


@pytest.mark.parametrize(("options", "least"), [((), 15), (("--short",), 11)])
def test_a_quotation_is_found_from_so_many_terms_on(options: tuple[str, ...], least: int) -> None:
    """Stop words are no terms."""
    for number in (least - 1, least):
        quotation = text("cedar", 0, number).replace(" ", " of the ")
        for name, own in (("a.txt", "alder"), ("b.txt", "birch")):
            Path(name).write_text(f"{text(own, 0, 100)} {quotation} {text(own, 100)}")
        assert len(rows("a.txt", "b.txt", *options)) == (number == least)


def test_verbatim_windows_find_only_what_is_nearly_equal() -> None:
    long = text("cedar", 0, 150).split()
    Path("a.txt").write_text(f"{text('alder')} {' '.join(long)}")
    Path("b.txt").write_text(f"{' '.join(long)} {text('birch')}")
    (row,) = rows("a.txt", "b.txt", "--verbatim")
    check_planted(row, " ".join(long))
    Path("b.txt").write_text(
        " ".join("other" if place % 10 else long[place] for place in range(150))
    )
    assert rows("a.txt", "b.txt", "--verbatim") == []


def test_windows_are_as_long_and_as_far_apart_as_asked_for() -> None:
    def parameters(*asked: str) -> tuple[str, str]:
        reported = done("FindReuse", "a.txt", "b.txt", "--format", "json", *asked).json[
            "parameters"
        ]
        return reported["w"], reported["distance"]

    assert parameters() == ("30", "15")
    assert parameters("-w", "40") == ("40", "20")
    assert parameters("-w", "40", "--distance", "3") == ("40", "3")


def test_the_order_of_terms_counts_where_it_is_asked_for() -> None:
    turned = " ".join(reversed(PLANTED.split()))
    Path("b.txt").write_text(f"{text('birch')} {turned}")
    assert len(rows("a.txt", "b.txt")) == 1
    assert rows("a.txt", "b.txt", "--ordered") == []


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


def test_short_stored_texts_are_counted(stored: str) -> None:
    for number in range(5):
        Path(f"s{number}.txt").write_text(text("cedar", 8 * number, 8 * number + 8 + number))
    done("AddDocuments", stored, *(f"s{number}.txt" for number in range(5)))
    Path("copy.txt").write_bytes(Path("a.txt").read_bytes())
    outcome = done("FindReuse", stored, "-i", "copy.txt")
    assert {row["right"] for row in outcome.table} == {
        "a.txt",
        "b.txt",
        "s2.txt",
        "s3.txt",
        "s4.txt",
    }
    (line,) = [line for line in outcome.errors if line.startswith("warning")]
    assert "5 documents with fewer terms than a window of 30" in line
    assert "2 have fewer than 10" in line


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


def test_records_are_looked_for_by_their_ids(stored: str) -> None:
    records = [{"id": "one", "text": PLANTED, "title": "birches"}, {"id": "two", "text": "no"}]
    Path("q.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records))
    result = rows(stored, "-i", "q.jsonl")
    assert [(row["left"], row["right"], row["metadata"]) for row in result] == [
        ("one", "a.txt", result[0]["metadata"]),
        ("one", "b.txt", "99"),
    ]


def test_the_standard_input_is_a_file_as_well() -> None:
    outcome = here("FindReuse", "-i", "-", "-i", "b.txt", stdin=PLANTED.encode())
    assert outcome.code == 0, outcome.err
    assert [(row["left"], row["left_share"]) for row in outcome.table] == [("-", "1.0")]


@pytest.mark.deep
def test_several_processes_read_the_files(stored: str) -> None:
    Path("more").mkdir()
    for number in range(6):
        Path(f"more/{number}.txt").write_text(f"{text('more') * 900} {PLANTED}")
    asked = ("FindReuse", stored, "-i", "more")
    assert there(*asked, "--jobs", "2").out == done(*asked, "--jobs", "1").out


def test_other_windows_of_a_recipe_are_taken_for_a_collection(stored: str) -> None:
    Path("other.toml").write_text(RECIPE.replace('"windows"\na', '{ name = "windows", w = 40 }\na'))
    reported = done("FindReuse", stored, "-c", "other.toml", "--format", "json").json
    assert reported["parameters"]["w"] == "40"


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


def test_stored_documents_of_one_name_are_distinguished_by_their_folders(stored: str) -> None:
    Path("more").mkdir()
    Path("more/a.txt").write_text(PLANTED)
    done("AddDocuments", stored, "more")
    Path("copy.txt").write_bytes(Path("b.txt").read_bytes())
    result = {row["right"] for row in rows(stored, "-i", "copy.txt")}
    assert result == {"b.txt", *(str(Path(name).absolute()) for name in ("a.txt", "more/a.txt"))}
