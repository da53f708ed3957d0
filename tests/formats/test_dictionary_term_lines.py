"""Dictionaries are read quickly as they are read by the parser alone."""

import io
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import FormatError
from sdtext.formats import dictionary_xml
from sdtext.formats.dictionary_xml import _parsed, cut_term_lines, read_dictionary, write_dictionary
from sdtext.model.dictionary import Dictionary
from tests.support.dictionaries import dictionaries, written

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


@given(dictionary=dictionaries())
def test_terms_in_unknown_elements_and_comments_stay(dictionary: Dictionary) -> None:
    data = written(write_dictionary, dictionary)
    terms = b'<terms count="1">\n<term df="1">a</term>\n</terms>\n'
    frames = b"<!--\n%s-->", b"<x:y xmlns:x='urn:y'>\n%s</x:y>\n", b"<old>\n%s</old>\n"
    marks = b"<hashdigest", b"<tokenizers>", b"<terms", b"</terms", b"</dict"
    for mark, inner, frame in product(marks, (terms, data.partition(b"\n")[2]), frames):
        same_as_parsed(data.replace(mark, frame % inner + mark, 1))
    for damage in (b"</terms>\xff", b'<term df="1">\xff</term>\n</terms>', b"</terms><terms/>"):
        same_as_parsed(data.replace(b"</terms>", damage))
    same_as_parsed(data.replace(b'<terms count="', b'<terms count="9'))
