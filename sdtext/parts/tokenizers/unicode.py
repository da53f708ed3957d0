"""Words by the Unicode standard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Tokenizer
from sdtext.parts.tokenizers.word_rules import lucene_spans, tokens_at, word_spans, words_in


@dataclass(frozen=True)
class UnicodeWords(Tokenizer):
    """Words by Unicode's default rules (UAX #29), those with a letter, a digit or an emoji.

    Words longer than 255 characters are split; runs of Thai, Lao, Khmer and Burmese, which have no
    spaces, stay whole. With `lucene` the words are those of Lucene's StandardTokenizer, which
    keeps a narrow no-break space in the adjacent word and omits ideographs of other scripts than
    Han. Its rules are those of Unicode 9; characters added later are classified as they are now.

    >>> UnicodeWords()("The quick (“brown”) fox can’t jump 32.3 feet, right?").words
    ['The', 'quick', 'brown', 'fox', 'can’t', 'jump', '32.3', 'feet', 'right']
    """

    lucene: bool = False
    boundaries: ClassVar[str] = " \n"
    libraries: ClassVar[tuple[str, ...]] = ("regex",)

    def __call__(self, text: str) -> Tokens:
        return tokens_at(text, lucene_spans(text) if self.lucene else word_spans(text))

    def split(self, text: str) -> list[str]:
        """The words alone."""
        if self.lucene:
            return [text[start:end] for start, end in lucene_spans(text)]
        return words_in(text)
