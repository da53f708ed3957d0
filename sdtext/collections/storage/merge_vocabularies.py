"""Merge vocabularies: each is the words of the token ids of a segment.

Token id i is the word i - 1; id 0 is the end of a line. A canonical vocabulary holds the words
that occur in its rows, each once, in code-point order (which is the order of their UTF-8 bytes),
so that it does not depend on the order of work.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sdtext.kernels.arrays.ragged import Ragged, joined
from sdtext.kernels.terms.document_words import WordOffsets, words_in

Map = NDArray[np.uint32]

STEP = 1 << 16
AT_ONCE = 1 << 62


def spelled(words: Ragged, first: int = 0, end: int | None = None) -> list[bytes]:
    """The words of a vocabulary in UTF-8, from `first` to before `end`."""
    offsets = words.offsets[first : len(words) + 1 if end is None else end + 1]
    data = words.values[offsets[0] : offsets[-1]].tobytes()
    places = (offsets - offsets[0]).tolist()
    return [data[start:stop] for start, stop in pairwise(places)]


def used_words(tokens: Iterable[NDArray[Any]], number: int) -> NDArray[np.bool_]:
    """Which of the `number` words of a vocabulary occur in arrays of token ids."""
    used = np.zeros(number + 1, bool)
    for values in tokens:
        if len(values) and values.max() > number:
            raise ValueError(f"token {values.max()} is not in a vocabulary of {number} words")
        used[values] = True
    return used[1:]


def merged(
    vocabularies: Sequence[Ragged], used: Sequence[NDArray[np.bool_]], step: int = STEP
) -> tuple[Ragged, list[Map]]:
    """The canonical vocabulary of the words that are `used`, and for each vocabulary new ids.

    `used` tells which words of each stay; `maps[i][old id]` is the new id, 0 for an unused word.
    Canonical vocabularies are merged `step` words at a time, so that memory does not grow with
    them; others only all `AT_ONCE`.

    >>> used = used_words([Ragged.of([[1, 2]]).values], 2)
    >>> both = [words_in([b"bee", b"of"]), words_in([b"ape", b"of"])]
    >>> [new_ids.tolist() for new_ids in merged(both, [used, used])[1]]
    [[0, 2, 3], [0, 1, 3]]
    """
    maps = [np.zeros(len(words) + 1, np.uint32) for words in vocabularies]
    pieces: list[Ragged] = []
    number = 1
    for ranges in _aligned_ranges(vocabularies, step):
        spellings = [
            [*compress(spelled(words, *bounds), own[slice(*bounds)].tolist())]
            for words, own, bounds in zip(vocabularies, used, ranges, strict=True)
        ]
        distinct = sorted(set().union(*spellings))
        ids = dict(zip(distinct, range(number, number + len(distinct)), strict=True))
        for new, own, (start, stop), some in zip(maps, used, ranges, spellings, strict=True):
            new[start + 1 : stop + 1][own[start:stop]] = [ids[word] for word in some]
        pieces.append(words_in(distinct))
        number += len(distinct)
    return joined(pieces), maps


def _aligned_ranges(vocabularies: Sequence[Ragged], step: int) -> Iterator[list[tuple[int, int]]]:
    """Half-open ranges of all vocabularies that lie between the same words, to merge together."""
    longest = max(vocabularies, key=len)
    starts = [0] * len(vocabularies)
    for place in range(step, len(longest), step):
        border = bytes(longest[place])
        ends = [bisect_left(words, border, key=bytes) for words in vocabularies]
        yield list(zip(starts, ends, strict=True))
        starts = ends
    yield list(zip(starts, map(len, vocabularies), strict=True))


def together(pieces: Sequence[WordOffsets], *, canonical: bool = True) -> WordOffsets:
    """The documents of all pieces, one behind the other, with the words of one vocabulary.

    Vocabularies that are `canonical`, as those in collections are, take less memory. Raises
    ValueError where a token stands for no word.

    >>> first, second = WordOffsets.of([[("bee", 0, 3)]]), WordOffsets.of([[("ape", 0, 3)]])
    >>> both = together([first, second])
    >>> [row.tolist() for row in both.tokens], [bytes(word) for word in both.words]
    ([[2], [1]], [b'ape', b'bee'])
    """
    if not pieces:
        return WordOffsets.of([])
    used = [used_words([piece.tokens.values], len(piece.words)) for piece in pieces]
    words, maps = merged([piece.words for piece in pieces], used, STEP if canonical else AT_ONCE)
    tokens = [
        Ragged(numbers[piece.tokens.values], piece.tokens.offsets)
        for piece, numbers in zip(pieces, maps, strict=True)
    ]
    starts, ends = (
        joined([getattr(piece, name) for piece in pieces]) for name in ("starts", "ends")
    )
    return WordOffsets(joined(tokens), words, starts, ends)
