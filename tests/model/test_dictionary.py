"""Drift: documents unlike those of a dictionary are reported, others are not."""

import math
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import OptionError
from sdtext.fingerprinting.build_dictionary import create_dictionary
from sdtext.fingerprinting.fingerprint_documents import fingerprints
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.model import PartSpec, RecipeSpec
from sdtext.model.dictionary import Dictionary, Seen
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.parallel_run import Run

RECIPE = RecipeSpec(PartSpec("words"))
TERMS = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1, max_size=5)


@st.composite
def dictionaries(draw: st.DrawFn) -> Dictionary:
    documents = draw(st.integers(3, 500))
    counts = draw(st.dictionaries(TERMS, st.integers(1, documents), min_size=1, max_size=30))
    counts["rare"] = 1
    return Dictionary.of(counts, documents, RECIPE)


@given(dictionaries(), st.floats(-1, 1), st.floats(-1, 1))
def test_trim_keeps_the_terms_in_range(dictionary: Dictionary, first: float, other: float) -> None:
    low, high = sorted((first, other))
    max_idf = math.log(dictionary.documents / (1 + min(dictionary.counts)))
    wanted = [
        (term, count)
        for term, count in zip(dictionary.terms, dictionary.counts, strict=True)
        if low <= math.log(dictionary.documents / (1 + count)) / max_idf <= high
    ]
    if not wanted:
        with pytest.raises(OptionError, match="wider range"):
            dictionary.trim(low, high)
        return
    trimmed = dictionary.trim(low, high)
    assert list(zip(trimmed.terms, trimmed.counts, strict=True)) == wanted
    assert trimmed.trimmed == (low, high)
    assert trimmed.parent == dictionary.guid


@given(dictionaries())
def test_ranges_and_digests_are_those_of_the_dictionary_as_made(dictionary: Dictionary) -> None:
    twice = dictionary.trim(-1, 1).trim(0.5, 1)
    assert twice.terms == dictionary.trim(0.5, 1).terms
    assert twice.max_idf == dictionary.max_idf
    assert twice.trimmed == (0.5, 1)
    values = [dictionary.nidf(count) for count in range(1, dictionary.documents + 1)]
    everything = dictionary.trim(min(values), 1)
    assert everything.terms == dictionary.trim(-1, 1).terms == dictionary.terms
    assert replace(dictionary, name="other").digest == dictionary.digest
    counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
    fewer = Dictionary.of(counts, dictionary.documents + 1, RECIPE)
    other = Dictionary.of({**counts, "rare": 2}, dictionary.documents, RECIPE)
    assert len({dictionary.digest, fewer.digest, other.digest}) == 3


@given(dictionaries(), st.floats(0, 1), st.floats(0, 1))
def test_the_range_in_words_is_kept(dictionary: Dictionary, first: float, other: float) -> None:
    low, high = dictionary.count_range(min(first, other), max(first, other))
    inside = {
        count
        for count in range(1, dictionary.documents + 1)
        if min(first, other) <= dictionary.nidf(count) <= max(first, other)
    }
    assert inside == set(range(low, high + 1))


def test_too_small_a_dictionary_says_why_it_has_no_normalized_idf() -> None:
    for documents, counts in ((1, {"a": 1}), (2, {"a": 1}), (5, {"a": 5})):
        dictionary = Dictionary.of(counts, documents, RECIPE)
        for use in (dictionary.trim, dictionary.weights, lambda: dictionary.nidf(1)):  # noqa: B023
            with pytest.raises(OptionError, match=f"N = {documents}"):
                use()


def test_a_bound_that_no_term_reaches_is_refused() -> None:
    of_max = (0.8, 0.3), (0.3, 80), (0.3, 1.5), (0, math.inf)
    of_min = (30, 80), (-1.5, 1), (-math.inf, 1), (math.nan, 1)
    for name, every in (("max_idf", of_max), ("min_idf", of_min)):
        for bounds in every:
            with pytest.raises(OptionError, match=f"trim: {name} is "):
                Dictionary.of({"a": 1}, 5, RECIPE).trim(*bounds)


def test_the_digest_is_the_one_described() -> None:
    recipe = RecipeSpec(PartSpec("words"), (PartSpec.of("min-length", length=3),))
    dictionary = Dictionary.of({"zebra": 2, "ärger": 1, "apple": 3}, 7, recipe)
    text = '[["words",{}],["min-length",{"length":3}]]\n7\napple\t3\nzebra\t2\närger\t1\n'
    assert dictionary.digest == sha256(text.encode("utf-8")).hexdigest()


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.sampled_from([0.5, 1.0, 2.0]))
def test_weights_are_whole_powers_of_idf(documents: int, count: int, power: float) -> None:
    documents = max(documents, count, 3)
    dictionary = Dictionary.of({"a": count, "rare": 1}, documents, RECIPE)
    idf = max(0.0, math.log(documents / (1 + count)))
    weight = dictionary.weights(power)[0]
    assert abs(Fraction(weight, 2**20) - Fraction(idf**power)) <= Fraction(1, 2**21)
    assert weight * weight < 2**64


VOCABULARY = [f"w{number}" for number in range(2000)]
STRANGE = " ".join(f"x{number}" for number in range(300))
ZIPF = [1 / (rank + 1) for rank in range(len(VOCABULARY))]


def text(chance: Random, size: int = 300) -> str:
    return " ".join(chance.choices(VOCABULARY, ZIPF, k=size))


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
    assert len(list(fingerprints([path], [dictionary], run, segment))) == 1
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
            (" ".join(VOCABULARY), "bits are set", None),
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
