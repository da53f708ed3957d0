"""FindReuse --show: the passages themselves, on a terminal, in pipes and in all formats."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest

from .command import Outcome, check_usage, done, here
from .planted import PLANTED, text
from .test_json_schemas import check

EVIL = "\x1b]0;owned\x07\u202e\u202c\x9b31m"
CHINESE = (
    "联合国的目标是维持国际和平及安全。为此目的，采取有效集体办法，以防止且消除对于和平之威胁，制止侵略"
    "行为或其他和平之破坏。并以和平方法且依正义及国际法之原则，调整或解决足以破坏和平之国际争端或情势。"
)
ARABIC = (
    "يولد جميع الناس أحرارا متساوين في الكرامة والحقوق وقد وهبوا عقلا وضميرا "
    "وعليهم أن يعامل بعضهم بعضا "
    "بروح الإخاء لكل إنسان حق التمتع بكافة الحقوق والحريات الواردة في هذا الإعلان دون أي تمييز"
)

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
    """The words of each side of the passages, without gutter and context."""
    sides: list[str] = []
    for line in outcome.text.splitlines():
        if re.match(r"[ \d]{5} │ ", line):
            sides[-1] += " " + line[8:].strip()
        elif re.match(r"\S+:\d+  ", line):
            sides.append("")
    return [" ".join(side.split()) for side in sides]


def test_both_sides_are_printed_with_lines_context_and_the_words_that_differ() -> None:
    write_sides(PLANTED, edited())
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    lines = outcome.text.splitlines()
    assert lines[0] == "a.txt and b.txt"
    assert lines[3].startswith("1. score 9")
    sides = [line for line in lines if ".txt:" in line]
    assert sides == ["a.txt:2  60 words", "b.txt:3  60 words"]
    left, right = passage_rows(outcome)
    assert left.startswith("cedaraa ")
    assert left == PLANTED.replace("cedarak", "[-cedarak-]")
    assert right == PLANTED.replace("cedarak", "{+changed+}")
    assert outcome.errors[-1] == "1 passage found"


def test_sides_with_the_same_text_are_printed_once() -> None:
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    assert outcome.text.count("cedaraa") == 1
    assert "         the same text\n" in outcome.text
    assert "alder" in outcome.text.splitlines()[5]  # the context


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
)
def test_colours_only_where_a_terminal_has_them(
    environment: dict[str, str], coloured: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_sides(PLANTED, edited())
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    outcome = here("FindReuse", "a.txt", "b.txt", "--show", terminal=True)
    assert ("\x1b[1;31mcedarak\x1b[0m" in outcome.text) is coloured
    assert ("[-cedarak-]" in outcome.text) is not coloured
    assert coloured or "\x1b" not in outcome.text


@pytest.mark.parametrize(
    ("passage", "old", "new"), [(CHINESE, "威胁", "危险"), (ARABIC, "الكرامة", "الشرف")]
)
def test_words_are_marked_in_any_script(passage: str, old: str, new: str) -> None:
    write_sides(passage, passage.replace(old, new))
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    assert f"[-{old}-]" in outcome.text
    assert f"{{+{new}+}}" in outcome.text


def test_nothing_in_a_text_controls_the_terminal() -> None:
    write_sides(PLANTED.replace("cedarak", f"cedarak{EVIL}"), edited())
    for options in ((), ("--format", "json"), ("--format", "tsv")):
        outcome = done("FindReuse", "a.txt", "b.txt", "--show", *options)
        assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", outcome.text)
        assert "owned" in outcome.text


def test_a_combining_mark_stays_with_its_letter() -> None:
    word = "re\u0301sume\u0301"
    write_sides(PLANTED.replace("cedarak", word), edited())
    assert f"[-{word}-]" in done("FindReuse", "a.txt", "b.txt", "--show").text


def test_long_passages_are_shortened_in_the_middle_unless_all_is_asked_for() -> None:
    words = text("elm", 0, 600)
    write_sides(words, words.replace("elmbb", "changed"))
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    short = outcome.text
    assert short.count("     …\n") == 2
    assert outcome.errors[0] == "1 passage shortened in the middle (…); --all prints the whole text"
    assert len(short.splitlines()) < 50
    assert words.split()[-1] in short
    whole = done("FindReuse", "a.txt", "b.txt", "--show", "--all")
    assert passage_rows(whole)[0] == words.replace("elmbb", "[-elmbb-]")
    assert "shortened" not in whole.err


def test_only_shortened_passages_are_counted_as_such() -> None:
    write_sides(f"{PLANTED}\n     …\n{text('elm', 0, 30)}", edited())
    outcome = done("FindReuse", "a.txt", "b.txt", "--show")
    assert ("1. " in outcome.text, "shortened" in outcome.err) == (True, False)


def wrapped(words: list[str], width: int) -> list[str]:
    return [" ".join(words[place : place + width]) for place in range(0, len(words), width)]


@pytest.mark.parametrize(("length", "width"), [(14, 80), (11, 60), (20, 120)])
def test_long_lines_are_wrapped_as_paragraphs(
    length: int, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No row could take the first word of the next; numbers are those of the lines."""
    monkeypatch.setenv("COLUMNS", str(width))
    words = text("elm", 0, 100).split()
    lines = wrapped(words, length)
    write_sides("\n".join(lines), " ".join(words).replace(words[50], "changed"))
    out = done("FindReuse", "a.txt", "b.txt", "--show").text
    rows = re.findall(r"^([ \d]{5}) │ (.*)$", out.split("b.txt:")[0], re.MULTILINE)
    expected = " ".join(words).replace(words[50], f"[-{words[50]}-]")
    assert " ".join(row for _, row in rows) == expected
    firsts = [row.split()[0] for _, row in rows[1:]]
    assert all(
        len(f"{row} {first}") > width - 9 for (_, row), first in zip(rows, firsts, strict=False)
    )
    for number, row in rows:
        if number.strip():
            word = row.split()[0].strip("[-]")
            assert word in lines[int(number) - 2]


