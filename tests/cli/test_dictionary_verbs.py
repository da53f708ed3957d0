"""The verbs of dictionaries: counts, IDF and ranges as anybody can work them out from the texts."""

from __future__ import annotations

import json
import math
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .command import (
    CONFIGS,
    Argument,
    chance,
    check_refused,
    done,
    here,
    parsed,
    prose,
    write_texts,
)
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
    found = done("ShowDictionaryStatistics", "-d", dictionary, "--format", "json").json
    assert isinstance(found, dict)
    return found


def digest_of(dictionary: Argument) -> str:
    return str(statistics_of(dictionary)["digest"])


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


def test_tokens_are_sorted_and_limited(plain: tuple[Path, Counter[str], int]) -> None:
    dictionary, frequencies, _ = plain
    by_df = tokens_of(dictionary, "--sort", "df")
    assert [(-row["df"], row["term"]) for row in by_df] == sorted(
        (-count, term) for term, count in frequencies.items()
    )
    by_idf = tokens_of(dictionary, "--sort", "idf")
    assert [(-row["idf"], row["term"]) for row in by_idf] == sorted(
        (-row["idf"], row["term"]) for row in by_idf
    )
    assert tokens_of(dictionary, "--sort", "term") == tokens_of(dictionary)
    assert tokens_of(dictionary, "--sort", "df", "--limit", "5") == by_df[:5]
    assert len(tokens_of(dictionary, "--limit", "1000000")) == len(frequencies)


def test_statistics_are_flat_and_true(plain: tuple[Path, Counter[str], int]) -> None:
    dictionary, frequencies, documents = plain
    found = statistics_of(dictionary)
    assert {"documents", "terms", "max_idf", "tokenizers", "trimmed"} <= set(found)
    assert (found["documents"], found["terms"]) == (documents, len(frequencies))
    assert found["max_idf"] == pytest.approx(math.log(documents / 2), rel=1e-15)
    assert [part["name"] for part in found["tokenizers"]] == ["words", "lowercase"]
    assert found["trimmed"] is None
    assert found["name"] == "plain"


