"""What is structure in a text, not words, is left out of it: a small file of each kind."""

import time
from pathlib import Path

import pytest

import sdtext
from sdtext.parts.readers.text_structure import without_structure
from sdtext.reading.read_document import read

# Each ends in a line with its words.
KINDS = {
    path.stem: tuple(path.read_text("utf-8").rpartition("=> ")[::2])
    for path in sorted(Path("tests/samples/structure").iterdir())
}
PLAIN = [
    "France 67,000,000\nSpain 47,000,000\nItaly 59,000,000\n",
    "In 2,024 years\n1,234,567 people came.\nThey ate 1,000 loaves, and 2,000 fish.\n",
    "10:00 Opening\n11:00 Bees: a talk\n12:00 Lunch\n13:00 Hives\n14:00 The end\n",
    "Use a[i](x) and f[&](auto x) {}; {curly} \\n 50% of it.\n", "1\n2\n00:00 --> nothing\n",
    '{"cells": [{"a": 1}]}', "The command \\section{a} of TeX.\n",
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    ("encoding", "end"), [("utf-8", "\n"), ("utf-8", "\r\n"), ("utf-16", "\n")]
)
def test_structure_is_no_words(
    tmp_path: Path, text: str, words: str, encoding: str, end: str
) -> None:
    if text.startswith("{") and encoding != "utf-8":
        pytest.skip("JSON is in UTF-8")
    path = tmp_path / "text"
    path.write_text(text, encoding, newline=end)
    assert read(path).text.split() == words.split()


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_without_a_known_structure_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text"
    path.write_text(text)
    assert read(path).text == text


def test_words_before_colons_that_do_not_recur_are_no_senders() -> None:
    events = ["Rain: all wet", "Ann: drunk again", "Ice: north of us", "Boat: lowered"]
    log = "".join(f"[08:{17 * place:02}] {event}\n" for place, event in enumerate(events))
    assert "".join(without_structure([log])).splitlines() == events


def test_subtitles_hold_the_words_of_the_speech() -> None:
    spoken = read("tests/samples/texts/union.txt").text.split()
    for name in ("b.srt", "a.ass"):
        assert set(read(f"tests/samples/cases/{name}").text.split()) <= set(spoken), name


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_blocks_may_end_anywhere(size: int) -> None:
    for text, _ in KINDS.values():
        both = f"{text}\n{text}"  # what it is shows in the first block
        pieces = [both[start : start + size] for start in range(len(text), len(both), size)]
        expected = "".join(without_structure([both])).split()
        assert "".join(without_structure([text, *pieces])).split() == expected


@pytest.mark.parametrize("head", [text for text, _ in KINDS.values()], ids=KINDS)
def test_hostile_text_takes_linear_time(head: str) -> None:
    awkward = [
        "[", "](", "[a](", "<", "{\\", "\\cite[", "\\'", "\n", "\n\n", "1:00 ", "%", " ", "a: ",
        "\\begin{verbatim}", "\\title{", "\\verb|", "\\input ", '"', "1,", ":",
    ]  # fmt: skip
    for piece in awkward:
        began = time.process_time()
        for _ in without_structure([head, piece * (100_000 // len(piece))]):
            pass
        assert time.process_time() - began < 1, piece


def test_a_text_padded_with_ends_of_file_is_text(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_bytes(b"Bees dance in hives.\r\n" + b"\x1a" * 1000)
    document = read(path)
    assert (document.clean.split(), document.problems) == (["Bees", "dance", "in", "hives."], ())


def test_files_that_a_tex_file_includes_are_reported(tmp_path: Path) -> None:
    path = tmp_path / "book.tex"
    path.write_text("\\begin{document}\n\\input{one}\nBees.\n\\include{two}\n% \\input{three}\n")
    document = read(path)
    assert document.text.split() == ["Bees."]
    (problem,) = document.problems
    assert problem.category == "partly-read"
    assert "one and 1 more" in problem.message


def test_a_table_shares_its_numbers_with_the_same_table_in_another_format() -> None:
    folder, run = Path("tests/samples/cases"), sdtext.Run(problems=[])
    (shared,) = sdtext.find_reuse([folder / "d.xlsx"], [folder / "a.csv"], run=run).shared
    assert shared.score == 99
    assert "table" in {problem.category for problem in run.problems or ()}
