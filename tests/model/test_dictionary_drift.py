"""Drift: documents unlike those of a dictionary are reported, others are not."""

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import FingerprintOptions, fingerprints
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary, Seen
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.parallel_run import Run

RECIPE = RecipeSpec(PartSpec("words"))
TERMS = [f"w{number}" for number in range(2000)]
STRANGE = " ".join(f"x{number}" for number in range(300))
ZIPF = [1 / (rank + 1) for rank in range(len(TERMS))]


def text(chance: Random, size: int = 300) -> str:
    return " ".join(chance.choices(TERMS, ZIPF, k=size))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """120 texts of 250 to 350 words that follow Zipf's law."""
    home = tmp_path_factory.mktemp("texts")
    chance = Random(11)
    for number in range(120):
        (home / f"{number:03}.txt").write_text(text(chance, chance.randint(250, 350)))
    return home


@pytest.fixture(scope="module")
def dictionary(folder: Path) -> Dictionary:
    return create_dictionary(folder, RECIPE)


def drift_messages(
    document: str, dictionary: Dictionary, home: Path, segment: Segment | None = None
) -> list[str]:
    path = home / "document.txt"
    path.write_text(document)
    run = Run(problems=[])
    assert len(list(fingerprints([path], [dictionary], run, FingerprintOptions(segment)))) == 1
    assert all(item.category == "drift" for item in run.problems or ())
    return [item.message for item in run.problems or ()]


def test_documents_of_the_same_kind_pass(dictionary: Dictionary, tmp_path: Path) -> None:
    for limits in ((0.3, 0.8), (0.0, 0.9), (0.5, 1.0), None):
        used = dictionary.trim(*limits) if limits else dictionary
        chance = Random(99)
        reported = [drift_messages(text(chance), used, tmp_path) for _ in range(40)]
        assert sum(map(bool, reported)) <= 4, limits


def test_others_are_reported(dictionary: Dictionary, tmp_path: Path) -> None:
    for used in (dictionary, dictionary.trim(0.3, 0.8)):
        for document, words, segment in (
            (STRANGE, "100 % of its terms are unknown", None),
            (STRANGE, "100 % of its terms are unknown", Segment(100)),
            ("w1 w2 w3 w4", "bits are set", None),
            (" ".join(TERMS), "bits are set", None),
        ):
            (message,) = drift_messages(document, used, tmp_path, segment)
            assert words in message
            assert message.startswith(str(tmp_path / "document.txt"))


def test_how_long_a_document_is_does_not_matter_where_its_segments_are_compared(
    dictionary: Dictionary, tmp_path: Path
) -> None:
    book = " ".join(text(Random(number)) for number in range(50))
    assert "bits are set" in drift_messages(book, dictionary, tmp_path)[0]
    assert not any(
        "bits" in drift_message
        for drift_message in drift_messages(book, dictionary, tmp_path, Segment(300))
    )


def test_small_collections_say_nothing(folder: Path, tmp_path: Path) -> None:
    few = create_dictionary(sorted(folder.iterdir())[:20], RECIPE)
    assert few.seen is not None
    assert few.expected is None
    assert drift_messages("x y z", few, tmp_path) == []


def test_what_was_seen_depends_on_no_order_or_process(folder: Path, dictionary: Dictionary) -> None:
    files = sorted(folder.iterdir())
    Random(3).shuffle(files)
    assert create_dictionary(files, RECIPE).seen == dictionary.seen
    assert create_dictionary(folder, RECIPE, run=Run(jobs=2)).seen == dictionary.seen


def test_it_is_written_and_read_and_survives_a_trim(dictionary: Dictionary, tmp_path: Path) -> None:
    trimmed = dictionary.trim(0.3, 0.8)
    for item in (dictionary, trimmed):
        save(item, tmp_path / "d.xml")
        loaded = load_dictionary(tmp_path / "d.xml")
        assert (loaded.digest, loaded.seen) == (item.digest, item.seen)
        assert loaded.expected == item.expected is not None
    assert dictionary.seen == trimmed.seen
    frequencies = dict(zip(dictionary.terms, dictionary.counts, strict=True))
    plain = Dictionary.of(frequencies, dictionary.documents, dictionary.recipe)
    assert dictionary.digest == plain.digest


DOCUMENTS = st.lists(st.sets(st.sampled_from("abcdefghijkl"), min_size=1), min_size=30, max_size=40)


@given(documents=DOCUMENTS, low=st.integers(1, 8))
def test_whole_octaves_are_counted_exactly(documents: list[set[str]], low: int) -> None:
    """Against a plain count: terms from an octave's beginning on are those it says."""
    frequencies = Counter(term for document in documents for term in document)
    least = 2 ** (low.bit_length() - 1)
    kept = {term: count for term, count in frequencies.items() if count >= least}
    expected = Seen.of(documents, frequencies).expected(list(kept.values()))
    assert expected is not None
    most = [len(document & kept.keys()) for document in documents]
    known = [
        sum(frequencies[term] > 1 for term in document & kept.keys()) for document in documents
    ]
    assert expected.bits == pytest.approx((min(known), max(most)))
    shares = [1 - count / len(document) for count, document in zip(known, documents, strict=True)]
    assert expected.unknown[1] == pytest.approx(max(shares))
