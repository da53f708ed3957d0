"""Text that is no text: a font without a map to Unicode, a wrong transfer encoding.

Vowels are 35 to 50 of 100 letters in languages that are written with Latin letters, and five other
letters in a row are rare: at most three in 1,000 letters of German, and at least six if its letters
are shifted. Letters beyond ASCII count as vowels, which most are.
"""

import re
import string
from collections import Counter

_LEAST = 100  # characters, or letters, that show anything
_REPLACED, _PRIVATE, _CONTROLS = 0.01, 0.1, 0.02  # shares of all characters but white space
_SHIFTED, _DISTINCT = 0.05, 0.25  # of all, and of distinct characters
_LEAST_DISTINCT, _END_OF_TEXT = 6, 1 << 14  # characters
_QUESTIONS, _LATIN = 0.2, 0.5  # of all characters but white space
_VOWELS = 0.25  # of letters
_RUNS, _LEAST_RUNS = 0.005, 5  # words with five consonants in a row: for each letter, and in all
# Not where two words of a name in a program meet, as in "xsltNewStylesheet".
_RUN = re.compile(r"(?i:[b-df-hj-np-tv-xz])[b-df-hj-np-tv-xz]{4}[a-z]*|[B-DF-HJ-NP-TV-XZ]{5}[A-Z]*")
_SHORTEST = 1.7  # letters for each word; signs, as those before a page number, are none
_PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_BLANKS, _LETTERS = string.whitespace.encode(), string.ascii_letters.encode()
_BACKSPACE, _END, _ESCAPE = 8, 26, 27  # of old printers, DOS and terminals
_CONTROL = bytes({*range(32), 127} - {*_BLANKS, _BACKSPACE, _END, _ESCAPE})
_OTHERS = bytes({*range(128)} - {*_CONTROL, *_BLANKS, *_LETTERS})
# Each character as one of its kind: a vowel "a", another letter "c", a blank, a NUL, or "-".
_KINDS = bytes.maketrans(
    _OTHERS + _CONTROL + _BLANKS + _LETTERS,
    b"-" * len(_OTHERS)
    + b"\0" * len(_CONTROL)
    + b" " * len(_BLANKS)
    + bytes(ord("a" if letter in b"aeiouyAEIOUY" else "c") for letter in _LETTERS),
)


def garbled(text: str) -> str:
    """Why a text seems to be garbled; "" if it does not.

    >>> garbled("WKHUH DUH ILYH WRZQV DORQJ RXU ULYHU, DQG HDFK RI WKHP NHHSV LWV RZQ EULGJH, " * 3)
    'few of its letters are vowels'
    >>> garbled("There are five towns along our river, and each of them keeps its own bridge. " * 3)
    ''
    """
    text = text.rstrip("\0\x1a")  # with which a block is filled
    kinds = text.encode("ascii", "replace").translate(_KINDS)
    beyond = 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
    white, controls = kinds.count(b" "), kinds.count(b"\0")
    visible = len(text) - white
    if visible < _LEAST:
        return ""
    private = len(_PRIVATE_USE.findall(text)) if beyond > _PRIVATE * visible else 0
    shifted = _shifted(text) if beyond > _SHIFTED * visible else 0
    latin = beyond and len(text.encode("latin-1", "ignore")) - (len(text) - beyond)
    latin -= text.count("·") if latin else 0  # those before a page number
    for least, count, what in (
        (_REPLACED, text.count("\ufffd") if beyond else 0, "U+FFFD"),
        (_PRIVATE, private, "private characters of a font"),
        (_CONTROLS, controls, "control characters"),
        (_QUESTIONS, text.count("?"), "question marks, as for letters that an encoding lacks"),
        (_LATIN, latin, "Latin letters with marks, as of a text read in a wrong encoding"),
        (_SHIFTED, shifted, "bytes of two letters each, as in UTF-16 that lost a byte"),
    ):
        if count > least * visible:
            return f"{100 * count / visible:.0f} of 100 characters are {what}"
    letters = len(kinds) - white - controls - kinds.count(b"-")  # faster than counting them
    if letters < max(_LEAST, visible / 2):
        return ""
    if letters < _SHORTEST * white and letters < _SHORTEST * len(kinds.replace(b"-", b"").split()):
        return "most of its words are single letters"
    if kinds.count(b"a") + beyond < _VOWELS * (letters + beyond):
        return "few of its letters are vowels"
    least = max(_LEAST_RUNS, _RUNS * letters)
    has_runs = kinds.count(b"ccccc") > least and len({*_RUN.findall(text)}) > least
    return "many of its words have five consonants in a row" if has_runs else ""


def _shifted(text: str) -> int:
    """The number of characters with the low byte of most at the end, if those are varied.

    It is the high byte of the letters of a script.
    """
    distinct = {*text[-_END_OF_TEXT:]}
    ((low, number),) = Counter(ord(sign) % 256 for sign in distinct).most_common(1)
    if number < max(_LEAST_DISTINCT, _DISTINCT * len(distinct)):
        return 0
    return text.encode("utf-16-le", "surrogatepass")[::2].count(low)
