"""Calibration on generated texts: what is left out, the counts, and the promised rate."""

from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import sdtext
from sdtext.errors import OptionError, UnreadableError
from sdtext.evaluation.calibrate import calibrate
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprint
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.calibration import costs, size_classes
from sdtext.model.dictionary import Dictionary
from sdtext.search.fingerprint_scores import FingerprintScorer
from sdtext.text.document import Document

RECIPE = RecipeSpec(PartSpec("words"))
VOCABULARY = [f"word{number}" for number in range(3000)]
WEIGHTS = [1 / (rank + 8) for rank in range(3000)]
OPTIONS: Any = {"mangler": "keep-lines(share=0.5)"}
FEW: Any = {"mangler": "keep-lines(share=0.5)", "sample": 20, "created": "now"}


def texts(number: int, seed: int) -> list[str]:
    """Texts of 100 to 130 words that are drawn independently by Zipf's law, ten a line."""
    draw = Random(seed)
    lengths = [draw.randrange(10, 14) for _ in range(number)]
    return [
        "\n".join(" ".join(draw.choices(VOCABULARY, WEIGHTS, k=10)) for _ in range(length))
        for length in lengths
    ]


def written(folder: Path, some: list[str]) -> Path:
    folder.mkdir()
    for place, text in enumerate(some):
        (folder / f"{place:03}.txt").write_text(text)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(tmp_path_factory.mktemp("calibrate") / "texts", texts(48, 1))


@pytest.fixture(scope="module")
def dictionary() -> Dictionary:
    return create_dictionary([Document.of(text) for text in texts(48, 9)], RECIPE)


@pytest.mark.parametrize("matcher", ["surprise", "containment"])
def test_histograms_count_the_scores_of_all_pairs(
    matcher: str, folder: Path, dictionary: Dictionary
) -> None:
    [calibration] = calibrate(dictionary, folder, matcher=[matcher], **OPTIONS).calibrations
    assert (calibration.matcher, calibration.documents, calibration.left_out) == (matcher, 48, 0)
    comparer = FingerprintScorer(matcher, (dictionary,))
    prints = [fingerprint(path, dictionary) for path in sorted(folder.iterdir())]
    matches = [comparer.best(*pair) for pair in combinations(prints, 2)]
    if not comparer.part.symmetric:
        matches += [comparer.best(right, left) for left, right in combinations(prints, 2)]
    for item in calibration.classes:
        if item.excerpts:
            continue
        inside = [
            match.score or 0
            for match in matches
            if calibration.class_of(match.left, match.right) is item
        ]
        assert item.unrelated == tuple(np.bincount(inside, minlength=100).tolist())
    assert {item.excerpts for item in calibration.classes} == {True, False}
    assert sum(sum(item.related) for item in calibration.classes) == 48
    bounds = {(item.least, item.most) for item in calibration.classes}
    assert bounds <= set(size_classes())


def test_without_matchers_the_default_and_surprise_are_calibrated(
    folder: Path, dictionary: Dictionary
) -> None:
    done = calibrate(dictionary, folder, **FEW)
    assert [item.matcher for item in done.calibrations] == ["idf-cosine(power=2)", "surprise"]
    assert {(item.documents, item.created) for item in done.calibrations} == {(20, "now")}
    assert done.dictionary.calibrations == done.calibrations
    assert done.dictionary.digest == dictionary.digest
    again = calibrate(dictionary, folder, **FEW)
    assert again == done


