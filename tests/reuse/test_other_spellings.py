"""The same text in other lines or another spelling of its script is a passage and a duplicate."""

import random
import re
import textwrap
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from unicodedata import normalize

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from sdtext import Document, deduplicate, find_reuse, load_recipe, similarity
from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.parts.filters.fold import Fold
from sdtext.parts.tokenizers.words_lines_characters import WordsOrCharacters
from sdtext.parts.units.sentence import Sentence
from tests.support.cases import cases
from tests.support.strategies import BRISK

WORDS = [
    *("中国", "人民", "自然", "语言", "研究", "生命", "起源", "北京", "长江", "大桥"),
    *("城市", "河边", "傍晚", "散步", "孩子", "面包", "道路", "房子", "市场", "学校"),
    *("历史", "老师", "问题", "会议", "讨论", "音乐", "电影", "天气", "春天", "秋天"),
    *("山水", "花园", "图书馆", "火车", "飞机", "朋友", "医生", "的", "是", "在", "了"),
    *("和", "把", "一个", "我们", "他们", "看见", "喜欢", "知道", "告诉", "学习", "工作"),
    *("休息", "已经", "非常", "可以"),
]  # fmt: skip


def paragraphs(number: int) -> list[str]:
    """Paragraphs of some five sentences each."""
    choose = random.Random(14)
    return [
        "".join(
            "".join(choose.choices(WORDS, k=choose.randint(8, 24))) + "。"
            for _ in range(choose.randint(3, 7))
        )
        for _ in range(number)
    ]


def reflowed(text: str, width: int) -> str:
    return "\n".join(text[start : start + width] for start in range(0, len(text), width))


# The consonants, and signs of vowels and tones on them.
SCRIPTS = {
    "thai": ("กขคงจชซดตทนบปผพมยรลวสหอ", ["", "ั", "า", "ิ", "ี", "ุ", "ู", "่", "้"]),
    "lao": ("ກຂຄງຈຊຍດຕທນບປຜພມຢລວສຫອຮ", ["", "ັ", "າ", "ິ", "ີ", "ຸ", "ູ", "່", "້"]),
    "khmer": ("កខគងចជញដតថទធនបផពមយរលវសហអ", ["", "ា", "ិ", "ី", "ុ", "ូ", "េ", "ោ", "ំ"]),
    "korean": ("가갈거고그기나는다도라를리만며서시에은을의이자지하한", [""]),
    "burmese": ("ကခဂငစဆဇညတထဒနပဖဗမယရလဝသဟအ", ["", "ာ", "ိ", "ီ", "ု", "ူ", "ေ", "ံ", "့"]),
}


def unspaced(script: str, choose: random.Random) -> str:
    """A paragraph of phrases with blanks between them."""
    consonants, signs = SCRIPTS[script]
    phrases = (
        "".join(choose.choice(consonants) + choose.choice(signs) for _ in range(length))
        for length in choose.choices(range(10, 50), k=20)
    )
    return " ".join(phrases)


def document(name: str, text: str) -> Document:
    return Document(text, text, source=name)


@pytest.mark.parametrize("width", [20, pytest.param(37, marks=pytest.mark.deep)])
@pytest.mark.parametrize("method", ["windows", "sentences"])
def test_reflowed_chinese_paragraphs_are_found(method: str, width: int) -> None:
    texts = paragraphs(25)
    plain = [document(f"plain {place}", text) for place, text in enumerate(texts)]
    narrow = [document(f"narrow {n}", reflowed(text, width)) for n, text in enumerate(texts)]
    evidence = find_reuse(plain, narrow, method=method)
    assert sum(row.share for row in evidence.coverage) / len(texts) > 0.95


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("at_blanks", [False, True], ids=["anywhere", "at blanks"])
def test_reflowed_paragraphs_of_other_scripts_are_found(script: str, at_blanks: bool) -> None:
    choose = random.Random(15)
    texts = [unspaced(script, choose) for _ in range(8)]
    flow = partial(textwrap.fill, width=45, break_long_words=False) if at_blanks else by_clusters
    plain = [document(f"plain {place}", text) for place, text in enumerate(texts)]
    narrow = [document(f"narrow {place}", flow(text)) for place, text in enumerate(texts)]
    evidence = find_reuse(plain, narrow)
    assert len(evidence.shared) == len(texts)
    assert sum(row.share for row in evidence.coverage) / len(texts) > 0.95
    # A blank at a line end is lost, which changes the chunks beside it.
    assert min(float(row.similarity) for pair in evidence.shared for row in pair.passages) > 0.75


