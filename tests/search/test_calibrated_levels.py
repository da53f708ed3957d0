"""What is said where far more matches reach the levels of a calibration than chance explains."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from sdtext import compare, create, load
from sdtext.errors import MismatchError
from sdtext.model.dictionary import Dictionary
from sdtext.text.document import Document
from tests.support.command import done, here

FORM = (
    "the applicant confirms receipt account number date signature office department request "
    "approval details section please complete return copy address payment insurance employer "
    "medical certificate period holiday weekly monthly register deadline decision appeal"
)


def written(folder: Path, template: str, number: int = 30) -> list[Document]:
    """Unrelated documents of one form: its words, and as many others that no dictionary knows."""
    draw, folder = Random(4), folder / "texts"
    folder.mkdir()
    syllables = [first + vowel for first in "bdgklmnprstvz" for vowel in "aeiou"]
    for place in range(number):
        own = ["".join(draw.choices(syllables, k=4)) for _ in range(40)]
        text = [*template.split(), *own]
        draw.shuffle(text)
        (folder / f"{place:03}.txt").write_text(" ".join(text))
    return [Document.of(path.read_text(), path.name) for path in sorted(folder.iterdir())]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path()


@pytest.fixture
def english() -> Dictionary:
    dictionary = load("english")
    assert isinstance(dictionary, Dictionary)
    return dictionary


def test_levels_that_do_not_hold_are_not_stated(tmp_path: Path, english: Dictionary) -> None:
    query, *searched = written(tmp_path, FORM)
    comparison = compare(query, searched, dictionary=english)
    assert "levels" in {problem.category for problem in comparison.problems}
    assert {row.chance for row in comparison.rows} == {None}
    assert "Calibrate" in next(p.message for p in comparison.problems if p.category == "levels")
    assert comparison.calibrations == ()
    few = compare(query, searched[:8], dictionary=english)
    assert all(row.chance for row in few.rows)
    draw = Random(5)
    others = [Document.of(" ".join(draw.sample(english.terms, 40))) for _ in range(900)]
    many = compare(query, [*searched[:12], *others], dictionary=english)
    assert any(row.chance for row in many.rows)  # twelve in a thousand may be related


def test_scores_between_two_levels_show_that_neither_holds(english: Dictionary) -> None:
    draw = Random(6)
    common = draw.sample(english.terms, 20)
    query, *searched = [
        Document.of(" ".join([*common, *draw.sample(english.terms, 50)])) for _ in range(31)
    ]
    [calibration] = [item for item in english.calibrations if item.matcher == "idf-cosine"]
    comparison = compare(query, searched, dictionary=english, matcher="idf-cosine")
    scores = {row.score or 0 for row in comparison.rows}
    low, high = (calibration.level(70, 70, rate) or 0 for rate in (0.01, 0.001))
    assert 0 < low < min(scores) <= max(scores) < high
    assert "levels" in {problem.category for problem in comparison.problems}
    with pytest.raises(MismatchError):
        compare(query, searched, dictionary=english, recommended=True)


@pytest.mark.parametrize("top", [5, None])
def test_a_collection_says_so_too(tmp_path: Path, english: Dictionary, top: int | None) -> None:
    query, *searched = written(tmp_path, FORM)
    collection = create(tmp_path / "forms.sdx", dictionary=english)
    collection.add(searched)
    hits = collection.similar(query, top=top, similarity=0.01)
    assert "levels" in {problem.category for problem in hits.problems}
    assert {row.chance for row in hits} == {None}
    with pytest.raises(MismatchError):
        collection.similar(query, recommended=True)


def test_no_bundled_level_is_recommended_where_it_does_not_hold(
    folder: Path, english: Dictionary
) -> None:
    documents = written(folder, FORM)
    asked = ("CompareDirectory", "texts", "-p", "texts", "--recommended", "-d")
    assert here(*asked, "english").code == 4
    query, *searched = documents
    own = replace(english, calibrations=tuple(
        replace(calibration, bundled=False) for calibration in english.calibrations
    ))  # fmt: skip
    comparison = compare(query, searched, dictionary=own, recommended=True)
    assert comparison.rows
    assert "levels" in {problem.category for problem in comparison.problems}


def test_no_bundled_level_is_recommended_where_terms_drift(folder: Path) -> None:
    written(folder, "", 4)
    for path in (folder / "texts").iterdir():
        path.write_text(path.read_text() + " " + FORM[: 40 * (int(path.stem) + 2)])
    asked = ("CompareDirectory", "texts", "-p", "texts", "-d", "english")
    assert "drift" in {row["category"] for row in done(*asked, "--format", "json").json["problems"]}
    assert here(*asked, "--recommended").code == 4


def test_sizes_without_a_level_are_counted(english: Dictionary) -> None:
    documents = [
        Document.of(" ".join(english.terms[start : start + 700]), str(start))
        for start in range(0, 9_000, 1_000)
    ]
    comparison = compare(documents[0], documents[1:], dictionary=english, recommended=True)
    [problem] = [item for item in comparison.problems if item.category == "no-level"]
    assert problem.message.startswith("8 pairs")
    assert not comparison.rows
