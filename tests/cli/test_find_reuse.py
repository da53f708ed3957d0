"""FindReuse as a user has it: two files, one file and a collection, a collection, two."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from lxml import html

import sdtext
from sdtext.fingerprinting.load_and_save import load_evidence
from sdtext.formats.pan import read_pan

from .command import check_refused, done, here, parsed, prose
from .planted import PLANTED, check_planted, text
from .test_json_schemas import check

COLUMNS = [
    *("left", "right", "score", "similarity", "verbatim", "left_offset", "left_length"),
    *(
        "right_offset",
        "right_length",
        "left_share",
        "right_share",
        "metadata",
        "excluded",
        "documents",
    ),
]
EVIDENCE = {"e": "urn:sdtext:evidence"}

pytestmark = pytest.mark.usefixtures("files")


def pairs(*arguments: object) -> list[tuple[str, str]]:
    """The documents of each row."""
    return [(row["left"], row["right"]) for row in done("FindReuse", *arguments).table]


def test_a_passage_is_found_in_two_files_and_its_places_are_exact() -> None:
    outcome = done("FindReuse", "-i", "a.txt", "-i", "b.txt")
    (row,) = outcome.table
    assert list(row) == COLUMNS
    check_planted(dict(row))
    assert (row["score"], float(row["similarity"]), row["verbatim"]) == ("99", 1.0, "99")
    assert float(row["left_share"]) == pytest.approx(60 / 360)
    assert outcome.errors[-2:] == [
        "a.txt: 16 % of its words in passages shared with 1 document (b.txt 16 %)",
        "1 passage found",
    ]
    assert done("FindReuse", "a.txt", "b.txt").out == outcome.out


@pytest.mark.parametrize("form", ["json", "jsonl", "csv", "tsv"])
def test_rows_are_the_same_in_every_format(form: str) -> None:
    outcome = done("FindReuse", "-i", "a.txt", "-i", "b.txt", "--format", form)
    if form == "json":
        assert outcome.json["schema"] == "sdtext/reuse/1"
        (row,) = outcome.json["rows"]
        assert outcome.json["coverage"][0]["share"] == pytest.approx(60 / 360)
    elif form == "jsonl":
        row = json.loads(outcome.text)
    else:
        dialect = "excel" if form == "csv" else "excel-tab"
        (row,) = csv.DictReader(io.StringIO(outcome.text), dialect=dialect)
    assert list(row) == COLUMNS
    check_planted(row)


def test_a_table_can_be_read_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "110")
    table = done("FindReuse", "a.txt", "b.txt", "--format", "table").text
    assert all(len(line) <= 110 for line in table.splitlines())


def test_evidence_has_the_passage_its_edits_and_the_documents() -> None:
    words = PLANTED.split()
    changed = " ".join([*words[:20], "elm", *words[21:]])
    Path("b.txt").write_text(f"{text('birch', 0, 30)} {changed} {text('birch', 30)}")
    Path("evidence.xml").write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    root = parsed("evidence.xml")
    (passage,) = root.findall(".//e:passage", EVIDENCE)
    start = Path("a.txt").read_text().index(PLANTED)
    assert (passage.get("left_offset"), passage.get("left_length")) == (
        str(start),
        str(len(PLANTED)),
    )
    (edit,) = passage.findall("e:edit", EVIDENCE)
    assert edit.get("kind") == "replace"
    names = [item.text for item in root.findall(".//e:document/e:name", EVIDENCE)]
    assert names == ["a.txt", "b.txt"]
    assert all(item.get("digest") for item in root.findall(".//e:document", EVIDENCE))


def test_evidence_says_when_it_was_made_on_what_machine_and_by_which_sdtext() -> None:
    for name in ("first.xml", "second.xml"):
        Path(name).write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    evidence, second = load_evidence("first.xml"), load_evidence("second.xml")
    assert evidence.origin.guid != second.origin.guid
    assert datetime.fromisoformat(evidence.origin.created).tzinfo
    assert evidence.origin.system
    assert evidence.origin.system.os_sysname
    assert evidence.parameters["program"] == f"sdtext {sdtext.__version__}"
    assert replace(evidence, origin=second.origin) == second


def test_pan_has_offsets_in_code_points_of_the_text_as_read() -> None:
    Path("b.txt").write_bytes(f"\ufeff𝔘𝔫𝔦𝔠𝔬𝔡𝔢\r\n{PLANTED}\r\nmore".encode())
    outcome = done("FindReuse", "-i", "a.txt", "-i", "b.txt", "--format", "pan")
    (case,) = read_pan(io.BytesIO(outcome.out), "pan.xml")
    assert (case.this.document, case.source.document) == ("a.txt", "b.txt")
    for stretch in (case.this, case.source):
        whole = done("ExtractText", "-i", stretch.document).text
        assert whole[stretch.start : stretch.end] == PLANTED


def test_pan_without_passages_is_an_empty_document() -> None:
    Path("b.txt").write_text(text("birch"))
    outcome = done("FindReuse", "-i", "a.txt", "-i", "b.txt", "--format", "pan")
    assert outcome.text.endswith('<document reference="a.txt"/>\n')


def test_the_first_file_is_compared_with_each_of_the_others() -> None:
    Path("c.txt").write_text(PLANTED)
    assert set(pairs("a.txt", "b.txt", "c.txt")) == {("a.txt", "b.txt"), ("a.txt", "c.txt")}


def test_a_folder_stands_for_the_files_in_it() -> None:
    Path("sources").mkdir()
    Path("b.txt").rename("sources/b.txt")
    assert pairs("-i", "a.txt", "-i", "sources") == [("a.txt", "sources/b.txt")]
    assert pairs("-i", "sources", "-i", "a.txt") == [("sources/b.txt", "a.txt")]


def test_files_are_looked_for_in_a_collection(stored: str) -> None:
    Path("q.txt").write_text(f"{text('query', 0, 40)} {PLANTED}")
    Path("copy.txt").write_bytes(Path("c.txt").read_bytes())
    rows = done("FindReuse", stored, "-i", "q.txt", "-i", "c.txt", "-i", "copy.txt").table
    result = {(row["left"], row["right"]): row for row in rows}
    assert set(result) == {("q.txt", "a.txt"), ("q.txt", "b.txt"), ("copy.txt", "c.txt")}
    check_planted(dict(result["q.txt", "a.txt"]))
    assert float(result["copy.txt", "c.txt"]["left_share"]) == 1


def test_shares_of_several_sources_count_each_word_once(stored: str) -> None:
    Path("q.txt").write_text(f"{text('query', 0, 40)} {PLANTED}")
    reported = done("FindReuse", stored, "-i", "q.txt", "--format", "json").json["coverage"]
    assert [item["document"] for item in reported] == ["q.txt"]
    assert reported[0]["share"] == pytest.approx(0.6)
    assert [item["share"] for item in reported[0]["sources"]] == pytest.approx([0.6, 0.6])


def test_documents_of_a_collection_are_compared_with_each_other(stored: str) -> None:
    outcome = done("FindReuse", stored)
    (row,) = outcome.table
    assert (row["left"], row["right"]) == ("a.txt", "b.txt")
    check_planted(dict(row))
    assert "3 documents compared with each other" in outcome.err


def test_two_collections_are_compared_with_one_another(stored: str) -> None:
    Path("d.txt").write_text(f"{PLANTED} {text('dune')}")
    done("AddDocuments", "y.sdx", "d.txt", "-c", "recipe.toml")
    assert pairs("y.sdx", stored) == [("d.txt", "a.txt"), ("d.txt", "b.txt")]
    assert pairs(stored, "y.sdx") == [("a.txt", "d.txt"), ("b.txt", "d.txt")]
    assert pairs(stored, "y.sdx", "--where", "year = 2020") == [("b.txt", "d.txt")]
    outcome = done("FindReuse", stored, stored)
    assert [(row["left"], row["right"]) for row in outcome.table] == [("a.txt", "b.txt")]
    assert "warning: both are the same collection" in outcome.err


def test_a_condition_chooses_among_stored_documents(stored: str) -> None:
    assert pairs(stored, "-i", "a.txt", "--where", "year = 2020") == [("a.txt", "b.txt")]
    assert pairs(stored, "--where", "year != 2020") == []
    assert here("FindReuse", stored, "--where", "yaer = 2020").code == 2


def test_similar_titles_have_a_row_of_their_own(stored: str) -> None:
    Path("q.txt").write_text(text("query"))
    Path("q.csv").write_text("file,title\nq.txt,trees of the north\n")
    (row,) = done("FindReuse", stored, "-i", "q.txt", "--metadata", "q.csv").table
    assert (row["left"], row["right"], row["metadata"]) == ("q.txt", "a.txt", "99")
    assert row["score"] == ""
    outcome = here("FindReuse", stored, "-i", "q.txt", "--metadata", "q.csv", "--exit-code")
    assert outcome.code == 1


def test_metadata_of_no_document_at_hand_are_reported(stored: str) -> None:
    Path("q.csv").write_text("file,title\nother.txt,Trees\n")
    outcome = done("FindReuse", stored, "-i", "a.txt", "--metadata", "q.csv")
    assert "other.txt" in outcome.err


def written(*sizes: int) -> None:
    """Texts that share more and more words with `all.txt`, and nothing else."""
    copied = " ".join(f"copied{number}" for number in range(400))
    Path("all.txt").write_text(copied, "utf-8")
    for place, size in enumerate(sizes):
        own = " ".join(f"own{place}word{number}" for number in range(200))
        shared = " ".join(copied.split()[:size])
        Path(f"{place}.txt").write_text(f"{own} {shared}", "utf-8")


def test_rows_are_in_the_order_of_weight_and_can_be_limited() -> None:
    written(50, 300, 100)
    line = ("FindReuse", "all.txt", "0.txt", "1.txt", "2.txt")
    assert [row["right"] for row in done(*line).table] == ["1.txt", "2.txt", "0.txt"]
    assert [row["right"] for row in done(*line, "-k", "1").table] == ["1.txt"]
    pairs = done(*line, "--by", "pair", "-s", "30").table
    assert [(row["right"], row["score"]) for row in pairs] == [("1.txt", "75"), ("2.txt", "33")]
    record = done(*line, "--by", "pair", "--format", "json").json
    assert (record["schema"], len(record["rows"])) == ("sdtext/reuse-pairs/1", 3)


def test_pairs_that_share_nothing_that_counts_are_listed_by_all() -> None:
    task = prose(1, 60)
    Path("task.txt").write_text(task, "utf-8")
    Path("essays").mkdir()
    for number, copied in enumerate((2, 2, 3)):
        Path(f"essays/{number}.txt").write_text(f"{task}\n\n{prose(copied, 200)}", "utf-8")
    line = ("FindReuse", "essays", "--template", "task.txt", "--by", "pair")
    [row] = done(*line).table
    assert (row["left"], row["right"]) == ("essays/0.txt", "essays/1.txt")
    assert [row["score"] for row in done(*line, "--all").table][1:] == ["0", "0"]


@pytest.fixture
def joined() -> None:
    """Six texts, in a folder and stored; left and right share boilerplate and other text in one.

    Each part is too short for a passage of its own.
    """
    form, other = text("form", 0, 14), text("other", 0, 7)
    beginnings = {f"{name}.txt": form for name in ("ash", "bay", "elm", "fir")}
    beginnings |= {"right.txt": f"{form} {other}", "left.txt": f"{text('form', 7, 14)} {other}"}
    for name, beginning in beginnings.items():
        Path(name).write_text(f"{beginning} {text(Path(name).stem, 0, 60)}")
    done("AddDocuments", "joined.sdx", *beginnings, "-c", "reuse")
    Path("texts").mkdir()
    for name in beginnings:
        Path(name).rename(f"texts/{name}")


@pytest.mark.usefixtures("joined")
@pytest.mark.parametrize("is_stored", [False, True])
def test_a_pair_of_whose_passages_nothing_is_left_is_no_pair(*, is_stored: bool) -> None:
    alone = ("FindReuse", "texts/left.txt", "texts/right.txt", "--short")
    assert len(done(*alone).table) == 1
    line = ("FindReuse", "joined.sdx" if is_stored else "texts", "--short", "--all")
    outcome = done(*line, "--format", "json")
    assert outcome.json["rows"]
    shown = done(*line, "--show").text
    assert "left.txt" not in {Path(row["left"]).name for row in outcome.json["rows"]}
    assert 0 not in {pair["passages"] for pair in outcome.json["pairs"]}
    assert "left.txt" not in done(*line, "--by", "pair").text + shown
    assert "no passage" not in shown
    named = [Path(item["document"]).name for item in outcome.json["documents"]]
    assert ("left.txt" in named) is not is_stored  # as other stored documents that share nothing


@pytest.mark.usefixtures("joined")
def test_a_pair_with_similar_titles_stays_without_its_passages() -> None:
    Path("facts.csv").write_text("file,title\nleft.txt,Trees\nright.txt,Trees\n")
    line = ("FindReuse", "texts", "--short", "--metadata", "facts.csv")
    titled = [row for row in done(*line).table if row["metadata"]]
    assert [(Path(row["left"]).name, row["score"]) for row in titled] == [("left.txt", "")]
    (pair,) = done(*line, "--by", "pair").table
    assert (pair["passages"], pair["metadata"]) == ("0", "99")


def test_rows_that_are_left_out_are_counted() -> None:
    written(50, 300, 100)
    line = ("FindReuse", "all.txt", "0.txt", "1.txt", "2.txt")
    outcome = done(*line, "-k", "1", "--format", "json")
    assert (outcome.json["more"], len(outcome.json["rows"])) == (2, 1)
    assert outcome.errors[0] == "… 2 more (-k, -s)"
    assert done(*line, "--by", "pair", "-s", "30", "-k", "1").errors[0] == "… 2 more (-k, -s)"
    assert done(*line, "--format", "json").json["more"] == 0
    assert "more (-k" not in done(*line, "-k", "3").err


def test_the_shares_of_documents_are_rows() -> None:
    written(50, 300, 100)
    outcome = done("FindReuse", "all.txt", "0.txt", "1.txt", "2.txt", "--by", "document")
    (row,) = outcome.table
    assert (row["document"], row["score"], row["sources"]) == ("all.txt", "75", "3")
    assert (row["source"], row["source_share"]) == ("1.txt", "0.75")
    assert not [line for line in outcome.errors if "of its words" in line]
    record = done("FindReuse", "0.txt", "all.txt", "--by", "document", "--format", "json").json
    assert record["schema"] == "sdtext/reuse-documents/1"


def test_a_folder_alone_is_compared_with_itself_each_pair_once() -> None:
    written(50, 300)
    Path("essays").mkdir()
    for name in ("all.txt", "0.txt", "1.txt"):
        Path(name).rename(Path("essays", name))
    for line in (("essays",), ("-i", "essays/"), ("essays", "essays"), ("essays", "./essays")):
        result = {(Path(left).name, Path(right).name) for left, right in pairs(*line)}
        assert result == {("0.txt", "all.txt"), ("1.txt", "all.txt"), ("0.txt", "1.txt")}
    outcome = done("FindReuse", "essays", "--by", "document")
    assert {Path(row["document"]).name: row["score"] for row in outcome.table} == {
        "0.txt": "20",
        "1.txt": "60",
        "all.txt": "75",
    }


def test_a_file_is_never_compared_with_itself() -> None:
    written(50, 300)
    Path("essays").mkdir()
    for name in ("all.txt", "0.txt", "1.txt"):
        Path(name).rename(Path("essays", name))
    Path("link").symlink_to("essays")
    for folder in ("essays", "link"):
        rows = done("FindReuse", "essays/all.txt", folder).table
        assert [Path(row["right"]).name for row in rows] == ["1.txt", "0.txt"]
    outcome = here("FindReuse", "essays/all.txt", "essays/../essays/all.txt")
    check_refused(outcome, 2)


def test_the_shares_of_chapters_are_rows() -> None:
    """Of plain text too; the chapter with the largest share comes first."""
    copied, own = text("copied", 0, 100), text("own", 0, 300)
    Path("book.txt").write_text(f"CHAPTER I\n\n{own}\n\nCHAPTER II\n\n{own[:900]} {copied}\n")
    Path("source.txt").write_text(copied)
    outcome = done("FindReuse", "book.txt", "source.txt", "--by", "chapter")
    assert [(row["chapter"], row["score"] != "0") for row in outcome.table] == [
        ("CHAPTER II", True),
        ("CHAPTER I", False),
    ]
    assert "of its words" not in outcome.err
    line = ("FindReuse", "book.txt", "source.txt", "--unit", "chapter", "--format", "xml")
    Path("evidence.xml").write_bytes(done(*line).out)
    assert done("ShowEvidence", "evidence.xml", "--by", "chapter").out == outcome.out
    Path("without.xml").write_bytes(done("FindReuse", *line[1:3], "--format", "xml").out)
    check_refused(here("ShowEvidence", "without.xml", "--by", "chapter"), 2)


def test_text_before_the_first_heading_has_a_name_for_people_alone() -> None:
    copied = text("copied", 0, 100)
    Path("book.md").write_text(f"{copied}\n\n# Bees\n\n{text('own', 0, 300)}\n")
    Path("source.txt").write_text(f"{copied} {text('other', 0, 100)}")
    line = ("FindReuse", "book.md", "source.txt", "--by", "chapter")
    table = done(*line, "--format", "table").text
    assert re.search(r"99  book\.md +\(before the first heading\) ", table)
    assert [row["chapter"] for row in done(*line).table] == ["", "Bees"]
    rows = done(*line, "--format", "json").json["rows"]
    assert [row["chapter"] for row in rows] == [None, "Bees"]
    done("FindReuse", "book.md", "source.txt", "--unit", "chapter", "--html", "out.html")
    page = html.fromstring(Path("out.html").read_bytes())
    cells = page.xpath("//template//details[@class='chapters']//tbody/tr/td[1]/text()")
    assert cells == ["(before the first heading)", "Bees"]
    whole = done("FindReuse", "source.txt", "book.md", "--by", "chapter", "--format", "table").text
    assert "(no headings)" in whole


def test_a_narrow_table_keeps_the_places_of_passages_before_shares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    Path("addresses").mkdir()
    for number in range(3):
        own, copied = text(f"own{number}", 0, 90), text("copied", 20 * number, 99)
        Path(f"addresses/{1789 + number}-Washington.txt").write_text(f"{own} {copied}")
    outcome = done("FindReuse", "addresses", "--format", "table")
    for row in done("FindReuse", "addresses").table:
        places = (f"{row[f'{side}_offset']}:{row[f'{side}_length']}" for side in ("left", "right"))
        assert re.search(f" {row['score']}  {' +'.join(places)}\\s", outcome.text)
    (left_out,) = re.findall("no room for: (.*);", outcome.text)
    assert "place" not in left_out


def test_passages_name_their_chapters() -> None:
    copied, own = text("copied", 0, 100), text("own", 0, 300)
    Path("works").mkdir()
    Path("works/book.txt").write_text(f"CHAPTER I\n\n{own}\n\nCHAPTER II\n\n{own[:900]} {copied}\n")
    Path("works/source.txt").write_text(f"CHAPTER IV\n\n{text('other', 0, 90)} {copied}\n")
    line = ("FindReuse", "works/book.txt", "works/source.txt")
    asked = ("--unit", "chapter", "--format")
    outcome = done(*line, *asked, "json", "--show")
    assert check(outcome.json) == "reuse-1"
    (row,) = outcome.json["rows"]
    assert (row["left_chapter"], row["right_chapter"]) == ("CHAPTER II", "CHAPTER IV")
    assert "CHAPTER II" in (table := done(*line, *asked, "table").text)
    assert "CHAPTER IV" in table
    shown = done(*line, "--unit", "chapter", "--show").text
    assert "works/book.txt:7, CHAPTER II  " in shown
    assert "works/source.txt:3, CHAPTER IV  " in shown
    (row,) = done("FindReuse", "works", "--unit", "chapter").table
    assert sorted((row["left_chapter"], row["right_chapter"])) == ["CHAPTER II", "CHAPTER IV"]
    assert "left_chapter" not in done(*line).table[0]
    Path("evidence.xml").write_bytes(done(*line, *asked, "xml").out)
    assert done("ShowEvidence", "evidence.xml").table[0]["left_chapter"] == "CHAPTER II"


def test_a_file_is_not_compared_with_its_own_stored_copy() -> None:
    """Unless it has changed since; a copy of it elsewhere is compared."""
    written(50, 300)
    Path("essays").mkdir()
    for name in ("all.txt", "0.txt", "1.txt"):
        Path(name).rename(Path("essays", name))
    Path("link").symlink_to("essays")
    done("AddDocuments", "c.sdx", "link", "-c", "reuse")
    for file in ("essays/all.txt", "link/all.txt"):
        outcome = done("FindReuse", file, "c.sdx")
        assert [row["right"] for row in outcome.table] == ["1.txt", "0.txt"]
        assert "1 document not compared with its own stored copy" in outcome.err
    assert "3 documents not compared with their" in done("FindReuse", "essays", "c.sdx").err
    Path("copy.txt").write_bytes(Path("essays/all.txt").read_bytes())
    outcome = done("FindReuse", "copy.txt", "c.sdx")
    assert [row["right"] for row in outcome.table] == ["all.txt", "1.txt", "0.txt"]
    assert "stored copy" not in outcome.err
    Path("essays/all.txt").write_text(f"{text('more', 0, 30)} {Path('copy.txt').read_text()}")
    rows = done("FindReuse", "essays/all.txt", "c.sdx").table
    assert [row["right"] for row in rows] == ["all.txt", "1.txt", "0.txt"]


def test_a_text_without_chapters_is_named() -> None:
    outcome = done("FindReuse", "a.txt", "b.txt", "--unit", "chapter")
    line, other = [line for line in outcome.errors if "chapters" in line]
    assert line.startswith("warning: a.txt: has no headings of chapters")
    assert other == "warning: b.txt: has no headings of chapters; its passages name none"
    assert "chapters" not in done("FindReuse", "a.txt", "b.txt").err


def test_texts_too_short_to_be_compared_are_reported() -> None:
    Path("a.txt").write_text("Bees dance.")
    Path("b.txt").write_text("Bees dance.")
    outcome = done("FindReuse", "a.txt", "b.txt")
    assert "warning: nothing was compared" in outcome.err
    assert "found elsewhere" not in outcome.err
    assert "nothing was compared" not in done("FindReuse", "a.txt", "b.txt", "-w", "2").err