def by_clusters(text: str) -> str:
    """The text in lines of nine letters with their marks."""
    clusters: list[str] = regex.findall(r"\X", text)
    return "\n".join("".join(clusters[at : at + 9]) for at in range(0, len(clusters), 9))


def test_a_heading_of_a_word_file_does_not_join_the_next_paragraph() -> None:
    heading, paragraph = "城市道", "路边散步" + paragraphs(1)[0]
    text = f"{heading}\n{paragraph}"
    encoder = Encoder(load_recipe("reuse"))
    lines = Document(text, text, line_paragraphs=True)
    tokens = Chain(encoder.recipe).tokens(lines)
    words = encoder.words([lines])
    assert len(heading) in tokens.ends
    assert len(heading) in words.ends[0].tolist()
    assert len(heading) not in encoder.words([document("", text)]).ends[0].tolist()


@BRISK
@given(places=st.sets(st.integers(1, 400)), end=st.sampled_from(["\n", " \r\n  "]))
def test_places_of_line_ends_change_no_word(places: set[int], end: str) -> None:
    text = paragraphs(1)[0] * 2
    chain = Chain(load_recipe("reuse"))
    borders = [0, *sorted(place for place in places if place < len(text)), len(text)]
    flowed = end.join(text[start:stop] for start, stop in pairwise(borders))
    plain, tokens = chain.tokens(document("", text)), chain.tokens(document("", flowed))
    assert tokens.words == plain.words == chain.terms(flowed)
    assert chain.distinct([flowed]) == set(plain.words)
    spans = zip(tokens.starts, tokens.ends, strict=True)
    assert ["".join(flowed[start:stop].split()) for start, stop in spans] == [
        text[start:stop] for start, stop in zip(plain.starts, plain.ends, strict=True)
    ]
    words = Encoder(chain.recipe).words([document("", flowed)])
    assert {*zip(tokens.starts, tokens.ends, strict=True)} <= {
        *zip(words.starts[0].tolist(), words.ends[0].tolist(), strict=True)
    }


# For each letter its first contextual form, and its full-width form.
FORMS = {normalize("NFKC", chr(code)): chr(code) for code in range(0xFEFC, 0xFE7F, -1)}
WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)}
POINTS, VOWELS = "ְִֵֶַָּׁ", "ًٌٍَُِّْ"


def marked(text: str, marks: str) -> str:
    choose = random.Random(text)
    return re.sub(r"\w", lambda letter: letter[0] + choose.choice(marks), text)


def arabic_forms(text: str) -> str:
    return "".join(FORMS.get(char, char) for char in text.replace("لا", FORMS["لا"]))


