"""Tokenizers by simple rules: words between white space, lines, characters."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from sdtext.model import Tokens
from sdtext.parts.tokenizers import Span, SpanTokenizer, Tokenizer
from sdtext.text.lazy_patterns import LazyPattern

_WORD = re.compile(r"\S+")
# Everything that ends a line in Unicode; clean texts hold no others of the control characters.
_LINE = re.compile(r"[^\n\r\u2028\u2029]+")
# Without these a text has no letter of such a script, and white space alone between its words.
# All ranges but these would take milliseconds to compile.
_OTHER_THAN_SPACED = re.compile("[^\x00-\u0dff\u2000-\u200a\u200c-\u206f]")
# Most spans of Chinese: ideographs and signs of ASCII alone, with no marks and no white space.
_IDEOGRAPHS_AND_ASCII = re.compile("[!-~\u4e00-\u9fef]+")
_IDEOGRAPH_OR_WORD = re.compile("[\u4e00-\u9fef]|[!-~]+")


@dataclass(frozen=True)
class Words(SpanTokenizer):
    """The words between white space.

    >>> Words()("the  cat's hat").words
    ['the', "cat's", 'hat']
    """

    longest_run: ClassVar[int] = 0
    filters_may_precede: ClassVar[bool] = True

    def spans(self, text: str) -> Iterable[Span]:
        return (match.span() for match in _WORD.finditer(text))

    def split(self, text: str) -> list[str]:
        return text.split()


@dataclass(frozen=True)
class Lines(SpanTokenizer):
    r"""The lines, without white space at their ends; empty ones are left out.

    >>> Lines()("one \n\n  two\r\n").words
    ['one', 'two']
    """

    boundaries: ClassVar[str] = "\n"
    longest_run: ClassVar[int] = 0

    def spans(self, text: str) -> Iterable[Span]:
        for match in _LINE.finditer(text):
            if line := match.group().strip():
                start = match.end() - len(match.group().lstrip())
                yield start, start + len(line)

    def split(self, text: str) -> list[str]:
        return [line for match in _LINE.findall(text) if (line := match.strip())]


@dataclass(frozen=True)
class Characters(Tokenizer):
    """Every code point that is not white space.

    >>> Characters()("a cat").words
    ['a', 'c', 'a', 't']
    """

    boundaries: ClassVar[str] = " \n"

    def __call__(self, text: str) -> Tokens:
        starts = [place for place, char in enumerate(text) if not char.isspace()]
        return Tokens([text[place] for place in starts], starts, [place + 1 for place in starts])

    def split(self, text: str) -> list[str]:
        return list("".join(text.split()))


# The letters that are words. Among those of these scripts are signs of length and of repetition
# that belong to none. What Unicode calls complex context (SA) is Thai, Lao, Khmer, Burmese and
# their relatives.
_SCRIPTS = "Bopomofo", "Hiragana", "Katakana", "Yi", "Tibetan", "Javanese", "Balinese"
_NAMED = "".join(rf"\p{{Script={script}}}" for script in _SCRIPTS)
_LETTER = rf"[[\p{{Ideographic}}{_NAMED}\p{{LB=SA}}々〆〇ーｰ]&&[\p{{L}}\p{{Nl}}]--[ﾞﾟ\u0e33\u0eb3]]"
# What no word has but at its begin: such a letter, or a blank.
_AT_BORDER = rf"[ \n]|{_LETTER}(?<!\u0e4d\u0e32|\u0ecd\u0eb2)"
_BORDER = LazyPattern(f"(?V1){_AT_BORDER}", "regex")
_LAST_BORDER = LazyPattern(f"(?V1r){_AT_BORDER}", "regex")
# No marks: filters remove them, and bring a mark behind them to the letter before them.
_FOLDED = (
    r"ـ\ufc5e-\ufc63\ufcf2-\ufcf4\ufe70-\ufe72\ufe74-\ufe7f[\p{Cf}--[\u200b\u200d]]"
    r"[\p{M}&&[\u034f\u0591-\u05c7\u0610-\u061a\u064b-\u06ed\u0897-\u08ff]]"
)
_MARK = rf"[[\p{{M}}ﾞﾟ\u200d\u0e33\u0eb3]--[\u0345{_FOLDED}]]"
_REMOVED = rf"[\p{{P}}\p{{S}}\p{{N}}{_FOLDED}]"
# The vowel am of Thai and Lao is one character, or such a mark and a letter.
_AM = rf"[\u0e32\u0eb2](?<=(?:\u0e4d{_REMOVED}*+\u0e32|\u0ecd{_REMOVED}*+\u0eb2))"
_OTHER = rf"[^\s\u200b{_LETTER}]"
_CLUSTER_OR_WORD = LazyPattern(
    rf"(?V1){_LETTER}(?:{_REMOVED}*+(?:{_MARK}|{_AM}))*+|{_OTHER}++(?:{_AM}{_OTHER}*+)*+", "regex"
)


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

    def pieces(self, text: str) -> Iterator[str]:
        """The text in pieces, each of which begins a word; a long word stays whole."""
        start, longest = 0, self.longest_run
        while len(text) - start > longest:
            last = _LAST_BORDER.search(text, start + 1, start + longest)
            last = last or _BORDER.search(text, start + longest)
            if not last:
                break
            yield text[start : last.start()]
            start = last.start()
        yield text[start:] if start else text

    def spans(self, text: str) -> Iterable[Span]:
        return (match.span() for match in _CLUSTER_OR_WORD.finditer(text))

    def split(self, text: str) -> list[str]:
        if text.isascii() or not _OTHER_THAN_SPACED.search(text):
            return text.split()
        if _IDEOGRAPHS_AND_ASCII.fullmatch(text):  # three times as fast
            return _IDEOGRAPH_OR_WORD.findall(text)
        words: list[str] = _CLUSTER_OR_WORD.findall(text)
        return words
