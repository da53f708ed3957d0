"""Words of Japanese texts."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers.cjk import bigram_spans
from sdtext.parts.tokenizers.engines import BIGRAM, check_engine
from sdtext.parts.tokenizers.spans import Span, spans_with, tokens_at

_ENGINES = {"fugashi": {"fugashi": "fugashi", "unidic-lite": "unidic_lite"}, BIGRAM: {}}
# Han, Kana of both widths, and the marks of repetition. What is longer than that is cut there.
_RUN = re.compile(
    "[々-〇〡-〩〱-〵〸-〻ぁ-ゖ\u3099-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿ｦ-ﾟ\U00020000-\U0003ffff]{1,1000}"
)


@dataclass(frozen=True)
class Japanese:
    """Words by MeCab and UniDic (`fugashi`), or pairs of characters (`bigram`).

    The first needs the packages of the extra `japanese`, the second nothing: it is the same as
    `chinese` with the mode `bigram`. Each stretch of Japanese script is cut by itself, so that a
    passage gives the same words wherever it stands; the rest goes by Unicode's rules.

    >>> Japanese()("東京都に住む人々 in 2024").words
    ['東京', '都', 'に', '住む', '人々', 'in', '2024']
    >>> Japanese(engine="bigram")("東京都に").words
    ['東京', '京都', '都に']
    """

    engine: str = "fugashi"
    boundaries: ClassVar[str] = " \n"

    def __post_init__(self) -> None:
        check_engine("japanese", self.engine, _ENGINES)

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
    return [node.surface for node in _tagger()(run)]


@cache
def _tagger() -> Any:
    import fugashi
    import unidic_lite

    # No settings of this machine, and of the dictionaries there can be always this one.
    return fugashi.GenericTagger(f'-r /dev/null -d "{unidic_lite.DICDIR}"')
