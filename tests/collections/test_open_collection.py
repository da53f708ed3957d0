"""A collection that is open in Python: pairs in it, with another, and hits for documents."""

from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

import sdtext
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import OptionError, UnreadableError
from tests.search.stored import document, stored, texts_of

TEXTS = texts_of(6)
YEARS = [{"year": 2000 + place} for place in range(len(TEXTS))]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("opened") / "texts.sdx"
    stored(path, TEXTS, facts=YEARS, guid="0b6f2a9e-3a5d-4a55-8f3c-5d9a7c1e2b40")
    return path


def test_like_the_files_of_a_folder_or_fingerprints_in_a_file(tmp_path: Path) -> None:
    samples = Path(__file__).parents[1] / "samples" / "texts"
    sdtext.create(path := tmp_path / "own.sdx", dictionary="english").add(samples)
    prints = [sdtext.fingerprint(text, "english") for text in sorted(samples.iterdir())]
    sdtext.save(prints, tmp_path / "prints.xml")
    (tmp_path / "copies").mkdir()
    for text in samples.iterdir():
        (tmp_path / "copies" / text.name).write_bytes(text.read_bytes())
    collection = sdtext.open(path)
    for query in (tmp_path / "prints.xml", tmp_path / "copies", [tmp_path / "copies"]):
        rows = collection.similar(query, similarity=0.99).rows
        assert [row.document for row in rows] == sorted(text.name for text in samples.iterdir())
    (tmp_path / "copies" / "broken.pdf").write_bytes(b"%PDF-1.4 broken")
    hits = collection.similar(tmp_path / "copies", similarity=0.99)
    assert len(hits.rows) == len(prints)
    assert [problem.severity for problem in hits.problems if "broken.pdf" in problem.path] == [
        "error"
    ]
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnreadableError, match="empty"):
        collection.similar(tmp_path / "empty")


def test_a_minimum_holds_to_its_last_digit(path: Path) -> None:
    collection = sdtext.open(path)
    rows = collection.similar(document(TEXTS[4]), matcher="jaccard", similarity=0.01).rows
    for least in {row.similarity for row in rows}:
        result = collection.similar(document(TEXTS[4]), matcher="jaccard", similarity=least).rows
        assert list(result) == [row for row in rows if row.similarity >= least]
        above = collection.similar(
            document(TEXTS[4]), matcher="jaccard", similarity=min(1.0, least + 1e-9)
        ).rows
        assert list(above) == [row for row in rows if row.similarity >= min(1.0, least + 1e-9)]


def test_what_is_there(path: Path) -> None:
    with sdtext.open(str(path)) as collection:
        assert len(collection) == len(TEXTS) == len(list(collection))
        assert collection.recipe.shingler
        assert repr(collection) == f"<collection {path} of {len(TEXTS)} documents>"
    assert repr(collection) == "<closed collection>"
    collection.close()
    for asked in (lambda: len(collection), lambda: collection.recipe, collection.documents):
        with pytest.raises(OptionError, match="the collection is closed"):
            asked()
    with pytest.raises(OptionError, match="the collection is closed"):
        collection.pairs(matcher="jaccard", similarity=0.8)
    with sdtext.open(path) as ours, pytest.raises(OptionError, match="the collection is closed"):
        ours.pairs(collection)


def test_a_collection_and_itself_are_one(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sdx"
    copytree(path, copy)
    with sdtext.open(path) as ours, sdtext.open(copy) as same:
        whole = ours.pairs(matcher="jaccard", similarity=0.5)
        for other in (sdtext.open(path), same):
            result = ours.pairs(other, matcher="jaccard", similarity=0.5)
            assert result.rows == whole.rows
            assert [problem.category for problem in result.problems] == ["same-collection"]


def test_a_copy_with_other_documents_is_another_collection(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.sdx"
    copytree(path, copy)
    stored_copy = StoredCollection.open(copy)
    stored_copy.remove([next(stored_copy.documents()).id])
    with sdtext.open(path) as ours, sdtext.open(copy) as other:
        result = ours.pairs(other, matcher="jaccard", similarity=0.5)
        assert not result.problems
        assert sum(row.left == row.right for row in result.rows) >= len(other) - 2


def test_a_record_is_a_query_that_is_named_by_its_id() -> None:
    records: list[dict[str, Any]] = [
        {"id": place, "text": text} for place, text in enumerate(texts_of(3, number=30)[:28])
    ]
    with sdtext.create(recipe="deduplicate") as collection:
        collection.add(records)
        for record in records:
            query = sdtext.Document.of(record["text"], str(record["id"]))
            hits = collection.similar(record)
            assert hits == collection.similar(query) == collection.similar([record])
            assert {row.query for row in hits} == {str(record["id"])}
            assert str(record["id"]) in {row.document for row in hits if row.similarity == 1}
        unnamed = collection.similar([{"text": record["text"]} for record in records])
        assert [*dict.fromkeys(row.query for row in unnamed)] == [f"text {n}" for n in range(28)]


def test_an_empty_collection_is_one(path: Path) -> None:
    with sdtext.open(path) as ours, sdtext.create(recipe=ours.recipe) as empty:
        assert not ours.pairs(empty).rows
        assert not empty.pairs(ours).rows
        assert empty.add(ours).added == len(ours)
    with sdtext.create(recipe="reuse") as passages:
        assert not passages.reuse(passages).documents
