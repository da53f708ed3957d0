"""ScoreFingerprints: every matcher by its formula, and what does not compare."""

from __future__ import annotations

from pathlib import Path

from .command import Argument, Outcome, check_refused, done, here
from .conftest import Papers, Shelf
from .formulas import bits_of, expected_score, weights_of


def scored(*arguments: Argument) -> Outcome:
    return here("ScoreFingerprints", *arguments, "--format", "json")


def test_a_score_says_the_best_pair_and_all(papers: Papers) -> None:
    tenth = Path("tenth.xml")
    done("Fingerprint", "-d", papers.trimmed, "-i", papers.folder / "10.txt", "-o", tenth)
    bits, weights = bits_of(papers.prints), weights_of(papers.trimmed)
    for matcher in ("cosine", "jaccard", "containment", "dice", "idf-cosine", "exact"):
        outcome = scored("-m", matcher, "-f", papers.ninth, "-f", tenth)
        assert outcome.code == 0
        record = outcome.json
        keys = {"schema", "how", "matcher", "score", "similarity", "common", "a", "b", "pairs"}
        assert record.keys() == keys | {"problems"}
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
    assert weighed.json["matcher"] == "idf-cosine"
    assert weighed.errors == [weighed.json["how"]]
    plain = scored("-f", shelf.minimal, "-f", shelf.minimal)
    assert plain.json["matcher"] == "cosine"
    assert plain.errors == [plain.json["how"]]
    named = scored("-f", shelf.minimal, "-f", shelf.minimal, "-d", shelf.trimmed)
    assert named.json["matcher"] == "idf-cosine"


def test_weights_without_a_dictionary_are_one_line_that_says_what_to_do(shelf: Shelf) -> None:
    files = sorted(shelf.texts.iterdir())[:2]
    for name, path in zip(("a.xml", "b.xml"), files, strict=True):
        done("Fingerprint", "-i", path, "-d", shelf.trimmed, "--profile", "minimal", "-o", name)
    refused = here("ScoreFingerprints", "-m", "idf-cosine", "-f", "a.xml", "-f", "b.xml")
    check_refused(refused, 4, "cosine")


def test_fingerprints_over_other_dictionaries_do_not_compare(shelf: Shelf) -> None:
    done("Fingerprint", "-i", shelf.document, "-d", shelf.dictionary, "-o", "whole.xml")
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "whole.xml")
    named = f"{shelf.full} and whole.xml are not comparable: "
    check_refused(refused, 4, named, "dictionary", "trimmed")


def test_fingerprints_with_too_few_terms_do_not_compare(shelf: Shelf) -> None:
    Path("short.txt").write_text("Hardly anything.\n", "utf-8")
    done("Fingerprint", "-i", "short.txt", "-d", shelf.trimmed, "-o", "short.xml")
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "short.xml")
    check_refused(refused, 4, "min_terms")


def test_a_container_is_not_one_fingerprint(shelf: Shelf) -> None:
    done("Fingerprint", "-d", shelf.trimmed, "-o", "c.xml", *sorted(shelf.texts.iterdir())[:3])
    refused = here("ScoreFingerprints", "-f", shelf.full, "-f", "c.xml")
    check_refused(refused, 2, "c.xml", "3", "CompareDirectory")


def test_equal_vectors_of_few_terms_are_a_warning(folder: Path) -> None:
    (folder / "a.txt").write_text("Short text here.", "utf-8")
    (folder / "b.txt").write_text("Another short text.", "utf-8")
    outcome = done("ScoreFingerprints", "a.txt", "b.txt", "-d", "english")
    assert "warning: only 2 terms of the dictionary on one side" in outcome.err
    rows = done("CompareDirectory", "a.txt", "a.txt", ".", "-d", "english", "--format", "json")
    assert len(rows.json["rows"]) == 1
