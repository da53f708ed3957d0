"""Disguised texts read as they look, are reported, and honest texts stay what they are."""

import os
import re
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.disguise_ways import AMBIGUOUS, DISGUISES
from sdtext import Run, compare, find_reuse
from sdtext.parts.filters.stopwords_and_length import languages, shipped_list
from sdtext.reading.read_document import read
from sdtext.text.disguises import _STEPS, disguises_in, undisguised
from sdtext.text.normal_form import clean
from sdtext.text.quick_disguise_check import SuspectedText
from tests.support.languages import SAMPLES
from tests.support.strategies import TEXTS

ROOT = Path(__file__).parents[2]
TEXT_FILES = sorted((ROOT / "tests/samples/texts").glob("*.txt"))
UNION = ROOT / "tests/samples/texts/union.txt"
_WESTERN = st.characters(min_codepoint=0xA1, max_codepoint=0x203A)
each_disguise = pytest.mark.parametrize("name", DISGUISES)

HONEST = {
    "units": "5 μm, 3 kΩ, ΔT and Δp, NFκB, TNFα, Tnfα, the αSyn of IFNγ",
    "formulas": "ρgh, ln𝑥, 𝑎𝑏𝑐 = 0, the 𝑛th of 𝑚𝑎𝑥(𝑥, 𝑦)",
    "brands with endings": "Купил iPhone'у чехол, а Androidа нет; VIPы и SMSки, DVDшник, витаминC",
    "Persian": "می\u200cخواهم کتاب\u200cها را بخوانم؛ ه\u200dـ",
    "Khmer": "ភាសា\u200bខ្មែរ\u200bជា\u200bភាសា\u200bផ្លូវការ", "Hindi": "क्\u200dष और क्\u200cष",
    "emoji": "👨\u200d👩\u200d👧 ❤\ufe0f 1\ufe0f\u20e3 🏴\U000e0067\U000e0062\U000e007f",
    "Yoruba": "ọ̀tọ̀tọ̀ ẹ̀kọ́ ṣùgbọ́n", "Vietnamese": "Tiếng Việt được viết bằng chữ Quốc ngữ",
    "Japanese": "ＮＨＫのＷｅｂサイト、ＪＲ東日本　Ｌｏｖｅ",
    "superscripts": "the 19ᵗʰ, Mˡˡᵉ and nᵗʰ; x̅ and A̲; [ɪʀɪ] l̴",
    "keys": "  A B C  D E F\n| a | b | c | d | e | f | g | h | i |\n1 2 3 4 5 6 7 8 9 0 1 2",
    "letter-spaced": "der\u2009 G\u2009r\u2009o\u2009ß\u2009e Name; "
    + "\xa0".join("ABCDEFGHIJKLMNOPQRSTUVWXYZ") * 3,
    "French": "« Oui ! » ; 12\u202f000\u202fF, n°\xa05 à\xa0la\xa0fin : J.\xa0S.\xa0B. " * 20,
    "palochka": "Iаьрбийн цIе хIун ю",
    "Danish": "på øen før efteråret blev der født små børn, og øl og smør førtes over søen. " * 9,
    "Polish and others": "Łódź była już całkiem pełna; Đorđe i Ħal Qormi, ŧ i đ w Sápmi. " * 9,
    "Sanskrit": "kṛṣṇa and the ātman of the upaniṣads, rāmāyaṇa, mahābhārata, saṃsāra, ṛṣi. " * 9,
    "Igbo": "Ọ bụ ndị ụlọ ọrụ na-eme ka ọnụ ọgụgụ dị elu; ị ga-ahụ ọtụtụ n'ime ha ebe ọ bụla. " * 9,
    "decomposed": unicodedata.normalize(
        "NFD", "Tiếng Việt được viết bằng chữ. Où est-ce été? " * 9
    ),
    "alphabet": "a b c d e f g h i j k l m n o p q r s t u v w x y z, all of them, " * 9,
    "table of letters": "\n".join(" ".join("pxsntpfcnkeesswwpwopksu") for _ in range(20)),
    "table of digits": "\n".join("\t".join("0110100101") for _ in range(40)),
    "answers": "".join(f"Question {n} b d a c e d b a\n" for n in range(40)),
    "list": "\0".join(["usr", "share", "doc", "sdtext", "readme", "changes"] * 20),
    "damaged ligatures": "an ef\x02cient, speci\x02cally de\x02ned way of doing things with words "
    * 9,
    "lines of a poster": "Come one\u2028come all\u2028and see\u2028the show on\u2028Sunday" * 9,
}  # fmt: skip


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@each_disguise
def test_a_disguised_sample_has_the_words_of_the_sample_and_is_reported(name: str) -> None:
    for path in TEXT_FILES:
        text = path.read_text("utf-8")
        plain = undisguised(DISGUISES[name](text))
        assert words(plain.text) == words(text), path
        assert plain.undone
        assert not undisguised(text).undone


