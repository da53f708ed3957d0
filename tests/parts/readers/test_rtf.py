"""The text of an RTF file."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem
from sdtext.parts.readers.rtf import Rtf
from tests.support.cases import cases

LINES = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc", "Co"]), min_size=1, max_size=12),
    min_size=1,
    max_size=6,
)


def blocks(path: Path, data: bytes) -> list[str | Heading | Problem]:
    path.write_bytes(data)
    assert Rtf.recognises(Content(path))
    return list(Rtf()(Content(path)))


def text_of(path: Path, body: bytes, begin: bytes = rb"{\rtf1\ansi ") -> str:
    result = blocks(path, begin + body + b"}")
    assert not [item for item in result if isinstance(item, Problem)]
    return "".join(item for item in result if isinstance(item, str))


def _by_numbers(line: str) -> bytes:
    """Every character by its number, as UTF-16 has it, and two bytes for old programs."""
    units = line.encode("utf-16-le")
    pairs = (units[place : place + 2] for place in range(0, len(units), 2))
    numbers = (int.from_bytes(pair, "little", signed=True) for pair in pairs)
    return b"".join(rb"\u%d\'3f?" % number for number in numbers)


def _by_bytes(line: str) -> bytes:
    return b"".join(rb"\'%02x" % byte for byte in line.encode("utf-8"))


def _plainly(line: str) -> bytes:
    return re.sub(rb"([\\{}])", rb"\\\1", line.encode("utf-8"))


@pytest.mark.parametrize("written", [_by_numbers, _by_bytes, _plainly])
@given(lines=LINES)
def test_lines_are_read_as_they_were_written(
    path: Path, written: Callable[[str], bytes], lines: list[str]
) -> None:
    body = b"".join(rb"{\pard " + written(line) + rb"\par}" + b"\r\n" for line in lines)
    result = text_of(path, body, rb"{\rtf1\ansi\ansicpg65001\uc2{\fonttbl{\f0 A;}}\f0 ")
    assert result == "".join(line + "\n" for line in lines)


@cases("charset, codec, text", [
    (128, "cp932", "日本ソ表示"), (134, "gbk", "人人生而自由"), (136, "cp950", "許功蓋"),
    (129, "cp949", "모든 사람은"), (204, "cp1251", "Все люди"), (161, "cp1253", "Το κείμενο"),
    (178, "cp1256", "السلام عليكم"),
])  # fmt: skip
@cases("second_in_ascii", [False, True])
def test_text_is_in_the_code_page_of_its_font(
    path: Path, charset: int, codec: str, text: str, second_in_ascii: bool
) -> None:
    fonts = rb"{\fonttbl{\f0\fnil\fcharset0 Arial;}{\f1\fnil\fcharset%d X;}}" % charset
    data = [
        chr(byte).encode("latin-1") if second_in_ascii and chr(byte).isalnum() and byte < 128
        # A backslash within a character, too, may only be written by its number.
        else rb"\'%02x" % byte
        for byte in text.encode(codec)
    ]  # fmt: skip
    body = fonts + rb"\f0 caf\'e9 {\f1 " + b"".join(data) + rb"} caf\'e9"
    assert text_of(path, body) == f"café {text} café\n"


@cases("body, text", [
    (rb"one\par two\line three", "one\ntwo\nthree\n"), (b"one\\\ntwo\r\nthree", "one\ntwothree\n"),
    (rb"a\tab b\emdash c\~d\_e\-f\{g\}\\", "a\tb—c\u00a0d-ef{g}\\\n"),
    (rb"\lquote a\rquote\ldblquote b\rdblquote", "‘a’“b”\n"),
    (rb"\trowd one\cell two\cell\row\trowd{three\par}\cell\cell\row", "one\ntwo\nthree\n"),
    (rb"won{\b der}ful", "wonderful\n"),
    (rb"\uc0 a\u233 b\uc1\u233?c{\uc3\u233???d}\u233?e", "aébécédée\n"),
    (rb"a\u233 {?}b", "aé?b\n"),
    (rb"one{\deleted gone}{\revised kept} \deleted gone\deleted0 two", "onekept two\n"),
    (rb"{\v hidden}", "hidden\n"), (rb"{\listtext 1.\tab}item{\pntext *\tab}", "item\n"),
    (rb'{\field{\*\fldinst{HYPERLINK "x y" }}{\fldrslt {a link}}}', "a link\n"),
    (rb"{\*\unknown gone}{\unknown kept}", "kept\n"),
    (rb"{\info{\title gone}{\upr{\author a}{\*\ud{\author b}}}}{\pict ffd8}", ""),
    (rb"{\*\themedata gone}{\xe gone}{\object{\result seen}}", "seen\n"),
    (rb"\u-3913?\u61623?x", "x\n"),
    (rb"{\mmath{\*\moMath{\mf{\mfPr{\mtype bar}}{\mnum{\mr 1}}{\mden{\mr 2}}}}}", "12\n"),
    (rb"one\par\page two\sect three", "one\n\ftwo\nthree\n"),
    (rb"a\zwj b\zwnj c\u8204 ?d\u?e", "a\u200db\u200cc\u200cde\n"),
    (rb"{\deleted gone\plain{\b kept}{\deleted gone{\footnote gone}}}", "kept\n"),
    (rb"\uc{\uc2\u233??a}\u233?b\'02\u3?c\'", "éaéb  c\n"),
    (rb"\binfsxn4 one{\pict\binfsxn0 \'41 00}two{\*\themedata 00{00}}", "onetwo\n"),
])  # fmt: skip
def test_what_is_read_and_what_is_not(path: Path, body: bytes, text: str) -> None:
    assert text_of(path, body) == text


HEAD = rb"{\header Top \chpgn\par}{\footerf Foot}"
SHAPE = (
    rb"{\shp{\*\shpinst\shpleft0{\sp{\sn wzName}{\sv Box}}{\shptxt \pard In the box\par more}}"
    rb"{\shprslt{\*\do\dptxbx{\dptxbxtext In the box}}}}"
)


@cases("body, text", [
    (HEAD + rb"One{\footnote First.} two.\par" + HEAD
     + rb"{\*\footnote\pard Second.\par}Three.",
     "One two.\nThree.\nFirst.\nSecond.\nTop \nFoot\n"),
    (b"One " + SHAPE + rb"two.\par three", "One two.\nIn the box\nmore\nthree\n"),
    (rb"One{\*\do\dobxcolumn\dptxbx{\dptxbxtext\pard Drawn\par}}\par", "One\nDrawn\n"),
])  # fmt: skip
def test_notes_margins_and_boxes_are_read_once_in_their_place(
    path: Path, body: bytes, text: str
) -> None:
    assert text_of(path, body) == text


@cases("body, expected", [
    ((rb"{\stylesheet{\s1\outlinelevel0 heading 1;}}\pard\outlinelevel0 The {\b  bees}\par"
     rb"\pard They dance.\par{\pard\outlinelevel1 Round\par}\pard\outlinelevel9 No\par"
     rb"\pard\outlinelevel0 \par"),
     [Heading(1, "The bees"), "The  bees\n", "They dance.\n", Heading(2, "Round"), "Round\n",
      "No\n", "\n"]),
    ((rb"{\stylesheet{\s0 Normal;}{\s3\sbasedon0\b Heading 2;}{\s4\b0 heading 3,h3;}"
     rb"{\*\cs5 heading 3;}{\s6 heading of a table;}}"
     rb"\s3 One\par\pard two\par{\s4 Three\par}\pard\s3\outlinelevel9 four\par\s6 five\par\s5 x"),
     [Heading(2, "One"), "One\n", "two\n", Heading(3, "Three"), "Three\n", "four\n", "five\n",
      "x\n"]),
])  # fmt: skip
def test_paragraphs_with_a_level_or_the_style_of_a_heading_are_headings(
    path: Path, body: bytes, expected: list[str | Heading]
) -> None:
    assert blocks(path, rb"{\rtf1 " + body + b"}") == expected


def test_binary_data_is_passed_over(path: Path) -> None:
    data = b"\\'41}{\\par\\"
    body = rb"one{\pict\bin%d " % len(data) + data + rb"}two\bin-5 three\bin0 four"
    assert text_of(path, body) == "onetwothreefour\n"
    # More than there is: the file ends within.
    assert isinstance(blocks(path, rb"{\rtf1 one\bin99999999 two}")[-1], Problem)


@cases("end", [b"", rb"\\{", b"\\", b"\\'", b"\\'e", rb"\u", b"{{"])
def test_a_file_that_breaks_off_is_read_up_to_there(path: Path, end: bytes) -> None:
    *texts, last = blocks(path, rb"{\rtf1 one\par two" + end)
    assert "".join(map(str, texts)).startswith("one\ntwo")
    assert isinstance(last, Problem)
    assert last.message == f"{path}: is a damaged RTF file: it is truncated"


def test_a_byte_that_is_in_no_code_page_is_counted(path: Path) -> None:
    *texts, last = blocks(path, rb"{\rtf1\ansi\ansicpg1251 \'c2\'f1\'98\'e5}")
    assert "".join(map(str, texts)) == "Вс\ufffdе\n"
    assert isinstance(last, Problem)
    assert "has 1 damaged place, read as U+FFFD" in last.message


@cases("closed", [True, False])
def test_groups_in_one_another_without_end_are_refused(path: Path, closed: bool) -> None:
    with pytest.raises(UnreadableError, match=r"damaged RTF file \(groups over 10000 deep\)"):
        blocks(path, rb"{\rtf1 " + b"{" * 100_000 + b"}" * 100_000 * closed)


@cases("body", [
    b"\\'8" * 100_000, b"\\u9999999999 " * 50_000,
    rb"\ansicpg-1\ansicpg9999999999\f-1\fcharset9\outlinelevel-3\uc-1 ",
    b"{\\field{\\*\\fldinst{HYPERLINK " * 3000 + b"}}}" * 3000, b"{\\footnote x}" * 30_000,
    b"{\\header x}" * 30_000, b"{\\*\\do{\\dptxbxtext a" * 2000 + b"}}" * 2000, b"\\" * 99_999,
    b"\\deleted\\deleted0" * 20_000, b"\\outlinelevel0" * 50_000, b"{\\shptxt x}" * 30_000,
    b"{\\footnote\\footnote" * 3000 + b"\\annotation x}" * 3000, b"{\\pictures\\binx " * 1000,
    b"{\\s1\\a heading 1" * 3000,
])  # fmt: skip
def test_odd_files_do_no_harm(path: Path, body: bytes) -> None:
    assert blocks(path, rb"{\rtf1 begin " + body + rb" end}")


@cases("begin, is_one", [
    (b"{\\rtf1", True), (b"\xef\xbb\xbf\r\n {\\rtf", True), (b"{rtf}", False), (b"x{\\rtf1", False),
    (b"", False),
])  # fmt: skip
def test_a_file_is_known_by_its_beginning(path: Path, begin: bytes, is_one: bool) -> None:
    path.write_bytes(begin)
    assert Rtf.recognises(Content(path)) is is_one
