"""Calibrate as it is run: what it writes, what it prints, and what it refuses."""

from pathlib import Path

import pytest

from sdtext.fingerprinting.load_and_save import load_dictionary
from tests.support.command import check_refused, check_usage, done, here, write_texts


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