RADICALS = {ord(normalize("NFKC", chr(code))): chr(code) for code in range(0x2F00, 0x2FD6)}
Spelling = Callable[[str], str]
SPELLINGS: dict[str, tuple[str, list[Spelling]]] = {
    "greek": ("αβγδεζηθικλμνξοπρστυφχψωάέήίόύώϊ", [str.upper, lambda text: normalize("NFD", text)]),
    "turkish": ("abcçdefgğhıijklmnoöprsştuüvyz", [
        lambda text: text.replace("i", "İ").upper(), str.upper,
        lambda text: text.replace("i", "İ").upper().lower(),
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
    "romanian": ("aăâbcdefghiîjklmnopqrsștțuvwxyz", [
        lambda text: text.translate(str.maketrans("șț", "şţ")).upper(),
    ]),
    "ukrainian": ("абвгґдеєжзиіїйклмнопрстуфхцчшщьюя", [lambda text: text.replace("м", "мʼ")]),
    "yiddish": ("אבגדהוזחטיכלמנסעפצקרשתםןףץװױײ", [
        lambda text: text.replace("װ", "וו").replace("ױ", "וי").replace("ײ", "יי"),
    ]),
    "syriac": ("ܐܒܓܕܗܘܙܚܛܝܟܠܡܢܣܥܦܨܩܪܫܬ", [lambda text: marked(text, "ܰܳܶܺܽ")]),
    "hindi": ("कखगघचछजझटठडढतथदधनपफबभमयरलवशसह", [lambda text: text.replace("त", "त\u200d\u200d")]),
    "malayalam": ("കഖഗചജടഡണതദനപബമയരലവശസഹളഴൻർൽൾൺ", [
        lambda text: text.replace("ൻ", "ന്\u200d").replace("ർ", "ര്\u200d").replace("ൽ", "ല്"),
    ]),
    "japanese": ("人自葛飾東京都のとにをはがる", [lambda text: text.translate(RADICALS)]),
    "mongolian": ("ᠠᠡᠢᠣᠤᠥᠦᠨᠪᠬᠭᠮᠯᠰᠲᠳᠴᠵᠶᠷ", [lambda text: text.replace("ᠨ", "ᠨ\u180b")]),
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


UNITS: dict[str, tuple[str, Spelling]] = {
    "hebrew": (SPELLINGS["hebrew"][0], lambda text: marked(text, POINTS)),
    "syriac": (SPELLINGS["syriac"][0], SPELLINGS["syriac"][1][0]),
    "vowels": (SPELLINGS["arabic"][0], lambda text: marked(text, VOWELS)),
    "tatweel": (SPELLINGS["arabic"][0], lambda text: text.replace("ل", "لـ")),
    "persian": (SPELLINGS["persian"][0], lambda text: text.replace("م", "\u200cم")),
    "greek": (SPELLINGS["greek"][0], lambda text: normalize("NFD", text)),
    "korean": ("가각간갇갈감갑강개객", lambda text: normalize("NFD", text)),
    "soft hyphens": ("abcdefghijklm", lambda text: re.sub("([a-m]{3})(?=[a-m])", "\\1\xad", text)),
    "blanks": (HAN, lambda text: re.sub("(?<=[^。 ])(?=[^。 ])", " ", text)),
}  # fmt: skip


@cases("letters, other", UNITS.values())
def test_sentences_in_another_spelling_are_the_same_units(letters: str, other: Spelling) -> None:
    choose = random.Random(5)
    words = ["".join(choose.choices(letters, k=choose.randint(3, 9))) for _ in range(400)]
    blank, end = ("", "。") if letters == HAN else (" ", "! ")
    text = end.join(blank.join(words[at : at + 9]) for at in range(0, 400, 9))
    left, right = Document.of(text, name="a"), Document.of(other(text), name="b")
    evidence = find_reuse([left], [right], method="sentences")
    assert evidence.coverage[0].share == 1
    units = [Sentence(length=150)(document) for document in (left, right)]
    assert len(units[0]) == len(units[1])
    rest = "".join(right.text[unit.start : unit.end] for unit in units[1])
    assert rest.replace(" ", "") == right.text.replace(" ", "")  # no mark is lost at an end


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
@given(choose=st.randoms(), often=st.integers(1, 3), blank=st.sampled_from(" \u3000"))
def test_blanks_between_han_characters_change_nothing(
    choose: random.Random, often: int, blank: str
) -> None:
    text = "".join(choose.choices(HAN, k=120))
    is_one(text, re.sub(f"(.{{{often}}})(?=.)", rf"\1{blank}", text))


def test_unrelated_japanese_texts_share_no_passage() -> None:
    choose = random.Random(16)
    kana = "のにはをたがでしてとるいなもれさらうかこりあよきやくめせ"
    texts = [
        "".join(
            choose.choice(words) + "".join(choose.choices(kana, k=choose.randint(1, 5)))
            for _ in range(300)
        )
        for words in (WORDS[:15], WORDS[15:30])
    ]
    assert not find_reuse(*(Document.of(text, name=text[:9]) for text in texts)).shared
