"""Words of Thai texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from sdtext.parts.tokenizers.bigram_spans import pairs
from sdtext.parts.tokenizers.engine_tokenizer import BIGRAM, EngineTokenizer
from sdtext.parts.tokenizers.unicode_word_boundaries import Span, word_spans

_ENGINES: Mapping[str, Mapping[str, str]] = {"newmm": {"pythainlp": "pythainlp"}, BIGRAM: {}}
# Letters, vowels and tones, without the currency sign, digits and signs of punctuation. What is
# longer than that is cut there.
_RUN = re.compile("[ก-ฺเ-๎]{1,1000}")


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
    engines: ClassVar = _ENGINES
    runs: ClassVar = _RUN

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
