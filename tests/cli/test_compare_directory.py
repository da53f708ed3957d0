"""CompareDirectory: the right order on real texts, and every way to ask and to answer."""

from __future__ import annotations

import math
import shutil
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from .command import (
    CONFIGS,
    Argument,
    Outcome,
    chance,
    check_partly,
    check_refused,
    done,
    federalist,
    here,
    parsed,
    prose,
    there,
    write_texts,
)
from .conftest import Shelf


@dataclass(frozen=True)
class Papers:
    """The 85 papers, their dictionary trimmed to 0.3-0.8, a container of all their fingerprints."""

    folder: Path
    trimmed: Path
    prints: Path
    ninth: Path


@pytest.fixture(scope="module")
def papers(tmp_path_factory: pytest.TempPathFactory) -> Papers:
    texts = federalist()
    folder = tmp_path_factory.mktemp("papers")
    whole, trimmed, prints = folder / "whole.xml", folder / "trimmed.xml", folder / "prints.xml"
    done("CreateDictionary", "-o", whole, "-p", texts, "-c", CONFIGS / "english.toml")
    done("TrimDictionary", "-d", whole, "-b", "0.3", "-t", "0.8", "-o", trimmed)
    done("Fingerprint", "-d", trimmed, "-o", prints, *sorted(texts.iterdir()))
    done("Fingerprint", "-d", trimmed, "-o", folder / "ninth.xml", "-i", texts / "09.txt")
    return Papers(texts, trimmed, prints, folder / "ninth.xml")


def compare(*arguments: Argument) -> Any:
    return done("CompareDirectory", *arguments, "--format", "json").json["rows"]


def bits_of(container: Path) -> dict[str, int]:
    """The vector of each document as an integer, by the document's name, read from the XML."""
    return {
        element.findtext("{*}dataSource/{*}filename"): int.from_bytes(
            b64decode(element.findtext("{*}vector")), "little"
        )
        for element in parsed(container).iterfind("{*}fingerprint")
    }


def weights_of(dictionary: Path, power: float = 1.0) -> list[int]:
    """The weight of each term: its IDF (to a power) in 2**-20ths, none below zero."""
    root = parsed(dictionary)
    documents = int(root.findtext("{*}documents"))
    counts = [int(term.get("df")) for term in root.iterfind("{*}terms/{*}term")]
    return [
        max(0, round(max(0.0, math.log(documents / (1 + count))) ** power * 2**20))
        for count in counts
    ]


def total(vector: int, weights: list[int]) -> int:
    return sum(weight**2 for place, weight in enumerate(weights) if vector >> place & 1)


