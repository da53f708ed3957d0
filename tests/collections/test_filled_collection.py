"""A program fills a collection, searches it, reads its texts and removes documents from it."""

import gc
import os
from dataclasses import replace
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.schema import decoded_text
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError, UnreadableError
from sdtext.kernels.terms.document_words import encoded_texts
from sdtext.model import PartSpec, RecipeSpec
from sdtext.reading.read_document import read
from tests.search.stored import document, stored, texts_of

TEXTS = [text for text in texts_of(6, number=20) if text != "..."]
of = sdtext.Document.of
RECORDS = [{"id": place, "text": text, "year": 1990 + place} for place, text in enumerate(TEXTS)]


def test_a_record_without_a_text_keeps_no_other_from_being_added() -> None:
    empty, unusable = {"id": 2, "text": " \n"}, {"id": 3, "body": "Some words"}
    with sdtext.create(recipe="deduplicate") as collection:
        assert collection.add([RECORDS[0], empty, RECORDS[1]]).added == 2
        with pytest.raises(UnreadableError, match=r"documents\[1\]"):
            collection.add([RECORDS[2], unusable])
        assert len(collection) == 2
        run = sdtext.Run(problems=[])
        collection.add([empty, unusable, RECORDS[3]], run=run)
        assert {stored.name for stored in collection} == {"0", "1", "3"}
    problems = [(item.severity, item.category, item.path) for item in run.problems or ()]
    assert problems == [
        ("warning", "empty", "documents[0]"),
        ("error", "unreadable", "documents[1]"),
    ]


def test_fingerprints_are_queries(tmp_path: Path) -> None:
    for place, text in enumerate(TEXTS):
        (tmp_path / f"{place}.txt").write_text(text)
    dictionary = sdtext.create_dictionary(tmp_path, "english")
    other = sdtext.create_dictionary(tmp_path / "3.txt", "english")
    documents = [sdtext.Document.of(text, str(place)) for place, text in enumerate(TEXTS)]
    prints = [sdtext.fingerprint(document, dictionary) for document in documents]
    with sdtext.create(dictionary=dictionary) as collection:
        collection.add(documents)
        rows = collection.similar(prints[:3], similarity=0.2).rows
        assert {row.query for row in rows} == {"0", "1", "2"}
        nameless = [replace(item, document="") for item in prints[:3]]
        numbered = collection.similar(nameless, similarity=0.2).rows
        assert {row.query for row in numbered} == {f"fingerprint {place}" for place in (1, 2, 3)}
        texts = collection.similar(documents[:3], similarity=0.2).rows
        assert [(row.document, row.score) for row in rows] == [
            (row.document, row.score) for row in texts
        ]
        assert collection.similar(prints[4], top=1).rows[0].document == "4"
        foreign = sdtext.fingerprint(documents[0], other)
        with pytest.raises(MismatchError, match="not compared, made with dictionary"):
            collection.similar(foreign)
        assert collection.similar([prints[0], foreign]).problems


def test_a_prepared_search_sees_what_is_added_and_removed() -> None:
    with sdtext.create(recipe="short-texts") as collection:
        collection.add({"id": "a", "text": TEXTS[0]})
        assert [row.document for row in collection.similar(of(TEXTS[0])).rows] == ["a"]
        collection.add({"id": "b", "text": TEXTS[0]})
        assert [row.document for row in collection.similar(of(TEXTS[0])).rows] == ["a", "b"]
        assert collection.remove("a") == collection.remove([2]) == 1
        assert not collection.similar(of(TEXTS[0])).rows


def test_an_integer_is_first_a_name_and_else_a_number() -> None:
    with sdtext.create(recipe="short-texts") as collection:
        collection.add({"id": place, "text": TEXTS[place]} for place in range(5))
        assert collection.remove([3]) == 1
        assert [document.name for document in collection] == ["0", "1", "2", "4"]
        assert collection.remove(5) == 1  # no record has this id; it is the fifth document
        assert [document.name for document in collection] == ["0", "1", "2"]


