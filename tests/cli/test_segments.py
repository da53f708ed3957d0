"""A tenth of a long document is found by segments where the whole is not: on real texts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from .command import Outcome, chance, check_refused, done, here
from .conftest import Papers, Shelf

TOGETHER = 12  # papers make one long document
OF_EACH = 3  # fragments


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