def test_related_documents_are_left_out(tmp_path: Path, dictionary: Dictionary) -> None:
    plain = texts(30, 2)
    lines = plain[3].split("\n")
    related = [
        "\n".join(lines[: len(lines) // 2]),  # an excerpt
        plain[4].replace("word9 ", "another "),  # an edited copy
        "\n".join((*lines[-4:], plain[5][:300])),  # of parts of two others
    ]
    done = calibrate(
        dictionary, written(tmp_path / "texts", plain + related), matcher=["cosine"], **OPTIONS
    )
    names = {Path(name).name for name in done.left_out}
    assert done.calibrations[0].left_out == len(names) >= 3
    groups = ({"003.txt", "030.txt", "032.txt"}, {"004.txt", "031.txt"})
    for group in groups:
        assert len(group - names) <= 2
    assert names <= {"003.txt", "004.txt", "005.txt", "030.txt", "031.txt", "032.txt"}
    assert max(item.reached(60) for item in done.calibrations[0].classes) == 0


@pytest.mark.deep
def test_unrelated_documents_reach_a_level_as_rarely_as_promised(
    folder: Path, dictionary: Dictionary
) -> None:
    for matcher in ("idf-cosine", "surprise"):
        [calibration] = calibrate(dictionary, folder, matcher=[matcher], **OPTIONS).calibrations
        comparer = FingerprintScorer(matcher, (dictionary,))
        prints = [fingerprint(Document.of(text), dictionary) for text in texts(70, 3)]
        high = total = 0
        for pair in combinations(prints, 2):
            match = comparer.best(*pair)
            level = calibration.level(match.left, match.right, 0.01)
            assert level is not None
            assert match.score is not None
            high += match.score >= level
            total += 1
        assert 0 < high / total <= 0.013


def test_a_dictionary_of_the_sample_itself_gives_a_warning(
    folder: Path, dictionary: Dictionary
) -> None:
    assert calibrate(dictionary, folder, matcher="cosine", **OPTIONS).problems == ()
    for recipe in (RECIPE, "auto"):
        own = create_dictionary(folder, recipe)
        problems = calibrate(own, folder, matcher="cosine", **OPTIONS).problems
        assert [problem.category for problem in problems] == ["own-documents"]


def test_likelihood_ratios_are_measured_on_documents_they_were_not_fitted_on(
    folder: Path, dictionary: Dictionary
) -> None:
    [calibration] = calibrate(dictionary, folder, matcher=["idf-cosine"], **OPTIONS).calibrations
    [item] = [item for item in calibration.classes if item.cllr is not None]
    fitted = calibration.likelihood(99, (item.least, item.least))
    assert fitted is not None
    ratios = [
        likelihood.value
        for score in range(100)
        if (likelihood := calibration.likelihood(score, (item.least, item.least)))
    ]
    low, high = costs(ratios, item.related, item.unrelated)
    own = (low / sum(item.related) + high / item.pairs) / 2
    assert own < (item.cllr or 0) < 0.5
    [few] = calibrate(dictionary, folder, matcher=["idf-cosine"], **FEW).calibrations
    assert sum(item.cllr is not None for item in few.classes) <= 1


def test_copies_that_must_not_match_are_unrelated(folder: Path, dictionary: Dictionary) -> None:
    edits = ["keep-lines(share=0.5)", "keep-lines(share=0)"]
    both, alone = (
        calibrate(dictionary, folder, matcher=["cosine"], mangler=mangler, sample=20).calibrations[
            0
        ]
        for mangler in (edits, edits[:1])
    )
    sums = [
        [
            sum(sum(getattr(item, side)) for item in calibration.classes)
            for calibration in (both, alone)
        ]
        for side in ("related", "unrelated")
    ]
    assert sums == [[20, 20], [sums[1][1] + 20, sums[1][1]]]


def test_the_dictionary_of_an_empty_collection_is_calibrated(
    tmp_path: Path, folder: Path, dictionary: Dictionary
) -> None:
    path = tmp_path / "empty.sdx"
    with sdtext.create(path, dictionary=dictionary) as collection:
        collection.add({"id": "a", "text": "bees"})
        collection.remove("a")
    given = calibrate(dictionary, folder, matcher="cosine").calibrations
    assert calibrate(path, folder, matcher="cosine", output=path).calibrations == given
    with sdtext.open(path) as collection:
        assert collection.dictionaries[0].calibrations == given


def test_a_sample_is_refused_that_is_too_small(tmp_path: Path, dictionary: Dictionary) -> None:
    few = written(tmp_path / "few", texts(9, 4))
    with pytest.raises(UnreadableError, match=r"has 9 documents .* a calibration needs 10"):
        calibrate(dictionary, few)
    for sample, wanted in ((3, "10 or more, or a percentage"), ("half", "a count")):
        with pytest.raises(OptionError, match=f"sample is {sample!r}; it must be {wanted}"):
            calibrate(dictionary, few, sample=sample)


@pytest.mark.parametrize("matcher", ["edit", "hamming"])
def test_a_matcher_that_compares_no_bit_vectors_is_refused(
    matcher: str, folder: Path, dictionary: Dictionary
) -> None:
    with pytest.raises(OptionError, match=f"{matcher} does not compare bit vectors"):
        calibrate(dictionary, folder, matcher=[matcher])


@pytest.mark.parametrize("power", ["1", "1.0", "2", "2.0"])
def test_levels_are_those_of_the_matcher_however_it_is_spelled(
    power: str, folder: Path, dictionary: Dictionary
) -> None:
    calibrated = calibrate(dictionary, folder, matcher=f"idf-cosine(power={power})", **FEW)
    [queried, *others] = sorted(folder.iterdir())[:3]
    names = {"1": "idf-cosine", "2": "idf-cosine(power=2)"}
    assert calibrated.calibrations[0].matcher == names[power[0]]
    for other in ["1", "1.0", "2", "2.0"]:
        matcher = f"idf-cosine(power={other})"
        done = sdtext.compare(queried, others, dictionary=calibrated.dictionary, matcher=matcher)
        assert {row.chance is not None for row in done.rows} == {power[0] == other[0]}
