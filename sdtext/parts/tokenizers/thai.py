"""Words of Thai texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers.cjk import pairs
from sdtext.parts.tokenizers.engines import BIGRAM, check_engine
from sdtext.parts.tokenizers.spans import Span, spans_with, tokens_at
from sdtext.parts.tokenizers.word_rules import word_spans

_ENGINES = {"newmm": {"pythainlp": "pythainlp"}, BIGRAM: {}}
# Letters, vowels and tones, without the currency sign, digits and signs of punctuation. What is
# longer than that is cut there.
_RUN = re.compile("[ก-ฺเ-๎]{1,1000}")


@dataclass(frozen=True)
class Thai:
    """Words by pythainlp's dictionary (`newmm`), or pairs of letters with their marks (`bigram`).

    The first needs the package of the extra `thai`, the second nothing: it pairs neighbours in
    Lao, Khmer and Burmese, too. Each stretch of Thai is cut by itself, so that a passage gives
    the same words wherever it stands; the rest goes by Unicode's rules.

    >>> Thai()("มนุษย์ทั้งหลายเกิดมา in 2024").words
    ['มนุษย์', 'ทั้งหลาย', 'เกิด', 'มา', 'in', '2024']
    >>> Thai(engine="bigram")("ที่นี่มา").words
    ['ที่นี่', 'นี่ม', 'มา']
    """

    engine: str = "newmm"
    boundaries: ClassVar[str] = " \n"

    def __post_init__(self) -> None:
        check_engine("thai", self.engine, _ENGINES)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The packages that the words depend on."""
        return ("regex", *_ENGINES[self.engine])

    def __call__(self, text: str) -> Tokens:
        return tokens_at(text, self._spans(text))

    def split(self, text: str) -> list[str]:
        """The words alone."""
        return [text[start:end] for start, end in self._spans(text)]

    def _spans(self, text: str) -> Iterable[Span]:
        return _bigrams(text) if self.engine == BIGRAM else spans_with(text, _RUN, _cut)


def _cut(run: str) -> Iterable[str]:
    from pythainlp.tokenize import newmm

    words: list[str] = newmm.segment(run)
    return words


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
