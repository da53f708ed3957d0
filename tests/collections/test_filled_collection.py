"""A program fills a collection, searches it and removes documents from it."""

import gc
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.reading.inputs import Inputs
from sdtext.reading.records.record import Fields
from tests.search.stored import texts_of

TEXTS = [text for text in texts_of(6, number=20) if text != "..."]
of = sdtext.Document.of
RECORDS = [{"id": place, "text": text, "year": 1990 + place} for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with sdtext.create(
        tmp_path_factory.mktemp("filled") / "x.sdx", recipe="deduplicate"
    ) as collection:
        collection.add(RECORDS)
        yield collection


def test_records_are_stored_as_those_of_a_file(filled: sdtext.Collection, tmp_path: Any) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(f"{json.dumps(record)}\n" for record in RECORDS))
    add_documents(
        tmp_path / "y.sdx",
        Inputs(file, Fields(id="id")),
        CollectionSpec(sdtext.load_recipe("deduplicate")),
    )
    with sdtext.open(tmp_path / "y.sdx") as other:
        assert filled.pairs(similarity=0.1).rows == other.pairs(similarity=0.1).rows
        assert [row.metadata for row in filled] == [row.metadata for row in other]
        between = filled.pairs(other, similarity=0.9, top=5).rows
        assert between == filled.pairs(tmp_path / "y.sdx", similarity=0.9, top=5).rows
        assert len(between) == 5


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


def test_what_is_wrong_adds_nothing(tmp_path: Path) -> None:
    with sdtext.create(recipe="deduplicate") as collection:
        collection.add(RECORDS[0])
        for wrong in (
            [RECORDS[1], {"id": 3}],
            [RECORDS[1], tmp_path / "missing.txt"],
            ["missing.txt"],
        ):
            with pytest.raises((OptionError, UnreadableError)):
                collection.add(wrong)  # type: ignore[arg-type]
            assert len(collection) == 1
        problems: list[Any] = []
        run = sdtext.Run(problems=problems)
        assert collection.add([RECORDS[1], tmp_path / "missing.txt"], run=run).unreadable == 1
        assert len(collection) == 2
        assert "missing.txt: no such file" in problems[0].message


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
