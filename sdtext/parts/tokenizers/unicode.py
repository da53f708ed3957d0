"""Words by the Unicode standard."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from sdtext.parts.tokenizers.span_tokenizer import SpanTokenizer
from sdtext.parts.tokenizers.unicode_word_boundaries import Span, lucene_spans, word_spans, words_in


@dataclass(frozen=True)
class UnicodeWords(SpanTokenizer):
    """Words by Unicode's default rules (UAX #29), those with a letter, a digit or an emoji.

    Words longer than 255 characters are split, as are texts of 65,536 characters without a space;
    runs of Thai, Lao, Khmer and Burmese, which have no spaces, stay whole. With `lucene` the words
    are those of Lucene's StandardTokenizer, which keeps a narrow no-break space in the adjacent
    word and omits ideographs of other scripts than Han. Its rules are those of Unicode 9;
    characters added later are classified as they are now.

    >>> UnicodeWords()("The quick (“brown”) fox can’t jump 32.3 feet, right?").words
    ['The', 'quick', 'brown', 'fox', 'can’t', 'jump', '32.3', 'feet', 'right']
    """

    lucene: bool = False
    libraries: ClassVar[tuple[str, ...]] = ("regex",)

    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""
        return lucene_spans(text) if self.lucene else word_spans(text)

    def split(self, text: str) -> list[str]:
        """The words alone."""
        if self.lucene:
            return super().split(text)
        return [*chain.from_iterable(map(words_in, self.pieces(text)))]
