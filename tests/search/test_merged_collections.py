"""Collections that were merged, or shared as fingerprints, answer as one made of the documents."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sdtext
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.stored_collection import StoredCollection
from sdtext.model import Origin, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.reading.records.record import InputDocument
from tests.search.stored import CHAIN, COUNTS, RECIPE, document, texts_of

DICTIONARY = Dictionary.of(COUNTS, 100, CHAIN)
TEXTS = texts_of(11, 24)
QUERIES = [document(text, f"q{place}") for place, text in enumerate(TEXTS[::5])]

Texts = Mapping[str, str]
NAMES = st.sampled_from([f"t{place}" for place in range(12)])
SOME_TEXTS = st.dictionaries(NAMES, st.sampled_from(TEXTS), min_size=1, max_size=10)
SOME_NAMES = st.sets(NAMES, max_size=4)


few = settings(max_examples=getattr(settings.default, "max_examples", 15) // 5)
"""Each example makes several collections."""


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory() as name:
        yield Path(name)


def made(path: Path, texts: Texts, removed: set[str], kind: str) -> Path:
    """A collection of texts in two segments, some of which are then removed."""
    recipe, dictionaries = _KINDS[kind]
    items = [InputDocument("/in", name, text=text) for name, text in texts.items()]
    with StoredCollection.create(path, recipe, dictionaries, Origin(path.name)) as collection:
        builder = RowBuilder(collection.recipe, dictionaries)
        with collection.writing() as writer:
            for batch in (items[::2], items[1::2]):
                if rows := builder(batch, []).rows:
                    writer.add(rows)
                    writer.commit()
        collection.remove_ids([item.id for item in collection if item.name in removed])
    return path


_KINDS: dict[str, tuple[RecipeSpec, tuple[Dictionary, ...]]] = {
    "bits": (CHAIN, (DICTIONARY,)),
    "shingles": (RECIPE, ()),
}


def answers(path: Path, index: str) -> tuple[Any, ...]:
    """The pairs of a collection, its matches of queries, and of the best three."""
    with sdtext.open(path) as collection:
        pairs = collection.pairs(similarity=0.1, index=index)
        hits = [
            [(row.query, row.document, row.score, row.similarity) for row in found.rows]
            for found in (
                collection.similar(QUERIES, similarity=0.05, index=index),
                collection.similar(QUERIES, top=3, index=index),
            )
        ]
        named = sorted((*sorted((row.left, row.right)), row.similarity) for row in pairs.rows)
        return named, *hits


@pytest.mark.parametrize(
    ("kind", "other"),
    [("bits", "columns"), pytest.param("shingles", "bands", marks=pytest.mark.deep)],
)
@few
@given(parts=st.tuples(SOME_TEXTS, SOME_NAMES, SOME_TEXTS, SOME_NAMES), later=SOME_NAMES)
def test_a_merged_collection_answers_as_one(
    kind: str, other: str, parts: tuple[Texts, set[str], Texts, set[str]], later: set[str]
) -> None:
    left, gone, right, lost = parts
    with _folder() as folder:
        merged = made(folder / "a.sdx", left, gone, kind)
        answers(merged, other)  # caches what it derives
        second = made(folder / "b.sdx", right, lost, kind)
        with sdtext.open(merged) as collection:
            collection.add(sdtext.open(second) if later else second)
            rest = {name: text for name, text in left.items() if name not in gone}
            rest |= {name: text for name, text in right.items() if name not in lost}
            assert {item.name for item in collection} == {*rest}
            whole = made(folder / "whole.sdx", rest, set(), kind)
            assert answers(merged, "scan") == answers(merged, other) == answers(whole, "scan")
            collection.remove_ids([item.id for item in collection if item.name in later])
            expected = made(folder / "rest.sdx", rest, later, kind)
            assert answers(merged, "scan") == answers(merged, other) == answers(expected, "scan")
            collection.compact()
            assert answers(merged, "scan") == answers(merged, other) == answers(expected, "scan")
            assert [*collection.verify()] == []


@few
@given(texts=SOME_TEXTS, removed=SOME_NAMES)
def test_a_collection_shared_as_fingerprints_answers_as_before(
    texts: Texts, removed: set[str]
) -> None:
    with _folder() as folder:
        mine = made(folder / "mine.sdx", texts, removed, "bits")
        file = folder / "share.xml.gz"
        with sdtext.open(mine) as collection:
            sdtext.save(collection.fingerprints(), file, dictionary=DICTIONARY)
            if not len(collection):
                return
        with sdtext.create(folder / "theirs.sdx", dictionary=DICTIONARY) as collection:
            assert collection.add(file).added == len(texts.keys() - removed)
            assert [*collection.verify()] == []
        for index in ("scan", "columns"):
            assert answers(folder / "theirs.sdx", index) == answers(mine, index)
