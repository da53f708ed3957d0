"""The verbs of dictionaries: counts, IDF and ranges as anybody can work them out from the texts."""

from __future__ import annotations

import json
import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .command import Argument, check_refused, done, here, write_texts
from .conftest import Shelf


@pytest.fixture
def plain(folder: Path) -> tuple[Path, Counter[str], int]:
    """A dictionary of lowercased words; their frequencies and N, counted here."""
    texts = write_texts(folder / "texts", 25)
    (folder / "words.toml").write_text('tokenizer = "words"\nfilters = ["lowercase"]\n', "utf-8")
    done("CreateDictionary", "-o", "plain.xml", "-p", texts, "-c", "words.toml")
    frequencies: Counter[str] = Counter()
    for path in texts.iterdir():
        frequencies.update(set(path.read_text("utf-8").lower().split()))
    return folder / "plain.xml", frequencies, 25


def tokens_of(dictionary: Argument, *options: str) -> list[dict[str, Any]]:
    out = done("ShowDictionaryTokens", "-d", dictionary, "--format", "jsonl", *options).text
    return [json.loads(line) for line in out.splitlines()]


def test_tokens_have_the_frequencies_and_idf_of_the_texts(
    plain: tuple[Path, Counter[str], int],
) -> None:
    dictionary, frequencies, documents = plain
    rows = tokens_of(dictionary)
    assert [list(row) for row in rows] == [["term", "df", "idf", "nidf"]] * len(rows)
    assert [row["term"] for row in rows] == sorted(frequencies)
    highest = math.log(documents / (1 + min(frequencies.values())))
    for row in rows:
        assert row["df"] == frequencies[row["term"]]
        assert row["idf"] == pytest.approx(math.log(documents / (1 + row["df"])), rel=1e-15)
        assert row["nidf"] == pytest.approx(row["idf"] / highest, rel=1e-14)
    assert any(row["nidf"] < 0 for row in rows)
    assert max(row["nidf"] for row in rows) == 1


def test_a_range_that_leaves_nothing_is_refused(shelf: Shelf) -> None:
    outcome = here("TrimDictionary", "-d", shelf.dictionary, "-b", "-1", "-t", "-.9", "-o", "t.xml")
    check_refused(outcome, 2, "dictionary", "-1", "-0.9")
    assert not Path("t.xml").exists()
