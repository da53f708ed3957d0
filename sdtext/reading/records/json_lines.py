"""JSON lines: one object in each line of a file of any length."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from typing import Any, NoReturn

from sdtext.errors import counted, printable
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.reading.options import Note
from sdtext.reading.records.record import NoText

MAX_LINE = 16 << 20
"""Bytes; what JSON says in so many takes some 400 MB at the most."""
_MAX_MESSAGES = 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_DETAILS = re.compile(r"[:(\d]")
"""Where the part of a reason begins that differs from line to line."""
LEFT_OUT = ("is left out", "are left out")

Row = dict[str, Any]
Fate = tuple[str, str]


class SkippedLines:
    """The lines of a file that are left out: messages for the first of each kind, then a count.

    Lines whose text is empty are warnings, the others errors. `fate` is the verb of the messages,
    for one line and for many.
    """

    def __init__(
        self, content: Content, note: Note, noun: str = "line", fate: Fate = LEFT_OUT
    ) -> None:
        self._content = content
        self.note = note
        self._noun = noun
        self._fate = fate
        self._kinds: Counter[str] = Counter()
        self._more: Counter[bool] = Counter()  # by whether they are errors

    def add(self, place: int, why: str) -> None:
        """Note that the line with the number `place` is left out, and why."""
        is_error = not isinstance(why, NoText)
        kind = _DETAILS.split(why)[0]
        self._kinds[kind] += 1
        if self._kinds[kind] <= _MAX_MESSAGES:
            what = f"{self._noun} {place}: {printable(why)}; it {self._fate[0]}"
            self._report(what, 1, is_error=is_error)
        else:
            self._more[is_error] += 1

    def end(self) -> None:
        """Note how many more lines are left out than have messages."""
        for is_error, more in self._more.items():
            why = "for similar reasons" if is_error else "because they hold no text"
            what = f"{counted(more, f'more {self._noun}')} {self._fate[more > 1]} {why}"
            self._report(what, more, is_error=is_error)

    def _report(self, what: str, lines: int, *, is_error: bool) -> None:
        severity, category = ("error", "unreadable") if is_error else ("warning", "empty")
        message = f"{self._content.name}: {what}"
        path = str(self._content.path)
        self.note(Problem(severity, category, message, path, what, inputs=lines))


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
        if line is None:
            left_out.add(number, f"is longer than {MAX_LINE >> 20} MB")
            continue
        text = line.removeprefix(_BYTE_ORDER_MARK) if number == 1 else line
        if text and not text.isspace():
            row = _object(text)
            if isinstance(row, dict):
                yield number, row
            else:
                left_out.add(number, row)


def begins_with_object(content: Content) -> bool:
    """Whether the first line that is not empty is an object. Raises UnreadableError."""
    for _, line in numbered(content.blocks()):
        if text := b"too long" if line is None else line.removeprefix(_BYTE_ORDER_MARK).strip():
            return isinstance(_object(text), dict)
    return False


def _object(line: bytes) -> Row | str:
    """The object in a line, or the reason why there is none."""
    try:
        row = _value(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "is not UTF-8"
    except json.JSONDecodeError as error:
        return f"is not JSON (column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]})"
    except MemoryError:
        return "needs more memory than there is"
    except (ValueError, RecursionError) as error:
        return f"is not JSON ({str(error)[:100]})"
    return row if isinstance(row, dict) else "is not an object {…}"


def _value(text: str) -> Any:
    """The value in a text of JSON. In most lines nothing stands around it."""
    if text.startswith("{"):
        value, end = _DECODER.raw_decode(text)
        if end == len(text):
            return value
    return _DECODER.decode(text)


def pieces_without(numbers: Container[int], blocks: Iterable[bytes]) -> Iterator[bytes]:
    r"""The bytes without the lines of those numbers; memory does not grow with their length.

    >>> b"".join(pieces_without({2}, [b"one\ntw", b"o\nthree\n"]))
    b'one\nthree\n'
    """
    number = 1
    for block in blocks:
        kept = []
        *ended, rest = block.split(b"\n")
        for piece in ended:
            if number not in numbers:
                kept += [piece, b"\n"]
            number += 1
        if number not in numbers:
            kept.append(rest)
        yield b"".join(kept)


def no_constant(name: str) -> NoReturn:
    """Refuse NaN and Infinity, which JSON does not have. Raises ValueError."""
    raise ValueError(f"{name} is not a number")


_DECODER = json.JSONDecoder(parse_constant=no_constant)
