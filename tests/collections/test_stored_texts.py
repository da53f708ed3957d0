"""Stored texts equal the texts that were read, after removal and merging, too."""

from dataclasses import replace
from pathlib import Path
from shutil import copytree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sdtext
from sdtext.collections.add import add_documents
from sdtext.collections.collection_recipe import CollectionSpec
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.schema import decoded_text, encoded_texts
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import FormatError, MismatchError, OptionError
from sdtext.model import PartSpec, RecipeSpec
from sdtext.reading.read_document import read

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
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "in").mkdir()
    for name, content in FILES.items():
        (tmp_path / "in" / name).write_bytes(content)
        spec = CollectionSpec(request.param, text=True)
        add_documents(tmp_path / "x.sdx", tmp_path / "in" / name, spec)
    return tmp_path


def test_stored_text_is_the_text_of_the_document(folder: Path) -> None:
    with sdtext.open(folder / "x.sdx") as collection:
        for name in FILES:
            assert collection.text(name) == read(folder / "in" / name).text
        texts = {document.name: text for document, text in collection.texts()}
    assert texts == {name: read(folder / "in" / name).text for name in FILES}


def test_texts_survive_removal_and_merging(folder: Path) -> None:
    collection = sdtext.open(folder / "x.sdx")
    collection.stored.remove([1])
    collection.compact()
    assert len(collection.stored.segments()) == 1
    for name in [*FILES][1:]:
        assert collection.text(name) == read(folder / "in" / name).text
    with pytest.raises(OptionError, match=r"plain\.txt"):
        collection.text("plain.txt")


def test_a_name_in_two_folders_is_refused(folder: Path) -> None:
    copytree(folder / "in", folder / "again")
    add_documents(folder / "x.sdx", folder / "again")
    with pytest.raises(OptionError, match=r"2 documents called 'page\.html'.*number: 3, "):
        sdtext.open(folder / "x.sdx").text("page.html")


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