def test_lines_that_fit_are_printed_as_they_are() -> None:
    lines = wrapped(text("elm", 0, 100).split(), 5)
    write_sides("\n".join(lines), " ".join(lines))
    out = done("FindReuse", "a.txt", "b.txt", "--show").text
    rows = re.findall(r"^([ \d]{5}) │ (.*)$", out, re.MULTILINE)
    assert [row for _, row in rows] == [*lines[:8], *lines[-8:]]


def test_a_single_long_line_is_wrapped_alone() -> None:
    words = text("elm", 0, 300).split()
    lines = [*wrapped(words[:250], 5), " ".join(words[250:270]), *wrapped(words[270:], 5)]
    write_sides("\n".join(lines), " ".join(lines))
    out = done("FindReuse", "a.txt", "b.txt", "--show", "--all").text.split("b.txt:")[0]
    rows = re.findall(r"^([ \d]{5}) │ (.*)$", out, re.MULTILINE)
    assert [row for _, row in rows[:50]] == lines[:50]
    assert [row for _, row in rows[-6:]] == lines[-6:]
    assert " ".join(row for _, row in rows[50:-6]) == lines[50]
    assert [number.strip() for number, _ in rows[50:-6]] == ["52", *[""] * (len(rows) - 57)]


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


@pytest.mark.parametrize(
    ("options", "word"),
    [(["--format", "xml"], "xml"), (["--format", "pan"], "pan"), (["--by", "pair"], "pair")],
)
def test_show_is_refused_where_there_is_no_text(options: list[str], word: str) -> None:
    check_usage(here("FindReuse", "a.txt", "b.txt", "--show", *options), word, "--show")


def test_rows_are_chosen_as_without_texts() -> None:
    Path("c.txt").write_text(f"{PLANTED} {text('elder', 0, 300)}")
    outcome = done("FindReuse", "a.txt", "b.txt", "c.txt", "--show", "-k", "1")
    assert "\n1. " in outcome.text
    assert "\n2. " not in outcome.text


