"""Drift: whether a document is similar to those that a dictionary was built from.

A dictionary distinguishes documents by terms that are neither common nor rare. For a document in
another language, on another subject, or of an unusual length, it knows few terms or sets unusual
numbers of bits, and scores mean less. To recognize this, also after a trim, a dictionary keeps the
counts of a sample of its documents.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

SAMPLE = 200
"""The size of the sample in documents."""

_LEAST = 30  # documents; a smaller sample says little
# Tolerances, since the distribution of counts within an octave is not known.
_BITS_MORE, _UNKNOWN_MORE = 0.1, 0.05


@dataclass(frozen=True)
class Seen:
    """The documents of a sample, each as the numbers of its distinct terms in each octave.

    Octave 0 holds the terms that the dictionary does not know, octave k those in 2^(k-1) to
    2^k - 1 of the documents. `totals` adds up the document frequencies in each octave, of the
    dictionary as it was made.
    """

    rows: tuple[tuple[int, ...], ...]
    totals: tuple[int, ...]

    @classmethod
    def of(cls, documents: Iterable[Iterable[str]], frequencies: Mapping[str, int]) -> Seen:
        """The sample of `documents`, which come as their distinct terms.

        >>> Seen.of([["a", "b", "x"], ["a"]], {"a": 2, "b": 1})
        Seen(rows=((0, 0, 1), (1, 1, 1)), totals=(0, 1, 2))
        """
        known = {term: count.bit_length() for term, count in frequencies.items()}
        width = 1 + max(known.values(), default=0)
        rows = [
            _histogram((known.get(term, 0) for term in document), width) for document in documents
        ]
        return cls(tuple(sorted(rows)), octaves(frequencies.values(), width))

    def expected(self, counts: Sequence[int]) -> Expected | None:
        """What the documents would give with a dictionary of terms with these frequencies.

        None where the sample is too small to tell. A term in one document alone was unknown
        before that document came, so that it counts both as known and as unknown.
        """
        if len(self.rows) < _LEAST:
            return None
        kept = octaves(counts, len(self.totals))
        shares = [
            part / whole if whole else 0.0 for part, whole in zip(kept, self.totals, strict=True)
        ]
        without = [0.0 if octave == 1 else share for octave, share in enumerate(shares)]
        most = [_covered(row, shares) for row in self.rows]
        least = [_covered(row, without) for row in self.rows]
        sizes = [max(1, sum(row)) for row in self.rows]
        return Expected(
            (_spread(least)[0], _spread(most)[1]),
            (
                _spread(1 - known / size for known, size in zip(most, sizes, strict=True))[0],
                _spread(1 - known / size for known, size in zip(least, sizes, strict=True))[1],
            ),
        )


@dataclass(frozen=True)
class Expected:
    """The typical ranges of the number of set bits and of the share of unknown terms."""

    bits: tuple[float, float]
    unknown: tuple[float, float]

    def departure(self, terms: int, bits: int) -> str:
        """How a document of `terms` terms, `bits` of them known, is untypical; "" if it is typical.

        >>> expected = Expected(bits=(40, 400), unknown=(0.2, 0.5))
        >>> expected.departure(terms=100, bits=60), expected.departure(terms=50, bits=30)
        ('', '30 bits are set (typical: 40 to 400)')
        """
        unknown = 1 - bits / terms if terms else 1.0
        departures = []
        least, most = self.bits
        if not least * (1 - _BITS_MORE) <= bits <= most * (1 + _BITS_MORE):
            are_set = "bit is set" if bits == 1 else "bits are set"
            departures.append(f"{bits} {are_set} (typical: {least:.0f} to {most:.0f})")
        low, high = self.unknown
        if not low - _UNKNOWN_MORE <= unknown <= high + _UNKNOWN_MORE:
            departures.append(
                f"{100 * unknown:.0f} % of its terms are unknown (typical: {100 * low:.0f} to "
                f"{100 * high:.0f} %)"
            )
        return " and ".join(departures)


def octaves(counts: Iterable[int], width: int) -> tuple[int, ...]:
    """The sum of the document frequencies in each of `width` octaves."""
    sums = [0] * width
    for count, terms in Counter(counts).items():  # few are different
        if count.bit_length() < width:
            sums[count.bit_length()] += count * terms
    return tuple(sums)


def _histogram(places: Iterable[int], width: int) -> tuple[int, ...]:
    row = [0] * width
    for place in places:
        row[place] += 1
    return tuple(row)


def _spread(values: Iterable[float]) -> tuple[float, float]:
    """The least and the greatest value without the outermost 1 % on each side."""
    ranked = sorted(values)
    odd = len(ranked) // 100
    return ranked[odd], ranked[-1 - odd]


def _covered(row: Sequence[int], shares: Sequence[float]) -> float:
    return sum(number * share for number, share in zip(row, shares, strict=True))
