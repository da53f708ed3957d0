"""Calibrate as it is run: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from sdtext import compare
from sdtext import open as open_collection
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

from .command import (
    Outcome,
    check_refused,
    check_usage,
    done,
    here,
    prose,
    schema_errors,
    write_texts,
)


@pytest.fixture
def dictionary(folder: Path) -> Path:
    """A dictionary, and beside it the folder `texts` to calibrate it with."""
    texts = write_texts(folder / "texts", 70, 120)
    (folder / "others").mkdir()
    for path in sorted(texts.iterdir())[40:]:
        path.rename(folder / "others" / path.name)
    (texts / "copy.txt").write_text((texts / "000.txt").read_text())
    done("CreateDictionary", "others", "-c", "english", "-o", "d.xml")
    return Path("d.xml")


def calibrated(*words: object) -> Outcome:
    return done("Calibrate", "-d", "d.xml", "-p", "texts", *words)


def calibrated_by_cosine() -> Calibration:
    calibrated("-m", "cosine")
    [calibration] = load_dictionary("d.xml").calibrations
    return calibration


def digest_of(path: Path) -> str:
    digest: str = done("ShowDictionaryStatistics", "-d", path, "--format", "json").json["digest"]
    return digest


def test_a_calibration_is_stored_in_the_dictionary_whose_content_stays(dictionary: Path) -> None:
    before = digest_of(dictionary)
    outcome = calibrated("-m", "cosine", "--format", "json")
    record = outcome.json
    assert record["schema"] == "sdtext/calibrate/1"
    assert {row["matcher"] for row in record["rows"]} == {"cosine"}
    levels = {row["rate"]: row for row in record["rows"] if row["bits"] == "32 to 127"}
    assert levels[0.0001]["score"] is None
    assert levels[0.01]["score"] > 0
    assert levels[0.01]["observed"] <= levels[0.01]["at_most"] <= 0.01
    [left_out] = [line for line in outcome.errors if line.startswith("left out")]
    assert "1 document (" in left_out
    assert "calibrated on 40 documents; written to d.xml" in outcome.errors
    assert schema_errors(dictionary) == ""
    assert digest_of(dictionary) == before
    assert dictionary.read_bytes().count(b"<calibration ") == 1


def test_a_further_matcher_is_added_and_the_same_one_replaced(dictionary: Path) -> None:
    calibrated("-m", "cosine", "-o", "other.xml")
    assert b"<calibration" not in dictionary.read_bytes()
    done("Calibrate", "-d", "other.xml", "-p", "texts", "-m", "jaccard", "-m", "cosine")
    content = Path("other.xml").read_text()
    names = [part.split('"')[0] for part in content.split('<calibration matcher="')[1:]]
    assert names == ["cosine", "jaccard"]
    trimmed = done("TrimDictionary", "other.xml", "-b", "0.1", "-t", "0.9", "-o", "trimmed.xml")
    assert "<calibration" not in Path("trimmed.xml").read_text()
    assert "the calibration of cosine, jaccard is not kept" in trimmed.err
    again = done("TrimDictionary", "trimmed.xml", "-b", "0.2", "-t", "0.8", "-o", "again.xml")
    assert "calibration" not in again.err


@pytest.mark.usefixtures("dictionary")
def test_every_match_from_then_on_says_how_often_chance_gives_its_score() -> None:
    calibration = calibrated_by_cosine()
    query = shutil.copy("texts/000.txt", "query.txt")
    compared = ("CompareDirectory", query, "texts", "-d", "d.xml", "-m", "cosine")
    rows = done(*compared, "--format", "json").json["rows"]
    assert {row["chance"]["compared"] for row in rows} == {41}
    for row in rows:
        item = calibration.class_of(row["a"], row["b"])
        assert item
        if item.is_estimated(row["score"]):
            assert row["chance"]["rate"] == item.rate(row["score"])
            assert row["chance"]["expected"] == pytest.approx(41 * item.rate(row["score"]))
        else:
            assert row["chance"]["rate"] is None
        assert row["chance"]["at_most"] == item.bound(row["score"])
    assert any(row["chance"]["rate"] for row in rows)
    texts = [line.split("\t")[-1] for line in done(*compared).text.splitlines()]
    assert texts[0] == "chance"
    assert texts[1].startswith("99 or more: less than ")
    assert texts[-1].startswith(f"{rows[-1]['score']} or more: ")
    assert " are expected by chance; likelihood ratio 0." in texts[-1]
    assert texts[-1].endswith(" documents)")
    item = calibration.class_of(rows[0]["a"], rows[0]["b"])
    assert item
    assert rows[0]["chance"]["cllr"] == item.cllr
    assert rows[0]["chance"]["likelihood_ratio"] > 1 > rows[-1]["chance"]["likelihood_ratio"]
    assert "among the 41 documents compared, " in texts[-1]


@pytest.mark.usefixtures("dictionary")
def test_only_queries_in_another_language_have_no_chance(folder: Path) -> None:
    calibrated("-m", "cosine")
    french = "Il n'y a pas de doute que la lecture de ces pages est utile pour nous. "
    english = Path("texts/000.txt").read_text("utf-8")
    (folder / "queries").mkdir()
    (folder / "queries" / "a.txt").write_text(english, "utf-8")
    for name in ("b", "c"):  # the second is only counted in the warning
        text = french * 20 + english[:2000] + french * 20
        (folder / "queries" / f"{name}.txt").write_text(text, "utf-8")
    line = ("CompareDirectory", "queries", "texts", "-d", "d.xml", "-m", "cosine", "-k", "1")
    outcome = done(*line, "--format", "json")
    rows = outcome.json["rows"]
    assert [row["fingerprint"] for row in rows if row["chance"]] == ["queries/a.txt"]
    assert len(rows) == 3
    assert "queries/b.txt" in outcome.err
    assert "(and 1 more document)" in outcome.err


def sized(least: int, most: int | None, level: int, pairs: int = 40_000) -> SizeClass:
    """A class whose level for 0.1 % is `level`: below it are many unrelated pairs."""
    high = (pairs - 100, *[0] * (level - 2), 100, *[0] * (100 - level))
    return SizeClass(least, most, high, (*[0] * 60, 50, *[0] * 39), (pairs,) * 100)


@pytest.mark.usefixtures("dictionary")
def test_recommended_takes_the_matcher_and_the_scores_of_the_calibration() -> None:
    classes = sized(8, 31, 70), sized(32, 127, 23), sized(128, None, 8, pairs=500)
    calibrations = [
        Calibration("jaccard", "now", 90, 0, ("shuffle",), classes),
        Calibration("cosine", "now", 90, 0, ("shuffle",), [sized(8, None, 80)]),
    ]
    plain = load_dictionary("d.xml")
    save(plain.with_calibrations(calibrations), "d.xml")
    asked = ("CompareDirectory", "texts/000.txt", "texts", "-d", "d.xml")
    every = done(*asked, "-m", "jaccard", "-s", "1", "--format", "json").json["rows"]
    expected = [row for row in every if calibrations[0].is_recommended(*_sizes(row))]
    outcome = done(*asked, "--recommended", "--format", "json")
    assert (outcome.json["matcher"], outcome.json["rows"]) == ("jaccard", expected)
    assert 2 <= len(expected) < len(every)
    same = compare("texts/000.txt", "texts", dictionary="d.xml", recommended=True).rows
    assert [row.path for row in same] == [row["path"] for row in expected]
    assert f"{len(expected)} at or above the recommended score" in outcome.err
    assert (
        "70 or more with 8 to 31 terms, 23 or more with 32 to 127 terms, 70 or more with 128 or "
        "more terms (no level is measured there: the highest of the others); calibrated on 90"
    ) in outcome.err
    done("AddDocuments", "t.sdx", "texts", "-d", "d.xml")
    similar = done("FindSimilar", "t.sdx", "texts/000.txt", "--recommended", "--format", "json")
    names = {(row["document"], row["score"]) for row in similar.json["rows"]}
    assert names == {(row["path"], row["score"]) for row in expected}
    with open_collection("t.sdx") as stored:
        rows = stored.similar(Path("texts/000.txt"), recommended=True).rows
        assert {(row.document, row.score) for row in rows} == names
    best = done("FindSimilar", "t.sdx", "texts/000.txt", "--recommended", "-k1", "--format", "json")
    assert best.json["rows"] == similar.json["rows"][:1]


@pytest.mark.parametrize("language", DICTIONARIES.names())
def test_every_calibration_of_a_bundled_dictionary_is_marked_as_such(language: str) -> None:
    calibrations = load_dictionary(language).calibrations
    assert [item.matcher for item in calibrations] == ["cosine", "idf-cosine", "surprise"]
    assert all(item.bundled for item in calibrations)


@pytest.mark.usefixtures("dictionary")
def test_documents_of_ones_own_come_before_a_bundled_calibration() -> None:
    own = Calibration("cosine", "now", 90, 0, ("shuffle",), [sized(8, None, 30, pairs=2_000)])
    bundled = Calibration("surprise", "now", 90, 0, (), [sized(8, None, 9)], bundled=True)
    assert (own.recommended_rate, bundled.recommended_rate) == (0.01, 0.001)
    save(load_dictionary("d.xml").with_calibrations([own, bundled]), "d.xml")
    outcome = done("CompareDirectory", "texts/000.txt", "texts", "-d", "d.xml", "--recommended")
    assert "recommended: cosine" in outcome.err
    assert "bundled" not in outcome.err


def test_the_dictionary_of_a_collection_is_calibrated_in_it(dictionary: Path) -> None:
    done("AddDocuments", "t.sdx", "texts", "-d", dictionary)
    before = Path(dictionary).read_bytes()
    outcome = done("Calibrate", "t.sdx", "-p", "texts", "-m", "cosine", "--sample", "40")
    assert "written to t.sdx" in outcome.err
    assert Path(dictionary).read_bytes() == before
    asked = ("FindSimilar", "t.sdx", "texts/000.txt", "-m", "cosine", "-s", "1", "--format", "json")
    rows = done(*asked).json["rows"]
    assert {row["chance"]["compared"] for row in rows} == {40}
    done("AddDocuments", "t.sdx", "others")
    assert {row["chance"]["compared"] for row in done(*asked).json["rows"]} == {70}
    assert done("Doctor", "t.sdx").code == 0
    done("Calibrate", "-d", "t.sdx", "-p", "texts", "-m", "cosine", "-o", "copy.xml")
    [calibration] = load_dictionary("copy.xml").calibrations
    assert calibration.matcher == "cosine"
    done("AddDocuments", "plain.sdx", "texts", "-c", "near-duplicate")
    check_refused(here("Calibrate", "plain.sdx", "texts"), 4)
    check_usage(here("Calibrate", "t.sdx"), "DIR")
    check_usage(here("Calibrate", "texts"), "DIR")


def _sizes(row: dict[str, int]) -> tuple[int, int, int]:
    return row["score"], row["a"], row["b"]


def test_what_cannot_be_recommended_is_refused(dictionary: Path) -> None:
    asked = ("CompareDirectory", "texts/000.txt", "texts", "-d", dictionary, "--recommended")
    check_refused(here(*asked), 2)
    check_refused(here(*asked, "-s", "9"), 2)
    small = Calibration("cosine", "now", 12, 0, ("shuffle",), [sized(8, None, 50, pairs=120)])
    save(load_dictionary(dictionary).with_calibrations([small]), dictionary)
    check_refused(here(*asked), 2)
    done("AddDocuments", "t.sdx", "texts", "-d", dictionary)
    stored = ("FindSimilar", "t.sdx", "texts/000.txt", "--recommended")
    check_refused(here(*stored), 2)
    check_usage(here(*stored, "-m", "dice"))
    done("AddDocuments", "plain.sdx", "texts", "-c", "near-duplicate")
    plain = ("FindSimilar", "plain.sdx", "texts/000.txt", "--recommended")
    check_refused(here(*plain), 2)


def test_too_few_documents_leave_the_dictionary_as_it_is(dictionary: Path) -> None:
    before = dictionary.read_bytes()
    outcome = here("Calibrate", "-d", "d.xml", "-p", "texts/000.txt", "-p", "texts/001.txt")
    check_refused(outcome, 3)
    assert dictionary.read_bytes() == before


@pytest.mark.parametrize(("words", "code", "message"), [
    (["-d", "english", "-p", "texts"], 2, "english comes with sdtext; name a file"),
    (["-d", "d.xml", "-p", "texts", "-m", "edit"], 2, "edit does not compare bit vectors"),
    (["-d", "d.xml", "-p", "texts", "--mangler", "nothing"], 2, "nothing"),
    (["-d", "d.xml", "-p", "texts", "-o", "texts/000.txt"], 6, "is also an input"),
    (["-d", "texts/000.txt", "-p", "texts"], 6, "is also an input"),
])  # fmt: skip
@pytest.mark.usefixtures("dictionary")
def test_what_cannot_be_done_is_refused(words: list[str], code: int, message: str) -> None:
    outcome = here("Calibrate", *words)
    assert outcome.code == code
    assert message in " ".join(outcome.err.split())


@pytest.mark.parametrize(("recipe", "warns"), [("french", True), ("english", False)])
def test_a_sample_in_another_language_than_the_dictionary_is_reported(
    folder: Path, recipe: str, *, warns: bool
) -> None:
    done("CreateDictionary", write_texts(folder / "others", 30), "-c", recipe, "-o", "d.xml")
    common = ("the", "of", "and", "to", "in", "that", "was", "for", "with", "this", "from", "they")
    (folder / "texts").mkdir()
    for seed in range(12):
        draw = random.Random(seed)
        words = [word for noun in prose(seed).split() for word in (draw.choice(common), noun)]
        (folder / "texts" / f"{seed}.txt").write_text(" ".join(words), "utf-8")
    outcome = calibrated("-m", "cosine", "--mangler", "keep-lines(share=0.5)")
    warning = (
        "warning: texts/0.txt: seems to be English; dictionary d is for French: results may "
        "be misleading (and 11 more documents)"
    )
    assert (warning in outcome.errors) is warns, outcome.err
    assert ("seems to be" in outcome.err) is warns, outcome.err
