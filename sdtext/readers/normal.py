"""The normal form of a text, with a map back to the text as it was read."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any
from unicodedata import is_normalized, normalize

from sdtext.model import OffsetMap

if TYPE_CHECKING:
    from collections.abc import Iterator

# Every control character but line ends becomes a blank, every character that ends a line
# becomes a line end: one for one, so that no offset moves. What XML cannot hold goes too.
_LINE_ENDS = "\v\f\x1c\x1d\x1e\x85"
_CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF)]
_TABLE = str.maketrans(
    {char: "\n" if char in _LINE_ENDS else " " for char in _CONTROLS if char not in "\n\r"}
)
_CONTROL = re.compile("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")


def clean(text: str, form: str = "NFC") -> str:
    r"""`text` in normal form `form` (NFC or NFKC) without control characters.

    >>> clean("cafe\u0301\tbar\x00")
    'café bar '
    """
    if not text.isascii() and not is_normalized(form, text):  # type: ignore[arg-type]
        text = normalize(form, text)  # type: ignore[arg-type]
    return _without_controls(text)


def clean_with_map(text: str, form: str = "NFC") -> tuple[str, OffsetMap | None]:
    r"""What `clean` gives, and the way back; None where the two run alike.

    >>> cleaned, back = clean_with_map("cafe\u0301 bar")
    >>> cleaned, back.start(5), back.end(8)
    ('café bar', 6, 9)
    """
    if text.isascii() or is_normalized(form, text):  # type: ignore[arg-type]
        return clean(text, form), None
    cleaned, clean_starts, text_starts, fused = [], [0], [0], [False]
    place = 0
    for start, end in _changed(text, form):
        piece = normalize(form, text[start:end])  # type: ignore[arg-type]
        cleaned += [text[place:start], piece]
        clean_starts += [
            clean_starts[-1] + start - place,
            clean_starts[-1] + start - place + len(piece),
        ]
        text_starts += [start, end]
        fused += [True, False]
        place = end
    cleaned.append(text[place:])
    joined = _without_controls("".join(cleaned))
    return joined, OffsetMap(clean_starts, text_starts, fused)


def _without_controls(text: str) -> str:
    if text.isascii():
        return text.translate(_TABLE)
    # A table is slow beyond ASCII, and few of them ever occur.
    for char in set(_CONTROL.findall(text)):
        text = text.replace(char, _TABLE[ord(char)])
    return text


def _changed(text: str, form: str) -> Iterator[tuple[int, int]]:
    """The stretches that normalization changes, each as short as can be."""
    begin = end = 0
    for start, stop in _clusters(text):
        piece = text[start:stop]
        if start == end and not _apart(text[begin:end], piece, form):
            end = stop
            continue
        if end > begin and not is_normalized(form, text[begin:end]):  # type: ignore[arg-type]
            yield begin, end
        begin, end = start, stop
    if not is_normalized(form, text[begin:end]):  # type: ignore[arg-type]
        yield begin, end


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The grapheme clusters; a blank stands apart from the marks on it."""
    for match in _cluster().finditer(text):
        start, end = match.span()
        if end - start > 1 and text[start].isspace():
            yield start, start + 1
            start += 1
        yield start, end


def _apart(left: str, right: str, form: str) -> bool:
    """Whether normalization treats two stretches as if they stood alone."""
    if right.isascii():
        return True
    one, other = normalize(form, left), normalize(form, right)  # type: ignore[arg-type]
    return one + other == normalize(form, left + right)  # type: ignore[arg-type]


@cache
def _cluster() -> Any:
    import regex

    return regex.compile(r"\X")
