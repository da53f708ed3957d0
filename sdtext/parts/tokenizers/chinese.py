"""Words of Chinese texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from sdtext.errors import OptionError
from sdtext.model import Tokens
from sdtext.parts.tokenizers.cjk import bigram_spans
from sdtext.parts.tokenizers.jieba import cut, library
from sdtext.parts.tokenizers.spans import Span, spans_with, tokens_at

# The Han characters of jieba's dictionary. Others stand alone by Unicode's rules.
_HAN = re.compile("[\u4e00-\u9fd5]+")


@dataclass(frozen=True)
class Chinese:
    """Han characters, each alone (`individual`), as words (`smart`) or in pairs (`bigram`).

    `individual` cuts as Lucene 4.10's ChineseTokenizer does: every letter that has no case is a
    word, runs of others and digits are. `smart` has jieba's words (rjieba's, which are the same,
    where that is installed), other text by Unicode's rules; they are not those of Lucene's
    SmartChineseAnalyzer. `bigram` pairs Kana and Hangul, too, as Lucene's CJKAnalyzer does.

    >>> Chinese()("我在北京 in 2024").words
    ['我', '在', '北', '京', 'in', '2024']
    >>> Chinese(mode="smart")("我在北京 in 2024").words
    ['我', '在', '北京', 'in', '2024']
    >>> Chinese(mode="bigram")("我在北京 in 2024").words
    ['我在', '在北', '北京', 'in', '2024']
    """

    mode: str = "individual"
    boundaries: ClassVar[str] = " \n"

    def __post_init__(self) -> None:
        if self.mode not in _SPANS:
            raise OptionError.of("chinese", "mode", self.mode, f"one of {', '.join(_SPANS)}")

    @property
    def libraries(self) -> tuple[str, ...]:
        """The packages that the words depend on."""
        return ("regex", library()) if self.mode == "smart" else ("regex",)

    def __call__(self, text: str) -> Tokens:
        return tokens_at(text, _SPANS[self.mode](text))

    def split(self, text: str) -> list[str]:
        """The words alone."""
        return [text[start:end] for start, end in _SPANS[self.mode](text)]


def _individual(text: str) -> Iterable[Span]:
    return (match.span() for match in _pattern().finditer(text))


def _smart(text: str) -> Iterable[Span]:
    return spans_with(text, _HAN, cut)


_SPANS: Mapping[str, Callable[[str], Iterable[Span]]] = {
    "individual": _individual,
    "smart": _smart,
    "bigram": bigram_spans,
}


@cache
def _pattern() -> Any:
    import regex

    # Lucene's looks at 16 bits at a time and cuts a run after 255 of them.
    run = r"[[\p{Ll}\p{Lu}\p{Nd}]&&[\u0000-\uffff]]{1,255}+"
    return regex.compile(rf"(?V1){run}|[\p{{L}}\p{{Nd}}]")
