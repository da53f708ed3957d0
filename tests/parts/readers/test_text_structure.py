"""What is structure in a text, not words, is left out of it: a small file of each kind."""

import json
import time
from pathlib import Path

import pytest

import sdtext
from sdtext.parts.readers.text_structure import without_structure
from sdtext.reading.read_document import read

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Bees\n", "See [hives](https://x.example/h).\n"]},
        {
            "cell_type": "code",
            "source": "honey = 7",
            "outputs": [{"data": {"image/png": "iVBORw0KGgo"}, "output_type": "display_data"}],
        },
    ],
    "metadata": {},
    "nbformat": 4,
}
# ruff: noqa: ISC004 (pairs of a text in several lines and its words)
KINDS = {
    "srt": (
        "1\n00:00:01,000 --> 00:00:02,000\n<i>Bees dance</i>\n\n"
        "2\n00:00:02,000 --> 00:00:03,000\nin 3 hives.\n\n",
        "Bees dance in 3 hives.",
    ),
    "srt with CRLF": (
        "1\r\n00:00:01,000 --> 00:00:02,000\r\n{\\an8}Bees\r\n\r\n"
        "2\r\n00:00:02,000 --> 00:00:03,000\r\ndance.\r\n",
        "Bees dance.",
    ),
    "vtt": (
        "WEBVTT Kind: captions\n\nSTYLE\n::cue { color: red }\n\nNOTE made by hand\n\n"
        "intro\n00:01.000 --> 00:02.000 align:start\n<v Ann>Bees &amp; wasps</v>\n\n"
        "00:02.000 --> 00:03.000\nBees &amp; wasps\n<00:02.500><c>dance.</c>\n",
        "Bees & wasps dance.",
    ),
    "sbv": (
        "0:00:01.000,0:00:02.000\nBees dance\n\n0:00:02.000,0:00:03.000\nin 3 hives.\n\n",
        "Bees dance in 3 hives.",
    ),
    "lrc": (
        "[ar:Ann]\n[00:01.00]Bees dance\n[00:02.50][00:09.10]in hives.\n[00:03.00]So\n"
        "[00:04.000]they do.\n",
        "[ar:Ann] Bees dance in hives. So they do.",
    ),
    "ass": (
        "[Script Info]\nTitle: x\n[Events]\nFormat: Layer, Start, End, Style, Text\n"
        "Dialogue: 0,0:00:00.00,0:00:02.00,Default,{\\i1}Bees, too,{\\i0}\\Ndance.\n",
        "Bees, too, dance.",
    ),
    "notebook": (json.dumps(NOTEBOOK), "# Bees See hives. honey = 7"),
    "markdown": (
        "# Bees\n\nSee [the hive](https://x.example/a_(b) 'A title') and "
        "[![a badge](./b.svg)](https://x.example), [the dance][1] and a[i](x).\n\n"
        "[1]: https://x.example/dance\n",
        "# Bees See the hive and a badge, the dance and a[i](x).",
    ),
    "tex": (
        "% A comment\n\\documentclass[12pt]{article}\n\\usepackage{amsmath}\n"
        "\\title{On bees}\n\\begin{document}\n\\section{The \\emph{d\\'ance}}\\label{sec:a}\n"
        "Bees~dance \\cite[p.~7]{frisch} ``well'' % why\nin 50\\,\\% of hives.\n\\end{document}\nx",
        'On bees The dánce Bees dance "well" in 50 % of hives.',
    ),
    "tex with groups, listings and notes": (
        "\\documentclass{article}\n\\title{On {\\em Bees {and}} Honey}\n\\begin{document}\n"
        "Words\\footnote{Note} \\verb|a_b%| follow\\parencite{foo2020} a\\quad b.\n"
        "\\begin{verbatim}\n100% {sure}\n\\end{verbatim}\n100\\% % why\n\\end{document}\n",
        "On Bees and Honey Words Note a_b% follow a b. 100% {sure} 100%",
    ),
    "syslog": (
        "".join(f"Mar  {day} 10:00:00 hive prog[{day}]: bees dance\n" for day in range(5)),
        " ".join(["bees dance"] * 5),
    ),
    "log": (
        "".join(f"2024-03-0{day} 10:00:00,123 INFO [x] a.C - bees {day}\n" for day in range(5)),
        "bees 0 bees 1 bees 2 bees 3 bees 4",
    ),
    "access log": (
        '1.2.3.4 - - [01/Mar/2024:10:00:00 +0000] "GET /bees"\n' * 5,
        " ".join(['"GET /bees"'] * 5),
    ),
    "IRC": ("[10:00] <ann> bees dance\n[10:01] <bob> do they?\n" * 2, "bees dance do they? " * 2),
    "WhatsApp": (
        "12/03/2024, 10:00 - Ann L: Bees dance\nin hives.\n12/03/2024, 10:01 - Bob: do they?\n" * 3,
        "Bees dance in hives. do they? " * 3,
    ),
    "diary": (
        "".join(f"2024-01-0{day} 10:00 We went to the market: bread\n" for day in range(1, 6)),
        "We went to the market: bread " * 5,
    ),
    "minutes": (
        "[10:00] The chair opens: welcome.\n[10:05] It was decided: a bridge.\n"
        "[10:10] Ann: no.\n[10:15] Next meeting: Monday.\n",
        "The chair opens: welcome. It was decided: a bridge. no. Next meeting: Monday.",
    ),
    "levels": (
        "2024-03-01 10:00:00 ERROR Failed to open file: denied\n"
        "2024-03-01 10:00:01,123 - root - WARNING - Could not delete it: denied\n" * 3,
        "Failed to open file: denied Could not delete it: denied " * 3,
    ),
    "CSV": (
        'place,a,b\n"1,234",242,389\n180,242,389\n995,394,-139\n',
        'place,a,b "1,234",242, 389 180, 242, 389 995, 394,-139',
    ),
    "CSV with times": (
        "time,a\n" + "2024-03-01 10:00:00,180\n" * 5,
        "time,a " + "2024-03-01 10:00:00, 180 " * 5,
    ),
    "CSV with times and more": (
        "time,a,b\n" + "2024-03-01 10:00,180,242\n" * 5,
        "time,a,b " + "2024-03-01 10:00, 180, 242 " * 5,
    ),
}
PLAIN = [
    "France 67,000,000\nSpain 47,000,000\nItaly 59,000,000\n",
    "In 2,024 years\n1,234,567 people came.\nThey ate 1,000 loaves, and 2,000 fish.\n",
    "10:00 Opening\n11:00 Bees: a talk\n12:00 Lunch\n13:00 Hives\n14:00 The end\n",
    "Use a[i](x) and f[&](auto x) {}; {curly} \\n 50% of it.\n", "1\n2\n00:00 --> nothing\n",
    '{"cells": [{"a": 1}]}', "The command \\section{a} of TeX.\n",
]  # fmt: skip


@pytest.mark.parametrize(("text", "words"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_structure_is_no_words(tmp_path: Path, text: str, words: str, encoding: str) -> None:
    if text.startswith("{") and encoding != "utf-8":
        pytest.skip("JSON is in UTF-8")
    path = tmp_path / "text"
    path.write_bytes(text.encode(encoding))
    assert read(path).text.split() == words.split()


@pytest.mark.parametrize("text", PLAIN)
def test_a_text_without_a_known_structure_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text"
    path.write_text(text)
    assert read(path).text == text


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
