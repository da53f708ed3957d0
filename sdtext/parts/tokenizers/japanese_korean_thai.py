"""Words of Japanese, Korean and Thai texts, each by an optional package or as pairs of letters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar

from sdtext.parts.tokenizers import Span
from sdtext.parts.tokenizers.engine_tokenizer import BIGRAM, EngineTokenizer, pairs
from sdtext.parts.tokenizers.unicode_words import word_spans

_FUGASHI = {"fugashi": "fugashi", "unidic-lite": "unidic_lite"}
_JAPANESE_ENGINES: Mapping[str, Mapping[str, str]] = {"fugashi": _FUGASHI, BIGRAM: {}}
# Han, Kana of both widths, and the marks of repetition. What is longer than that is cut there.
_JAPANESE_RUN = re.compile(
    "[々-〇〡-〩〱-〵〸-〻ぁ-ゖ\u3099-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿ｦ-ﾟ\U00020000-\U0003ffff]{1,1000}"
)
_KOREAN_ENGINES: Mapping[str, Mapping[str, str]] = {"kiwi": {"kiwipiepy": "kiwipiepy"}, BIGRAM: {}}
# Syllables and single letters. What is longer than that is cut there.
_KOREAN_RUN = re.compile("[가-힣ㄱ-ㆎᄀ-ᇿꥠ-ꥼힰ-ퟻ]{1,60}")
_THAI_ENGINES: Mapping[str, Mapping[str, str]] = {"newmm": {"pythainlp": "pythainlp"}, BIGRAM: {}}
# Letters, vowels and tones, without the currency sign, digits and signs of punctuation. What is
# longer than that is cut there.
_THAI_RUN = re.compile("[ก-ฺเ-๎]{1,1000}")


@dataclass(frozen=True)
class Japanese(EngineTokenizer):
    """Words by MeCab and UniDic (`fugashi`), or pairs of characters (`bigram`).

    `fugashi` needs the extra `japanese`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`. Each run of Japanese script is segmented on its own, so that a passage has the same
    words wherever it occurs; Unicode's rules apply to the rest.

    >>> Japanese()("東京都に住む人々 in 2024").words
    ['東京', '都', 'に', '住む', '人々', 'in', '2024']
    >>> Japanese(engine="bigram")("東京都に").words
    ['東京', '京都', '都に']
    """

    engine: str = "fugashi"
    name: ClassVar[str] = "japanese"
    engines: ClassVar = _JAPANESE_ENGINES
    runs: ClassVar = _JAPANESE_RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        """The words of a run of Japanese script by MeCab."""
        return [node.surface for node in _tagger()(run)]


@cache
def _tagger() -> Any:
    import fugashi
    import unidic_lite

    # No settings of this machine, and of the dictionaries there can be always this one.
    return fugashi.GenericTagger(f'-r /dev/null -d "{unidic_lite.DICDIR}"')


@dataclass(frozen=True)
class Korean(EngineTokenizer):
    """Morphemes by Kiwi (`kiwi`), which separates particles, or pairs of syllables (`bigram`).

    `kiwi` needs the extra `korean`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`. Morphemes that share a syllable stay together. Each run of Hangul is segmented on its
    own, so that a passage has the same words wherever it occurs; Unicode's rules apply to the
    rest.

    >>> Korean()("학교에서 공부를 했다").words
    ['학교', '에서', '공부', '를', '했', '다']
    >>> Korean(engine="bigram")("학교에서").words
    ['학교', '교에', '에서']
    """

    engine: str = "kiwi"
    name: ClassVar[str] = "korean"
    engines: ClassVar = _KOREAN_ENGINES
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
    Burmese, too. Each run of Thai is segmented on its own, so that a passage has the same words
    wherever it occurs; Unicode's rules apply to the rest. With `join_lines`, a run continues over
    a single line end and the blanks around it.

    >>> Thai()("มนุษย์ทั้งหลายเกิดมา in 2024").words
    ['มนุษย์', 'ทั้งหลาย', 'เกิด', 'มา', 'in', '2024']
    >>> Thai(engine="bigram")("ที่นี่มา").words
    ['ที่นี่', 'นี่ม', 'มา']
    """

    engine: str = "newmm"
    join_lines: bool = False
    name: ClassVar[str] = "thai"
    engines: ClassVar = _THAI_ENGINES
    runs: ClassVar = _THAI_RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        """The words of a run of Thai by the engine."""
        from pythainlp.tokenize import newmm

        words: list[str] = newmm.segment(run)
        return words

    @staticmethod
    def bigrams(text: str) -> Iterable[Span]:
        """The words of a text, with letters and their marks in pairs."""
        return _bigrams(text)


def _bigrams(text: str) -> Iterator[Span]:
    clusters, run = _patterns()
    for start, end in word_spans(text):
        if run.match(text, start, end):
            yield from pairs([match.span() for match in clusters.finditer(text, start, end)])
        else:
            yield start, end


@cache
def _patterns() -> tuple[Any, Any]:
    import regex

    return regex.compile(r"\X"), regex.compile(r"\p{Line_Break=SA}")
