"""From bytes to text, in every encoding that files come in."""

import codecs
import encodings
import pkgutil
import random
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from unicodedata import category

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import NotTextError, OptionError, UnreadableError
from sdtext.io import decompressed_content as content_module
from sdtext.io.decompressed_content import BLOCK, Content
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.text.encoding import Encoding, find_encoding, is_binary
from tests.support.command import done
from tests.support.languages import OTHERS, SAMPLES
from tests.support.strategies import BRISK, TEXTS

FRENCH = "Là où l’été s’achève, la façade du château reflète les derniers rayons. Ça va très bien."
GERMAN = "Fünf größere Häuser stehen in der Straße, und überall blühen schöne Rosen."
FOLDER = Path(__file__).parents[1] / "samples"
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
    sample = (FOLDER / "lucene" / "own_zh.txt").read_text("utf-8")
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
    mark=st.sampled_from([b"", b"\xef\xbb\xbf"]),
    damage=st.sampled_from([b"\xff", b"\x92", b"\xc3", b"\xe2\x80", b"\xed\xa0\x80"]),
    size=st.sampled_from([5, 64, 1 << 16]),
)
def test_damaged_utf_8_is_read(
    path: Path, mark: bytes, before: int, damage: bytes, size: int
) -> None:
    start, end = FRENCH[:before], FRENCH[before:] + GERMAN + FRENCH
    path.write_bytes(mark + start.encode() + damage + b" " + end.encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK", size)
        document = read(path, reading=Reading())
    assert document.text.replace("\ufffd", "") == f"{start} {end}"
    assert document.problems[0].category == "encoding"


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
    for begin in ("Größe ", "\ufeffin only nine words, none of them with a mark "):
        path.write_bytes(f"{begin}中".encode()[:-1])
        assert [problem.category for problem in read(path).problems] == ["encoding"], begin
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
    counted = controls.rstrip("\x1a\0")  # with which the last block of a text is filled
    known = text + counted
    assert is_binary(text + controls) is (
        50 * len(counted) > len(known) if known else controls > ""
    )


SAMPLE_TEXTS = Path(__file__).parents[1] / "samples" / "texts"
ENGLISH = [path.read_text("ascii") for path in sorted(SAMPLE_TEXTS.glob("*.txt"))]
# The encodings in which Windows, Unix and the web had texts of these languages.
USED = {
    **dict.fromkeys(["czech", "polish", "hungarian", "romanian"], ("cp1250", "iso8859-2")),
    **dict.fromkeys(["latvian", "lithuanian"], ("cp1257", "iso8859-13")),
    **dict.fromkeys(
        [
            *("catalan", "danish", "finnish", "french", "german", "irish", "norwegian"),
            *("portuguese", "spanish", "swedish"),
        ],
        ("cp1252", "iso8859-15", "mac-roman"),
    ),
    "bulgarian": ("cp1251", "iso8859-5", "cp866"),
    "estonian": ("cp1257", "iso8859-13"),
    "greek": ("cp1253", "iso8859-7", "cp869"),
    "russian": ("cp1251", "koi8-r", "iso8859-5", "cp866", "cp855"),
    "turkish": ("cp1254", "iso8859-9"),
}

CEDILLAS = str.maketrans("șțȘȚ", "şţŞŢ")
# In Windows' encoding for western languages, where English texts have such characters.
ALONE = ["’", "”", "\t“", "—", "\t–", "…", "‘", "•", "café", "don’t", "£5", "20 °C"]


def detected(data: bytes) -> Encoding:
    return find_encoding(Content("", called="text", data=data))


def in_encoding(language: str, encoding: str) -> tuple[str, bytes]:
    text = SAMPLES[language].text.translate(CEDILLAS)
    return text, text.encode(encoding)


@pytest.mark.parametrize("language", USED)
def test_short_and_long_texts_are_read_in_the_encodings_of_their_language(language: str) -> None:
    for encoding in USED[language]:
        text, data = in_encoding(language, encoding)
        for times in () if data.isascii() else (2, 40):
            encoded = b"\n".join([data] * times)
            result = encoded.decode(detected(encoded).name)
            assert result == "\n".join([text] * times), (encoding, times)


@BRISK
@given(
    text=st.sampled_from(ENGLISH),
    alone=st.sampled_from(ALONE),
    place=st.integers(0, 99),
    length=st.sampled_from([200, 1000, 3000]),
)
def test_one_windows_character_in_an_english_text_leaves_it_english(
    text: str, alone: str, place: int, length: int
) -> None:
    lines = text[:length].split("\n")
    lines.insert(place % (len(lines) + 1), alone)
    text = "\n".join(lines)
    data = text.encode("cp1252")
    assert data.decode(detected(data).name) == text


@BRISK
@given(
    words=st.lists(st.text("abcdefghijklmnopqrstuvwxyz", min_size=1), min_size=20),
    odd=st.lists(st.integers(0x80, 0xFF), min_size=1, max_size=4),
    end=st.sampled_from([" ", "\n"]),
)
def test_mostly_ascii_text_keeps_its_words(words: list[str], odd: list[int], end: str) -> None:
    around = end.join(words).encode("ascii")
    data = around + b"\n" + b"\n".join(bytes([byte]) for byte in odd) + b"\n" + around
    assert data.decode(detected(data).name).startswith(around.decode("ascii"))


def test_ebcdic_is_detected_by_its_blanks() -> None:
    text = " ".join(ENGLISH[0].split())
    for encoding in ("cp037", "cp500"):
        assert text.encode(encoding).decode(detected(text.encode(encoding)).name) == text


def test_the_whole_of_a_long_file_is_judged() -> None:
    text, data = in_encoding("czech", "iso8859-2")
    plain = ENGLISH[0].encode("ascii") * (3 * BLOCK // len(ENGLISH[0]))
    late = plain + b"\n" + data + b"\n" + plain[:5000]
    assert late.decode(detected(late).name).split("\n")[-1 - plain[:5000].count(b"\n") - 1] == text
    # The first megabytes fit Windows' encoding, and one byte far behind does not.
    odd = "Größe".encode("cp1252") + b"\n" + plain + b"\x81\n"
    assert detected(odd).name != "cp1252"


class _Long(Content):
    """A long text of which only a part is in memory at a time."""

    def blocks(self) -> Iterator[bytes]:
        assert self.data is not None
        yield from [self.data] * 40


def test_memory_does_not_grow_with_the_length_of_a_file() -> None:
    data = in_encoding("polish", "cp1250")[1]
    block = b"\n".join([data] * (BLOCK // len(data))) + b"\n"
    detected(data)  # the models are in memory
    tracemalloc.start()
    assert find_encoding(_Long("", called="text", data=block)).name == "cp1250"
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 12 * BLOCK


def test_multi_byte_texts_are_sampled_between_characters() -> None:
    chance = random.Random(4)
    letters = [chr(code) for code in range(0x3042, 0x3094)] + list("日本語文字人間自由平等権利")
    words = ["".join(chance.choices(letters, k=chance.randint(5, 400))) for _ in range(9000)]
    text = "。\n".join(words)
    for encoding in ("cp932", "euc-jp"):
        data = text.encode(encoding)
        assert data.decode(detected(data).name) == text


def test_a_doubtful_encoding_is_a_problem_and_a_likely_one_is_named_so(tmp_path: Path) -> None:
    doubtful = tmp_path / "half.txt"
    doubtful.write_bytes(
        b"The whole recipe takes \xbd of a cup, as the cook has always said.\n" * 3
    )
    likely = tmp_path / "city.txt"
    likely.write_bytes(in_encoding("german", "cp1252")[1])
    (problem,) = read(doubtful).problems
    assert (problem.severity, problem.category) == ("warning", "encoding")
    assert read(doubtful, reading=Reading(encoding="iso8859-15")).problems == ()
    assert read(likely).problems == ()

    rows = {Path(row["path"]).name: row for row in done("Doctor", tmp_path).table}
    assert (rows["half.txt"]["encoding"], rows["half.txt"]["certainty"]) == ("cp1252", "doubtful")
    assert (rows["city.txt"]["encoding"], rows["city.txt"]["certainty"]) == ("cp1252", "likely")
    assert not rows["city.txt"]["problem"]


def test_of_encodings_that_read_a_text_alike_the_most_common_is_named() -> None:
    text = "Élève, forêt, garçon, naïveté, où, là-bas : l'été s'achève déjà à la fenêtre.\n" * 50
    assert detected(text.encode("iso8859-15")).name == "cp1252"
    text = "“La rivière n’a jamais été aussi haute”, répondit la femme du pont à l’élève.\n" * 50
    found = detected(text.encode("cp1252") + b"\x81\n")
    assert (found.name, found.damaged) == ("cp1252", 1)


@pytest.mark.parametrize(("language", "encoding", "damage"), [
    ("chinese", "gb18030", b"\xff"), ("chinese", "gbk", b"\xff"), ("japanese", "cp932", b"\x81"),
    ("japanese", "euc_jp", b"\xff"), ("korean", "euc_kr", b"\xff"), ("russian", "cp1251", b"\x98"),
    ("greek", "cp1253", b"\xd2"), ("czech", "cp1250", b"\x81"), ("japanese", "iso2022_jp", b"\xff"),
    ("chinese", "hz", b"\xff"), ("korean", "iso2022_kr", b"\xff"),
])  # fmt: skip
def test_damage_leaves_a_text_in_its_encoding(language: str, encoding: str, damage: bytes) -> None:
    text = SAMPLES[language].text if language in SAMPLES else OTHERS[language]
    whole = text.encode(encoding)
    for place in (0, len(text) // 2, len(text)):
        before = text[:place].encode(encoding)
        data = whole * 8 + b"\n" + before + damage + b"\n" + text[place:].encode(encoding)
        found = detected(data)
        assert found.damaged == 1, (place, found)
        result = data.decode(found.name, "replace").replace("\ufffd", "")
        assert result == f"{text * 8}\n{text[:place]}\n{text[place:]}", (place, found)
    assert detected(whole * 8 + whole[: place // 2] + whole[place // 2 + 1 :]).name == found.name


def test_shifts_of_hz_stand_around_whole_characters(tmp_path: Path) -> None:
    text = "Lists: ~{~a, ~}, {~{x~}} and ~{ab cd~}."
    assert detected(text.encode()).name == "utf-8"
    path = tmp_path / "a.txt"
    path.write_text("words and ~{VPND~}", "ascii")
    assert read(path).text == "words and 中文"
