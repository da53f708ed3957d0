"""Documents in memory are taken wherever the path of a document is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sdtext
from sdtext.errors import MismatchError, OptionError, UnreadableError
from tests.search.stored import texts_of

TEXTS = [text for text in texts_of(6, number=20) if text != "..."]
DOCUMENTS = [sdtext.Document.of(text, f"{place}.txt") for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("texts")
    for document in DOCUMENTS:
        (folder / document.source).write_text(document.text)
    return folder


@pytest.fixture(scope="module")
def dictionary(folder: Path) -> sdtext.Dictionary:
    return sdtext.create_dictionary(folder, "english")


def test_a_dictionary_is_that_of_the_same_files(
    folder: Path, dictionary: sdtext.Dictionary
) -> None:
    half = [folder / document.source for document in DOCUMENTS[:9]]
    mixed = sdtext.create_dictionary([*half, *DOCUMENTS[9:]], "english")
    assert mixed.digest == dictionary.digest
    assert sdtext.create_dictionary(DOCUMENTS, "english").digest == dictionary.digest
    single = sdtext.create_dictionary(DOCUMENTS[0], "english")
    assert single.digest == sdtext.create_dictionary(folder / "0.txt", "english").digest
    with pytest.raises(OptionError, match=r"create_dictionary: paths\[1\] is 3; it must be a path"):
        sdtext.create_dictionary([DOCUMENTS[0], 3], "english")  # type: ignore[list-item]
    with pytest.raises(UnreadableError, match="the documents hold no term"):
        sdtext.create_dictionary(sdtext.Document.of("..."), "english")


def test_a_score_is_that_of_the_files(folder: Path, dictionary: sdtext.Dictionary) -> None:
    left, right = DOCUMENTS[3], DOCUMENTS[7]
    prints: list[Any] = [sdtext.fingerprint(document, dictionary) for document in (left, right)]
    expected = sdtext.score(prints[0], prints[1], dictionary=dictionary)
    sides: list[Any] = [left, str(folder / "3.txt"), folder / "3.txt", prints[0]]
    for side in sides:
        assert sdtext.score(side, right, dictionary=dictionary) == expected
    english = sdtext.read("tests/samples/texts/union.txt")
    assert sdtext.score(english, english).score == 99  # by the bundled dictionary
    with pytest.raises(MismatchError, match=r"^3\.txt: is a document, and the finger"):
        sdtext.score(left, prints[1])
    with pytest.raises(OptionError, match="score: right is 3; it must be a fingerprint"):
        sdtext.score(left, 3)  # type: ignore[arg-type]


def test_a_comparison_is_that_of_the_file(folder: Path, dictionary: sdtext.Dictionary) -> None:
    def rows(query: Any, options: Any) -> list[tuple[int | None, str]]:
        return [(row.score, row.path) for row in sdtext.compare(query, folder, **options).rows]

    for options in ({"dictionary": dictionary}, {}, {"segment": "50/25"}):
        of_file = rows(folder / "3.txt", options)  # which is not compared with itself
        assert rows(DOCUMENTS[3], options) == [(99, "3.txt"), *of_file]
