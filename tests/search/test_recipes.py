"""Another shingler, sketch or index needs no file: columns are derived, and again if damaged."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.collections.storage.arrays import write_array
from sdtext.collections.storage.segments import StoredSegment
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError
from sdtext.io.output import written
from sdtext.io.platform import IS_UNIX
from sdtext.model import PartSpec, RecipeSpec
from sdtext.parts.indexes import FAMILIES, Bands
from sdtext.parts.load_recipe import load_recipe
from sdtext.parts.registry import build
from sdtext.search import set_search
from sdtext.search.find import links, search_pairs
from sdtext.search.results import Links
from sdtext.search.search_plan import Question
from sdtext.search.searchable import Derivation, SegmentView
from sdtext.search.similar_documents import similar
from tests.search.sets import WORDS, held
from tests.search.stored import RECIPE, document, stored, texts_of

TEXTS = texts_of(3)
OTHERS: Sequence[RecipeSpec] = (
    replace(RECIPE, shingler=PartSpec.of("words", length=3)),
    replace(RECIPE, shingler=PartSpec.of("characters", length=4, white_space="removed")),
    replace(RECIPE, fingerprint=PartSpec.of("minhash", slots=50, scheme="affine-paper")),
    replace(RECIPE, index=PartSpec.of("bands", bands=8, rows=3, hash="combine")),
    replace(RECIPE, index=PartSpec("scan")),
    replace(RECIPE, fingerprint=PartSpec.of("bbit", slots=256, bits=2)),
    replace(RECIPE, fingerprint=PartSpec("shingles"), shingler=PartSpec.of("words", within="line")),
)


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> StoredCollection:
    return stored(tmp_path_factory.mktemp("recipes") / "texts.sdx", TEXTS)


def columns_of(actual: Links) -> list[list[float]]:
    return [actual.left.tolist(), actual.right.tolist(), actual.similarity.tolist()]


def test_another_recipe_gives_what_adding_by_it_gives(
    collection: StoredCollection, tmp_path: Path
) -> None:
    query = [document(TEXTS[1])]
    for number, recipe in enumerate(OTHERS):
        again = stored(tmp_path / f"{number}.sdx", TEXTS, recipe)
        asked, question = Question(50, "jaccard", recipe=recipe), Question(50, "jaccard")
        result, expected = links(collection, asked), links(again, question)
        assert columns_of(result) == columns_of(expected), recipe
        assert result.how == expected.how
        assert len(result) > 5
        assert similar(collection, query, asked).rows == similar(again, query, question).rows


def test_sketches_are_those_of_the_shingles_that_are_asked_for(
    collection: StoredCollection,
) -> None:
    segment = collection.segments()[0]
    for recipe in (RECIPE, *OTHERS):
        making = Derivation(collection.recipe, recipe)
        view = SegmentView(segment, making, 0, segment.alive)
        wanted = making.sketcher(view.shingles)
        assert (view.sketches == wanted).all()
        bands = Bands(bands=2, rows=3)
        for (keys, rows), result in zip(view.keys(bands), bands.keys(wanted).T, strict=True):
            assert (keys == np.sort(result)).all()
            assert (result[rows] == keys).all()


def test_derived_columns_are_cached(
    collection: StoredCollection, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question(50, recipe=OTHERS[0])
    result = columns_of(links(collection, question))

    def never(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr("sdtext.search.searchable._reshingled", never)
    monkeypatch.setattr("sdtext.search.searchable._sorted", never)
    assert columns_of(links(StoredCollection.open(collection.path), question)) == result


def test_band_keys_of_another_hash_are_not_taken_for_the_stored_ones(
    collection: StoredCollection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(set_search, "MOST_SCANNED", 0)
    queries = [document(text) for text in TEXTS[:-1]]
    for family in FAMILIES:
        index = PartSpec.of("bands", similarity=0.5, hash=family)
        recipe = replace(RECIPE, index=index)
        fresh = stored(tmp_path / f"{family}.sdx", TEXTS, recipe)
        asked, question = Question(recipe=recipe, recall=0.99), Question(recall=0.99)
        assert columns_of(links(collection, asked)) == columns_of(links(fresh, question))
        hits = similar(collection, queries, asked)
        assert hits.how.startswith("bands: ")
        assert hits.rows == similar(fresh, queries, question).rows
        assert len(hits.rows) > len(queries)
        bands = build("indexes", index)
        for segment, same in zip(collection.segments(), fresh.segments(), strict=True):
            ours = SegmentView(segment, Derivation(RECIPE, recipe), 0, segment.alive)
            theirs = SegmentView(same, Derivation(recipe, recipe), 0, same.alive)
            assert (ours.keys(bands) == theirs.keys(bands)).all()


def test_what_a_collection_cannot_give_is_refused(collection: StoredCollection) -> None:
    porter = replace(RECIPE, filters=(PartSpec("lowercase"), PartSpec("porter")))
    longer = replace(WORDS, shingler=PartSpec.of("words", length=3))
    for searched, recipe, message in (
        (collection, porter, "filter 2 is strip-punctuation, .* porter"),
        (collection, replace(RECIPE, filters=()), "filter 1 is lowercase, .* none"),
        (collection, replace(RECIPE, shingler=None), "names no shingler"),
        (held([], load_recipe("reuse")), load_recipe("english"), "names no shingler"),
        (held([frozenset([1])]), longer, "stores no tokens"),
    ):
        with pytest.raises(MismatchError, match=message):
            links(searched, Question(50, recipe=recipe))


def test_columns_that_do_not_fit_are_damage(collection: StoredCollection) -> None:
    segment = collection.segments()[0]
    result = segment.derived

    def fewer(key: str, make: object, like: object = None) -> object:
        return np.array(result(key, make, like))[..., :-1]  # type: ignore[arg-type]

    def beyond(key: str, make: object, like: object = None) -> object:
        array = np.array(result(key, make, like))  # type: ignore[arg-type]
        array[-1, -1, -1] = 1 << 40
        return array

    for other in (fewer, beyond):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(segment, "derived", other)
            with pytest.raises(FormatError, match="band keys"):
                search_pairs(collection, Question(50))


Bad = Callable[[Any], Any]
ASKED = replace(RECIPE, shingler=PartSpec.of("words", length=3))


def _derived(segment: StoredSegment) -> list[Any]:
    view = SegmentView(segment, Derivation(RECIPE, ASKED), 0, segment.alive)
    bands = build("indexes", PartSpec("bands"))
    rows = [row.tolist() for row in view.shingles]
    return [rows, view.sketches.tolist(), view.keys(bands).tolist()]


def _falling(array: Any) -> Any:
    return array if array.dtype != np.int64 else np.r_[array[0], array[1:-1][::-1], array[-1]]


BAD: tuple[Bad, ...] = (
    lambda array: array[:-1], lambda array: array[:0], lambda array: array.astype("<f8"),
    lambda array: array.reshape(*array.shape, 1),
    lambda array: array[()] if array.ndim > 1 or array.dtype == np.int64 else array[1:],
    lambda array: array + (array.dtype == np.int64), _falling,
)  # fmt: skip


@pytest.mark.skipif(not IS_UNIX, reason="Windows replaces no file in use")
def test_damaged_derived_arrays_are_derived_again(tmp_path: Path) -> None:
    collection = stored(tmp_path / "x.sdx", texts_of(1))
    expected = [_derived(segment) for segment in collection.segments()]
    for number, bad in enumerate(BAD):
        for file in tmp_path.rglob("derived/*.npy"):
            array = bad(np.load(file))
            with written(file) as out:
                write_array(out, array.dtype.str, array.shape, [array])
        collection.refresh()
        assert [_derived(segment) for segment in collection.segments()] == expected, number


@pytest.mark.skipif(not IS_UNIX, reason="Windows removes no file in use")
def test_a_damaged_derived_array_that_cannot_be_replaced_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x.sdx"
    expected = [_derived(segment) for segment in stored(path, texts_of(1)).segments()]
    for file in path.rglob("derived/*.npy"):
        data = bytearray(file.read_bytes())
        data[-40] ^= 1  # of the last element; a checksum of 32 bytes follows
        file.unlink()
        file.write_bytes(data)

    def refused(_: object) -> None:
        raise PermissionError(30, "Read-only file system")

    monkeypatch.setattr("sdtext.collections.storage.derived_cache.written", refused)
    segments = StoredCollection.open(path).segments()
    assert [_derived(segment) for segment in segments] == expected
