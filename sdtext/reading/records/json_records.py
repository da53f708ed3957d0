"""Records as JSON: lines of objects, and one array of objects."""

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator
from itertools import count, islice
from typing import Any, NoReturn

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.reading.options import Note
from sdtext.reading.records.record import NoText, problem_kind
from sdtext.wording import brief, printable

MAX_LINE = 16 << 20
"""Bytes; what JSON says in so many takes some 400 MB at the most."""
MOST_MESSAGES = 1000
"""About one file, errors and warnings each: some 500 kB in memory. Further lines are counted."""
LEFT_OUT, KEPT_AS_IS = "left out", "kept as it is"
_FIRST = 10  # lines that tell records from a document
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_NOT_UTF_8 = "is not in UTF-8, which JSON requires; convert the file to UTF-8"
_BLANK = re.compile(r"[ \t\r\n]*")
_WHITE = " \t\r\n"
ARRAY = re.compile(rb"(?:\xef\xbb\xbf)?\s*\[\s*(?:\{|\]\s*\Z)")
"""How a JSON array of objects begins."""
OBJECT = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{")
"""How a JSON object begins: a single record, if a field of it is asked for."""
_ESCAPED = re.compile("[\udc80-\udcff]")
_TRIMMED = 1 << 20  # characters before the place, above which they are dropped

Row = dict[str, Any]


class SkippedLines:
    """The lines of a file that are left out: up to 1,000 errors and 1,000 warnings, and a count.

    Lines whose text is empty are warnings, the others errors. `fate` says what becomes of them.
    """

    def __init__(
        self, content: Content, note: Note, noun: str = "line", fate: str = LEFT_OUT
    ) -> None:
        self._content = content
        self.note = note
        self._noun = noun
        self._fate = fate
        self._counts = Counter[tuple[str, str]]()  # by the kinds of their problems
        self.first = ""  # the first line, and why it is left out

    def add(self, place: int, why: str) -> None:
        """Note that the line with the number `place` is left out, and why."""
        kind = problem_kind(why)
        line = f"{self._noun} {place}: {printable(why)}"
        self.first = self.first or line
        self._counts[kind] += 1
        if self._counts[kind] <= MOST_MESSAGES:
            self._report(kind, f"{line}; it is {self._fate}")

    def end(self) -> None:
        """Note how many more lines are left out than have messages."""
        for kind, number in self._counts.items():
            if number > MOST_MESSAGES:
                more = number - MOST_MESSAGES
                why = "hold no text" if kind == problem_kind(NoText()) else "cannot be read"
                self._report(kind, f"{more:,} more lines {why}", more)

    def _report(self, kind: tuple[str, str], what: str, lines: int = 1) -> None:
        message = f"{self._content.name}: {what}"
        path = str(self._content.path)
        self.note(Problem(*kind, message, path, what, inputs=lines))


def numbered(blocks: Iterable[bytes], most: int = MAX_LINE) -> Iterator[tuple[int, bytes | None]]:
    r"""The lines with their numbers, from 1, without their ends; None for one above `most` bytes.

    >>> list(numbered([b"one\ntw", b"o\n\nthree"]))
    [(1, b'one'), (2, b'two'), (3, b''), (4, b'three')]
    """
    held: list[bytes] = []
    number, size = 1, 0
    for block in blocks:
        *ended, rest = block.split(b"\n")
        for piece in ended:
            yield number, None if size + len(piece) > most else b"".join([*held, piece])
            held.clear()
            number, size = number + 1, 0
        size += len(rest)
        if size > most:
            held.clear()
        elif rest:
            held.append(rest)
    if size:
        yield number, None if size > most else b"".join(held)


def objects_in(content: Content, left_out: SkippedLines) -> Iterator[tuple[int, Row]]:
    """The objects in the lines of `content`, with the numbers of the lines; empty lines are none.

    Lines without an object go to `left_out`. Raises UnreadableError where reading fails.
    """
    for number, line in numbered(content.blocks()):
        row = row_in(number, line)
        if isinstance(row, dict):
            yield number, row
        elif row is not None:
            left_out.add(number, row)


def row_in(number: int, line: bytes | None) -> Row | str | None:
    """The object in the line of a number, or why there is none; None for an empty line.

    Without a `line` it is too long, as is one of more than `MAX_LINE` bytes.
    """
    if line is None or len(line) > MAX_LINE:
        return f"is longer than {MAX_LINE >> 20} MB"
    text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
    return object_of(text) if text and not text.isspace() else None


def first_rows(content: Content) -> Iterator[Row | str]:
    """The objects in the first ten lines that are not empty, or the reasons why there are none.

    Raises UnreadableError.
    """
    lines = (
        b"too long" if line is None else line.removeprefix(_BYTE_ORDER_MARK).strip()
        for _, line in numbered(content.blocks())
    )
    return map(object_of, islice(filter(None, lines), _FIRST))


def object_of(line: bytes) -> Row | str:
    """The object in a line, or the reason why there is none."""
    try:
        row = _value(line.decode("utf-8"))
    except UnicodeDecodeError:
        return _NOT_UTF_8
    except json.JSONDecodeError as error:
        return f"is not JSON (column {error.colno}: {_lower(error.msg)})"
    except MemoryError:
        return "needs more memory than there is"
    except (ValueError, RecursionError) as error:
        return f"is not JSON ({str(error)[:100]})"
    return row if isinstance(row, dict) else "is not an object {…}"


def _lower(message: str) -> str:
    return f"{message[:1].lower()}{message[1:]}"


def _value(text: str) -> Any:
    """The value in a text of JSON. In most lines at most white space follows it."""
    if text.startswith("{"):
        value, end = _DECODER.raw_decode(text)
        if end == len(text) or not text[end:].strip(_WHITE):
            return value
    return _DECODER.decode(text)


NewLine = Callable[[int, bytes], bytes | None]
"""What stands for the line with a number; None to drop it."""


def lines_with(
    blocks: Iterable[bytes], chosen: Container[int], replace: NewLine
) -> Iterator[bytes]:
    r"""The bytes with what `replace` makes of the `chosen` lines, by their numbers from 1.

    Memory does not grow with the length of other lines.

    >>> blocks = [b"one\ntw", b"o\nthree"]
    >>> b"".join(lines_with(blocks, [2], lambda _, line: line.upper()))
    b'one\nTWO\nthree'
    >>> b"".join(lines_with(blocks, [2], lambda *_: None))
    b'one\nthree'
    """
    number, begun = 1, list[bytes]()
    for block in blocks:
        *ended, rest = block.split(b"\n")
        if begun and ended:
            ended[0] = b"".join([*begun, ended[0]])
            begun.clear()
        lines = [
            replace(place, line) if place in chosen else line
            for place, line in enumerate(ended, number)
        ]
        number += len(ended)
        if number in chosen:
            begun.append(rest)
            rest = b""
        yield b"\n".join([*(line for line in lines if line is not None), rest])
    if any(begun):
        yield replace(number, b"".join(begun)) or b""


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have. Raises ValueError."""
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)
_LENIENT = json.JSONDecoder(parse_int=str)
"""Of an element with a value that JSON does not have, it finds the end."""


def elements_in(
    content: Content, left_out: SkippedLines, within: str = ""
) -> Iterator[tuple[int, Row]]:
    """The objects in a JSON array, with their numbers, from 1.

    The array is the file, or stands in an object at the path `within`, such as "chat.messages".
    Other elements go to `left_out`. Raises UnreadableError where an element is not JSON: nobody
    knows where the next one begins.
    """
    for number, _, row in _elements(content, within):
        if isinstance(row, str):
            left_out.add(number, row)
        else:
            yield number, row


def elements_without(
    numbers: Container[int], content: Content, within: str = ""
) -> Iterator[bytes]:
    """The text of each element but those of these numbers. Raises UnreadableError."""
    for number, text, _ in _elements(content, within):
        if number not in numbers:
            yield text.encode("utf-8", "surrogateescape")


def _elements(content: Content, within: str) -> Iterator[tuple[int, str, Row | str]]:
    """The number and the text of each element, and its object or the reason why there is none."""
    window = _Window(content)
    for name in within.split(".") if within else ():
        window.enter(name)
    if not within and window.sign() == "{":
        yield 1, *window.element("element 1")
        if window.sign():
            raise window.refused("goes on after the end of its JSON object")
        return
    if window.sign() != "[":
        what = f"has no list {within}" if within else "is not a JSON array"
        raise window.refused(f"{what}: it does not begin with [")
    window.place += 1
    for number in count(1):
        sign = window.sign()
        if sign == "]":
            window.place += 1
            if not within and window.sign():
                raise window.refused("goes on after the end of its JSON array")
            return
        if number > 1 and sign != ",":
            what = "has no comma or ] after an element" if sign else "is truncated"
            raise window.refused(what)
        window.place += number > 1
        yield number, *window.element(f"element {number}")


class _Window:
    """The part of a file around a place in it, as text; bytes that are not UTF-8 are escaped."""

    def __init__(self, content: Content) -> None:
        decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._name = content.name
        self._blocks = map(decoder.decode, content.blocks())
        self._text = next(self._blocks, "").removeprefix("\ufeff")
        self.place = 0

    def enter(self, name: str) -> None:
        """Go to the value that an object at the place has for a name."""
        begin = "{"
        while self.sign() == begin:
            begin = ","
            self.place += 1
            if self.sign() != '"':
                break
            key, _ = self.element("a name")
            if self.sign() != ":":
                break
            self.place += 1
            if json.loads(key) == name:
                return
            self.element(f"the value of {brief(key)}")
        raise self.refused(f"has no list {brief(name)}")

    def element(self, what: str) -> tuple[str, Row | str]:
        """The text of the element at the place, which messages call `what`, and its object.

        A string instead of the object is the reason why there is none.
        """
        if not self.sign():
            raise self.refused("is truncated")
        while True:
            try:
                value, end = _value_at(self._text, self.place)
            except json.JSONDecodeError as error:  # as if the window ends in the element
                held = len(self._text) - self.place
                if held > MAX_LINE:
                    why = f"{what} is longer than {MAX_LINE >> 20} MB, or no JSON"
                    raise self.refused(why) from error
                if not self._extend(held):
                    why = f"{what} is not JSON ({_lower(error.msg)})"
                    why += ", so the ones after it cannot be separated"
                    raise self.refused(why) from error
            except RecursionError as error:
                raise self.refused(f"{what} is nested too deeply") from error
            except MemoryError as error:
                raise self.refused(f"{what} needs more memory than there is") from error
            else:
                if end < len(self._text) or not self._extend():  # a number may go on
                    break
        text = self._text[self.place : end]
        self.place = end
        return text, value if text.isascii() or not _ESCAPED.search(text) else _NOT_UTF_8

    def sign(self) -> str:
        """The next character that is no blank; "" at the end."""
        while True:
            match = _BLANK.match(self._text, self.place)
            self.place = match.end() if match else self.place
            if self.place < len(self._text) or not self._extend():
                return self._text[self.place : self.place + 1]

    def _extend(self, least: int = 1) -> bool:
        """Add `least` characters and more to the window; whether there are any."""
        if self.place > _TRIMMED:
            self._text, self.place = self._text[self.place :], 0
        parts, size = [self._text], 0
        while size < least and (block := next(self._blocks, None)) is not None:
            parts.append(block)
            size += len(block)
        self._text = "".join(parts)
        return size > 0

    def refused(self, why: str) -> UnreadableError:
        return UnreadableError(why, file=self._name)


def _value_at(text: str, place: int) -> tuple[Row | str, int]:
    """The object at the place, or the reason why there is none, and its end."""
    try:
        value, end = _DECODER.raw_decode(text, place)
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # NaN, or a number of too many digits
        _, end = _LENIENT.raw_decode(text, place)
        return f"is not JSON ({str(error)[:100]})", end
    return value if isinstance(value, dict) else "is not an object {…}", end
