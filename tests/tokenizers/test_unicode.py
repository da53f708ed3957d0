"""Words by UAX #29 against Lucene's StandardTokenizer."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.tokenizers.unicode import UnicodeWords

LUCENE = Path(__file__).parents[1] / "samples" / "lucene"
Row = tuple[str, int, int]


def reference(name: str) -> list[list[Row]]:
    """Term, start and end of each token of each line."""
    lines = (LUCENE / f"{name}.StandardAnalyzer.tsv").read_text("utf-8").splitlines()
    cells = [[cell.split("|") for cell in line.split("\t") if cell] for line in lines]
    return [[(term, int(start), int(end)) for term, start, end, _ in row] for row in cells]


def lowered(word: str) -> str:
    """Small letters as Lucene's analyzer makes them: one character for one."""
    return "".join(char.lower()[0] for char in word)


@pytest.mark.parametrize("name", ["own_en", "own_ar", "own_zh"])
def test_words_are_those_of_lucene_with_their_places(name: str) -> None:
    found = []
    for line in (LUCENE / f"{name}.txt").read_text("utf-8").splitlines():
        tokens = UnicodeWords()(line)
        words = list(map(lowered, tokens.words))
        found.append(list(zip(words, tokens.starts, tokens.ends, strict=True)))
    assert found == reference(name)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a:b c·d", ["a:b", "c·d"]),  # WB6, WB7: MidLetter
        ("3,5 a.5 x_1", ["3,5", "a", "5", "x_1"]),  # WB11 to WB13b
        ("🇩🇪🇫🇷🇯", ["🇩🇪", "🇫🇷", "🇯"]),  # WB15, WB16: flags are pairs
        ("👨\u200d👩\u200d👧👍🏽", ["👨\u200d👩\u200d👧", "👍🏽"]),  # WB3c, WB4
        ("カタカナ ひら", ["カタカナ", "ひ", "ら"]),  # WB13
        ("צה״ל cafe\u0301s", ["צה״ל", "cafe\u0301s"]),  # WB7b, WB4
        ("… — ! ()", []),
    ],
)
def test_words_follow_the_rules_of_uax_29(text: str, words: list[str]) -> None:
    assert UnicodeWords()(text).words == words
