"""Copies in other encodings and formats are read as the same text."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

import sdtext
from sdtext.parts.manglers.layout_and_file_format import EncodingChange, FileFormat
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.text.normal_form import clean

TEXTS = {
    "english": "NAME\n\n   bees - who <dance> & {sing}\\  now\tand then\n\n" * 30
    + "a longer line " * 20
    + "\fAnother page.",
    "french": "Les abeilles dansent « à l’été », cœur à cœur — 5 €.\n" * 70,
    "russian": "Пчёлы танцуют в ульях.\nМёд жёлтый\n",
    "arabic": "السلام عليكم ورحمة الله (2024)\nهذا كتاب جديد عن النحل\nكِتَابٌ ٢٠٢٤\n",
    "chinese": "我在北京,今天天气很好。\n蜜蜂跳舞。\n",
    "other planes": "bees 😀 dance 𠀀\x01 here\n",
}


def words(text: str) -> list[str]:
    return WordsOrCharacters().split(text)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("to", ["txt", "html", "docx", "odt", "rtf", "pdf"])
def test_a_file_of_each_format_has_the_words_of_the_text(
    tmp_path: Path, to: str, name: str
) -> None:
    mangler = FileFormat(to=to)
    path = tmp_path / f"copy{mangler.suffix}"
    path.write_bytes(mangler.write(TEXTS[name], random.Random(1)))
    document = sdtext.read(path)
    assert document.metadata["reader"] == ("text" if to == "txt" else to)
    assert document.problems == ()
    expected = words(clean(TEXTS[name], "NFKC" if to == "pdf" else "NFC"))
    if name == "arabic" and to == "pdf":  # in which numbers may change places with neighbours
        assert Counter(words(document.clean)) == Counter(expected)
    else:
        assert words(document.clean) == expected


@pytest.mark.parametrize("to", ["html", "docx", "odt", "rtf", "pdf"])
def test_an_empty_text_is_an_intact_file_without_text(tmp_path: Path, to: str) -> None:
    path = tmp_path / f"empty.{to}"
    path.write_bytes(FileFormat(to=to).write("", random.Random(1)))
    with pytest.raises(sdtext.TextlessError):
        sdtext.read(path)


@pytest.mark.parametrize("to", ["utf-8-sig", "utf-16", "utf-32", "windows-1252", "cp850"])
@pytest.mark.parametrize("line_ends", ["lf", "crlf"])
def test_a_file_in_another_encoding_is_read_as_the_same_text(
    tmp_path: Path, to: str, line_ends: str
) -> None:
    text = "Les abeilles dansent à l'été, près de la forêt.\nElles volent où elles veulent.\n" * 9
    mangler = EncodingChange(to=to, line_ends=line_ends)
    assert mangler(text, random.Random(1), []) == text
    path = tmp_path / "copy.txt"
    path.write_bytes(mangler.write(text, random.Random(1)))
    assert path.read_bytes() != text.encode()
    assert sdtext.read(path).text.replace("\r\n", "\n") == text


def test_what_an_encoding_has_not_is_a_question_mark_in_the_text_and_in_the_file() -> None:
    mangler = EncodingChange(to="ascii")
    copy = mangler("蜂 dance\n", random.Random(1), [])
    assert copy == "? dance\n"
    assert mangler.write(copy, random.Random(1)) == b"? dance\n"
