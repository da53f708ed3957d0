"""The digest: the terms of a document in order, compressed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated

from sdtext.errors import FormatError
from sdtext.model import TokenDigest
from sdtext.model.dictionary import Dictionary
from sdtext.parts.option_values import Within

# A digest's words are limited so that its text in XML stays below the 10 MB that readers allow.
_CHARACTERS = 1 << 20
_MOST_UNPACKED = 4 * _CHARACTERS + (1 << 20)
MOST_TOKENS = 1 << 20
"""In one digest."""
_CODES = {2: "H", 4: "I"}  # of `struct`, by the width of a number in bytes


@dataclass(frozen=True)
class Digest:
    """The terms in their order, `tokens` at a time, compressed by zlib at `level` (1 to 9).

    Each term is a number: its place in the dictionary, or, where it is not there, the number of
    the dictionary's terms plus its place among the unknown words, which are listed beside.

    >>> dictionary = create_dictionary(samples, "english")
    >>> made = list(Digest()(["union", "zebra", "union"], dictionary))
    >>> made[0].tokens, made[0].unknown_words, tokens_of(made[0], dictionary)
    (3, 1, ['union', 'zebra', 'union'])
    """

    tokens: Annotated[int, Within(1, MOST_TOKENS)] = 100_000
    level: Annotated[int, Within(1, 9)] = 9

    def __call__(self, terms: Iterable[str], dictionary: Dictionary) -> Iterator[TokenDigest]:
        held: list[str] = []
        first = size = 0
        for term in terms:
            held.append(term)
            size += len(term) + 1
            if len(held) == self.tokens or size >= _CHARACTERS:
                yield self._packed(held, dictionary, first)
                first += len(held)
                held, size = [], 0
        if held:
            yield self._packed(held, dictionary, first)

    def _packed(self, terms: list[str], dictionary: Dictionary, first: int) -> TokenDigest:
        places = dictionary.places
        unknown: dict[str, int] = {}
        numbers = [
            place
            if (place := places.get(term)) is not None
            else unknown.setdefault(term, len(places) + len(unknown))
            for term in terms
        ]
        width = 2 if len(places) + len(unknown) <= 1 << 16 else 4
        words = "\n".join(unknown).encode("utf-8", "replace")
        return TokenDigest(
            zlib.compress(struct.pack(f"<{len(numbers)}{_CODES[width]}", *numbers), self.level),
            zlib.compress(words, self.level) if unknown else b"",
            dictionary.guid,
            first,
            len(terms),
            len(unknown),
            width,
            self.level,
        )


def tokens_of(digest: TokenDigest, dictionary: Dictionary) -> list[str]:
    """The terms in `digest`, decoded with `dictionary`. Raises FormatError."""
    if digest.tokens > MOST_TOKENS:
        what = f"a digest says it has {digest.tokens:,} terms; at most {MOST_TOKENS:,} are allowed"
        raise FormatError(what)
    data = _unpacked(digest.packed, digest.tokens * digest.width)
    if len(data) != digest.tokens * digest.width:
        raise FormatError("a digest does not contain the number of terms it states")
    known = [*dictionary.terms, *unknown_of(digest)]
    numbers = struct.unpack(f"<{digest.tokens}{_CODES[digest.width]}", data)
    if max(numbers, default=0) >= len(known):
        raise FormatError("a digest names a word that is not there; is this its dictionary?")
    return [known[number] for number in numbers]


def unknown_of(digest: TokenDigest) -> list[str]:
    """The words in `digest` that its dictionary lacks; they are readable without it."""
    try:
        text = _unpacked(digest.unknown, _MOST_UNPACKED).decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError("the unknown words of a digest are not UTF-8") from error
    words = text.split("\n") if digest.unknown_words else []
    if len(words) != digest.unknown_words or (text and not words):
        raise FormatError("a digest does not contain the number of words it states")
    return words


def _unpacked(data: bytes, most: int) -> bytes:
    if not data:
        return b""
    unpacker = zlib.decompressobj()
    try:
        unpacked = unpacker.decompress(data, most + 1)
    except zlib.error as error:
        raise FormatError(f"the compression of a digest is damaged ({error})") from error
    if len(unpacked) > most or not unpacker.eof:
        raise FormatError("a digest unpacks to more than it says, or is cut short")
    return unpacked
