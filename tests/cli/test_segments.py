"""A tenth of a long document is found by segments where the whole is not: on real texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from .command import Outcome, chance, check_refused, check_usage, done, here
from .conftest import Papers, Shelf

SEGMENTS = "1000/250"
TOGETHER = 12  # papers make one long document
OF_EACH = 3  # fragments
FOUND = 75  # and more is found
OTHERS = 50  # and more is none of the others; what is not found is not far above them


@dataclass(frozen=True)
class Fragments:
    """Long documents, and a tenth of their words from anywhere in them."""

    folder: Path
    dictionary: Path
    texts: dict[str, str]
    places: dict[str, tuple[str, int, int]]  # of each fragment: its document, from where to where

    @property
    def longs(self) -> Path:
        return self.folder / "longs"

    @property
    def shorts(self) -> Path:
        return self.folder / "shorts"

    def holds(self, spelled: str, fragment: str) -> float:
        """How much of a place (OFFSET:LENGTH) in the long document lies in the fragment's."""
        _, start, end = self.places[fragment]
        offset, length = map(int, spelled.split(":"))
        return max(0, min(end, offset + length) - max(start, offset)) / length


@pytest.fixture(scope="module")
def fragments(papers: Papers, tmp_path_factory: pytest.TempPathFactory) -> Fragments:
    folder, draw = tmp_path_factory.mktemp("fragments"), chance(10)
    result = Fragments(folder, papers.trimmed, {}, {})
    result.longs.mkdir()
    result.shorts.mkdir()
    files = sorted(papers.folder.iterdir())
    for first in range(0, len(files) - TOGETHER + 1, TOGETHER):
        name = f"from-{first:02}.txt"
        text = "\n".join(path.read_text("utf-8") for path in files[first : first + TOGETHER])
        (result.longs / name).write_text(text, "utf-8", newline="")
        result.texts[name] = text
        words = [match.span() for match in re.finditer(r"\S+", text)]
        for number in range(OF_EACH):
            begin = draw.randrange(len(words) * 9 // 10)
            start, end = words[begin][0], words[begin + len(words) // 10 - 1][1]
            short = f"{first:02}-{number}.txt"
            (result.shorts / short).write_text(text[start:end], "utf-8", newline="")
            result.places[short] = (name, start, end)
    return result


def rows_of(outcome: Outcome) -> dict[str, list[dict[str, str]]]:
    """The rows by the file name of what they are compared with."""
    rows: dict[str, list[dict[str, str]]] = {}
    for row in outcome.table:
        rows.setdefault(Path(row["fingerprint"]).name, []).append(row)
    return rows


def compared(fragments: Fragments, folder: Path, *arguments: object) -> Outcome:
    command = ("CompareDirectory", "-m", "cosine", "-s", "0", "-d", fragments.dictionary)
    return done(*command, "-p", folder, *arguments)


@pytest.fixture(scope="module")
def prints(fragments: Fragments) -> list[Path]:
    """The fingerprint of each fragment, as a whole."""
    folder = fragments.folder / "prints"
    texts = sorted(fragments.shorts.iterdir())
    done(
        "Fingerprint",
        "-d",
        fragments.dictionary,
        "--profile",
        "minimal",
        "-o",
        f"{folder}/",
        *texts,
    )
    return sorted(folder.iterdir())


def test_without_segments_a_fragment_is_not_found(fragments: Fragments, prints: list[Path]) -> None:
    rows = rows_of(compared(fragments, fragments.longs, *prints))
    assert len(rows) == len(fragments.places) >= 20
    for name, result in rows.items():
        document, _, _ = fragments.places[name.removesuffix(".xml")]
        scores = {row["path"]: int(row["score"]) for row in result}
        mine = scores.pop(document)
        assert mine < FOUND - 20
        assert mine < max(scores.values()) + 20
        assert all(row["segment"] == row["query_segment"] == "" for row in result)


def test_by_segments_the_document_of_a_fragment_is_found_with_its_place(
    fragments: Fragments, prints: list[Path]
) -> None:
    rows = rows_of(compared(fragments, fragments.longs, "--segment", SEGMENTS, *prints))
    assert len(rows) == len(fragments.places) >= 20
    for name, (first, *others) in rows.items():
        fragment = name.removesuffix(".xml")
        assert first["path"] == fragments.places[fragment][0]
        assert int(first["score"]) >= FOUND
        assert max(int(row["score"]) for row in others) < OTHERS
        assert fragments.holds(first["segment"], fragment) > 0.5
        assert first["query_segment"] == ""


def test_a_fragment_as_a_document_is_matched_and_its_own_place_reported(
    fragments: Fragments,
) -> None:
    texts = sorted(fragments.shorts.iterdir())
    rows = rows_of(compared(fragments, fragments.longs, "--segment", SEGMENTS, *texts))
    assert len(rows) == len(fragments.places)
    of_parts = 0
    for fragment, (first, *others) in rows.items():
        document, start, _ = fragments.places[fragment]
        assert first["path"] == document
        assert int(first["score"]) >= FOUND
        assert max(int(row["score"]) for row in others) < OTHERS
        assert fragments.holds(first["segment"], fragment) > 0.5
        if first["query_segment"]:
            offset, length = map(int, first["query_segment"].split(":"))
            assert fragments.holds(f"{start + offset}:{length}", fragment) == 1
            of_parts += 1
    assert of_parts > len(rows) / 2


def test_the_segmented_fingerprint_of_a_document_finds_its_fragments(
    fragments: Fragments,
) -> None:
    common = ("Fingerprint", "-d", fragments.dictionary, "--profile", "minimal")
    texts = sorted(fragments.longs.iterdir())
    done(*common, "--segment", SEGMENTS, "-o", "segmented/", *texts)
    done(*common, "-o", "whole/", *texts)
    # How a document was cut is known from its fingerprint itself.
    by_segments = rows_of(compared(fragments, fragments.shorts, *Path("segmented").iterdir()))
    by_whole = rows_of(compared(fragments, fragments.shorts, *Path("whole").iterdir()))
    for text in texts:
        mine = {name for name, place in fragments.places.items() if place[0] == text.name}
        result, whole = by_segments[f"{text.name}.xml"], by_whole[f"{text.name}.xml"]
        assert {row["path"] for row in result[: len(mine)]} == mine
        assert int(result[len(mine)]["score"]) < OTHERS
        for row in result[: len(mine)]:
            assert int(row["score"]) >= FOUND
            assert fragments.holds(row["query_segment"], row["path"]) > 0.5
        assert len(result) == len(whole) == len(fragments.places)
        assert all(int(row["score"]) < FOUND - 20 for row in whole)
        assert all(row["segment"] == row["query_segment"] == "" for row in whole)


def test_a_segmented_fingerprint_in_a_folder_is_found_with_its_place(
    fragments: Fragments, prints: list[Path]
) -> None:
    common = ("Fingerprint", "-d", fragments.dictionary, "--profile", "minimal")
    texts = sorted(fragments.longs.iterdir())
    done(*common, "--segment", SEGMENTS, "-o", "all.xml.gz", *texts)
    rows = rows_of(compared(fragments, Path("all.xml.gz"), *prints))
    for name, (first, *others) in rows.items():
        fragment = name.removesuffix(".xml")
        place = [text.name for text in texts].index(fragments.places[fragment][0]) + 1
        assert first["path"] == f"all.xml.gz#{place}"
        assert int(first["score"]) >= FOUND
        assert max(int(row["score"]) for row in others) < OTHERS
        assert fragments.holds(first["segment"], fragment) > 0.5


def test_the_text_at_the_printed_place_is_that_of_the_fragment(
    fragments: Fragments, prints: list[Path]
) -> None:
    (row, *_) = compared(fragments, fragments.longs, "--segment", "600/100", prints[0]).table
    text = done("ExtractText", "-i", fragments.longs / row["path"]).text
    offset, length = map(int, row["segment"].split(":"))
    place = text[offset : offset + length]
    fragment = (fragments.shorts / prints[0].name.removesuffix(".xml")).read_text("utf-8")
    # All but what stands beyond the fragment's ends is in it, word by word.
    inside = [line for line in place.split("\n") if line in fragment]
    assert len(inside) > len(place.split("\n")) / 2


@pytest.mark.parametrize("segment", ["0", "x", "10/11", "10/", "1/0", "-5", "1e3", "10/5/2", " "])
@pytest.mark.parametrize("verb", ["Fingerprint", "CompareDirectory"])
def test_what_spells_no_segments_is_refused(shelf: Shelf, verb: str, segment: str) -> None:
    line = {
        "Fingerprint": "-i TEXT -d DICT -o out.xml",
        "CompareDirectory": "-f PRINT -p TEXTS",
    }[verb]
    refused = here(verb, *shelf.line(line), "--segment", segment)
    check_refused(refused, 2, "segment", "step is 11" if segment == "10/11" else segment)
    assert not Path("out.xml").exists()


def test_segments_of_nothing_are_refused_too(shelf: Shelf) -> None:
    line = shelf.line("Fingerprint -i TEXT -d DICT -o out.xml --segment")
    check_refused(here(*line, ""), 2, "segment")
    check_usage(here(*line), "--segment")


def test_columns_and_a_scan_give_the_same_rows(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sdtext.search.fingerprint_scores._MANY", 1)
    arguments = (shelf.document, shelf.texts, "-d", shelf.trimmed, "--segment", "60/30")
    for matcher in ("idf-cosine", "containment"):
        result = ("CompareDirectory", *arguments, "-m", matcher, "--all", "--format", "json")
        by_columns = done(*result).json
        assert by_columns["rows"]
        assert by_columns == done(*result, "--index", "scan").json
        assert by_columns == done(*result, "--index", "columns").json
