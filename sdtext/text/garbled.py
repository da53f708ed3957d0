"""Text that is no text: a font without a map to Unicode, a wrong transfer encoding.

Vowels are 35 to 50 of 100 letters in languages that are written with Latin letters; in a text whose
letters are shifted or random, they are few. Letters beyond ASCII count as vowels, which most are.
"""

from __future__ import annotations

import re
import string

_LEAST = 100  # characters, or letters, that show anything
_REPLACED, _PRIVATE, _CONTROLS = 0.01, 0.1, 0.02  # shares of all characters but white space
_VOWELS = 0.25  # of letters
_SHORTEST = 1.7  # letters for each word
_PRIVATE_USE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_WHITE = string.whitespace.encode()
_LETTERS = string.ascii_letters.encode()
_CONTROL = bytes({*range(32), 127} - {*_WHITE, 8, 27})  # but backspace and escape


def garbled(text: str) -> str:
    """Why a text seems to be garbled; "" if it does not.

    >>> garbled("WKHUH DUH ILYH WRZQV DORQJ RXU ULYHU, DQG HDFK RI WKHP NHHSV LWV RZQ EULGJH, " * 3)
    'few of its letters are vowels'
    >>> garbled("There are five towns along our river, and each of them keeps its own bridge. " * 3)
    ''
    """
    data = text.encode("ascii", "ignore")
    beyond = len(text) - len(data)
    visible = len(data.translate(None, _WHITE)) + beyond
    if visible < _LEAST:
        return ""
    private = len(_PRIVATE_USE.findall(text)) if beyond > _PRIVATE * visible else 0
    for least, count, what in (
        (_REPLACED, text.count("\ufffd"), "U+FFFD"),
        (_PRIVATE, private, "private characters of a font"),
        (_CONTROLS, _number_of(_CONTROL, data), "control characters"),
    ):
        if count > least * visible:
            return f"{100 * count / visible:.0f} of 100 characters are {what}"
    letters = _number_of(_LETTERS, data)
    if letters < max(_LEAST, visible / 2):
        return ""
    if letters < _SHORTEST * len(data.split()):
        return "most of its words are single letters"
    if _number_of(b"aeiouyAEIOUY", data) + beyond < _VOWELS * (letters + beyond):
        return "few of its letters are vowels"
    return ""


def _number_of(signs: bytes, data: bytes) -> int:
    return len(data) - len(data.translate(None, signs))
