"""Keyed dictionaries: scores are those of the open dictionary, and no term can be read."""

import hmac
import re
from collections import Counter
from itertools import product
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.io.key_files import write_key
from sdtext.model import RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.sharing.keyed_dictionaries import (
    CLASSES,
    frequency_classes,
    key_dictionary,
    new_dictionary_key,
)
from tests.support.command import ROOT, check_refused, done, here
from tests.support.strategies import BRISK

SAMPLES = ROOT / "tests" / "samples" / "texts"
MATCHERS = ("cosine", "exact", "jaccard", "containment", "dice")
TERMS = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
RECIPE = RecipeSpec(sdtext.PartSpec("words"))
SECRET = bytes(32)  # the key that the tests have in their environment


@pytest.fixture(scope="module")
def texts() -> Dictionary:
    return sdtext.create_dictionary(SAMPLES, "english", name="letters")


@BRISK
@given(
    documents=st.lists(st.lists(TERMS, max_size=12), min_size=2, max_size=5),
    others=st.lists(TERMS, max_size=5),
)
def test_scores_of_every_pair_equal_those_of_the_open_dictionary(
    documents: list[list[str]], others: list[str]
) -> None:
    frequencies = Counter(term for document in documents for term in set(document))
    frequencies.update(others)
    if not frequencies:
        return
    # With words that the dictionary does not have, and some that it alone has.
    open_one = Dictionary.of(dict(frequencies), sum(frequencies.values()), RECIPE)
    held = [sdtext.Document.of(" ".join([*words, "unknown"])) for words in documents]
    before, after = (
        sdtext.fingerprint(held, each) for each in (open_one, key_dictionary(open_one))
    )
    for matcher in MATCHERS:
        for left, right in product(range(len(held)), repeat=2):
            scores = [_score(made[left], made[right], matcher) for made in (before, after)]
            assert scores[0] == scores[1], (matcher, documents[left], documents[right])


def _score(left: sdtext.Fingerprint, right: sdtext.Fingerprint, matcher: str) -> object:
    try:
        best = sdtext.score(left, right, matcher=matcher, min_terms=1).best
    except MismatchError as error:
        return error.what
    return best.score, best.similarity


def test_weights_by_idf_are_coarse_and_said_to_be(texts: Dictionary) -> None:
    keyed = key_dictionary(texts)
    said = {
        matcher: sdtext.score(
            SAMPLES / "union.txt", SAMPLES / "bees.txt", dictionary=keyed, matcher=matcher
        ).how
        for matcher in ("idf-cosine", "idf-jaccard", "surprise", "cosine")
    }
    assert [name for name, how in said.items() if "coarse" in how] == [*said][:3]


def test_terms_are_hmacs_under_a_key_that_hkdf_derives(texts: Dictionary) -> None:
    """By the standard library alone, as docs/formats.md describes it."""
    salt = _hkdf(SECRET, b"", f"sdtext/1/salt/{texts.digest}".encode())[:16]
    key = _hkdf(SECRET, salt, b"sdtext/1/term")
    digests = {term: hmac.digest(key, term.encode(), "sha256")[:16].hex() for term in texts.terms}
    keyed = key_dictionary(texts)
    assert keyed.terms == tuple(sorted(digests.values()))
    check = hmac.digest(key, b"sdtext/1/check", "sha256")[:8].hex()
    assert keyed.recipe.filters[-1] == sdtext.PartSpec.of("keyed", id=f"{salt.hex()}-{check}")


@pytest.mark.parametrize("digits", ["0", "1", "e", "1e"])
def test_an_id_that_looks_like_a_number_stays_a_text(tmp_path: Path, digits: str) -> None:
    spec = sdtext.PartSpec.of("keyed", id=f"{(digits * 32)[:32]}-{(digits * 16)[:16]}")
    recipe = RecipeSpec(sdtext.PartSpec("words"), (spec,))
    sdtext.save(Dictionary.of({"a": 1}, 1, recipe), tmp_path / "d.xml")
    loaded = sdtext.load(tmp_path / "d.xml")
    assert isinstance(loaded, Dictionary)
    assert loaded.recipe.filters == (spec,)


def _hkdf(secret: bytes, salt: bytes, info: bytes) -> bytes:
    """HKDF-SHA-256 (RFC 5869), 32 bytes."""
    extracted = hmac.digest(salt or bytes(32), secret, "sha256")
    return hmac.digest(extracted, info + b"\x01", "sha256")


def test_the_same_key_gives_the_same_dictionary_and_another_one_another(
    texts: Dictionary, tmp_path: Path
) -> None:
    new_dictionary_key(tmp_path / "other.key")
    keyed = key_dictionary(texts)
    assert key_dictionary(texts).digest == keyed.digest
    other = key_dictionary(texts, tmp_path / "other.key")
    assert not set(other.terms) & set(keyed.terms)
    trimmed = key_dictionary(texts.trim(0.2, 0.9))
    assert not set(trimmed.terms) & set(keyed.terms)  # each dictionary has a key of its own


