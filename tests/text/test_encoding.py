import codecs
import encodings
import pkgutil
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import NotTextError, OptionError, UnreadableError
from sdtext.io import decompressed_content as content_module
from sdtext.io.decompressed_content import Content
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.encoding import decoded, is_binary
from tests.support.strategies import BRISK, TEXTS

FRENCH = "Là où l’été s’achève, la façade du château reflète les derniers rayons. Ça va très bien."
GERMAN = "Fünf größere Häuser stehen in der Straße, und überall blühen schöne Rosen."
SAMPLES = Path(__file__).parents[1] / "samples"
MARKS = {
    "utf-8": codecs.BOM_UTF8, "utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE, "utf-32-be": codecs.BOM_UTF32_BE,
}  # fmt: skip
NAMES = sorted(module.name for module in pkgutil.iter_modules(encodings.__path__))


def text_of(path: Path, data: bytes, encoding: str = "") -> str:
    path.write_bytes(data)
    return read(path, reading=Reading(encoding=encoding)).text


@pytest.mark.parametrize("encoding", MARKS)
@BRISK
@given(text=TEXTS)
def test_a_mark_tells_the_encoding_of_any_text(path: Path, encoding: str, text: str) -> None:
    # Too many of the others make a file binary.
    text = "Words " + "".join(
        char for char in text if category(char) not in ("Cc", "Cn") or char in "\r\n\t"
    )
    assert text_of(path, MARKS[encoding] + text.encode(encoding)) == text
    assert text_of(path, text.encode("utf-8")) == text


def test_utf_16_without_a_mark_is_known_by_its_latin_letters(path: Path) -> None:
    latvian = "Āboliņi ir garšīgi, un Ādažos ir labi."  # Ā is U+0100: its low byte is zero
    wide = "A few words\u3000of Latin letters\u2000and wide blanks"
    for text in (FRENCH, GERMAN, "Plain words.", latvian, wide):
        for encoding in ("utf-16-le", "utf-16-be"):
            assert text_of(path, text.encode(encoding)) == text


def test_a_font_with_zeros_as_of_utf_16_is_not_text(path: Path) -> None:
    path.write_bytes(
        bytes.fromhex("0001 0000 0011 0100 0004 0010 0047 00d8") * 9000 + b"\xd8\x00" * 9
    )
    with pytest.raises(NotTextError):
        read(path)


def test_chinese_is_read_with_short_lines_and_with_long_ones(path: Path) -> None:
    line = "人人生而自由,在尊嚴和權利上一律平等。他們賦有理性和良心,並應以兄弟關係的精神相對待。"
    sample = (SAMPLES / "lucene" / "own_zh.txt").read_text("utf-8")
    cases = (("big5", f"{line}\n{line}\n{line}"), ("gb18030", sample * 20))
    for encoding, text in (*cases, ("gb18030", sample.replace("\n", "") * 20)):
        assert text_of(path, text.encode(encoding)) == text, encoding


@pytest.mark.parametrize("text", [FRENCH, FRENCH[:9], FRENCH * 9, "Ein Satz. Größe", "naïve €"])
def test_utf_8_cut_inside_a_character_is_no_other_encoding(path: Path, text: str) -> None:
    for cut in (-1, -2):
        try:
            assert text_of(path, (text + "€").encode("utf-8")[:cut]).startswith(text)
        except UnreadableError as error:
            assert str(error).startswith(str(path))  # noqa: PT017 (to refuse it is one of two ways)


@BRISK
@given(
    before=st.integers(0, 80),
    damage=st.sampled_from([b"\xff", b"\x92", b"\xc3", b"\xe2\x80", b"\xed\xa0\x80"]),
    size=st.sampled_from([5, 64, 1 << 16]),
)
def test_utf_8_with_a_damage_is_read(path: Path, before: int, damage: bytes, size: int) -> None:
    start, end = FRENCH[:before], FRENCH[before:] + GERMAN + FRENCH
    path.write_bytes(start.encode() + damage + b" " + end.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK", size)
        document = read(path, reading=Reading())
    assert document.text.replace("\ufffd", "") == f"{start} {end}"
    assert document.problems[0].category == "encoding"


@BRISK
@given(size=st.integers(1, 7), encoding=st.sampled_from(sorted(MARKS)))
def test_a_character_may_lie_across_two_blocks(path: Path, size: int, encoding: str) -> None:
    text = "x€é中😀 " * 4
    path.write_bytes(text.encode(encoding))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK", size)
        assert "".join(decoded(Content(path), encoding)) == text


def test_an_encoding_that_is_named_must_be_one_and_fit(path: Path) -> None:
    for encoding in ("utf-8", "ascii", "utf-16", "shift_jis"):
        with pytest.raises(UnreadableError, match=encoding):
            text_of(path, b"words \xff\xfd and", encoding)
    assert Reading(encoding="") == Reading()
    for name in ("klingon", "rot13", "hex", "base64", "zip", "undefined"):
        with pytest.raises(OptionError, match=f"encoding is '{name}'"):
            Reading(encoding=name)
    path.write_bytes("Größe".encode())
    (problem,) = read(path, reading=Reading(encoding="cp1252")).problems
    assert problem.category == "encoding"


def test_a_cut_character_at_the_end_is_marked_and_an_accent_is_none(path: Path) -> None:
    for encoding in ("utf-8", "utf-16-le", "shift_jis", "gb18030", "big5"):
        text = text_of(path, "words 中".encode(encoding)[:-1], encoding)
        assert text == "words \ufffd", encoding
    text = "Il n'y a pas un seul accent dans ce texte, mais il y en a un dans le mot café"
    assert text_of(path, text.encode("latin-1")) == text


def text_or_refusal(path: Path, data: bytes, encoding: str) -> None:
    try:
        text = text_of(path, data, encoding)
    except (OptionError, UnreadableError):
        return
    assert text.encode("utf-8").decode("utf-8") == text  # no half of a pair of surrogates


def test_text_that_looks_like_an_escape_does_no_harm_in_any_encoding(path: Path) -> None:
    for name in NAMES:
        for data in (b"a \\ud800", b"a \\q", b"a +2AA-", b"xn--\\N{x}", b"a \xe9\xff\x80"):
            text_or_refusal(path, data, name)


@given(name=st.sampled_from(NAMES), data=st.binary(min_size=1, max_size=40))
def test_every_encoding_gives_text_or_an_error_of_ours(path: Path, name: str, data: bytes) -> None:
    text_or_refusal(path, data, name)


@given(text=st.text(), controls=st.text("\x00\x01\x07\x1a\x7f", max_size=30))
def test_a_text_is_binary_by_its_share_of_control_characters(text: str, controls: str) -> None:
    text = "".join(char for char in text if char.isprintable())
    counted = controls.rstrip("\x1a")  # DOS fills the last block of a text with it
    assert is_binary(text + controls) is (50 * len(counted) > len(text + counted))
