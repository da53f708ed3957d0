"""Bit vectors in a collection score as `Comparer` scores them, one by one."""

from dataclasses import replace
from pathlib import Path

import pytest

from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.model.dictionary import Dictionary
from sdtext.search import Question, links, similar, within
from tests.search.stored import CHAIN, COUNTS, RECIPE, WORDS, document, stored, texts_of

FEW = [" ".join(WORDS[:number]) for number in (1, 1, 7, 7, 8, 8, 9)]
TEXTS = [*texts_of(4), *FEW, "none of it", " ".join(WORDS[30:40])]
DICTIONARY = Dictionary.of(COUNTS, 100, CHAIN)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    path = tmp_path_factory.mktemp("bits") / "texts.sdx"
    return stored(path, TEXTS, CHAIN, (DICTIONARY,))


def test_a_query_of_few_terms_gives_a_warning(collection: StoredCollection) -> None:
    hits = similar(collection, [document(WORDS[0], "one.txt")])
    assert [row.score for row in hits.rows] == [99, 99]
    assert hits.problems[-1].path == "one.txt"
    assert "only 1 term" in hits.problems[-1].message


def test_a_matcher_chooses_between_shingles_and_bits(tmp_path: Path) -> None:
    both = stored(tmp_path / "both.sdx", TEXTS, RECIPE, (DICTIONARY,))
    assert "bit vectors" in within(both, Question(80, "cosine")).how
    assert "shingles" in within(both, Question(80, "jaccard")).how
    assert "shingles" in within(both, Question(80)).how


def test_vectors_of_another_length_are_damage(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"bits-{DICTIONARY.digest[:16]}"
    segment = collection.segments()[0]
    narrow = segment.arrays[name][:, :-1]
    monkeypatch.setattr(segment, "arrays", {**segment.arrays, name: narrow})
    with pytest.raises(FormatError, match="does not fit dictionary"):
        within(collection, Question(50))
    monkeypatch.setattr(segment, "arrays", {})
    with pytest.raises(MismatchError, match="has no bit vectors"):
        within(collection, Question(50))


def test_what_bits_cannot_give_is_refused(collection: StoredCollection, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="an estimate needs sketches"):
        within(collection, Question(50, estimate=True))
    with pytest.raises(MismatchError, match="edit finds pairs by shingles"):
        within(collection, Question(50, "edit"))
    named = replace(Dictionary.of({"bee": 2, "wax": 1}, 9, CHAIN), name="bees")
    other = stored(tmp_path / "other.sdx", TEXTS, CHAIN, (named,))
    with pytest.raises(MismatchError, match="no bit vectors made with the dictionary of the first"):
        links(collection, Question(50), other)
