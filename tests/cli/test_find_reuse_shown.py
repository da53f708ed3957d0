"""Passages on a terminal, in pipes and in all formats: FindReuse --show, ShowEvidence."""

import json
import os
import re
from pathlib import Path

import pytest

from sdtext.fingerprinting.load_and_save import load_evidence
from tests.support.command import Outcome, done
from tests.support.commands import check
from tests.support.planted import PLANTED, text

pytestmark = pytest.mark.usefixtures("files")


@pytest.fixture(autouse=True)
def _width(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)


def edited(words: str = "cedarak") -> str:
    """The planted passage with one word of it replaced."""
    assert words in PLANTED
    return PLANTED.replace(words, "changed")


def write_sides(left: str, right: str) -> None:
    Path("a.txt").write_text(f"Ahead.\n{left}\nBehind it all.\n", "utf-8")
    Path("b.txt").write_text(f"\n\n{right}", "utf-8")


def passage_rows(outcome: Outcome) -> list[str]:
    """The words of each side of the passages, without the gutter."""
    sides: list[str] = []
    for line in outcome.text.splitlines():
        if re.match(r"[ \d]{5} │ ", line):
            sides[-1] += " " + line[8:].strip()
        elif re.match(r"\S+:\d+  ", line):
            sides.append("")
    return [" ".join(side.split()) for side in sides]


def test_sides_with_the_same_text_are_printed_once() -> None:
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    assert outcome.text.count("cedaraa") == 1
    assert "         the same text\n" in outcome.text


def test_long_passages_are_shortened_in_the_middle_unless_all_is_asked_for() -> None:
    words = text("elm", 0, 600)
    write_sides(words, words.replace("elmbb", "changed"))
    short = done("FindReuse", "a.txt", "b.txt", "--show").text
    assert short.count("     …  (--all prints the whole text)\n") == 2
    assert len(short.splitlines()) < 50
    assert words.split()[-1] in short
    whole = done("FindReuse", "a.txt", "b.txt", "--show", "--all")
    assert passage_rows(whole)[0] == words.replace("elmbb", "[-elmbb-]")
    assert "…" not in whole.text


def test_json_has_the_texts_the_lines_and_the_edits() -> None:
    write_sides(PLANTED, edited())
    outcome = done("FindReuse", "a.txt", "b.txt", "--show", "--format", "json")
    assert check(outcome.json) == "reuse-1"
    (row,) = outcome.json["rows"]
    assert (row["left_line"], row["right_line"]) == (2, 3)
    (edit,) = row["edits"]
    assert edit["kind"] == "replace"
    for side, word in (("left", "cedarak"), ("right", "changed")):
        whole = Path(row[side]).read_text("utf-8")
        start, length = row[f"{side}_offset"], row[f"{side}_length"]
        assert row[f"{side}_text"] == whole[start : start + length]
        start, length = edit[f"{side}_offset"], edit[f"{side}_length"]
        assert whole[start : start + length] == word
    assert json.loads(done("FindReuse", "a.txt", "b.txt", "--show", "--format", "jsonl").out) == row
    (cells,) = done("FindReuse", "a.txt", "b.txt", "--show", "--format", "tsv").table
    assert json.loads(cells["edits"]) == row["edits"]


def test_sentences_in_another_order_have_moved_and_do_not_differ() -> None:
    sentences = [f"{PLANTED[at : at + 60].strip()}\n" for at in range(0, len(PLANTED), 60)]
    write_sides("".join(sentences), "".join([*sentences[3:], *sentences[:3]]))
    outcome = done("FindReuse", "a.txt", "b.txt", "--show", "--all")
    assert "[~" in outcome.text
    assert not re.search(r"\[-|\{\+", outcome.text)
    (row,) = done("FindReuse", "a.txt", "b.txt", "--show", "--format", "json").json["rows"]
    assert {edit["kind"] for edit in row["edits"]} == {"moved"}
    Path("e.xml").write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    (read,) = done("ShowEvidence", "e.xml", "--show", "--format", "json").json["rows"]
    assert read["edits"] == row["edits"]


@pytest.mark.parametrize("change", ["changed", "gone", "decoded otherwise"])
def test_where_there_is_no_text_a_warning_names_the_document(change: str) -> None:
    Path("b.txt").write_text(f"Größe {text('birch', 0, 30)}\n\n{PLANTED}\n", "utf-8")
    done("AddDocuments", "x.sdx", "b.txt", "-c", "reuse")
    options: tuple[str, ...] = ()
    if change == "changed":
        Path("b.txt").write_text(PLANTED)
    elif change == "gone":
        os.rename("b.txt", "c.txt")  # noqa: PTH104
    else:
        options = ("--encoding", "windows-1252")
    outcome = done("FindReuse", "x.sdx", "a.txt", "--show", *options)
    assert any(line.startswith("warning: b.txt") for line in outcome.errors)
    assert "1 document without text: only places are listed" in outcome.errors
    assert re.search(r"b\.txt  60 words  \(no text; \d+ characters at", outcome.text)
    assert "cedaraa" in outcome.text  # of the other side


@pytest.fixture
def evidence(files: Path) -> str:
    """Evidence of a.txt and b.txt, in which one word differs."""
    (files / "b.txt").write_text(PLANTED.replace("cedarak", "changed"))
    Path("e.xml").write_bytes(done("FindReuse", "a.txt", "b.txt", "--format", "xml").out)
    return "e.xml"


def test_texts_come_from_files_of_the_same_name_and_content(evidence: str) -> None:
    Path("kept/b").mkdir(parents=True)
    Path("b.txt").rename("kept/b/b.txt")
    Path("kept/b.txt").write_text(PLANTED)  # another one of this name
    outcome = done("ShowEvidence", evidence, "--show")
    assert "b.txt: no file of this name is there; name its folder" in outcome.err
    assert "no text" in outcome.text
    outcome = done("ShowEvidence", evidence, "kept", "--show")
    assert "{+changed+}" in outcome.text
    Path("kept/b/b.txt").unlink()
    assert "has changed since" in done("ShowEvidence", evidence, "kept", "--show").err


def test_the_page_has_the_texts_or_places_alone(evidence: str) -> None:
    done("ShowEvidence", evidence, "--html", "out.html")
    assert PLANTED in Path("out.html").read_text("utf-8")
    done("ShowEvidence", evidence, "--html", "out.html", "--places")
    page = Path("out.html").read_text("utf-8")
    assert "cedar" not in page
    assert "2 documents without text" in page
    created = load_evidence(evidence).origin.created
    assert f'<dt>Evidence found</dt><dd dir="auto">{created}</dd>' in page
    printed = done("ShowEvidence", evidence, "--format", "html").text
    assert printed.count(PLANTED) == 1
