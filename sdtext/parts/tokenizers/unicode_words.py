"""Words by the Unicode standard, and its word boundary rules (UAX #29) as one regular expression.

It finds what Lucene's StandardTokenizer finds: the words by those rules, each Han character
and each Hiragana being one; runs of Thai, Lao, Khmer, Burmese and the like, in which only a
dictionary can find words; and emoji in all their compositions (UTS #51). Every loop is possessive,
and what could begin anywhere in a run begins at its head, so that the time is linear.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Any, ClassVar

from sdtext.parts.tokenizers import Span, SpanTokenizer

LONGEST = 255
"""In UTF-16 units. StandardTokenizer cuts a longer word there, and so do we."""

_NARROW_BLANK = "\u202f"  # which joins what stands beside it, by the rules

# Characters that got another class after Unicode 9, by which StandardTokenizer goes: signs over
# Arabic numbers, and spacing modifiers that are letters now.
_NO_LETTERS = (
    r"\xb8\u02c2-\u02c5\u02d2-\u02d7\u02de\u02df\u02e5-\u02eb\u02ed\u02ef-\u02ff\u055a-\u055c\u055e"
    r"\u058a\u070f\u1cf2\u1cf3\ua708-\ua716\ua720\ua721\ua789\ua78a\uab5b"
)
_NUMBER_SIGNS = r"\u0600-\u0605\u06dd\u08e2\U000110bd"

# A mark and the like belongs to what stands before it, and begins no word.
MARK = (
    r"[[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}\u070f\u1cf2\u1cf3"
    rf"{_NUMBER_SIGNS}]--[\p{{Emoji_Modifier}}\U000111c9]]"
)
_LETTER = r"[[\p{WB=ALetter}\p{WB=Hebrew_Letter}]--[" + _NO_LETTERS + "]]"
_HEBREW = r"\p{WB=Hebrew_Letter}"
_DIGIT = r"[[\p{WB=Numeric}\uff10-\uff19]--[\u19da" + _NUMBER_SIGNS + "]]"
_JOINER = r"\p{WB=ExtendNumLet}"
_KATAKANA = r"\p{WB=Katakana}"
_IN_LETTERS = r"[[\p{WB=MidLetter}\p{WB=MidNumLet}'\u02d7]--\u055f]"
_IN_DIGITS = r"[\p{WB=MidNum}\p{WB=MidNumLet}'\ufe10\ufe14]"
_HAN_HIRAGANA = r"\p{Script=Han}\p{Script=Hiragana}"
# Ideographs of other scripts, and letters that are marks by the rules, where no letter is before.
_OTHERS = r"\p{Ideographic}\uff9e\uff9f\u1cf2\u1cf3"
_COMPLEX = r"[\p{LB=SA}\u19da]"

# Emoji, and what was reserved for them until Unicode 15.1.
_EMOJI = (
    r"[\p{Extended_Pictographic}\u2388\u2600-\u2605\u2607-\u2612\u2614-\u2685\u2690-\u2705\u270e"
    r"\u2710\u2711\u2765-\u2767\U0001f000-\U0001f0ff\U0001f10d-\U0001f10f\U0001f12f"
    r"\U0001f16c-\U0001f16f\U0001f1ad-\U0001f1e5\U0001f249-\U0001f3fa\U0001f400-\U0001f53d"
    r"\U0001f546-\U0001f64f\U0001f680-\U0001f6ff\U0001f774-\U0001f77f\U0001f7d5-\U0001f7ff"
    r"\U0001f80c-\U0001f80f\U0001f848-\U0001f84f\U0001f85a-\U0001f85f\U0001f888-\U0001f88f"
    r"\U0001f8ae-\U0001f8ff\U0001f90c-\U0001f93a\U0001f93c-\U0001f945\U0001f947-\U0001fffd]"
)
_EMOJI_LETTER = f"[{_EMOJI}&&{_LETTER}]"
_TINTED = (
    r"[\p{Emoji_Modifier_Base}--[\U0001f46a-\U0001f46d\U0001f46f\U0001f48f\U0001f491\U0001f91d"
    r"\U0001f93c]]"
)
_TINT = r"\p{Emoji_Modifier}"
_FLAG = r"\p{Regional_Indicator}"
# Marks but for the two that choose between an emoji and a letter's look.
_EMOJI_MARK = rf"[{MARK}--[\ufe0e\ufe0f]]"

# The words of lines of ASCII by the same rules; `re` takes a fifth of the time of `regex`.
_ASCII_LETTERS = r"[A-Za-z]++(?:[:.'][A-Za-z]++)*+"
_ASCII_THOUSANDS = r"(?<![0-9],)[0-9]{1,3}+(?:,[0-9]{3})++(?!,?[0-9])"
_ASCII_DIGITS = rf"(?:{_ASCII_THOUSANDS}|[0-9]++)(?:[.'][0-9]++)*+"
_ASCII_WORD = re.compile(rf"(?:(?<!_)_++)?+(?:(?:{_ASCII_LETTERS}|{_ASCII_DIGITS})++_*+)++")
_BEYOND = re.compile(r"[^\x00-\x7f]")
_OTHER_LINES = re.compile(r"(?:[\x00-\x09\x0b-\x7f]*+[^\x00-\x7f][^\n]*+\n?+)++")


def _word(*, lucene: bool) -> str:
    """Letters and digits, or Katakana; "_" and the like join both.

    By the standard a comma or semicolon joins any two numbers. Between the cells of a table it must
    not, so that without `lucene` only commas before each three digits of a number do.
    """
    mark = f"{MARK}*+"
    joiners = f"{_JOINER}[{_JOINER}{MARK}]*+"
    hebrew = rf"(?=['\"])(?<={_HEBREW}{MARK}*)(?:'{mark}|\"{mark}{_HEBREW}{mark})"
    letters = f"{_LETTER}[{_LETTER}{MARK}]*+(?:{hebrew}|(?:{_IN_LETTERS}{mark}{_LETTER}{mark})++)?+"
    number, inside = f"{_DIGIT}[{_DIGIT}{MARK}]*+", _IN_DIGITS
    if not lucene:
        thousands = f"{_DIGIT}{{1,3}}+(?:,{_DIGIT}{{3}})++(?!,?{_DIGIT})"
        number, inside = f"(?:(?<!{_DIGIT},){thousands}|{number})", f"[{_IN_DIGITS}--[,;，；]]"
    digits = f"{number}(?:{inside}{mark}{_DIGIT}[{_DIGIT}{MARK}]*+)*+"
    part = f"(?:{_KATAKANA}[{_KATAKANA}{MARK}]*+|(?:{letters}|{digits})++)"
    head = f"(?:(?={_JOINER})(?<!{_JOINER}{MARK}*){joiners})?+"
    return f"{head}{part}(?:{joiners}{part})*+(?:{joiners})?+"


def _marked(emoji: str) -> str:
    """A pattern of one emoji with its skin tone or emoji mark; `emoji` is its base."""
    mark = f"{_EMOJI_MARK}*+"
    tags = r"(?:[\U000e0020-\U000e007e]+\U000e007f)?+"
    tinted = f"{_TINTED}{mark}{_TINT}{mark}"
    return rf"(?:{tinted}|{emoji}{mark}(?:\ufe0f{tags})?+)"


@cache
def _pattern(*, lucene: bool = False) -> Any:
    """The expression for a word of any length, and for single characters that are words."""
    import regex

    # Emoji that begin with a letter and go on beyond it, and all others; a zero-width joiner
    # (U+200D) makes one emoji of two.
    tint = f"{_TINT}{_EMOJI_MARK}*+"
    joined = rf"(?:(?:(?<=\u200d)|\u200d)(?:\u200d*+{_marked(_EMOJI)}|{tint}))*+"
    others = f"(?:{_marked(f'[{_EMOJI}--{_LETTER}]')}|{tint})"
    letters = rf"(?:{_EMOJI_LETTER}{MARK}*+(?<=\u200d))++{others}{joined}"
    flags = f"{_FLAG}{MARK}*+{_FLAG}{MARK}*+"
    keycap = rf"[#*]{_EMOJI_MARK}*\ufe0f?\u20e3{_EMOJI_MARK}*+"
    sequence = rf"(?:(?<!\u200d)\u200d++{_marked(_EMOJI)}|{others}){joined}"
    emoji = f"{sequence}|{flags}|{keycap}"
    runs = f"{_COMPLEX}[{_COMPLEX}{MARK}]*+"
    single = _HAN_HIRAGANA if lucene else _HAN_HIRAGANA + _OTHERS
    word = _word(lucene=lucene)
    return regex.compile(f"(?V1){letters}|{word}|{emoji}|{runs}|[{single}]{MARK}*+")


def word_spans(text: str) -> Iterator[Span]:
    r"""The spans of the words of `text`, without narrow no-break spaces at their ends.

    >>> list(word_spans("5\u202f000\u202f€"))
    [(0, 5)]
    """
    spans = chain.from_iterable(
        _spans(text, pattern, start, end) for start, end, pattern in _parts(text)
    )
    if text.isascii() or _NARROW_BLANK not in text:
        return spans
    return (
        (end - len(text[start:end].lstrip()), start + len(text[start:end].rstrip()))
        for start, end in spans
    )


def lucene_spans(text: str) -> Iterator[Span]:
    r"""The spans of the words of Lucene's StandardTokenizer.

    It keeps narrow no-break blanks, and leaves out ideographs of other scripts than Han.

    >>> list(lucene_spans("5\u202f000\u202f€"))
    [(0, 6)]
    """
    return _spans(text, _pattern(lucene=True))


def _parts(text: str) -> Iterator[tuple[int, int, Any]]:
    """The runs of lines of ASCII, and of others, each with the pattern of its words."""
    done = 0
    while beyond := _BEYOND.search(text, done):
        start = max(done, text.rfind("\n", done, beyond.start()) + 1)
        lines = _OTHER_LINES.match(text, start)
        yield done, start, _ASCII_WORD
        done = lines.end() if lines else len(text)  # there always are
        yield start, done, _pattern()
    yield done, len(text), _ASCII_WORD


def _spans(text: str, pattern: Any, begin: int = 0, stop: int = sys.maxsize) -> Iterator[Span]:
    for match in pattern.finditer(text, begin, stop):
        start, end = match.span()
        # No longer word can have fewer characters: of each there are at most two units.
        if end - start <= LONGEST // 2:
            yield start, end
            continue
        while start < end:  # words, found in no more than `LONGEST` units from the start of each
            units = text[start : start + LONGEST].encode("utf-16-le", "surrogatepass")
            piece = pattern.match(units[: 2 * LONGEST].decode("utf-16-le", "ignore"))
            if piece:
                yield start, start + piece.end()
            start += piece.end() if piece else 1


@dataclass(frozen=True)
class UnicodeWords(SpanTokenizer):
    """Words by Unicode's default rules (UAX #29), those with a letter, a digit or an emoji.

    Words longer than 255 characters are split, as are texts of 65,536 characters without a space;
    runs of Thai, Lao, Khmer and Burmese, which have no spaces, stay whole. With `lucene` the words
    are those of Lucene's StandardTokenizer, which keeps a narrow no-break space in the adjacent
    word, omits ideographs of other scripts than Han, and joins all numbers with a comma between
    them: without it, only those before each three digits join. Its rules are those of Unicode 9;
    characters added later are classified as they are now.

    >>> UnicodeWords()("The quick (“brown”) fox can’t jump 32.3 feet, right?").words
    ['The', 'quick', 'brown', 'fox', 'can’t', 'jump', '32.3', 'feet', 'right']
    """

    lucene: bool = False
    libraries: ClassVar[tuple[str, ...]] = ("regex",)

    def spans(self, text: str) -> Iterable[Span]:
        return lucene_spans(text) if self.lucene else word_spans(text)
