"""Damage to the bytes of a file, by chance."""

from collections.abc import Callable
from random import Random


def damaged(data: bytes, draw: Random) -> bytes:
    """`data` with a few bits, bytes or stretches changed, lost, doubled, moved or cut off."""
    result = bytearray(data)
    for _ in range(draw.choice([1, 1, 2, 5, 20])):
        draw.choice(_DAMAGES)(result, draw)
    return bytes(result)


def _flip(data: bytearray, draw: Random) -> None:
    if data:
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def _overwrite(data: bytearray, draw: Random) -> None:
    start, end = _random_span(data, draw)
    data[start:end] = draw.randbytes(end - start)


def _insert(data: bytearray, draw: Random) -> None:
    place = draw.randint(0, len(data))
    data[place:place] = draw.choice([draw.randbytes(4), b"\0" * 9, b"9" * 12, b"<<", b"[", b"("])


def _remove(data: bytearray, draw: Random) -> None:
    start, end = _random_span(data, draw)
    del data[start:end]


def _double(data: bytearray, draw: Random) -> None:
    start, end = _random_span(data, draw)
    data[end:end] = data[start:end] * draw.choice([1, 1, 9])


def _swap(data: bytearray, draw: Random) -> None:
    start, middle, end = sorted(draw.randint(0, len(data)) for _ in range(3))
    data[start:end] = data[middle:end] + data[start:middle]


def _cut(data: bytearray, draw: Random) -> None:
    del data[draw.randint(len(data) // 2, len(data)) :]


def _number(data: bytearray, draw: Random) -> None:
    """Another number in place of a digit: a length, a reference, a count."""
    digits = [place for place, byte in enumerate(data) if byte in b"0123456789"]
    if digits:
        place = draw.choice(digits)
        data[place : place + 1] = draw.choice([b"0", b"1", b"-1", b"7", b"65536", b"2147483648"])


_DAMAGES: list[Callable[[bytearray, Random], None]] = [
    _flip, _flip, _overwrite, _insert, _remove, _double, _swap, _cut, _number,
]  # fmt: skip


def _random_span(data: bytearray, draw: Random) -> tuple[int, int]:
    start = draw.randint(0, len(data))
    return start, min(len(data), start + draw.choice([1, 2, 8, 40]))
