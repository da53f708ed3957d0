"""Words of Korean texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers.cjk import bigram_spans
from sdtext.parts.tokenizers.engines import BIGRAM, check_engine
from sdtext.parts.tokenizers.spans import Span, spans_with, tokens_at

_ENGINES = {"kiwi": {"kiwipiepy": "kiwipiepy"}, BIGRAM: {}}
# Syllables and single letters. What is longer than that is cut there.
_RUN = re.compile("[가-힣ㄱ-ㆎᄀ-ᇿꥠ-ꥼힰ-ퟻ]{1,60}")


@dataclass(frozen=True)
class Korean:
    """Morphemes by Kiwi (`kiwi`), so that particles stand apart, or pairs of syllables (`bigram`).

    The first needs the package of the extra `korean`, the second nothing: it is the same as
    `chinese` with the mode `bigram`. Morphemes that share a syllable stay together. Each stretch
    of Hangul is cut by itself, so that a passage gives the same words wherever it stands; the
    rest goes by Unicode's rules.

    >>> Korean()("학교에서 공부를 했다").words
    ['학교', '에서', '공부', '를', '했', '다']
    >>> Korean(engine="bigram")("학교에서").words
    ['학교', '교에', '에서']
    """

    engine: str = "kiwi"
    boundaries: ClassVar[str] = " \n"

    def __post_init__(self) -> None:
        check_engine("korean", self.engine, _ENGINES)

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
        return bigram_spans(text) if self.engine == BIGRAM else spans_with(text, _RUN, _cut)


def _cut(run: str) -> Iterable[str]:
    """The morphemes of a run; those that overlap as one."""
    places, reached = [0], 0
    for found in _kiwi().tokenize(run):
        if found.start >= reached > 0:
            places.append(reached)
        reached = max(reached, found.start + found.len)
    return [run[start:end] for start, end in pairwise([*places, len(run)])]


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)
