"""Tokenizer for Chinese: single characters, words by jieba, or pairs of characters.

The words of jieba come from rjieba where that is installed, which is about 20 times as fast.

With `letter_chunks`, Thai, Lao, Khmer and Burmese are cut into chunks of a few letters: they
have blanks between phrases alone. A phrase as one word makes texts differ wherever a line ends;
pairs of letters make unrelated texts similar. Content-defined chunking ends a chunk between two
letters by a hash of these two: chunks are about as long as short words, and a change has an effect
on the chunks next to it alone.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import pairwise
from typing import Any
from zlib import crc32

from sdtext.errors import OptionError
from sdtext.parts.tokenizers import Span, SpanTokenizer
from sdtext.parts.tokenizers.engine_tokenizer import bigram_spans, spans_with
from sdtext.text.line_joins import COMPLEX

# The Han characters of jieba's dictionary. Others stand alone by Unicode's rules.
_HAN = re.compile("[\u4e00-\u9fd5]+")
_MEAN = 3
"""Letters of a chunk in the mean: a chunk ends behind one in so many letters."""
_COMPLEX = re.compile(f"[{COMPLEX}]")


@cache
def library() -> str:
    """The name of the package that does the work."""
    return "rjieba" if find_spec("rjieba") else "jieba"


def cut(run: str) -> Iterable[str]:
    """The words of a run of Han characters.

    >>> list(cut("南京市长江大桥"))
    ['南京市', '长江大桥']
    """
    return _cutter(library())(run)


@cache
def _cutter(name: str) -> Callable[[str], Iterable[str]]:
    if name == "rjieba":
        import rjieba

        rust: Callable[[str], list[str]] = rjieba.cut
        return rust
    return _in_python()


def _in_python() -> Callable[[str], Iterable[str]]:
    """Word segmentation by jieba, with the dictionary built in memory.

    By default jieba loads a cached one from the folder for temporary files, where other users could
    place one.
    """
    with warnings.catch_warnings():
        # Its files are written for older versions of Python.
        warnings.simplefilter("ignore")
        import jieba
    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    python: Callable[[str], Iterable[str]] = words.cut
    return python


@dataclass(frozen=True)
class Chinese(SpanTokenizer):
    r"""Han text as single characters (`individual`), words (`smart`) or character pairs (`bigram`).

    `individual` works as Lucene 4.10's ChineseTokenizer: every letter without case is a word, and
    so is every run of other letters and digits. `smart` gives jieba's words (by rjieba, with the
    same result, if installed) and Unicode's words of other text; they differ from those of Lucene's
    SmartChineseAnalyzer. `bigram` pairs Kana and Hangul, too, as Lucene's CJKAnalyzer does.

    With `letter_chunks`, runs of Thai, Lao, Khmer and Burmese, which `smart` and `bigram` leave
    whole, are cut into chunks of about three letters; where they are cut depends on the two letters
    there alone.

    With `join_lines`, a run of these scripts or of Han and Kana continues over a single line end
    and the blanks around it, so that a text has the same words whatever the length of its lines.
    This includes `letter_chunks`, since a line may end at a blank, too.

    >>> Chinese()("我在北京 in 2024").words
    ['我', '在', '北', '京', 'in', '2024']
    >>> Chinese(mode="smart")("我在北京 in 2024").words
    ['我', '在', '北京', 'in', '2024']
    >>> Chinese(mode="bigram")("我在北京 in 2024").words
    ['我在', '在北', '北京', 'in', '2024']
    >>> Chinese(mode="smart", join_lines=True)("我在北\n京").words
    ['我', '在', '北京']
    """

    mode: str = "individual"
    join_lines: bool = False
    letter_chunks: bool = False

    def __post_init__(self) -> None:
        if self.mode not in _SPANS:
            raise OptionError.of("chinese", "mode", self.mode, f"one of {', '.join(_SPANS)}")

    @property
    def libraries(self) -> tuple[str, ...]:
        """The packages that the words depend on."""
        return ("regex", library()) if self.mode == "smart" else ("regex",)

    @property
    def of_joined(self) -> Chinese:
        """The tokenizer without `join_lines`."""
        return replace(self, join_lines=False, letter_chunks=True) if self.join_lines else self

    def spans(self, text: str) -> Iterable[Span]:
        """The spans of the words of a text."""
        spans = _SPANS[self.mode](text)
        return chunked(text, spans) if self.letter_chunks else spans


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

    # Lucene's reads 16 bits at a time and cuts a run after 255 of them.
    run = r"[[\p{Ll}\p{Lu}\p{Nd}]&&[\u0000-\uffff]]{1,255}+"
    return regex.compile(rf"(?V1){run}|[\p{{L}}\p{{Nd}}]")


def chunked(text: str, spans: Iterable[Span]) -> Iterable[Span]:
    """The words of a text, given by their spans, with those of such scripts in chunks.

    >>> text = "มนุษย์ทั้งหลายเกิดมา 2024"
    >>> [text[start:end] for start, end in chunked(text, [(0, 20), (21, 25)])]
    ['ม', 'นุษย์ทั้ง', 'หลายเ', 'กิดมา', '2024']
    """
    return _chunked(text, spans) if _COMPLEX.search(text) else spans


def _chunked(text: str, spans: Iterable[Span]) -> Iterator[Span]:
    for start, end in spans:
        if not _COMPLEX.match(text, start, end):
            yield start, end
            continue
        letters = [match.span() for match in _letter().finditer(text, start, end)]
        for (first, border), (_, last) in pairwise(letters):
            if _ends_between(text[first:last]):
                yield start, border
                start = border  # noqa: PLW2901 (the begin of the next chunk)
        yield start, end


@lru_cache(1 << 16)
def _ends_between(letters: str) -> bool:
    """Whether a chunk ends between these two letters."""
    return crc32(letters.encode("utf-8", "surrogatepass")) % _MEAN == 0


@cache
def _letter() -> Any:
    """A pattern of a letter with its marks."""
    import regex

    return regex.compile(r"\X")
