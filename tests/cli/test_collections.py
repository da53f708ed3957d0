"""AddDocuments, RemoveDocuments, ShowCollection as a user has them."""

import gc
from pathlib import Path

import pytest

from sdtext.collections.storage import catalog
from sdtext.collections.stored_collection import StoredCollection
from tests.support.command import done, here, write_texts

RECIPE = """
tokenizer = "words"
filters = ["lowercase", "strip-punctuation"]
shingler = { name = "words", length = 3 }
fingerprint = { name = "minhash", slots = 64 }
index = { name = "bands", similarity = 0.5, recall = 0.9 }
matcher = "jaccard"
"""
ADD = ("AddDocuments", "x.sdx")
GONE = "no data of removed documents is left on disk"
TABLE = "file,year,organisation\n000.txt,2018,HUT\n001.txt,2019,HUT\n002.txt,2020,TKK\n"


@pytest.fixture
def texts(folder: Path) -> Path:
    Path("recipe.toml").write_text(RECIPE, "utf-8")
    return write_texts(folder / "texts", 6, words=60)


@pytest.fixture
def collection(texts: Path) -> str:
    Path("facts.csv").write_text(TABLE, "utf-8")
    done(*ADD, texts, "-c", "recipe.toml", "--metadata", "facts.csv")
    return "x.sdx"


def on_disk(path: str) -> bytes:
    """All bytes of all files of a collection."""
    files = [item for item in Path(path).rglob("*") if item.is_file()]
    return b"".join(str(item).encode() + item.read_bytes() for item in files)


def test_disk_space_held_by_a_reader_is_reported(
    collection: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalog, "_SHORT", 1)
    reader = StoredCollection.open(collection)
    outcome = here("RemoveDocuments", collection, "003.txt", "--purge")
    assert outcome.code == 6
    assert outcome.errors[0] == "1 document removed from x.sdx, which has 5 documents"
    assert "another process is reading it" in outcome.errors[1]
    assert len(reader) == 6
    assert len(list(reader.documents())) == 6
    assert b"003.txt" in on_disk(collection)
    del reader, outcome
    gc.collect()  # the command ran in this process
    assert done("RemoveDocuments", collection, "--purge").errors[-1] == GONE
    assert b"003.txt" not in on_disk(collection)
