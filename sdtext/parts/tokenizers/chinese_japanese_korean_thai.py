"""Words of Chinese, Japanese, Korean and Thai texts, each by an optional package, the engine.

Without an engine, words are single characters or pairs of them. The words of jieba come from rjieba
where that is installed, which is about 20 times as fast.

With `letter_chunks`, Thai, Lao, Khmer, Burmese, Hiragana and Hangul are cut into chunks of a few
letters: they have blanks between phrases alone, or, in Korean, lines that end within words, and
blanks that writers and programs set as they like. A phrase as one word makes texts differ wherever
a line ends; single letters and pairs of them make unrelated texts similar. Content-defined chunking
ends a chunk between two letters by a hash of these two: chunks are about as long as short words,
and a change has an effect on the chunks next to it alone.
"""

from __future__ import annotations

import logging
import os
import re
import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import accumulate, chain, pairwise
from re import Pattern
from typing import Annotated, Any, ClassVar, TypeAlias
from unicodedata import normalize
from zlib import crc32

from sdtext.errors import OptionError
from sdtext.model import OffsetMap
from sdtext.parts.tokenizers import Span, SpanTokenizer
from sdtext.parts.tokenizers.unicode_words import MARK, lucene_spans, word_spans
from sdtext.text.lazy_patterns import LazyPattern
from sdtext.text.line_joins import COMPLEX, HAN_AND_KANA, HANGUL, joined_lines

Cut: TypeAlias = Callable[[str], Iterable[str]]

BIGRAM = "bigram"
"""The engine that needs no package: pairs of neighbouring characters."""
# A half-width sound mark makes one character of what stands before it, where there is such a one.
_VOICED = re.compile("[ｦ-ﾝ\u30a6-\u30fd][ﾞﾟ]")
# Han, Kana of both widths, and the marks of repetition. What is longer than that is cut there.
_JAPANESE_RUN = re.compile(
    "[々-〇〡-〩〱-〵〸-〻ぁ-ゖ\u3099-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿ｦ-ﾟ\U00020000-\U0003ffff]{1,1000}"
)
# Syllables and single letters. What is longer than that is cut there.
_KOREAN_RUN = re.compile("[가-힣ㄱ-ㆎᄀ-ᇿꥠ-ꥼힰ-ퟻ]{1,60}")
# Letters, vowels and tones, without the currency sign, digits and signs of punctuation. What is
# longer than that is cut there.
_THAI_RUN = re.compile("[ก-ฺเ-๎]{1,1000}")
# The Han characters of jieba's dictionary. Others stand alone by Unicode's rules.
_HAN = re.compile("[\u4e00-\u9fd5]+")
_MEAN = 3
"""Letters of a chunk in the mean: a chunk ends behind one in so many letters."""
_COMPLEX = re.compile(f"[{COMPLEX}]")
_COMPLEX_OR_HANGUL = re.compile(f"[{COMPLEX}{HANGUL}]")
_HANGUL_END = re.compile(rf"(?<=[{HANGUL}])(?=[^\W{HANGUL}])|(?<=[^\W{HANGUL}])(?=[{HANGUL}])")
_HIRAGANA = re.compile("[ぁ-ゖゝゞ]")
# The vowel am of Thai and Lao is one character, or a mark and a letter.
_LETTER = LazyPattern(r"\X(?:(?<=\u0e4d)\u0e32|(?<=\u0ecd)\u0eb2)*+", "regex")
_CLUSTER = LazyPattern(r"\X", "regex")
_UNSPACED = LazyPattern(r"\p{Line_Break=SA}", "regex")


class EngineTokenizer(SpanTokenizer):
    """Words of one script by an engine, of all other text by Unicode's rules.

    Each run of the script is segmented on its own, so that a passage has the same words wherever
    it occurs.
    """

    name: ClassVar[str]
    """The name of the part, which is also that of the extra with its packages."""
    engines: ClassVar[Mapping[str, Mapping[str, str]]]
    """For each engine its packages, as pip calls them, each with the module that it brings."""
    runs: ClassVar[Pattern[str]]
    """The script. A run longer than the pattern allows is cut there."""

    engine: str

    def __post_init__(self) -> None:
        OptionError.unless_in(self.engines, self.name, "engine", self.engine)
        packages = self.engines[self.engine]
        if missing := [name for name, module in packages.items() if not find_spec(module)]:
            what = f"the engine {self.engine} needs {' and '.join(missing)}; pip install"
            what = f"{self.name}: {what} 'sdtext[{self.name}]' brings it, or name the engine"
            raise OptionError(f"{what} {BIGRAM}, which gives other words")

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("regex", *self.engines[self.engine])

    @staticmethod
    @abstractmethod
    def words_of(run: str) -> Iterable[str]:
        """The words of a run of the script by the engine."""

    def spans(self, text: str) -> Iterable[Span]:
        if self.engine == BIGRAM:
            return bigram_spans(text)
        return spans_with(text, self.runs, self.words_of)


