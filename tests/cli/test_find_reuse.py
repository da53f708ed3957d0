"""FindReuse as a user has it: two files, one file and a collection, a collection, two."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest

import sdtext
from sdtext.fingerprinting.load_and_save import load_evidence
from sdtext.formats.pan import read_pan

from .command import check_refused, done, here
from .planted import PLANTED, check_planted, text

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


def test_files_are_looked_for_in_a_collection(stored: str) -> None:
    Path("q.txt").write_text(f"{text('query', 0, 40)} {PLANTED}")
    Path("copy.txt").write_bytes(Path("c.txt").read_bytes())
    rows = done("FindReuse", stored, "-i", "q.txt", "-i", "c.txt", "-i", "copy.txt").table
    result = {(row["left"], row["right"]): row for row in rows}
    assert set(result) == {("q.txt", "a.txt"), ("q.txt", "b.txt"), ("copy.txt", "c.txt")}
    check_planted(dict(result["q.txt", "a.txt"]))
    assert float(result["copy.txt", "c.txt"]["left_share"]) == 1


def test_two_collections_are_compared_with_one_another(stored: str) -> None:
    Path("d.txt").write_text(f"{PLANTED} {text('dune')}")
    done("AddDocuments", "y.sdx", "d.txt", "-c", "recipe.toml")
    assert pairs("y.sdx", stored) == [("d.txt", "a.txt"), ("d.txt", "b.txt")]
    assert pairs(stored, "y.sdx") == [("a.txt", "d.txt"), ("b.txt", "d.txt")]
    assert pairs(stored, "y.sdx", "--where", "year = 2020") == [("b.txt", "d.txt")]
    outcome = done("FindReuse", stored, stored)
    assert [(row["left"], row["right"]) for row in outcome.table] == [("a.txt", "b.txt")]
    assert "warning: both are the same collection" in outcome.err


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