def test_nothing_in_the_file_is_that_of_the_open_dictionary(
    texts: Dictionary, tmp_path: Path
) -> None:
    path = tmp_path / "keyed.xml"
    sdtext.save(key_dictionary(texts, name="project"), path)
    text = path.read_text("utf-8")
    loaded = sdtext.load(path)
    assert isinstance(loaded, Dictionary)
    assert loaded.digest == key_dictionary(texts).digest
    listed = text.partition("<terms")[2]
    assert not re.search(r">(?![0-9a-f]{32}<)[^<\n]+<", listed)
    for word in (texts.name, texts.guid, texts.digest, SECRET.hex(), "<seen>", "<parent>"):
        assert word not in text


@given(counts=st.lists(st.integers(1, 300), min_size=1, max_size=400))
def test_each_class_of_frequencies_has_an_eighth_of_the_terms(counts: list[int]) -> None:
    classes = frequency_classes(counts)
    sizes = Counter(classes[count] for count in counts)
    assert len(sizes) <= CLASSES
    assert min(sizes.values()) * CLASSES >= len(counts)
    assert [classes[count] for count in sorted(classes)] == sorted(classes.values())
    assert min(counts) <= min(classes.values()) <= max(classes.values()) <= max(counts)


def test_fingerprints_need_the_right_key_and_scores_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done("KeyDictionary", "-d", "english", "-k", "p.key", "--new-key", "-o", "keyed.xml")
    secret = Path("p.key").read_text().split()[1]
    made = ("Fingerprint", SAMPLES, "-d", "keyed.xml", "-o", "f.xml", "--profile", "minimal")
    check_refused(here(*made), 4, "key")  # with the key of the environment, another one
    monkeypatch.delenv("SDTEXT_KEY_TEXT")
    check_refused(here(*made), 4, "SDTEXT_KEY")
    monkeypatch.setenv("SDTEXT_KEY", "missing.key")
    check_refused(here(*made, "--jobs", "2"), 4, "missing.key")
    assert not Path("f.xml").exists()
    write_key("dictionary", bytes(32), "damaged.key", lambda: None)
    Path("damaged.key").write_text(Path("damaged.key").read_text().replace("000", "001", 1))
    monkeypatch.setenv("SDTEXT_KEY", "damaged.key")
    check_refused(here(*made), 5, "damaged.key")
    monkeypatch.setenv("SDTEXT_KEY", "p.key")
    outcome = here(*made, "--jobs", "2")
    assert outcome.code == 0, outcome.err
    assert "key of dictionary" in outcome.err
    monkeypatch.delenv("SDTEXT_KEY")
    rows = done("CompareDirectory", "f.xml", "f.xml", "-m", "cosine").table
    assert {row["score"] for row in rows} > {"99"}
    assert secret not in Path("keyed.xml").read_text() + Path("f.xml").read_text() + outcome.err


def test_a_key_or_a_dictionary_that_cannot_be_used_is_refused(
    texts: Dictionary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(OptionError):
        key_dictionary(key_dictionary(texts))
    done("Sign", "--new-key", "-k", "signing.key")
    with pytest.raises(FormatError):
        key_dictionary(texts, "signing.key")
    keying = ("KeyDictionary", "-d", "english", "-o", "k.xml")
    assert here(*keying, "--new-key").code == 2
    check_refused(here(*keying, "-k", "signing.key", "--new-key"), 6, "signing.key")
    Path("k.xml").write_text("precious")
    check_refused(here(*keying), 6, "k.xml")
    assert Path("k.xml").read_text() == "precious"


def test_a_collection_is_made_and_searched_with_a_keyed_dictionary(
    texts: Dictionary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdtext.save(key_dictionary(texts), tmp_path / "keyed.xml")
    with sdtext.create(tmp_path / "c.sdx", dictionary=tmp_path / "keyed.xml") as collection:
        collection.add([SAMPLES])
        found = [pair.score for pair in collection.pairs(similarity=0.2, matcher="jaccard").rows]
    with sdtext.create(tmp_path / "o.sdx", dictionary=texts) as collection:
        collection.add([SAMPLES])
        assert found == [
            pair.score for pair in collection.pairs(similarity=0.2, matcher="jaccard").rows
        ]
    monkeypatch.delenv("SDTEXT_KEY_TEXT")
    with pytest.raises(MismatchError):
        sdtext.fingerprint(sdtext.Document.of("Some words."), tmp_path / "keyed.xml")


def test_random_frequencies_of_one_class_have_one_weight() -> None:
    draw = Random(1)
    counts = {f"t{n}": draw.choice([1, 1, 1, 2, 3, 50]) for n in range(400)}
    keyed = key_dictionary(Dictionary.of(counts, 90, RECIPE))
    assert len(set(keyed.weights())) == len(set(keyed.counts)) < len(set(counts.values())) + 1
