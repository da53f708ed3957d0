"""Collections for passages: word offsets, marked spans and sentence codes, and damage in them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sdtext.analysis.sentence_codes import UnitCodes
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.word_offsets_and_codes import MarkedSpans, codes_of, marks_of, words_of
from sdtext.errors import FormatError, MismatchError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import PartSpec, RecipeSpec, Span
from sdtext.parts.units.quotes import quotes_in
from sdtext.parts.units.reference_lists import references_in
from sdtext.reading.read_document import read
from sdtext.search.derived_columns import Derivation
from sdtext.search.find import within
from sdtext.search.search_plan import Question
from sdtext.text.document import Document
from tests.support.word_offsets import CHAIN, PASSAGES, SENTENCES, spelled, written


def filled_collection(tmp_path: Path, recipe: RecipeSpec, batches: int = 3) -> StoredCollection:
    """A collection of nine documents, three at a time in a segment of their own."""
    for batch in range(batches):
        folder = written(tmp_path / "texts", range(3 * batch, 3 * batch + 3))
        add_documents(tmp_path / "x.sdx", folder, CollectionSpec(recipe))
    return StoredCollection.open(tmp_path / "x.sdx")


def texts(collection: StoredCollection, tmp_path: Path) -> list[Document]:
    """The documents of a collection in the order of their ids."""
    return [read(tmp_path / "texts" / document.name) for document in collection.documents()]


def test_words_of_several_segments_are_read_as_written_in_any_order(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, PASSAGES)
    assert len(collection.segments()) == 3
    result = words_of(collection)
    whole = spelled(result)
    assert whole == spelled(Encoder(PASSAGES).words(texts(collection, tmp_path)))
    ordered = [bytes(word) for word in result.words]
    assert ordered == sorted(set(ordered))
    assert {"\rthe", "\rof", "bees", "café"} <= {word.decode() for word in ordered}
    ids = collection.ids().tolist()
    for chosen in ([ids[4]], [ids[8], ids[0], ids[4]], ids[::-1], []):
        assert spelled(words_of(collection, chosen)) == [whole[ids.index(item)] for item in chosen]
    with pytest.raises(KeyError):
        words_of(collection, [ids[0], 99])


def test_they_stay_when_others_are_removed_and_segments_are_merged(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, SENTENCES)
    ids = collection.ids().tolist()
    kept = [first for place, first in enumerate(ids) if place not in (1, 3, 8)]
    before = spelled(words_of(collection, kept))
    codes = [row.tolist() for row in codes_of(collection, kept).codes]
    collection.remove([ids[1], ids[3], ids[8]])
    for _ in range(2):
        collection = StoredCollection.open(tmp_path / "x.sdx")
        assert spelled(words_of(collection)) == before
        assert [row.tolist() for row in codes_of(collection).codes] == codes
        collection.compact()
    assert len(StoredCollection.open(tmp_path / "x.sdx").segments()) == 1
    assert not list(StoredCollection.open(tmp_path / "x.sdx").verify())


def test_sentence_codes_are_read_as_written(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, SENTENCES)
    actual, expected = codes_of(collection), UnitCodes(SENTENCES)(texts(collection, tmp_path))
    assert sum(map(len, actual.codes)) > 20
    for name in ("starts", "ends", "codes"):
        rows, others = getattr(actual, name), getattr(expected, name)
        assert [row.tolist() for row in rows] == [row.tolist() for row in others]
    assert actual.short.tolist() == expected.short.tolist()
    backwards = codes_of(collection, collection.ids()[::-1].tolist())
    assert backwards.codes[0].tolist() == actual.codes[8].tolist()
    assert backwards.short.tolist() == actual.short[::-1].tolist()


def test_chapters_are_stored_with_their_titles(tmp_path: Path) -> None:
    page = "<!DOCTYPE html><h1>Of\n bees</h1><p>They fly.</p><h1>Wax – 蜡</h1><p>It melts.</p>"
    (tmp_path / "page.html").write_text(page, "utf-8")
    (tmp_path / "plain.txt").write_text("no chapters here", "utf-8")
    place = tmp_path / "x.sdx"
    add_documents(place, [tmp_path / "page.html", tmp_path / "plain.txt"], CollectionSpec(PASSAGES))
    collection = StoredCollection.open(place)
    by_name = dict(
        zip(
            [document.name for document in collection.documents()],
            marks_of(collection),
            strict=True,
        )
    )
    chapters, text = by_name["page.html"].chapters, read(tmp_path / "page.html").text
    assert [span.title for span in chapters] == ["Of bees", "Wax – 蜡"]
    assert text[chapters[1].start : chapters[1].end].split() == ["Wax", "–", "蜡", "It", "melts."]
    assert by_name["plain.txt"] == MarkedSpans((Span(0, 16),))


def test_quotes_and_references_are_stored(tmp_path: Path) -> None:
    quoted = (
        "They said: “The queen of the hive has gone away with all of her bees in May.” So it was."
    )
    listed = "\n".join(
        f"[{item}] A. Author, A Book of Bees, Hive Press, 190{item}." for item in range(9)
    )
    text = f"{quoted}\n\nReferences\n\n{listed}\n"
    (tmp_path / "paper.txt").write_text(text, "utf-8")
    add_documents(tmp_path / "x.sdx", tmp_path / "paper.txt", CollectionSpec(PASSAGES))
    (marked,) = marks_of(StoredCollection.open(tmp_path / "x.sdx"))
    document = read(tmp_path / "paper.txt")
    assert marked.quotes == tuple(quotes_in(document))
    assert marked.references == tuple(references_in(document))
    assert [len(item) for item in (marked.chapters, marked.quotes, marked.references)] == [1, 1, 1]


def test_offsets_of_a_record_count_in_its_own_text(tmp_path: Path) -> None:
    text = "cafe\u0301 of bees"
    (tmp_path / "all.jsonl").write_text(json.dumps({"id": "a", "text": text}) + "\n", "utf-8")
    add_documents(tmp_path / "x.sdx", tmp_path / "all.jsonl", CollectionSpec(PASSAGES))
    ((cafe, of, bees),) = spelled(words_of(StoredCollection.open(tmp_path / "x.sdx")))
    assert (cafe, of, bees) == (("café", 0, 5), ("\rof", 6, 8), ("bees", 9, 13))


OTHERS = [
    PartSpec.of("words", length=2),
    PartSpec.of("words", length=3, within="line"),
    PartSpec.of("characters", length=4),
    PartSpec.of("characters", length=4, within="line"),
]


@pytest.mark.parametrize("recipe", [PASSAGES, SENTENCES])
@pytest.mark.parametrize("shingler", OTHERS)
def test_shingles_consist_of_terms_only(
    tmp_path: Path, recipe: RecipeSpec, shingler: PartSpec
) -> None:
    collection = filled_collection(tmp_path, recipe, batches=2)
    asked = replace(CHAIN, shingler=shingler)
    shingling = Encoder(asked)
    documents = [text.clean for text in texts(collection, tmp_path)]
    expected = shingling.sets(shingling.tokens(documents))
    derivation = Derivation(recipe, asked)
    shingles = [row for segment in collection.segments() for row in derivation.shingles(segment)]
    assert [row.tolist() for row in shingles] == [row.tolist() for row in expected]
    actual = within(collection, Question(recipe=asked, minimum=1))
    plain = CollectionSpec(replace(asked, fingerprint=PartSpec("shingles")))
    add_documents(tmp_path / "plain.sdx", tmp_path / "texts", plain)
    assert (
        actual.rows
        == within(StoredCollection.open(tmp_path / "plain.sdx"), Question(minimum=1)).rows
    )


def test_reading_word_offsets_that_are_not_stored_is_refused(tmp_path: Path) -> None:
    plain = replace(CHAIN, shingler=PartSpec("words"))
    collection = filled_collection(tmp_path, plain, batches=1)
    for asked in (words_of, marks_of, codes_of):
        with pytest.raises(MismatchError, match=r"create it again with a recipe .*such as "):
            asked(collection)
    with pytest.raises(MismatchError, match="no places of words"):
        add_documents(
            tmp_path / "x.sdx",
            tmp_path / "texts",
            CollectionSpec(replace(plain, aligner=PartSpec("windows"))),
        )
    with pytest.raises(MismatchError, match="codes of sentences"):
        codes_of(filled_collection(tmp_path / "texts", PASSAGES, batches=1))


def test_open_options_of_the_recipe_are_filled_in_on_creation(tmp_path: Path) -> None:
    collection = filled_collection(tmp_path, replace(CHAIN, index=PartSpec("groups")), batches=1)
    recipe = collection.recipe
    assert recipe.unit == PartSpec.of("sentence", length=150)
    assert (recipe.shingler, recipe.fingerprint) == (
        PartSpec.of("words", length=2),
        PartSpec.of("bbit", slots=128),
    )
    for again in (
        replace(CHAIN, index=PartSpec("groups")),
        replace(recipe, aligner=PartSpec("sentences")),
    ):
        added = add_documents(tmp_path / "x.sdx", tmp_path / "texts", CollectionSpec(again))
        assert added.unchanged == 3


KINDS = {
    **dict.fromkeys(("tokens", "word-starts", "word-ends", "spans"), "uint32"),
    **dict.fromkeys(("words", "titles"), "uint8"),
}


def test_arrays_of_another_type_are_damage(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", PASSAGES)
    arrays = {
        name: Ragged.of([[1]], "float64" if name == "spans" else dtype)
        for name, dtype in KINDS.items()
    }
    with collection.writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], arrays))
    collection = StoredCollection.open(tmp_path / "x.sdx")
    for asked in (words_of, marks_of):
        with pytest.raises(FormatError, match="lacks what its recipe asks for"):
            asked(collection)
    assert not list(collection.verify())


ROW: Mapping[str, Sequence[object]] = {
    "tokens": [1, 2],
    "words": [97, 98],
    "word-starts": [0, 2],
    "word-ends": [1, 3],
    "spans": [0, 0, 3],
    "titles": [],
    "unit-starts": [0, 2],
    "unit-ends": [1, 3],
    "codes": [[1] * 16, [2] * 16],
}


def forged(path: Path, **rows: Sequence[int]) -> StoredCollection:
    """A collection with checksums that are right, whatever its only document says."""
    given = {**ROW, **{name.replace("_", "-"): row for name, row in rows.items()}}
    bytewise = {"words", "titles", "codes"}
    arrays: dict[str, Any] = {}
    for name, row in given.items():
        values = np.array(row, np.uint8 if name in bytewise else np.uint32)
        ends = range(len(values) + 1) if name == "words" else (0, len(values))
        arrays[name] = Ragged(values, np.array(ends, np.int64))
    arrays["short"] = np.zeros(1, np.int64)
    with StoredCollection.create(path, SENTENCES).writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], arrays))
    return StoredCollection.open(path)


@pytest.mark.parametrize(
    ("name", "row", "message"),
    [
        ("word_starts", [2, 0], "word offsets are not in order"),
        ("word_starts", [0, 4], "word offsets are not in order"),
        ("word_ends", [1], "word offsets do not match the words"),
        ("spans", [0, 3, 1], "spans have no end"),
        ("spans", [0, 3], "spans have no end"),
        ("unit_starts", [2, 0], "sentences are not in order"),
        ("unit_ends", [1], "codes do not match their sentences"),
    ],
)
def test_places_that_cannot_be_are_damage_though_they_were_written_so(
    tmp_path: Path, name: str, row: list[int], message: str
) -> None:
    collection = forged(tmp_path / "x.sdx", **{name: row})
    with pytest.raises(FormatError, match=rf"x\.sdx/segments/1: is damaged: {message}"):
        words_of(collection), codes_of(collection)
    assert any(message in problem.message for problem in collection.verify())
    whole = forged(tmp_path / "whole.sdx")
    assert spelled(words_of(whole)) == [[("a", 0, 1), ("b", 2, 3)]]
    assert not list(whole.verify())