@pytest.mark.parametrize("name", sorted(DISGUISES.keys() - {"written-backwards"}))
def test_the_words_of_a_disguised_text_are_found_where_they_stand(name: str) -> None:
    text, disguise = UNION.read_text("utf-8"), DISGUISES[name]
    plain, offsets, *_ = undisguised(disguise(text))
    assert offsets is not None
    both = [*zip(re.finditer(r"\w+", text), re.finditer(r"\w+", plain), strict=True)]
    for word, shown in both[::4]:
        before, through = disguise(text[: word.start()] + " "), disguise(text[: word.end()])
        start, end = offsets.start(shown.start()), offsets.end(shown.end())
        assert start == len(before) - 1
        assert abs(end - len(through)) <= len(disguise("a")) - 1


def test_words_with_blanks_between_are_found_or_reported(tmp_path: Path) -> None:
    path = tmp_path / "all.txt"
    path.write_text(AMBIGUOUS["blanks-between-all-letters"](UNION.read_text("utf-8")), "utf-8")
    assert "disguised" in {problem.category for problem in read(path).problems}
    path.write_text(AMBIGUOUS["blanks-in-every-third-word"](UNION.read_text("utf-8")), "utf-8")
    run = Run(problems=[])
    comparison = compare(UNION, tmp_path, dictionary="english", run=run)
    assert (comparison.rows[0].score or 0) >= 95
    assert sum(item.share for item in find_reuse(path, UNION, run=run).coverage) > 0.99
    assert "disguised" in {problem.category for problem in run.problems or ()}


def test_honest_words_stay_and_are_not_reported() -> None:
    for name, text in HONEST.items():
        assert undisguised(text)[:3] == (text, None, ()), name


@pytest.mark.parametrize(("text", "plain"), [
    ("hy\xadphen\xada\xadtion of syl\xadla\xadbles in hon\xadest web\xadsites", None),
    ("\u200fהעיר\u200f \u200eC++\u200e שלנו", "העיר C++ שלנו"),
    ("see\u200b https://a.example/\u200bsome\u200bLong\u200bName", None),
    ("Auf\u200clage, Kauf\u200cleute, Chef\u200cidee, auf\u200cfordern", None),
    ("N\bNA\bAM\bME\bE of _\bt_\bh_\be page, 12.5f\u200aEB", "NAME of the page, 12.5fEB"),
    ("Кeri emin tüsü, noqtalı ışıq yıldız", "Keri emin tüsü, noqtali işiq yildiz"),
    ("a slip: пакeт, процeс" + " и другие слова" * 99 + " датотeка", None),
])  # fmt: skip
def test_typesetting_and_slips_are_undone_but_not_reported(text: str, plain: str | None) -> None:
    result = undisguised(text)
    assert not result.undone
    assert result.text == (plain or re.sub("[\xad\u200b\u200c]", "", text).replace("пакeт", "пакет")
        .replace("процeс", "процес").replace("датотeка", "датотека"))  # fmt: skip


def test_marks_and_strokes_are_taken_off_a_disguised_part_alone() -> None:
    danish = "Ærø, Samsø og Læsø er øer, før broen blev bygget og efter den blev åbnet. " * 20
    hidden = DISGUISES["letters-with-strokes"](UNION.read_text("utf-8"))
    plain, _, undone, _ = undisguised(danish + hidden + danish)
    assert plain[: len(danish) - 400] == danish[:-400]
    assert words(plain)[-100:] == words(danish)[-100:]
    assert (
        words(UNION.read_text("utf-8"))[5:]
        == words(plain)[len(words(danish)) + 5 : -len(words(danish))]
    )
    assert [step.step for step in undone] == ["letters with strokes"]