@pytest.mark.parametrize(
    ("low", "high"), [(".3", ".8"), ("0", "1"), ("0.5", "0.5"), ("-5", "0.2"), ("0.9", "7")]
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
    assert f"keeps {len(kept)} of {len(rows)} terms" in outcome.err
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
    for found in (once, twice, direct):
        assert (found["documents"], found["max_idf"]) == (before["documents"], before["max_idf"])
    assert (once["parent"], twice["parent"]) == (before["guid"], once["guid"])
    assert (once["trimmed"], twice["trimmed"]) == ([0.2, 0.9], [0.3, 0.9])
    assert (once["name"], twice["name"]) == ("a", "b")
    assert tokens_of("b.xml") == tokens_of("c.xml")
    assert twice["digest"] == direct["digest"] != before["digest"]
    assert len({before["guid"], once["guid"], twice["guid"], direct["guid"]}) == 4


def test_the_range_of_trimming_is_the_authors_by_default(
    plain: tuple[Path, Counter[str], int],
) -> None:
    dictionary, *_ = plain
    done("TrimDictionary", "-d", dictionary, "-o", "a.xml")
    done("TrimDictionary", "-d", dictionary, "-b", "0.3", "-t", "0.7", "-o", "b.xml")
    assert digest_of("a.xml") == digest_of("b.xml")


def test_a_preview_writes_nothing_and_says_the_same(shelf: Shelf) -> None:
    words = ("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "-t", "0.9")
    preview = done(*words, "--preview")
    assert list(Path().iterdir()) == []
    assert preview.err == done(*words, "-o", "t.xml").err
    done(*words, "--preview", "-o", "u.xml")
    assert not Path("u.xml").exists()


def test_a_range_that_leaves_nothing_is_refused(shelf: Shelf) -> None:
    outcome = here("TrimDictionary", "-d", shelf.dictionary, "-b", "5", "-t", "6", "-o", "t.xml")
    check_refused(outcome, 2, "dictionary", "5", "6")
    assert not Path("t.xml").exists()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """200 texts in folders: several batches, so that two processes have something to share."""
    folder = tmp_path_factory.mktemp("many")
    for place in range(4):
        write_texts(folder / f"part{place}" / "deep", 50, words=80)
    return folder


def made(name: str, *arguments: Argument) -> str:
    recipe = CONFIGS / "english.toml"
    done("CreateDictionary", "-o", f"{name}.xml", "-c", recipe, *arguments)
    return digest_of(f"{name}.xml")


@pytest.mark.parametrize(
    "options", [[], ["--sample", "50"], ["--sample", "33%"], ["--max-terms", "100"],
                ["--sample", "77", "--max-terms", "12.5%"]],
)  # fmt: skip
def test_equal_input_gives_an_equal_digest_with_any_jobs_and_in_any_order(
    many: Path, options: list[str]
) -> None:
    parts = sorted(many.iterdir())
    files = sorted(path for path in many.rglob("*.txt"))
    shuffled = list(files)
    chance(9).shuffle(shuffled)
    digests = {
        made("folder", "-p", many, *options),
        made("parts", *parts, *options),
        made("backwards", *reversed(parts), *options),
        made("files", *files, *options),
        made("shuffled", "--jobs", "2", *shuffled, *options),
        made("jobs", "--jobs", "2", "-p", many, *options),
    }
    assert len(digests) == 1
    raw = {Path(f"{name}.xml").read_bytes() for name in ("folder", "jobs")}
    assert len(raw) == 2, "GUIDs differ"


def test_other_input_gives_another_digest(shelf: Shelf, folder: Path) -> None:
    texts = write_texts(folder / "texts", 6)
    digests = {made("all", "-p", texts)}
    (texts / "000.txt").write_text(prose(0) + " newword\n", "utf-8")
    digests.add(made("word", "-p", texts))
    (texts / "000.txt").unlink()
    digests.add(made("fewer", "-p", texts))
    Path("words.toml").write_text('tokenizer = "words"', "utf-8")
    done("CreateDictionary", "-o", "w.xml", "-c", "words.toml", "-p", texts)
    digests.add(digest_of("w.xml"))
    assert len(digests) == 4
    assert shelf.dictionary.is_file()


def test_names_places_and_times_are_not_part_of_the_digest(folder: Path) -> None:
    texts = write_texts(folder / "texts", 6)
    first = made("first", "-p", texts)
    (folder / "moved").mkdir()
    for number, path in enumerate(sorted(texts.iterdir())):
        shutil.copy(path, folder / "moved" / f"other-{9 - number}")
    assert made("second", "-p", folder / "moved", "--name", "another name") == first
    assert statistics_of("second.xml")["name"] == "another name"


def test_the_recipe_goes_with_the_dictionary_in_whatever_form_it_came(many: Path) -> None:
    files = sorted(many.rglob("*.txt"))[:10]
    digests = set()
    recipes = (CONFIGS / "english.toml", CONFIGS / "georgetown.toml", CONFIGS / "tokenizers.xml")
    for number, recipe in enumerate(recipes):
        done("CreateDictionary", "-o", f"{number}.xml", "-c", recipe, *files)
        digests.add(digest_of(f"{number}.xml"))
    done("CreateDictionary", "-o", "again.xml", "-c", "0.xml", *files)
    digests.add(digest_of("again.xml"))
    assert len(digests) == 1
    words = parsed("0.xml").findall(".//{*}tokenizer[@name='stop-words']//{*}value")
    assert len(words) == 174
    assert "the" in {word.text for word in words}


@pytest.mark.parametrize(("sample", "expected"), [("7", 7), ("10%", 20), ("0.5%", 1), ("999", 200)])
def test_a_sample_has_as_many_documents_as_it_says(many: Path, sample: str, expected: int) -> None:
    made("sample", "-p", many, "--sample", sample)
    assert statistics_of("sample.xml")["documents"] == expected


def test_the_most_frequent_terms_are_kept(plain: tuple[Path, Counter[str], int]) -> None:
    _, frequencies, documents = plain
    ranked = sorted(frequencies, key=lambda term: (-frequencies[term], term))
    for amount, number in (
        ("40", 40),
        ("10%", math.ceil(len(ranked) / 10)),
        ("99999", len(ranked)),
    ):
        done("CreateDictionary", "-o", "m.xml", "-p", "texts", "-c", "words.toml",
             "--max-terms", amount)  # fmt: skip
        assert [row["term"] for row in tokens_of("m.xml")] == sorted(ranked[:number])
        assert statistics_of("m.xml")["documents"] == documents


def test_artefacts_among_the_texts_are_passed_over(folder: Path) -> None:
    texts = write_texts(folder / "texts", 6)
    first = made("texts/dictionary", "-p", texts)
    done(
        "Fingerprint",
        "-i",
        texts / "000.txt",
        "-d",
        texts / "dictionary.xml",
        "-o",
        texts / "f.xml.gz",
    )
    outcome = done(
        "CreateDictionary", "-o", "again.xml", "-p", texts, "-c", CONFIGS / "english.toml"
    )
    assert digest_of("again.xml") == first
    passed_over = [line for line in outcome.errors if line.startswith("warning: ")]
    assert len(passed_over) == 2
    assert any("dictionary.xml" in line for line in passed_over)
    assert any("f.xml.gz" in line for line in passed_over)


def test_every_file_counts_once_however_it_is_named(folder: Path) -> None:
    texts = write_texts(folder / "texts", 6)
    ways = [texts, Path("texts"), Path("texts/../texts"), texts / "000.txt", Path("texts/000.txt")]
    assert made("once", "-p", texts) == made("often", *ways)


def test_a_dictionary_records_how_it_was_made(shelf: Shelf) -> None:
    root = parsed(shelf.dictionary)
    found = statistics_of(shelf.dictionary)
    assert root.get("guid") == found["guid"]
    assert root.get("name") == "dictionary"
    assert root.get("version") == "1.0"
    assert root.find("{*}execution_environment/{*}host") is not None
    assert "PyStemmer" in {library.get("name") for library in root.iterfind("{*}library")}
    terms = [term.text for term in root.iterfind(".//{*}term")]
    assert terms == sorted(set(terms))
    assert int(root.find("{*}terms").get("count")) == len(terms)


@pytest.mark.parametrize("tokenizer", ["words", "lines", "characters", "unicode"])
def test_any_tokenizer_makes_a_dictionary_that_loads(folder: Path, tokenizer: str) -> None:
    Path("recipe.toml").write_text(f'tokenizer = "{tokenizer}"\n', "utf-8")
    texts = folder / "texts"
    texts.mkdir()
    odd = (
        "  two  blanks \r\nline\u2028sep \u0085 a\tb\x0c]]> & <x> \u00a0 \U0001f600\u200d e\u0301\n"
    )
    for number in range(3):
        (texts / f"{number}.txt").write_bytes((odd + prose(number, 30)).encode())
    for jobs in ("1", "2"):
        done(
            "CreateDictionary",
            "-o",
            f"{jobs}.xml",
            "-p",
            texts,
            "-c",
            "recipe.toml",
            "--jobs",
            jobs,
        )
    assert digest_of("1.xml") == digest_of("2.xml")
    done("Fingerprint", "-i", texts / "0.txt", "-d", "1.xml", "-o", "f.xml", "--profile", "minimal")
    vector = parsed("f.xml").find("{*}vector")
    tokens = done("TokenizeFile", "-i", texts / "0.txt", "-c", "1.xml", "--format", "json").json
    assert int(vector.get("set")) == len({row["token"] for row in tokens["rows"]})