def spans_with(text: str, runs: Pattern[str], cut: Cut) -> Iterator[Span]:
    """The words of `text`: by `cut` inside of its `runs`, by Unicode's rules between them.

    `cut` returns consecutive pieces of the run.

    >>> list(spans_with("ab, xyz", re.compile("[x-z]+"), lambda run: [run[:1], run[1:]]))
    [(0, 2), (4, 5), (5, 7)]
    """
    done = 0
    for run in chain(runs.finditer(text), [None]):
        start, end = run.span() if run else (len(text), len(text))
        for first, last in word_spans(text[done:start]):
            yield done + first, done + last
        pieces = cut(run.group()) if run else ()
        yield from pairwise(accumulate(map(len, pieces), initial=start))
        done = end


def bigram_spans(text: str) -> Iterator[Span]:
    """The words of `text`; of Han, Kana and Hangul, each pair of adjacent characters.

    As Lucene's CJKAnalyzer does. A character without such a neighbour is a word itself.

    >>> text = "東京タワー is 333 m"
    >>> [text[start:end] for start, end in bigram_spans(text)]
    ['東京', '京タ', 'タワ', 'ワー', 'is', '333', 'm']
    """
    units: list[Span] = []
    for start, end in lucene_spans(text):
        paired = _PAIRED.fullmatch(text, start, end)
        if units and (not paired or units[-1][1] != start):
            yield from pairs(units)
            units = []
        if paired:
            units += _units(text, start, end)
        else:
            yield start, end
    yield from pairs(units)


def pairs(units: list[Span]) -> Iterable[Span]:
    """Each pair of adjacent `units` as one unit; a single unit stays as it is.

    >>> list(pairs([(0, 1), (1, 3), (3, 4)])), list(pairs([(0, 1)]))
    ([(0, 3), (1, 4)], [(0, 1)])
    """
    if len(units) < 2:
        return units
    return ((left[0], right[1]) for left, right in pairwise(units))


def _units(text: str, start: int, end: int) -> Iterator[Span]:
    """The code points, a half-width Kana with its sound mark being one."""
    while start < end:
        voiced = _VOICED.match(text, start, end)
        size = 2 if voiced and len(normalize("NFKC", voiced.group())) == 1 else 1
        yield start, start + size
        start += size


# These two Han characters are letters by the rules for words.
_SINGLE = rf"[[\p{{Script=Han}}\p{{Script=Hiragana}}]--[々〻]]{MARK}*+"
_HANGUL = rf"(?:[\p{{Script=Hangul}}&&\p{{WB=ALetter}}]{MARK}*+)++"
_PAIRED = LazyPattern(rf"(?V1){_SINGLE}|{_HANGUL}|(?:\p{{WB=Katakana}}{MARK}*+)++", "regex")


@dataclass(frozen=True)
class Japanese(EngineTokenizer):
    """Words by MeCab and UniDic (`fugashi`), or pairs of characters (`bigram`).

    `fugashi` needs the extra `japanese`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`.

    >>> Japanese()("東京都に住む人々 in 2024").words
    ['東京', '都', 'に', '住む', '人々', 'in', '2024']
    >>> Japanese(engine="bigram")("東京都に").words
    ['東京', '京都', '都に']
    """

    engine: str = "fugashi"
    name: ClassVar[str] = "japanese"
    engines: ClassVar = {
        "fugashi": {"fugashi": "fugashi", "unidic-lite": "unidic_lite"},
        BIGRAM: {},
    }
    runs: ClassVar = _JAPANESE_RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        return [node.surface for node in _tagger()(run)]


@cache
def _tagger() -> Any:
    import fugashi
    import unidic_lite

    # No settings of this machine, and of the dictionaries there can be always this one.
    return fugashi.GenericTagger(f'-r {os.devnull} -d "{unidic_lite.DICDIR}"')


