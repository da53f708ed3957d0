"""Calibrate as it is run: what it writes, what it prints, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from .command import Outcome, check_refused, done, here, schema_errors, write_texts


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
    done("TrimDictionary", "other.xml", "-b", "0.1", "-t", "0.9", "-o", "trimmed.xml")
    assert "<calibration" not in Path("trimmed.xml").read_text()


def test_too_few_documents_leave_the_dictionary_as_it_is(dictionary: Path) -> None:
    before = dictionary.read_bytes()
    outcome = here("Calibrate", "-d", "d.xml", "-p", "texts/000.txt", "-p", "texts/001.txt")
    check_refused(outcome, 3, "has 2 documents that can be read and share no text")
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
