"""Damage that keeps the structure of a format, so that it reaches what lies behind the parser."""

import re
import zipfile
from collections.abc import Callable
from io import BytesIO
from random import Random

from tests.support.damaged_bytes import damaged

Mutator = Callable[[bytes, Random], bytes]

HOSTILE = [
    b"", b".", b"-", b"-1", b"0", b"1.2.3", b"1e999", b"nan", b"inf", b"9" * 5000, b"2147483648",
    b"99999999999999999999", b"\xd9\xa3", b"1_0", b"0x1", b"true", b" 1 ", b"1/0", b"%uD800", b"%",
    b"&#0;", b"&#xD800;", b"]]>", b"../../x", b"\xcc\x81\xcc\x96" * 40, b"A" * 3000, b"\xff", b"\0",
    b"=?utf-8?B?4?=", b"=?nope?Q?=FF?=", b"'", b'"', b"\\", b"=", b";", b"x" * 80 + b"=", b"1,2",
]  # fmt: skip
"""What a field may hold: numbers that are none, escapes, bytes that no text has."""

_MARKUP = re.compile(rb"<[^<>]*>|[^<>]+")
_VALUE = re.compile(rb"""=\s*("[^"]*"|'[^']*')""")
_TOML = re.compile(rb'"[^"\n]*"|[\w.-]+|\s+|.')
_FIELDS = re.compile(rb"[^\r\n;:]*[\r\n;:]*")


def of_tokens(pattern: re.Pattern[bytes]) -> Mutator:
    """Drop, double, swap or replace the tokens that `pattern` finds, mostly one."""

    def mutate(data: bytes, draw: Random) -> bytes:
        tokens = pattern.findall(data)
        for _ in range(draw.choice([1, 1, 1, 2, 4])):
            if tokens:
                draw.choice([_drop, _double, _swap, _repeat, *[_refill] * 3])(tokens, draw)
        return b"".join(tokens)

    return mutate


def _drop(tokens: list[bytes], draw: Random) -> None:
    del tokens[draw.randrange(len(tokens))]


def _double(tokens: list[bytes], draw: Random) -> None:
    start, end = draw.randrange(len(tokens)), draw.randrange(len(tokens))
    tokens[end:end] = tokens[start : start + 9]


def _swap(tokens: list[bytes], draw: Random) -> None:
    left, right = draw.randrange(len(tokens)), draw.randrange(len(tokens))
    tokens[left], tokens[right] = tokens[right], tokens[left]


def _repeat(tokens: list[bytes], draw: Random) -> None:
    tokens[draw.randrange(len(tokens))] = draw.choice(tokens)


def _refill(tokens: list[bytes], draw: Random) -> None:
    """A hostile value in place of a token, or of one attribute of a tag."""
    place, hostile = draw.randrange(len(tokens)), draw.choice(HOSTILE)
    values = list(_VALUE.finditer(tokens[place])) if tokens[place].startswith(b"<") else []
    if values:
        start, end = draw.choice(values).span(1)
        tokens[place] = tokens[place][:start] + b'"%s"' % hostile + tokens[place][end:]
    elif not tokens[place].startswith(b"<") or draw.random() < 0.1:
        tokens[place] = hostile


in_markup = of_tokens(_MARKUP)
in_toml = of_tokens(_TOML)
in_fields = of_tokens(_FIELDS)


def or_bytes(mutate: Mutator) -> Mutator:
    """`mutate`, and in one of four cases any damage to the bytes."""
    return lambda data, draw: (damaged if draw.random() < 0.25 else mutate)(data, draw)


def in_zip(data: bytes, draw: Random) -> bytes:
    """Damage in the markup of one entry of a zip archive, which is written anew."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    name = draw.choice(list(entries))
    match draw.randrange(12):
        case 0:
            del entries[name]
        case 1:
            entries[name] = entries[draw.choice(list(entries))]
        case _:
            entries[name] = or_bytes(in_markup)(entries[name], draw)
    file = BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for entry, content in entries.items():
            archive.writestr(zipfile.ZipInfo(entry), content)
    return file.getvalue()
