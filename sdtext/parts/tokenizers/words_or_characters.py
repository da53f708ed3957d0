"""Words between white space, and single characters of scripts that have no blanks between words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, ClassVar

from sdtext.parts.tokenizers.span_tokenizer import SpanTokenizer
from sdtext.parts.tokenizers.word_rules import Span


@dataclass(frozen=True)
class WordsOrCharacters(SpanTokenizer):
    """The words between white space; of scripts without blanks between words, each character.

    These are Chinese, Japanese, Thai, Lao, Khmer, Burmese, Tibetan and the like, not Korean. A
    character is a letter with its marks. Line ends and blanks between such characters change
    nothing, and neither do zero-width spaces.

    >>> WordsOrCharacters()("我在北京, in 2024年").words
    ['我', '在', '北', '京', ',', 'in', '2024', '年']
    >>> WordsOrCharacters()("ที่นี่").words
    ['ที่', 'นี่']
    """

    filters_may_precede: ClassVar[bool] = True
    libraries: ClassVar[tuple[str, ...]] = ("regex",)

    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""
        return (match.span() for match in _pattern().finditer(text))

    def split(self, text: str) -> list[str]:
        """The words alone."""
        if text.isascii() and len(text) <= self.longest_run:
            return text.split()
        return [*chain.from_iterable(map(_pattern().findall, self.pieces(text)))]


@cache
def _pattern() -> Any:
    import regex

    # Among the letters of these scripts are signs of length and of repetition that belong to none.
    # What Unicode calls complex context (SA) is Thai, Lao, Khmer, Burmese and their relatives.
    scripts = ["Bopomofo", "Hiragana", "Katakana", "Yi", "Tibetan", "Javanese", "Balinese"]
    named = "".join(rf"\p{{Script={script}}}" for script in scripts)
    letter = rf"[[\p{{Ideographic}}{named}\p{{LB=SA}}々〆〇ーｰ]&&[\p{{L}}\p{{Nl}}]--[ﾞﾟ]]"
    # A filter that removes signs or digits brings a mark behind them to the letter before them.
    mark = r"[[\p{M}ﾞﾟ\u200c\u200d\u2060\ufeff]--\u0345]"
    cluster = rf"{letter}(?:[\p{{P}}\p{{S}}\p{{N}}]*+{mark})*+"
    return regex.compile(rf"(?V1){cluster}|[^\s\u200b{letter}]++")
