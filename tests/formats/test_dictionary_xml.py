"""Dictionaries are read as they were written, whatever comes at once."""

import io
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from sdtext.errors import FormatError
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.formats import NAMESPACE, hardened_xml
from sdtext.formats.dictionary_xml import read_dictionary, write_dictionary
from sdtext.formats.hardened_xml import escaped_name, unescaped_name
from sdtext.model.calibration import Calibration, SizeClass
from sdtext.model.dictionary import Dictionary
from tests.support.dictionaries import ORIGIN, RECIPE, dictionaries, written

SCHEMA = etree.RelaxNG(
    etree.fromstring(files("sdtext").joinpath("formats/schemas/sdtext.rng").read_bytes())
)


@given(dictionary=dictionaries(), block=st.integers(1, 99), place=st.integers(0, 99))
def test_dictionaries(dictionary: Dictionary, block: int, place: int) -> None:
    data = written(write_dictionary, dictionary)
    SCHEMA.assertValid(etree.fromstring(data))
    later = f'<new xmlns="{NAMESPACE}"><terms><term/><term/></terms></new>\n'
    dictionary = replace(dictionary, unknown=(later.strip(),))
    data = data.replace(b"</dictionary>", later.encode() + b"</dictionary>")
    lines = data.splitlines(keepends=True)
    terms = [number for number, line in enumerate(lines) if line.startswith(b"<term ")]
    lines.insert(terms[place % len(terms)], lines[terms[place % len(terms)]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hardened_xml, "_BLOCK", block)
        assert read_dictionary(io.BytesIO(data), "d") == dictionary
        with pytest.raises(FormatError, match=f"term {place % len(terms) + 2} "):
            read_dictionary(io.BytesIO(b"".join(lines)), "d")
        patch.setattr(hardened_xml, "_FULLEST", 500)
        with pytest.raises(FormatError, match="holds over 500 others"):
            read_dictionary(io.BytesIO(data.replace(b"</term>", b"<x/>" * 501 + b"</term>")), "d")


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
