"""Dictionaries are read quickly as they are read by the parser alone."""

import io
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.formats import dictionary_xml
from sdtext.formats.dictionary_xml import _parsed, cut_term_lines, read_dictionary, write_dictionary
from sdtext.formats.hardened_xml import escaped_name, unescaped_name
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.model.dictionary import Dictionary
from tests.support.dictionaries import ORIGIN, RECIPE, dictionaries, written

Read = Callable[[io.BytesIO], Dictionary]
INSERTED = [
    b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<x:y xmlns:x='urn:y'>", b"</x:y>", b"\n", b"&amp;",
    b"&#9;", b'<terms count="1">\n', b"</terms>\n", b'<term df="1">a</term>\n', b"\xff", b"\r\n",
    b"<?pi ?>", b"<dictionary>", b"</dictionary>", b" ", b"\xef\xbf\xbe", b"\x00", b"0",
]  # fmt: skip


def outcome(read: Read, data: bytes) -> Dictionary | str:
    try:
        return read(io.BytesIO(data))
    except FormatError as error:
        return str(error)


def same_as_parsed(data: bytes) -> None:
    parsed = outcome(lambda file: _parsed(file, "d"), data)
    assert outcome(lambda file: read_dictionary(file, "d"), data) == parsed


@given(dictionary=dictionaries(), piece=st.integers(1, 99))
def test_what_sdtext_writes_is_cut(dictionary: Dictionary, piece: int) -> None:
    data = written(write_dictionary, dictionary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dictionary_xml, "_PIECE", piece)
        cut = cut_term_lines(data)
    escaped = any("&#" in line for line in data.decode().splitlines() if line[:6] == "<term ")
    if "" in dictionary.terms or escaped:
        assert cut is None
    else:
        assert cut is not None
        assert (tuple(cut.terms), list(cut.counts)) == (dictionary.terms, list(dictionary.counts))
        assert b"<term " not in cut.rest
    same_as_parsed(data)


@given(dictionary=dictionaries(), draw=st.data())
def test_a_changed_file_is_read_as_it_parses(dictionary: Dictionary, draw: st.DataObject) -> None:
    lines = written(write_dictionary, dictionary).splitlines(keepends=True)
    for _ in range(draw.draw(st.integers(1, 3))):
        place = draw.draw(st.integers(0, len(lines) - 1))
        match draw.draw(st.sampled_from(["insert", "swap", "drop", "repeat", "byte"])):
            case "insert":
                lines.insert(place, draw.draw(st.sampled_from(INSERTED)))
            case "swap":
                lines[place], lines[-3] = lines[-3], lines[place]
            case "drop":
                del lines[place]
            case "repeat":
                lines.insert(place, lines[place])
            case _ if line := bytearray(lines[place]):
                line[draw.draw(st.integers(0, len(line) - 1))] = draw.draw(st.integers(0, 255))
                lines[place] = bytes(line)
    same_as_parsed(b"".join(lines))


SCHEMA = etree.RelaxNG(
    etree.fromstring(files("sdtext").joinpath("formats/schemas/sdtext.rng").read_bytes())
)


@given(dictionaries())
def test_dictionaries(dictionary: Dictionary) -> None:
    data = written(write_dictionary, dictionary)
    SCHEMA.assertValid(etree.fromstring(data))
    assert read_dictionary(io.BytesIO(data), "d") == dictionary


def test_a_damaged_calibration_is_refused() -> None:
    levels = SizeClass(8, None, (1,) * 100, (0,) * 100, (9,) * 100)
    calibration = Calibration("cosine", "2026-01-02T03:04:05Z", 9, 3, (), (levels,))
    dictionary = Dictionary.of({"rare": 1}, 50, RECIPE).with_calibrations([calibration])
    text = written(write_dictionary, dictionary).decode()
    for old, new, fault in (
        ("<unrelated>1", f"<unrelated>{'1 ' * 101}", "<unrelated>"),
        ("<unrelated>1", "<unrelated>one", "<unrelated>"),
        (' minimum="8"', ' minimum="-8"', "minimum of <size>"),
        (' left_out="3"', "", "left_out of <calibration>"),
    ):
        assert old in text
        with pytest.raises(FormatError, match=fault):
            read_dictionary(io.BytesIO(text.replace(old, new).encode()), "d")


@given(st.binary(max_size=20))
def test_file_names_of_any_bytes(name: bytes) -> None:
    import os

    path = os.fsdecode(name)
    escaped = escaped_name(path)
    assert unescaped_name(escaped) == path
    etree.Element("filename").text = escaped.replace("\x00", "")


def test_equal_content_gives_equal_files(tmp_path: Path) -> None:
    dictionary = replace(Dictionary.of({"a": 1, "b": 2}, 5, RECIPE), name="d", origin=ORIGIN)
    for name in ("one.xml.gz", "two.xml.gz"):
        save(dictionary, tmp_path / name)
    assert (tmp_path / "one.xml.gz").read_bytes() == (tmp_path / "two.xml.gz").read_bytes()
    assert load_dictionary(tmp_path / "one.xml.gz") == dictionary