def test_a_temporary_collection_leaves_nothing_behind(monkeypatch: Any, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    collection = sdtext.create()
    assert repr(collection) == "<temporary collection of 0 documents>"
    collection.add(RECORDS[:2])
    assert [*tmp_path.iterdir()]
    collection.close()
    assert not [*tmp_path.iterdir()]
    forgotten = sdtext.create()
    forgotten.add(RECORDS[:2])
    del forgotten
    gc.collect()
    assert not [*tmp_path.iterdir()]


def test_documents_and_rows_are_looked_up() -> None:
    with sdtext.create(recipe="short-texts") as collection:
        collection.add([{"id": 7, "text": TEXTS[0]}, {"id": 8, "text": TEXTS[0]}])
        assert "7" in collection
        assert 7 in collection
        assert all(document in collection for document in collection)
        assert "70" not in collection
        hits = collection.similar(of(TEXTS[0]))
        assert len(hits) == len(hits.rows) == 2
        assert (hits[0], hits[1:]) == (hits.rows[0], hits.rows[1:])
        collection.remove(7)
        assert "7" not in collection


OF_SIX = texts_of(6)
YEARS = [{"year": 2000 + place} for place in range(len(OF_SIX))]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Path:
    opened = tmp_path_factory.mktemp("opened") / "texts.sdx"
    stored(opened, OF_SIX, facts=YEARS, guid="0b6f2a9e-3a5d-4a55-8f3c-5d9a7c1e2b40")
    return opened


def test_like_the_files_of_a_folder_or_fingerprints_in_a_file(tmp_path: Path) -> None:
    samples = Path(__file__).parents[1] / "samples" / "texts"
    sdtext.create(opened := tmp_path / "own.sdx", dictionary="english").add(samples)
    prints = [sdtext.fingerprint(text, "english") for text in sorted(samples.iterdir())]
    sdtext.save(prints, tmp_path / "prints.xml")
    (tmp_path / "copies").mkdir()
    for text in samples.iterdir():
        (tmp_path / "copies" / text.name).write_bytes(text.read_bytes())
    collection = sdtext.open(opened)
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


def test_a_minimum_holds_to_its_last_digit(opened: Path) -> None:
    collection = sdtext.open(opened)
    rows = collection.similar(document(OF_SIX[4]), matcher="jaccard", similarity=0.01).rows
    for least in {row.similarity for row in rows}:
        result = collection.similar(document(OF_SIX[4]), matcher="jaccard", similarity=least).rows
        assert list(result) == [row for row in rows if row.similarity >= least]
        above = collection.similar(
            document(OF_SIX[4]), matcher="jaccard", similarity=min(1.0, least + 1e-9)
        ).rows
        assert list(above) == [row for row in rows if row.similarity >= min(1.0, least + 1e-9)]


def test_what_is_there(opened: Path) -> None:
    with sdtext.open(str(opened)) as collection:
        assert len(collection) == len(OF_SIX) == len(list(collection))
        assert collection.recipe.shingler
        assert repr(collection) == f"<collection {opened} of {len(OF_SIX)} documents>"
    assert repr(collection) == "<closed collection>"
    collection.close()
    for asked in (lambda: len(collection), lambda: collection.recipe, collection.documents):
        with pytest.raises(OptionError, match="the collection is closed"):
            asked()
    with pytest.raises(OptionError, match="the collection is closed"):
        collection.pairs(matcher="jaccard", similarity=0.8)
    with sdtext.open(opened) as ours, pytest.raises(OptionError, match="the collection is closed"):
        ours.pairs(collection)


def test_a_collection_and_itself_are_one(opened: Path, tmp_path: Path) -> None:
    copy = copytree(opened, tmp_path / "copy.sdx")
    with sdtext.open(opened) as ours, sdtext.open(copy) as same, os.scandir(tmp_path) as entries:
        whole = ours.pairs(matcher="jaccard", similarity=0.5)
        for other in (sdtext.open(opened), same, *entries):
            result = ours.pairs(other, matcher="jaccard", similarity=0.5)
            assert result.rows == whole.rows
            assert [problem.category for problem in result.problems] == ["same-collection"]


def test_a_copy_with_other_documents_is_another_collection(opened: Path, tmp_path: Path) -> None:
    copy = copytree(opened, tmp_path / "copy.sdx")
    stored_copy = StoredCollection.open(copy)
    stored_copy.remove_ids([next(stored_copy.documents()).id])
    with sdtext.open(opened) as ours, sdtext.open(copy) as other:
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


def test_an_empty_collection_is_one(opened: Path) -> None:
    with sdtext.open(opened) as ours, sdtext.create(recipe=ours.recipe) as empty:
        for matcher in ("jaccard", "containment", "edit"):
            assert not ours.pairs(empty, matcher=matcher).rows
            assert not empty.pairs(ours, matcher=matcher).rows
        assert empty.add(ours).added == len(ours)
    with sdtext.create(recipe="reuse") as passages:
        assert not passages.reuse(passages).documents


CHAIN = RecipeSpec(PartSpec("words"), (PartSpec("lowercase"),))
SHINGLED = replace(CHAIN, shingler=PartSpec.of("words", length=2))
PLACED = replace(CHAIN, aligner=PartSpec("windows"))
FILES = {
    "plain.txt": b"Bees\tand wax\r\nhy-\nphen\n",
    "latin.txt": "Größe der Bienen, gemäß dem Maß der Königin und der Völker".encode("latin-1"),
    "page.html": b"<html><body><h1>Bees &amp; wax</h1><p>A hive.</p></body></html>",
    "decomposed.txt": "cafe\u0301 \ufb01ne \u200bspaced".encode(),
}


@pytest.fixture(params=[SHINGLED, PLACED], ids=["shingled", "placed"])
def stored_files(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "in").mkdir()
    for name, content in FILES.items():
        (tmp_path / "in" / name).write_bytes(content)
        spec = CollectionSpec(request.param, text=True)
        add_documents(tmp_path / "x.sdx", tmp_path / "in" / name, spec)
    return tmp_path


def test_stored_text_is_the_text_of_the_document(stored_files: Path) -> None:
    with sdtext.open(stored_files / "x.sdx") as collection:
        for name in FILES:
            assert collection.text(name) == read(stored_files / "in" / name).text
        texts = {document.name: text for document, text in collection.texts()}
    assert texts == {name: read(stored_files / "in" / name).text for name in FILES}


def test_a_name_in_two_folders_is_refused(stored_files: Path) -> None:
    copytree(stored_files / "in", stored_files / "again")
    add_documents(stored_files / "x.sdx", stored_files / "again")
    with pytest.raises(OptionError, match=r"2 documents called 'page\.html'.*number: 3, "):
        sdtext.open(stored_files / "x.sdx").text("page.html")


@given(st.lists(st.text(st.characters())))
def test_any_text_can_be_stored(texts: list[str]) -> None:
    assert [decoded_text(row) for row in encoded_texts(texts)] == texts


def test_a_collection_without_texts_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Some words", "utf-8")
    add_documents(tmp_path / "x.sdx", tmp_path / "a.txt", CollectionSpec(SHINGLED))
    collection = sdtext.open(tmp_path / "x.sdx")
    for ask in (lambda: collection.text("a.txt"), collection.texts):
        with pytest.raises(MismatchError, match="without texts; create it again with keep_text"):
            ask()


def test_a_collection_that_lacks_its_texts_is_damaged(tmp_path: Path) -> None:
    collection = StoredCollection.create(tmp_path / "x.sdx", CHAIN, keeps_text=True)
    with collection.writing() as writer:
        writer.add(DocumentRows([NewDocument("a")], {}))
    with pytest.raises(FormatError, match="the text of document 1 cannot be read"):
        sdtext.open(tmp_path / "x.sdx").text("a")