def test_russian_and_greek_words_with_latin_letters_are_undone() -> None:
    for text, letters in (
        ("Нaши гoрода стoят на бeрегу рeки, вечерoм люди гуляют", str.maketrans("aeo", "аео")),
        ("Η πόλη μας βρίσκεται δίπλα στo πoτάμι και τo βράδυ περπατάμε κοvτά",
         str.maketrans("ov", "ον")),
    ):  # fmt: skip
        assert undisguised(text).text == text.translate(letters)


def test_sentences_of_many_languages_and_stop_words_stay() -> None:
    for sample in SAMPLES.values():
        assert undisguised(sample.text).text == sample.text
    for language in languages():
        for word in shipped_list(language):
            assert undisguised(word).text == word, language


def test_no_text_in_any_language_is_reported() -> None:
    data = Path(os.environ.get("SDTEXT_DATA", ROOT.parent / "shared" / "data"))
    if not (paths := sorted(data.glob("languages/**/*.txt"))):
        pytest.skip("no folder of real texts: name one by SDTEXT_DATA")
    for path in paths:
        assert not undisguised(path.read_text("utf-8")).undone, path


@given(text=TEXTS)
def test_the_offset_map_goes_forward_and_stays_in_the_text(text: str) -> None:
    plain, offsets, undone, is_clean = undisguised(text)
    assert bool(disguises_in(text)) == bool(undone)
    assert not is_clean or clean(text) == text
    if offsets is None:
        assert plain == text
        return
    starts = [offsets.start(place) for place in range(len(plain))]
    ends = [offsets.end(place + 1) for place in range(len(plain))]
    assert starts == sorted(starts)
    assert ends == sorted(ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(starts, ends, strict=True))


@pytest.mark.deep
@pytest.mark.parametrize("text", [
    "a" + "\u0301" * 40_000, "a\u200b" * 20_000, "aа" * 20_000, "а" * 40_000 + "a", "a " * 20_000,
    "a b   " * 8_000, "\U0001d400 " * 20_000, ("a" * 50 + "\U0001d400") * 2_000,
    "\u202eab" * 15_000, " \n" * 20_000, ("раper " + "x" * 300) * 330,
], ids=range(11))  # fmt: skip
def test_hostile_texts_take_linear_time(text: str) -> None:
    def seconds(of: str) -> float:
        begin = time.process_time()
        undisguised(of)
        return time.process_time() - begin

    def least(of: str) -> float:  # of three, since other programs may be busy
        return min(seconds(of) for _ in range(3))

    assert least(text) < 6 * least(text[: len(text) // 2]) + 0.1


@each_disguise
def test_the_places_of_disguises_are_all_that_undisguising_changes(name: str) -> None:
    text = UNION.read_text("utf-8")[:20_000]
    disguised = f"{text[:500]}{DISGUISES[name](text[500:9000])}{text[9000:]}"
    text, _, undone, _ = undisguised(disguised)
    plain = _without_format_characters(text)
    places = disguises_in(disguised)
    assert {place.step for place in places} <= {step.step for step in undone}
    if undone:
        assert min(place.start for place in places) == min(step.start for step in undone)
    reached = end = 0
    for place in places:
        assert end <= place.start < place.stop <= len(disguised)
        between = _without_format_characters(disguised[end : place.start])
        kept = plain.find(between, reached)
        assert kept >= 0, place
        reached, end = kept + len(between), place.stop
    assert plain.endswith(_without_format_characters(disguised[end:]))


def _without_format_characters(text: str) -> str:
    """The text without characters that are no disguise everywhere, such as soft hyphens."""
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


@given(st.one_of(TEXTS, st.text(st.one_of(st.sampled_from("abAB. \n\t\f\xa0"), _WESTERN))))
def test_no_step_is_due_for_a_text_that_is_plain_at_first_sight(text: str) -> None:
    scan = SuspectedText(text)
    for sign, _ in _STEPS if scan.is_plain else ():
        assert not (sign(scan) if callable(sign) else sign.search(scan.suspects))
    assert not scan.is_clean or clean(text) == text


def test_each_sign_is_seen_at_each_border_of_a_block() -> None:
    for sign in ("\u200b", "\b", "aα", "\ta\tb\tc\t", " a b c d "):
        assert not SuspectedText(sign).is_plain
        for before in range(140):
            assert not SuspectedText("x" * before + sign + "x" * 70).is_plain, (sign, before)