@dataclass(frozen=True)
class Korean(EngineTokenizer):
    """Morphemes by Kiwi (`kiwi`), which separates particles, or pairs of syllables (`bigram`).

    `kiwi` needs the extra `korean`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`. Morphemes that share a syllable stay together.

    >>> Korean()("학교에서 공부를 했다").words
    ['학교', '에서', '공부', '를', '했', '다']
    >>> Korean(engine="bigram")("학교에서").words
    ['학교', '교에', '에서']
    """

    engine: str = "kiwi"
    name: ClassVar[str] = "korean"
    engines: ClassVar = {"kiwi": {"kiwipiepy": "kiwipiepy"}, BIGRAM: {}}
    runs: ClassVar = _KOREAN_RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        """The morphemes of a run; those that overlap as one."""
        places, reached = [0], 0
        for token in _kiwi().tokenize(run):
            if token.start >= reached > 0:
                places.append(reached)
            reached = max(reached, token.start + token.len)
        return [run[start:end] for start, end in pairwise([*places, len(run)])]


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)


@dataclass(frozen=True)
class Thai(EngineTokenizer):
    """Words by pythainlp's dictionary (`newmm`), or pairs of letters with their marks (`bigram`).

    `newmm` needs the extra `thai`; `bigram` needs nothing, and forms pairs in Lao, Khmer and
    Burmese, too. With `join_lines`, a run continues over a single line end and blanks around it.

    >>> Thai()("มนุษย์ทั้งหลายเกิดมา in 2024").words
    ['มนุษย์', 'ทั้งหลาย', 'เกิด', 'มา', 'in', '2024']
    >>> Thai(engine="bigram")("ที่นี่มา").words
    ['ที่นี่', 'นี่ม', 'มา']
    """

    engine: str = "newmm"
    join_lines: bool = False
    name: ClassVar[str] = "thai"
    engines: ClassVar = {"newmm": {"pythainlp": "pythainlp"}, BIGRAM: {}}
    runs: ClassVar = _THAI_RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        from pythainlp.tokenize import newmm

        words: list[str] = newmm.segment(run)
        return words

    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text; as `bigram`, letters with their marks in pairs."""
        return _pairs_of_letters(text) if self.engine == BIGRAM else super().spans(text)


def _pairs_of_letters(text: str) -> Iterator[Span]:
    for start, end in word_spans(text):
        if _UNSPACED.match(text, start, end):
            letters = _CLUSTER.finditer(text, start, end)
            yield from pairs([match.span() for match in letters])
        else:
            yield start, end


@cache
def jieba_package() -> str:
    """The name of the package that does the work."""
    return "rjieba" if find_spec("rjieba") else "jieba"


def cut(run: str) -> Iterable[str]:
    """The words of a run of Han characters.

    >>> list(cut("南京市长江大桥"))
    ['南京市', '长江大桥']
    """
    return _cutter(jieba_package())(run)


@cache
def _cutter(name: str) -> Callable[[str], Iterable[str]]:
    """Word segmentation by jieba; that in Python has its dictionary built in memory.

    By default jieba loads a cached one from the folder for temporary files, where other users could
    place one.
    """
    if name == "rjieba":
        import rjieba

        rust: Callable[[str], list[str]] = rjieba.cut
        return rust
    with warnings.catch_warnings():
        # Its files are written for older versions of Python.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    python: Callable[[str], Iterable[str]] = words.cut
    return python


@dataclass(frozen=True)
class Chinese(SpanTokenizer):
    r"""Han text as single characters (`individual`), words (`smart`) or character pairs (`bigram`).

    `individual` works as Lucene 4.10's ChineseTokenizer: every letter without case is a word, and
    so is every run of other letters and digits. `smart` gives jieba's words (by rjieba, with the
    same result, if installed) and Unicode's words of other text; they differ from those of Lucene's
    SmartChineseAnalyzer. `bigram` pairs Kana and Hangul, too, as Lucene's CJKAnalyzer does.

    With `letter_chunks`, runs of Thai, Lao, Khmer and Burmese, which `smart` and `bigram` leave
    whole, and, with `smart`, of Hiragana and Hangul become chunks of about three letters; where
    they are cut depends on the two letters there alone.

    With `join_lines`, a run of these scripts or of Han and Kana continues over a single line end
    and the blanks around it, so that a text has the same words whatever the length of its lines.
    This includes `letter_chunks`, since a line may end at a blank, too. Lines of Korean end within
    words or between them: a run of Hangul continues over blanks. With `join_blanks`, a run of Han
    and Kana also continues over blanks, which OCR puts between characters.

    >>> Chinese()("我在北京 in 2024").words
    ['我', '在', '北', '京', 'in', '2024']
    >>> Chinese(mode="smart")("我在北京 in 2024").words
    ['我', '在', '北京', 'in', '2024']
    >>> Chinese(mode="bigram")("我在北京 in 2024").words
    ['我在', '在北', '北京', 'in', '2024']
    >>> Chinese(mode="smart", join_lines=True)("我在北\n京").words
    ['我', '在', '北京']
    """

    mode: Annotated[str, _SPANS] = "individual"
    join_lines: bool = False
    letter_chunks: bool = False
    join_blanks: bool = False

    @property
    def libraries(self) -> tuple[str, ...]:
        return ("regex", jieba_package()) if self.mode == "smart" else ("regex",)

    @property
    def of_joined(self) -> Chinese:
        if not self._joins:
            return self
        chunks = self.letter_chunks or self.join_lines
        return replace(self, join_lines=False, join_blanks=False, letter_chunks=chunks)

    def joined(self, text: str, *, lines: bool = True) -> tuple[str, OffsetMap | None]:
        blanks = HAN_AND_KANA * self.join_blanks + HANGUL * self.join_lines
        return joined_lines(text, lines=lines and self.join_lines, blanks=blanks)

    def spans(self, text: str) -> Iterable[Span]:
        spans = _SPANS[self.mode](text)
        runs = _COMPLEX_OR_HANGUL if self.mode == "smart" else _COMPLEX
        return chunked(text, spans, runs) if self.letter_chunks else spans


# Lucene's reads 16 bits at a time and cuts a run after 255 of them.
_INDIVIDUAL = LazyPattern(
    r"(?V1)[[\p{Ll}\p{Lu}\p{Nd}]&&[\u0000-\uffff]]{1,255}+|[\p{L}\p{Nd}]", "regex"
)
_SPANS: Mapping[str, Callable[[str], Iterable[Span]]] = {
    "individual": lambda text: (m.span() for m in _INDIVIDUAL.finditer(text)),
    "smart": lambda text: spans_with(text, _HAN, cut),
    "bigram": bigram_spans,
}


def chunked(text: str, spans: Iterable[Span], runs: Pattern[str]) -> Iterator[Span]:
    """The words of a text, given by their spans, with those of Hiragana and `runs` in chunks.

    >>> text = "มนุษย์ทั้งหลายเกิดมา 2024"
    >>> [text[start:end] for start, end in chunked(text, [(0, 20), (21, 25)], _COMPLEX)]
    ['ม', 'นุษย์ทั้ง', 'หลายเ', 'กิดมา', '2024']
    """
    if _HIRAGANA.search(text):
        spans = _joined_hiragana(text, spans)
    if not runs.search(text):
        yield from spans
        return
    for first, last in spans:
        borders = (match.start() for match in _HANGUL_END.finditer(text, first + 1, last))
        for start, end in pairwise([first, *borders, last]):
            if runs.match(text, start):
                yield from _chunks(text, start, end)
            else:
                yield start, end


def _chunks(text: str, start: int, end: int) -> Iterator[Span]:
    letters = [match.span() for match in _LETTER.finditer(text, start, end)]
    for (first, border), (_, last) in pairwise(letters):
        if _ends_between(text[first:last]):
            yield start, border
            start = border
    yield start, end


def _joined_hiragana(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    """The spans, adjacent ones of Hiragana as one where no chunk ends between them."""
    start = last = done = 0
    for first, end in spans:
        if (
            first != done
            or not (_HIRAGANA.match(text, first) and _HIRAGANA.match(text, last))
            or _ends_between(text[last:end])
        ):
            if done:
                yield start, done
            start = first
        last, done = first, end
    if done:
        yield start, done


@lru_cache(1 << 16)
def _ends_between(letters: str) -> bool:
    """Whether a chunk ends between these two letters."""
    letters = letters.replace("\u0e4d\u0e32", "\u0e33").replace("\u0ecd\u0eb2", "\u0eb3")
    return crc32(letters.encode("utf-8", "surrogatepass")) % _MEAN == 0