def expected_score(matcher: str, a: int, b: int, weights: list[int]) -> int:
    """The score by DESIGN.md's formulas, by integers alone."""
    common, left, right = (a & b).bit_count(), a.bit_count(), b.bit_count()
    if matcher.startswith("idf-cosine"):
        both = total(a & b, weights)
        return min(99, math.isqrt(10_000 * both**2 // (total(a, weights) * total(b, weights))))
    return {
        "cosine": min(99, math.isqrt(10_000 * common**2 // (left * right))),
        "exact": 99 if a == b else 0,
        "jaccard": min(99, 100 * common // (left + right - common)),
        "containment": min(99, 100 * common // left),
        "dice": min(99, 200 * common // (left + right)),
    }[matcher]


def test_paper_9_finds_itself_first_and_the_rest_in_order(papers: Papers) -> None:
    outcome = there("CompareDirectory", "-f", papers.ninth, "-p", papers.folder)
    assert outcome.code == 0
    rows = outcome.table
    assert (rows[0]["path"], rows[0]["score"], rows[0]["similarity"]) == ("09.txt", "99", "1.0")
    assert len(rows) == 85
    order = [(-int(row["score"]), row["path"]) for row in rows]
    assert order == sorted(order)
    assert int(rows[1]["score"]) < 60
    assert outcome.errors == [
        "matcher: idf-cosine",
        "85 compared, 85 at 1 or above, 0 not comparable, 0 unreadable",
    ]


def test_every_paper_finds_itself_first(papers: Papers) -> None:
    rows = compare("-m", "cosine", "-f", papers.prints, "-p", papers.folder, "-k", "1")
    assert len(rows) == 85
    assert {row["score"] for row in rows} == {99}
    guids = {
        f"{papers.prints}#{element.get('guid')}": element.findtext("{*}dataSource/{*}filename")
        for element in parsed(papers.prints).iterfind("{*}fingerprint")
    }
    assert {row["fingerprint"]: row["path"] for row in rows} == guids


@pytest.mark.parametrize(
    "matcher",
    ["cosine", "exact", "idf-cosine", "jaccard", "containment", "dice", "idf-cosine(power=2)"],
)
def test_every_score_is_the_one_its_formula_gives(papers: Papers, matcher: str) -> None:
    bits = bits_of(papers.prints)
    power = 2.0 if "power" in matcher else 1.0
    weights = weights_of(papers.trimmed, power)
    rows = compare("-m", matcher, "-f", papers.ninth, "-p", papers.folder, "-s", "0")
    assert len(rows) == 85
    mine = bits["09.txt"]
    for row in rows:
        other = bits[row["path"]]
        assert row["score"] == expected_score(matcher, mine, other, weights)
        assert (row["a"], row["b"]) == (mine.bit_count(), other.bit_count())
        assert row["common"] == (mine & other).bit_count()
        assert row["score"] == min(99, int(100 * row["similarity"] + 1e-9))


def test_the_names_of_the_original_are_the_same_matchers(papers: Papers) -> None:
    for original, ours in (
        ("CosineSimilarityFingerprintMatcher", "cosine"),
        ("ExactFingerprintMatcher", "exact"),
    ):
        common = ("-f", papers.ninth, "-p", papers.folder)
        assert compare("-m", original, *common) == compare("-m", ours, *common)


def test_fingerprints_and_documents_are_candidates_alike(papers: Papers, folder: Path) -> None:
    shutil.copy(papers.prints, folder / "prints.xml")
    shutil.copy(papers.ninth, folder / "ninth.xml")
    documents = {
        row["path"]: row["score"] for row in compare("-f", papers.ninth, "-p", papers.folder)
    }
    rows = compare("-f", papers.ninth, "-p", folder)
    by_guid = {
        f"prints.xml#{element.get('guid')}": element.findtext("{*}dataSource/{*}filename")
        for element in parsed(papers.prints).iterfind("{*}fingerprint")
    } | {"ninth.xml": "09.txt"}
    assert len(rows) == 86
    assert all(documents[by_guid[row["path"]]] == row["score"] for row in rows)


def test_a_document_is_fingerprinted_on_the_way(papers: Papers) -> None:
    by_print = compare("-f", papers.ninth, "-p", papers.folder)
    ninth = papers.folder / "09.txt"
    by_document = compare("-f", ninth, "-d", papers.trimmed, "-p", papers.folder)
    assert {row.pop("fingerprint") for row in by_document} == {str(ninth)}
    for row in by_print:
        row.pop("fingerprint")
    assert by_document == by_print
    refused = here("CompareDirectory", "-f", ninth, "-p", papers.folder)
    assert refused.code != 0
    assert refused.errors[-1].count("-d") == 1


def test_the_dictionary_inside_does_as_well_as_the_one_named(papers: Papers, folder: Path) -> None:
    options = ("-d", papers.trimmed, "-i", papers.folder / "09.txt", "-o", "bare.xml")
    done("Fingerprint", *options, "--profile", "minimal")
    inside = compare("-f", papers.ninth, "-p", papers.folder)
    named = compare("-f", "bare.xml", "-p", papers.folder, "-d", papers.trimmed)
    assert [(row["path"], row["score"]) for row in inside] == [
        (row["path"], row["score"]) for row in named
    ]
    (folder / "prints").mkdir()
    shutil.copy(papers.prints, folder / "prints")
    without = here("CompareDirectory", "-f", "bare.xml", "-p", "prints")
    assert without.code == 0
    assert "matcher: cosine" in without.errors


def test_documents_that_no_dictionary_is_at_hand_for_are_told(papers: Papers) -> None:
    options = ("-d", papers.trimmed, "-i", papers.folder / "09.txt", "-o", "bare.xml")
    done("Fingerprint", *options, "--profile", "minimal")
    outcome = here("CompareDirectory", "-f", "bare.xml", "-p", papers.folder)
    assert outcome.code != 0
    assert len(outcome.errors) <= 6
    assert any("-d" in line for line in outcome.errors), outcome.errors


def test_the_default_matcher_is_said_and_a_named_one_is_not(papers: Papers) -> None:
    common = ("-f", papers.ninth, "-p", papers.folder)
    assert "matcher: idf-cosine" in done("CompareDirectory", *common).errors
    named = done("CompareDirectory", *common, "-m", "idf-cosine")
    assert not [line for line in named.errors if "matcher" in line]
    assert named.out == done("CompareDirectory", *common).out


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_neither_jobs_nor_the_order_of_files_change_a_row(
    papers: Papers, folder: Path, jobs: str
) -> None:
    files = sorted(papers.folder.iterdir())
    chance(3).shuffle(files)
    (folder / "copies").mkdir()
    for path in files:
        shutil.copy(path, folder / "copies")
    common = ("-f", papers.ninth, "-m", "cosine")
    expected = compare(*common, "-p", papers.folder)
    assert compare(*common, "-p", folder / "copies", "--jobs", jobs) == expected


def test_at_least_the_minimum_is_shown_and_at_most_the_top(papers: Papers) -> None:
    common = ("-m", "cosine", "-f", papers.ninth, "-p", papers.folder)
    everything = compare(*common)
    for minimum in (1, 15, 20, 99):
        expected = [row for row in everything if row["score"] >= minimum]
        outcome = done("CompareDirectory", *common, "-s", str(minimum), "--format", "json")
        assert outcome.json["rows"] == expected
        assert f"{len(expected)} at {minimum} or above" in outcome.errors[-1]
    for top in (1, 7, 1000):
        assert compare(*common, "-k", str(top)) == everything[:top]
    assert compare(*common, "-k", "5", "-s", "20") == everything[:5]


def test_top_counts_for_each_fingerprint(papers: Papers) -> None:
    rows = compare("-m", "cosine", "-f", papers.prints, "-p", papers.folder, "-k", "3")
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["fingerprint"]] = counts.get(row["fingerprint"], 0) + 1
    assert len(counts) == 85
    assert set(counts.values()) == {3}


@pytest.fixture
def mixed(shelf: Shelf, folder: Path) -> Path:
    """A folder where some compare, some do not, one is damaged and one is a dictionary."""
    place = write_texts(folder / "mixed", 4)
    (place / "deep").mkdir()
    shutil.copy(shelf.minimal, place / "deep" / "same.xml")
    (place / "short.txt").write_text("Hardly anything.\n", "utf-8")
    done("TrimDictionary", "-d", shelf.dictionary, "-b", "0.1", "-t", "0.9", "-o", "other.xml")
    other = shelf.texts / "008.txt"
    done("Fingerprint", "-i", other, "-d", "other.xml", "-o", place / "other.xml")
    (place / "damaged.xml").write_bytes(shelf.minimal.read_bytes()[:-30])
    shutil.copy(shelf.dictionary, place / "dictionary.xml")
    return place


def test_what_does_not_compare_comes_last_with_the_reason(shelf: Shelf, mixed: Path) -> None:
    for minimum in ([], ["-s", "0"]):
        outcome = here(
            "CompareDirectory", "-f", shelf.full, "-p", mixed, "--format", "json", *minimum
        )
        check_partly(outcome, 3, "damaged.xml")
        rows = outcome.json["rows"]
        assert rows[0]["path"] == "deep/same.xml"
        tail = {row["path"]: row for row in rows[-2:]}
        assert set(tail) == {"other.xml", "short.txt"}
        assert all(row["score"] is None and row["similarity"] is None for row in tail.values())
        assert "dictionar" in tail["other.xml"]["reason"]
        assert "--min-terms" in tail["short.txt"]["reason"]
        assert all(row["score"] is not None and row["reason"] is None for row in rows[:-2])
        assert "2 not comparable, 1 unreadable" in outcome.errors[-1]
        (problem,) = [one for one in outcome.json["problems"] if one["severity"] == "error"]
        assert problem["category"] == "damaged"
        assert problem["path"].endswith("damaged.xml")
    shown = here("CompareDirectory", "-f", shelf.full, "-p", mixed, "-s", "1")
    assert all(row["score"] for row in shown.table)


def test_a_dictionary_among_the_documents_is_passed_over_with_a_word(
    shelf: Shelf, mixed: Path
) -> None:
    (mixed / "damaged.xml").unlink()
    outcome = here("CompareDirectory", "-f", shelf.full, "-p", mixed)
    assert outcome.code == 0
    (line,) = [line for line in outcome.errors if "dictionary.xml" in line]
    assert line.startswith("warning: ")
    assert "dictionary.xml" not in {row["path"] for row in outcome.table}


def test_a_lower_minimum_of_terms_makes_short_documents_comparable(
    shelf: Shelf, mixed: Path
) -> None:
    words = prose(7).split()
    (mixed / "short.txt").write_text(" ".join(words[:16]), "utf-8")
    common = ["CompareDirectory", "-f", shelf.full, "-p", mixed, "-s", "0", "--format", "json"]

    def short(*options: str) -> Mapping[str, Any]:
        rows = here(*common, *options).json["rows"]
        return next(row for row in rows if row["path"] == "short.txt")

    lenient = short("--min-terms", "1")
    assert lenient["score"] is not None
    assert lenient["b"] > 0
    assert short("--min-terms", str(lenient["b"])) == lenient
    assert short("--min-terms", str(lenient["b"] + 1))["score"] is None


def test_equal_bits_score_99_however_few(shelf: Shelf, folder: Path) -> None:
    terms = [term.text for term in parsed(shelf.trimmed).iterfind(".//{*}term")]
    tokens = prose(7).split()
    (folder / "tiny").mkdir()
    for name in ("a.txt", "b.txt"):
        (folder / "tiny" / name).write_text(" ".join(tokens[:16]), "utf-8")
    assert len(terms) > 100
    common = ("-f", "tiny/a.txt", "-d", shelf.trimmed, "-p", "tiny")
    for matcher in ("cosine", "exact", "idf-cosine", "jaccard", "dice"):
        rows = compare("-m", matcher, *common)
        assert [(row["path"], row["score"]) for row in rows] == [("a.txt", 99), ("b.txt", 99)]
        assert 0 < rows[0]["a"] < 8
    refused = here("CompareDirectory", "-m", "containment", *common)
    assert refused.code == 4


def test_nothing_comparable_is_code_4(shelf: Shelf, folder: Path) -> None:
    (folder / "short").mkdir()
    (folder / "short" / "a.txt").write_text("Hardly anything.\n", "utf-8")
    outcome = there("CompareDirectory", "-f", shelf.full, "-p", "short")
    assert outcome.code == 4
    assert len(outcome.errors) <= 3
    assert "Traceback" not in outcome.err
    assert "not" in outcome.errors[-1]
    assert "comparable" in outcome.errors[-1]


def test_exit_code_1_is_for_nothing_found_and_only_on_demand(shelf: Shelf) -> None:
    def code(*options: Argument) -> int:
        return here("CompareDirectory", "-m", "cosine", "-p", shelf.texts, *options).code

    Path("other.txt").write_text(prose(4711), "utf-8")
    other = ("-f", "other.txt", "-d", shelf.trimmed)
    assert code("-f", shelf.full, "-s", "99", "--exit-code") == 0
    assert code(*other, "-s", "99", "--exit-code") == 1
    assert code(*other, "-s", "99") == 0
    assert code(*other, "-f", "gone.xml", "-s", "99", "--exit-code") == 3


def test_an_empty_folder_holds_nothing(shelf: Shelf, folder: Path) -> None:
    (folder / "empty").mkdir()
    outcome = done("CompareDirectory", "-f", shelf.full, "-p", "empty")
    assert outcome.table == []
    assert outcome.errors[-1].startswith("0 compared")
    found = here("CompareDirectory", "-f", shelf.full, "-p", "empty", "--exit-code")
    assert found.code == 1


def test_a_single_file_may_stand_for_the_folder(shelf: Shelf) -> None:
    (row,) = compare("-f", shelf.full, "-p", shelf.document)
    assert (row["score"], row["path"]) == (99, "007.txt")


def test_a_container_without_guids_is_told_by_places(shelf: Shelf, folder: Path) -> None:
    (folder / "kept").mkdir()
    files = [shelf.texts / f"00{place}.txt" for place in (5, 6, 7)]
    options = ("--profile", "minimal", "-o", "kept/c.xml.gz")
    done("Fingerprint", "-d", shelf.trimmed, *options, *files)
    rows = compare("-f", shelf.full, "-p", "kept", "-m", "cosine")
    assert rows[0]["path"] == "kept/c.xml.gz#3".removeprefix("kept/")
    assert {row["path"] for row in rows} == {f"c.xml.gz#{place}" for place in (1, 2, 3)}


def test_a_fingerprint_over_a_dictionary_not_at_hand_does_not_stop_the_others(
    shelf: Shelf, mixed: Path
) -> None:
    (mixed / "damaged.xml").unlink()
    (mixed / "dictionary.xml").unlink()
    done(
        "Fingerprint",
        "-i",
        shelf.document,
        "-d",
        "other.xml",
        "-o",
        "q.xml",
        "--profile",
        "minimal",
    )
    outcome = here(
        "CompareDirectory", "-f", shelf.full, "-f", "q.xml", "-p", mixed, "--format", "json"
    )
    assert outcome.code == 0, outcome.err[-500:]
    rows = outcome.json["rows"]
    found = {(row["fingerprint"], row["path"]): row for row in rows}
    assert found[str(shelf.full), "deep/same.xml"]["score"] == 99
    assert found[str(shelf.full), "other.xml"]["score"] is None
    assert found["q.xml", "000.txt"]["score"] is None


def scored(*arguments: Argument) -> Outcome:
    return here("ScoreFingerprints", *arguments, "--format", "json")


def test_a_score_says_the_best_pair_and_all(papers: Papers) -> None:
    tenth = Path("tenth.xml")
    done("Fingerprint", "-d", papers.trimmed, "-i", papers.folder / "10.txt", "-o", tenth)
    bits, weights = bits_of(papers.prints), weights_of(papers.trimmed)
    for matcher in ("cosine", "jaccard", "containment", "dice", "idf-cosine", "exact"):
        outcome = scored("-m", matcher, "-f", papers.ninth, "-f", tenth)
        assert (outcome.code, outcome.err) == (0, "")
        record = outcome.json
        keys = ["schema", "matcher", "score", "similarity", "common", "a", "b", "pairs"]
        assert list(record) == keys
        assert (record["schema"], record["matcher"]) == ("sdtext/score/1", matcher)
        expected = expected_score(matcher, bits["09.txt"], bits["10.txt"], weights)
        assert record["score"] == expected
        assert len(record["pairs"]) == 1
        assert record["pairs"][0]["score"] == expected
        swapped = scored("-m", matcher, "-f", tenth, "-f", papers.ninth).json
        assert (swapped["a"], swapped["b"]) == (record["b"], record["a"])
        if matcher != "containment":
            assert swapped["score"] == expected


def test_a_score_without_a_matcher_says_which_it_took(shelf: Shelf) -> None:
    weighed = scored("-f", shelf.full, "-f", shelf.minimal)
    assert (weighed.json["matcher"], weighed.errors) == ("idf-cosine", ["matcher: idf-cosine"])
    plain = scored("-f", shelf.minimal, "-f", shelf.minimal)
    assert (plain.json["matcher"], plain.errors) == ("cosine", ["matcher: cosine"])
    named = scored("-f", shelf.minimal, "-f", shelf.minimal, "-d", shelf.trimmed)
    assert named.json["matcher"] == "idf-cosine"


def test_weights_without_a_dictionary_are_one_line_that_says_what_to_do(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:2]
    for name, path in zip(("a.xml", "b.xml"), files, strict=True):
        done("Fingerprint", "-i", path, "-d", shelf.trimmed, "--profile", "minimal", "-o", name)
    refused = there("ScoreFingerprints", "-m", "idf-cosine", "-f", "a.xml", "-f", "b.xml")
    check_refused(refused, 4, "-d", "cosine")


def test_fingerprints_over_other_dictionaries_do_not_compare(shelf: Shelf) -> None:
    done("Fingerprint", "-i", shelf.document, "-d", shelf.dictionary, "-o", "whole.xml")
    refused = there("ScoreFingerprints", "-f", shelf.full, "-f", "whole.xml")
    check_refused(refused, 4, "not comparable", "dictionary", "trimmed")


def test_fingerprints_with_too_few_terms_do_not_compare(shelf: Shelf) -> None:
    Path("short.txt").write_text("Hardly anything.\n", "utf-8")
    done("Fingerprint", "-i", "short.txt", "-d", shelf.trimmed, "-o", "short.xml")
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "short.xml")
    check_refused(refused, 4, "--min-terms")


def test_a_container_is_not_one_fingerprint(shelf: Shelf) -> None:
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", *sorted(shelf.texts.iterdir())[:3])
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "c.xml")
    check_refused(refused, 2, "c.xml", "3", "CompareDirectory")
