"""Calibrate as it is run: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model.calibration import Calibration, SizeClass
from tests.support.command import (
    Outcome,
    check_refused,
    check_usage,
    done,
    here,
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
    assert "calibrated on 40 documents; left out for text they share: 1 document" in outcome.err
    assert schema_errors(dictionary) == ""
    assert digest_of(dictionary) == before
    assert dictionary.read_bytes().count(b"<calibration ") == 1


def sized(least: int, most: int | None, level: int, pairs: int = 40_000) -> SizeClass:
    """A class whose level for 0.1 % is `level`: below it are many unrelated pairs."""
    high = (pairs - 100, *[0] * (level - 2), 100, *[0] * (100 - level))
    return SizeClass(least, most, high, (*[0] * 60, 50, *[0] * 39), (pairs,) * 100)


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
    check_refused(here(*stored, "-m", "dice"), 2)
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
