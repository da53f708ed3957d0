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


def statistics_of(dictionary: Argument) -> dict[str, Any]:
    result = done("ShowDictionaryStatistics", "-d", dictionary, "--format", "json").json
    assert isinstance(result, dict)
    return result


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


@pytest.mark.parametrize(
    ("low", "high"), [(".3", ".8"), ("0", "1"), ("0.5", "0.5"), ("-1", "0.2"), ("0.9", "1")]
)
def test_trimming_keeps_what_lies_in_the_range_both_ends_inclusive(
    plain: tuple[Path, Counter[str], int], low: str, high: str
) -> None:
    dictionary, _, documents = plain
    rows = tokens_of(dictionary)
    if low == high:  # the very value of some term
        low = high = repr(sorted({row["nidf"] for row in rows})[3])
    outcome = done("TrimDictionary", "-d", dictionary, "-b", low, "-t", high, "-o", "t.xml")
    kept = [row for row in rows if float(low) <= row["nidf"] <= float(high)]
    assert 0 < len(kept) < len(rows)
    assert tokens_of("t.xml") == kept
    counts = [row["df"] for row in kept]
    assert f"keeps {len(kept):,} of {len(rows):,} terms" in outcome.err
    assert f"of {documents} documents" in outcome.err
    words = outcome.err.split()
    first, last = int(words[words.index("to") - 1]), int(words[words.index("to") + 1])
    assert first <= min(counts)
    assert max(counts) <= last
    inside = {row["df"] for row in rows if first <= row["df"] <= last}
    assert inside == set(counts)


def test_trimming_leaves_n_and_the_maximum_and_tells_its_parent(
    plain: tuple[Path, Counter[str], int],
) -> None:
    dictionary, *_ = plain
    before = statistics_of(dictionary)
    done("TrimDictionary", "-d", dictionary, "-b", "0.2", "-t", "0.9", "-o", "a.xml")
    done("TrimDictionary", "-d", "a.xml", "-b", "0.3", "-t", "0.95", "-o", "b.xml")
    done("TrimDictionary", "-d", dictionary, "-b", "0.3", "-t", "0.9", "-o", "c.xml")
    once, twice, direct = map(statistics_of, ("a.xml", "b.xml", "c.xml"))
    for item in (once, twice, direct):
        assert (item["documents"], item["max_idf"]) == (before["documents"], before["max_idf"])
    assert (once["parent"], twice["parent"]) == (before["guid"], once["guid"])
    assert (once["trimmed"], twice["trimmed"]) == ([0.2, 0.9], [0.3, 0.9])
    assert (once["name"], twice["name"]) == ("a", "b")
    assert tokens_of("b.xml") == tokens_of("c.xml")
    assert twice["digest"] == direct["digest"] != before["digest"]
    assert len({before["guid"], once["guid"], twice["guid"], direct["guid"]}) == 4


def test_a_range_that_leaves_nothing_is_refused(shelf: Shelf) -> None:
    outcome = here("TrimDictionary", "-d", shelf.dictionary, "-b", "-1", "-t", "-.9", "-o", "t.xml")
    check_refused(outcome, 2, "dictionary", "-1", "-0.9")
    assert not Path("t.xml").exists()
