"""The same text in another spelling of its script is a passage and a duplicate by default."""

import random
import re
from collections.abc import Callable
from unicodedata import normalize

from hypothesis import given
from hypothesis import strategies as st

from sdtext import Document, deduplicate, find_reuse, similarity
from sdtext.parts.filters.fold import Fold
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from tests.support.cases import cases
from tests.support.strategies import BRISK

# For each letter its first contextual form, and its full-width form.
FORMS = {normalize("NFKC", chr(code)): chr(code) for code in range(0xFEFC, 0xFE7F, -1)}
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
POINTS, VOWELS = "ְִֵֶַָּׁ", "ًٌٍَُِّْ"


def marked(text: str, marks: str) -> str:
    choose = random.Random(text)
    return re.sub(r"\w", lambda letter: letter[0] + choose.choice(marks), text)


def arabic_forms(text: str) -> str:
    return "".join(FORMS.get(char, char) for char in text.replace("لا", FORMS["لا"]))


Spelling = Callable[[str], str]
SPELLINGS: dict[str, tuple[str, list[Spelling]]] = {
    "greek": ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊ", [str.upper, lambda text: normalize("NFD", text)]),
    "turkish": ("abcçdefgğhıijklmnoöprsştuüvyz", [
        lambda text: text.replace("i", "İ").upper(), str.upper,
    ]),
    "german": ("abcdefghijklmnopqrstuvwxyzäöüß", [str.upper]),
    "latin": ("abcdefghijklmnopqrstuvwxyz", [
        lambda text: text.replace("s", "ſ"), lambda text: text.replace("fi", "ﬁ").upper(),
        lambda text: text.translate(WIDE),
    ]),
    "russian": ("абвгдеёжзийклмнопрстуфхцчшщъыьэюя", [
        str.upper, lambda text: text.replace("ё", "е"),
        lambda text: re.sub("([аоу])", "\\1\u0301", text),
    ]),
    "hebrew": ("אבגדהוזחטיכלמנסעפצקרשתםןףץ", [lambda text: marked(text, POINTS)]),
    "arabic": ("ابتثجحخدذرزسشصضطظعغفقكلمنهويءأإآؤئىة", [
        arabic_forms, lambda text: marked(text, VOWELS), lambda text: text.replace("ل", "لـ"),
        lambda text: text.replace("أ", "ا").replace("ى", "ي"),
    ]),
    "persian": ("ابپتثجچحخدذرزژسشصضطظعغفقکگلمنوهی۱۲", [
        lambda text: text.translate(str.maketrans("یک۱۲", "يك١٢")),
        lambda text: text.replace("م", "\u200cم"), arabic_forms,
    ]),
    "thai": ("กขคงจชดตนบปพมยรลวสหอาำะเแโ", [lambda text: normalize("NFKC", text)]),
    "lao": ("ກຂຄງຈຊດຕນບປພມຍຣລວສຫອາຳະເແໂ", [lambda text: normalize("NFKC", text)]),
}  # fmt: skip
DISTINCT = ["ọ̀rọ̀ ọ̀rọ́ ọrọ", "g̃uarani guarani", "10² 10₂ 102", "x² x2", "h₂o h2o"]
HAN = "人生而自由在尊严和权利上一律平等他们赋有理性良心并应以兄弟关系的精神相对待"


@st.composite
def spellings(draw: st.DrawFn, script: str) -> tuple[str, str]:
    """A text of 60 to 90 words of a script, and the same text in another spelling."""
    letters, others = SPELLINGS[script]
    choose = random.Random(draw(st.integers(0, 1 << 20)))
    words = ["".join(choose.choices(letters, k=choose.randint(3, 9))) for _ in range(90)]
    text = " ".join(words[: draw(st.integers(60, 90))])
    return text, draw(st.sampled_from(others))(text)


def is_one(text: str, other: str) -> None:
    """Assert that a passage covers both texts, and that one is a duplicate of the other."""
    left, right = Document.of(text, name="a"), Document.of(other, name="b")
    [pair] = find_reuse([left], [right]).shared
    [passage] = pair.passages
    assert (passage.left.start, passage.left.end) == (0, len(text))
    assert (passage.right.start, passage.right.end) == (0, len(other))
    assert len(deduplicate([left, right]).removed) == 1


@cases("script", sorted(SPELLINGS))
@BRISK
@given(pick=st.data())
def test_a_text_in_another_spelling_is_found(script: str, pick: st.DataObject) -> None:
    text, other = pick.draw(spellings(script))
    is_one(text, other)
    assert similarity(text, other).score == 99


@cases("words", DISTINCT)
def test_other_words_stay_distinct(words: str) -> None:
    different = words.split()
    assert len({Fold()(word.upper()) for word in different}) == len(different)
    assert Fold()(words) == " ".join(map(Fold(), different))


@cases("script", sorted(SPELLINGS))
@BRISK
@given(pick=st.data())
def test_words_are_the_same_before_and_behind_the_folding(script: str, pick: st.DataObject) -> None:
    text, other = pick.draw(spellings(script))
    for clean in (Document.of(text).clean, Document.of(other).clean):
        after = list(map(Fold(), WordsOrCharacters().split(clean)))
        assert WordsOrCharacters().split(Fold()(clean)) == after


@BRISK
@given(choose=st.randoms(use_true_random=False), often=st.integers(1, 3))
def test_blanks_between_han_characters_change_nothing(choose: random.Random, often: int) -> None:
    text = "".join(choose.choices(HAN, k=120))
    is_one(text, re.sub(f"(.{{{often}}})(?=.)", r"\1 ", text))
