"""Dictionaries found by content digest: the right ones, at the cost of a head for each other."""

import re
from pathlib import Path

import pytest

import sdtext
from sdtext.errors import MismatchError
from sdtext.fingerprinting.dictionaries_by_digest import dictionaries_by_digest
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

TEXTS = Path(__file__).parents[1] / "samples" / "texts"


@pytest.fixture(scope="module")
def office() -> Dictionary:
    return sdtext.create_dictionary(TEXTS, "english", name="office")


@pytest.fixture
def received(tmp_path: Path, office: Dictionary) -> Path:
    """A folder with fingerprint files of a text and of another, and without their dictionary."""
    for name in ("union", "bees"):
        made = sdtext.fingerprint(TEXTS / f"{name}.txt", office)
        sdtext.save(made, tmp_path / f"{name}.fp.xml")
    return tmp_path


def test_every_dictionary_of_sdtext_is_found(tmp_path: Path, office: Dictionary) -> None:
    for name in DICTIONARIES.names():
        digest = load_dictionary(name).digest
        [found] = dictionaries_by_digest([digest, digest, ""])
        assert found.dictionary.digest == digest
        assert found.origin == f"{name}, which comes with sdtext"
    assert [*dictionaries_by_digest([office.digest], tmp_path / "nowhere")] == []


def test_each_digest_is_found_once_in_the_first_file(received: Path, office: Dictionary) -> None:
    for name in ("b.xml", "A.XML", "c.xml"):
        sdtext.save(office, received / name)
    sdtext.save(load_dictionary("german"), received / "0.xml")
    digests = [office.digest, load_dictionary("german").digest]
    origins = [item.origin for item in dictionaries_by_digest(digests, received)]
    assert origins == ["german, which comes with sdtext", f"office ({received / 'A.XML'})"]


def test_comparisons_take_the_dictionary_beside(received: Path, office: Dictionary) -> None:
    query, document = received / "union.fp.xml", TEXTS / "union-edited.txt"
    for compared, other in ((sdtext.compare, TEXTS), (sdtext.score, document)):
        with pytest.raises(MismatchError, match="name one as dictionary"):
            compared(query, other)
    plain = sdtext.score(query, received / "bees.fp.xml")
    sdtext.save(office, received / "office.xml.gz")
    expected = sdtext.compare(query, TEXTS, dictionary=office)
    compared_now = sdtext.compare(str(query), str(TEXTS))
    assert (compared_now.matcher, compared_now.rows) == (expected.matcher, expected.rows)
    found = sdtext.score(document, query)
    assert found.located == (f"office ({received / 'office.xml.gz'})",)
    named = sdtext.score(document, query, dictionary=office)
    assert (found.best, found.pairs) == (named.best, named.pairs)
    assert sdtext.score(query, received / "bees.fp.xml") == plain
    with pytest.raises(MismatchError, match="different dictionaries"):  # the named one alone
        sdtext.compare(query, TEXTS, dictionary="english")


def test_a_changed_dictionary_is_not_used(received: Path, office: Dictionary) -> None:
    sdtext.save(office, received / "office.xml")
    xml = (received / "office.xml").read_text("utf-8")
    (received / "office.xml").write_text(re.sub(r'df="1"', 'df="2"', xml, count=1), "utf-8")
    with pytest.raises(MismatchError, match="name one as dictionary"):
        sdtext.compare(received / "union.fp.xml", TEXTS)
