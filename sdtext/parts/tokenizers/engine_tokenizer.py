"""Tokenizers that delegate the words of one script to an optional package, the engine."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from importlib.util import find_spec
from itertools import accumulate, pairwise
from re import Pattern
from typing import Any, ClassVar, TypeAlias
from unicodedata import normalize

from sdtext.errors import OptionError
from sdtext.parts.tokenizers import Span, SpanTokenizer
from sdtext.parts.tokenizers.unicode_words import MARK, lucene_spans, word_spans

Cut: TypeAlias = Callable[[str], Iterable[str]]

BIGRAM = "bigram"
"""The engine that needs no package: pairs of neighbouring characters."""
# A half-width sound mark makes one character of what stands before it, where there is such a one.
_VOICED = re.compile("[ｦ-ﾝ\u30a6-\u30fd][ﾞﾟ]")


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
        check_engine(self.name, self.engine, self.engines)

    @property
    def libraries(self) -> tuple[str, ...]:
        """The packages on whose versions the words depend."""
        return ("regex", *self.engines[self.engine])

    @staticmethod
    @abstractmethod
    def words_of(run: str) -> Iterable[str]:
        """The words of a run of the script by the engine."""

    @staticmethod
    def bigrams(text: str) -> Iterable[Span]:
        """The words of a text in which the script is cut into pairs of characters."""
        return bigram_spans(text)

    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""
        if self.engine == BIGRAM:
            return self.bigrams(text)
        return spans_with(text, self.runs, self.words_of)


def check_engine(part: str, engine: str, engines: Mapping[str, Mapping[str, str]]) -> None:
    """Raise OptionError unless `engine` is one of the `engines` and is installed.

    An engine is given by the names of its distributions, each with its module.

    >>> check_engine("thai", "bigram", {"newmm": {"pythainlp": "pythainlp"}, "bigram": {}})
    """
    if engine not in engines:
        raise OptionError.of(part, "engine", engine, f"one of {', '.join(engines)}")
    missing = [name for name, module in engines[engine].items() if not find_spec(module)]
    if missing:
        raise OptionError(
            f"{part}: the engine {engine} needs {' and '.join(missing)}; "
            f"pip install 'sdtext[{part}]' brings it, or name the engine {BIGRAM}, "
            "which needs nothing but gives other words"
        )


def spans_with(text: str, runs: Pattern[str], cut: Cut) -> Iterator[Span]:
    """The words of `text`: by `cut` inside of its `runs`, by Unicode's rules between them.

    `cut` returns consecutive pieces of the run.

    >>> import re
    >>> list(spans_with("ab, xyz", re.compile("[x-z]+"), lambda run: [run[:1], run[1:]]))
    [(0, 2), (4, 5), (5, 7)]
    """
    done = 0
    for run in runs.finditer(text):
        start, end = run.span()
        yield from _moved(word_spans(text[done:start]), done)
        ends = accumulate(map(len, cut(run.group())), initial=start)
        done = end
        first = next(ends)
        for place in ends:
            yield first, place
            first = place
    yield from _moved(word_spans(text[done:]), done)


def _moved(spans: Iterable[Span], shift: int) -> Iterator[Span]:
    return ((start + shift, end + shift) for start, end in spans)


def bigram_spans(text: str) -> Iterator[Span]:
    """The words of `text`; of Han, Kana and Hangul, each pair of adjacent characters.

    As Lucene's CJKAnalyzer does. A character without such a neighbour is a word itself.

    >>> text = "東京タワー is 333 m"
    >>> [text[start:end] for start, end in bigram_spans(text)]
    ['東京', '京タ', 'タワ', 'ワー', 'is', '333', 'm']
    """
    units: list[Span] = []
    for start, end in lucene_spans(text):
        paired = _paired().fullmatch(text, start, end)
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


@cache
def _paired() -> Any:
    import regex

    mark = f"{MARK}*+"
    # These two Han characters are letters by the rules for words.
    single = r"[[\p{Script=Han}\p{Script=Hiragana}]--[々〻]]"
    hangul = r"[\p{Script=Hangul}&&\p{WB=ALetter}]"
    return regex.compile(rf"(?V1){single}{mark}|(?:{hangul}{mark})++|(?:\p{{WB=Katakana}}{mark})++")