def test_the_shares_of_a_pair_stand_once_above_its_passages_and_words_at_each() -> None:
    """Passages of three lengths, of which two are those of one pair, and a gap in the third."""
    short, long, gapped = text("elm", 0, 40), text("fir", 0, 70), text("yew", 0, 80).split()
    Path("one.txt").write_text(f"{short}\n{text('ash', 0, 200)}\n{long}\n{' '.join(gapped)}")
    Path("two.txt").write_text(f"{long}\n{text('oak', 0, 100)}\n{short}")
    with_gap = [*gapped[:40], text("bay", 0, 18), *gapped[40:]]
    Path("three.txt").write_text(" ".join(with_gap))
    outcome = done("FindReuse", "one.txt", "two.txt", "three.txt", "--show")
    blocks = outcome.text.split("\n\n")
    assert [block.splitlines() for block in blocks if " and " in block] == [
        [
            "one.txt and three.txt",
            "shared passages have 20 % of the words of the first, 81 % of those of the second",
        ],
        [
            "one.txt and two.txt",
            "shared passages have 28 % of the words of the first, 52 % of those of the second",
        ],
    ]
    sides = re.findall(r"^(\w+)\.txt:\d+  ([\d of]+) words$", outcome.text, re.MULTILINE)
    pair = [("one", "70"), ("two", "70"), ("one", "40"), ("two", "40")]
    assert sides == [("one", "80"), ("three", "80 of 98"), *pair]
    assert outcome.text.count(" % ") == 4


def test_text_of_many_documents_is_printed_once() -> None:
    Path("many").mkdir()
    for name in ("oak", "elm", "fir", "yew", "ash", "bay"):
        form = text("form", 0, 40)
        Path(f"many/{name}.txt").write_text(f"{text(name, 0, 200)}\n{form}\n{text(name, 200)}")
    outcome = done("FindReuse", "many", "--show")
    assert "1. stands in 6 documents and does not count" in outcome.text
    assert outcome.text.count("formaa") == 1


def test_a_collection_shows_the_texts_that_it_keeps() -> None:
    done("AddDocuments", "kept.sdx", "b.txt", "-c", "reuse", "--keep-text")
    Path("b.txt").unlink()
    outcome = done("FindReuse", "kept.sdx", "-i", "a.txt", "--show", "--format", "json")
    (row,) = outcome.json["rows"]
    assert row["right_text"] == row["left_text"] == PLANTED


def test_a_collection_without_texts_shows_those_of_unchanged_files() -> None:
    done("AddDocuments", "x.sdx", "b.txt", "-c", "reuse")
    (row,) = done("FindReuse", "x.sdx", "-i", "a.txt", "--show", "--format", "json").json["rows"]
    assert row["right_text"] == PLANTED


@pytest.mark.parametrize("change", ["changed", "gone", "decoded otherwise"])
def test_where_there_is_no_text_a_warning_says_why(change: str) -> None:
    Path("b.txt").write_text(f"Größe {text('birch', 0, 30)}\n\n{PLANTED}\n", "utf-8")
    done("AddDocuments", "x.sdx", "b.txt", "-c", "reuse")
    options: tuple[str, ...] = ()
    if change == "changed":
        Path("b.txt").write_text(PLANTED)
    elif change == "gone":
        os.rename("b.txt", "c.txt")  # noqa: PTH104
    else:
        options = ("--encoding", "windows-1252")
    outcome = done("FindReuse", "x.sdx", "-i", "a.txt", "--show", *options)
    warning = next(line for line in outcome.errors if line.startswith("warning: b.txt"))
    reasons = {"changed": "has changed", "gone": "cannot be read", "decoded otherwise": "another"}
    assert reasons[change] in warning
    assert "keep_text" in warning
    assert "1 document without text: only places of passages are listed" in outcome.errors
    assert re.search(r"b\.txt  60 words  \(no text; \d+ characters at", outcome.text)
    assert "cedaraa" in outcome.text  # of the other side
