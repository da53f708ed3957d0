"""JSON arrays of objects, one element at a time: memory does not grow with the file."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Container, Iterator
from typing import Any, NoReturn

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.reading.records.json_lines import MAX_LINE, Row, SkippedLines, no_constant

_BEGIN = re.compile(r"\ufeff?[ \t\r\n]*\[")
_BLANK = re.compile(r"[ \t\r\n]*")
_ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*\{")
_TRIMMED = 1 << 20  # characters before the place, above which they are dropped
_STRICT = json.JSONDecoder(parse_constant=no_constant)
_LENIENT = json.JSONDecoder(parse_int=str)
"""Of an element with a value that JSON does not have, it finds the end."""


def begins_as_array(content: Content) -> bool:
    """Whether the content begins as an array of objects. Raises UnreadableError."""
    return _ARRAY.match(content.head) is not None


def elements_in(content: Content, left_out: SkippedLines) -> Iterator[tuple[int, Row]]:
    """The objects in a JSON array, with their numbers, from 1.

    Other elements go to `left_out`. Raises UnreadableError where an element is not JSON: nobody
    knows where the next one begins.
    """
    for number, _, row in _elements(content):
        if isinstance(row, str):
            left_out.add(number, row)
        else:
            yield number, row


def first_object(content: Content) -> Row:
    """The first object in a JSON array; empty if there is none. Raises UnreadableError."""
    nothing = SkippedLines(content, lambda _: None)
    return next((row for _, row in elements_in(content, nothing)), {})


def elements_without(numbers: Container[int], content: Content) -> Iterator[bytes]:
    """The text of each element but those of these numbers. Raises UnreadableError."""
    for number, text, _ in _elements(content):
        if number not in numbers:
            yield text.encode("utf-8", "surrogateescape")


def _elements(content: Content) -> Iterator[tuple[int, str, Row | str]]:
    """The number and the text of each element, and its object or the reason why there is none."""
    window = _Window(content)
    number = 0
    window.begin()
    while not window.ends_array(is_first=not number):
        number += 1
        text, row = window.element(number)
        yield number, text, row


class _Window:
    """The part of a file around a place in it, as text; bytes that are not UTF-8 are escaped."""

    def __init__(self, content: Content) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._content = content
        self._blocks = (decoder.decode(block) for block in content.blocks())
        self._text = ""
        self._place = 0
        self._error = ""

    def begin(self) -> None:
        """Pass over the bracket that opens the array."""
        self._extend()
        match = _BEGIN.match(self._text)
        if match is None:
            self._refuse("is not a JSON array: it does not begin with [")
        self._place = match.end()

    def ends_array(self, *, is_first: bool) -> bool:
        """Pass over the comma before the next element; whether the array ends instead."""
        sign = self._sign()
        if sign == "]":
            self._place += 1
            if self._sign():
                self._refuse("goes on after the end of its JSON array")
            return True
        if not is_first:
            if sign != ",":
                self._refuse("has no comma or ] after an element" if sign else "is truncated")
            self._place += 1
        return False

    def element(self, number: int) -> tuple[str, Row | str]:
        """The text of the element at the place, which has that number, and its object.

        A string instead of the object is the reason why there is none.
        """
        if not self._sign():
            self._refuse("is truncated")
        try:
            while (element := self._decoded()) is None:
                if len(self._text) - self._place > MAX_LINE:
                    self._refuse(f"element {number} is longer than {MAX_LINE >> 20} MB, or no JSON")
                if not self._extend(len(self._text) - self._place):
                    self._refuse(
                        f"element {number} is not JSON ({self._error}), so the ones after it "
                        "cannot be separated"
                    )
        except RecursionError:
            self._refuse(f"element {number} is nested too deeply")
        except MemoryError:
            self._refuse(f"element {number} needs more memory than there is")
        return element

    def _decoded(self) -> tuple[str, Row | str] | None:
        """The element at the place; None where it is not JSON, as if the window ends in it."""
        reason = "is not an object {…}"
        value: Any = None
        try:
            try:
                value, end = _STRICT.raw_decode(self._text, self._place)
            except json.JSONDecodeError:
                raise
            except ValueError as error:  # NaN, or a number of too many digits
                _, end = _LENIENT.raw_decode(self._text, self._place)
                reason = f"is not JSON ({str(error)[:100]})"
        except json.JSONDecodeError as error:
            self._error = f"{error.msg[:1].lower()}{error.msg[1:]}"
            return None
        if end == len(self._text) and self._extend():  # a number may go on
            return self._decoded()
        text = self._text[self._place : end]
        self._place = end
        if not (text.isascii() or _is_whole(text)):
            return text, "is not UTF-8"
        return text, value if isinstance(value, dict) else reason

    def _sign(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            match = _BLANK.match(self._text, self._place)
            self._place = match.end() if match else self._place
            if self._place < len(self._text):
                return self._text[self._place]
            if not self._extend():
                return ""

    def _extend(self, least: int = 1) -> bool:
        """Add `least` characters and more to the window; whether there are any."""
        if self._place > _TRIMMED:
            self._text, self._place = self._text[self._place :], 0
        parts, size = [self._text], 0
        while size < least and (block := next(self._blocks, None)) is not None:
            parts.append(block)
            size += len(block)
        self._text = "".join(parts)
        return size > 0

    def _refuse(self, why: str) -> NoReturn:
        raise UnreadableError(why, file=self._content.name)


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
