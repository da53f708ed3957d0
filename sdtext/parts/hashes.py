"""Hashes: the 64-bit numbers that stand for shingles."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import isqrt
from typing import Annotated, ClassVar

import numpy as np
from numpy.typing import NDArray

from sdtext.errors import OptionError
from sdtext.kernels.arrays.integer_and_byte_hashes import mixed_plain
from sdtext.kernels.window_sums import polynomial_hashes
from sdtext.parts.option_values import Within
from sdtext.parts.sliding_windows import Letters, Symbols, mixed_hashes

Places = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Seed = Annotated[int, Within(0, (1 << 63) - 1)]


class ShingleHash(ABC):
    """The members of a hash, a frozen dataclass whose fields are its options."""

    by_numbers: ClassVar[bool] = False
    """Whether the keys of the symbols suffice, so that no spelling is needed."""
    is_mixed: ClassVar[bool] = False
    """Whether it gives what `mixed_hashes` does, for which there is a quicker way in rows."""

    @abstractmethod
    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        """The hashes of the windows of `length` letters or terms that begin at `starts`."""


@dataclass(frozen=True)
class Mixed(ShingleHash):
    """64 bits: a mixed sum of powers, equal for two shingles only by chance.

    A letter counts as its code point, a term as its 64-bit hash. The sum Σ key_j · P**j slides
    over the text, modulo 2**64, and the end of SplitMix64 mixes it.

    >>> from sdtext.parts.sliding_windows import Letters
    >>> letters = Letters(np.frombuffer(b"abcabc", np.uint8).astype(np.uint32))
    >>> made = Mixed()(letters, 3, np.array([0, 1, 3]))
    >>> made.dtype, len(set(made.tolist()))
    (dtype('uint64'), 2)
    """

    by_numbers: ClassVar[bool] = True
    is_mixed: ClassVar[bool] = True

    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        return mixed_hashes(symbols, length, starts)


_BASE = 31


@dataclass(frozen=True)
class Polynomial(ShingleHash):
    """Σ value_i · 31**i modulo `m` over the letters of a shingle, the first being letter 0.

    The letters a to z are 1 to 26, as in the paper; every other one, of which it says nothing, is
    27 + its code point. In shingles of words a term is its 64-bit hash. As there are `m` numbers
    alone, among some thousand shingles two share one by chance.

    >>> from sdtext.parts.sliding_windows import Letters
    >>> letters = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32))
    >>> Polynomial()(letters, 2, np.array([0, 1])).tolist() == [1 + 2 * 31, 2 + 3 * 31]
    True
    """

    m: Annotated[int, Within(2, 1 << 32)] = 1_000_003
    by_numbers: ClassVar[bool] = True

    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        numbers = symbols.keys
        if isinstance(symbols, Letters):
            is_plain = (numbers >= ord("a")) & (numbers <= ord("z"))
            numbers = np.where(is_plain, numbers - np.uint64(ord("a") - 1), numbers + np.uint64(27))
        return polynomial_hashes(numbers, length, _BASE, self.m, starts)


@dataclass(frozen=True)
class Modular(ShingleHash):
    """k modulo `m`, where k is the 64-bit number that `mixed` gives a shingle.

    The paper ("Document similarity detection using hashing", 2018) takes a prime for `m`: of a
    power of two only the lowest bits of k count.

    >>> from sdtext.parts.sliding_windows import Letters
    >>> window = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32)), 3, np.array([0])
    >>> int(Modular(m=997)(*window)[0]) == int(Mixed()(*window)[0]) % 997
    True
    """

    m: Annotated[int, Within(2, (1 << 63) - 1)] = 1_000_003
    by_numbers: ClassVar[bool] = True

    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        return mixed_hashes(symbols, length, starts) % np.uint64(self.m)


_KNUTH = 0.6180339887498949  # (√5 - 1) / 2, as near as a float comes
_FAMILY = 8  # bits: how far below a 256th the members of the family stand apart from `a`


@dataclass(frozen=True)
class Multiplicative(ShingleHash):
    """⌊m · frac(k · A)⌋ in words of `w` bits, where k is the number that `mixed` gives a shingle.

    Of k the lowest `w` bits count. A is s / 2**w with s = ⌊a · 2**w⌋; left as it is, `a` is
    Knuth's (√5 - 1) / 2, to the last bit. A `seed` above 0 takes another member of the family
    around it: s is moved on by less than 2**w / 256, as SplitMix64 mixes the seed, and made odd.

    >>> from sdtext.parts.sliding_windows import Letters
    >>> window = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32)), 3, np.array([0])
    >>> bool(Multiplicative(m=1000)(*window)[0] < 1000)
    True
    >>> hex(Multiplicative().factor), hex(Multiplicative(seed=1).factor)
    ('0x9e3779b97f4a7c15', '0x9e8e0bcf9c5a871b')
    """

    a: Annotated[float, Within(above=0, below=1)] = _KNUTH
    m: Annotated[int, Within(2, 1 << 32)] = 1 << 32
    w: Annotated[int, Within(1, 64)] = 64
    seed: Seed = 0
    by_numbers: ClassVar[bool] = True

    def __post_init__(self) -> None:
        if not self.factor:
            raise OptionError.of("multiplicative", "a", self.a, f"2**-{self.w} or more for that w")

    @property
    def factor(self) -> int:
        """The whole number s, which stands for A · 2**w."""
        word = 1 << self.w
        exact = (isqrt(5 * word * word) - word) // 2
        factor = exact if self.a == _KNUTH else int(self.a * word)
        if not self.seed:
            return factor
        moved = mixed_plain(self.seed) >> 64 - self.w >> _FAMILY
        return (factor + moved) % word | 1

    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        keys = mixed_hashes(symbols, length, starts)
        # The fraction's w bits, moved to the top of 64; then the upper 64 bits of m times that.
        fraction = (keys * np.uint64(self.factor)) << np.uint64(64 - self.w)
        half, low = np.uint64(32), np.uint64(0xFFFFFFFF)
        m = np.uint64(self.m)
        return (m * (fraction >> half) + (m * (fraction & low) >> half)) >> half


@dataclass(frozen=True)
class XxHash(ShingleHash):
    """XXH3, 64 bits, of the UTF-8 of a shingle, whose words are separated by blanks.

    Other programs can compute it, too. It takes one call for each shingle.

    >>> from sdtext.parts.sliding_windows import Letters
    >>> letters = Letters(np.frombuffer(b"abc", np.uint8).astype(np.uint32))
    >>> hex(XxHash()(letters, 3, np.array([0]))[0])
    '0x78af5f94892f3950'
    """

    seed: Seed = 0

    def __call__(self, symbols: Symbols, length: int, starts: Places) -> Hashes:
        from xxhash import xxh3_64_intdigest

        spellings = symbols.spelled(starts, length)
        hashes = (xxh3_64_intdigest(spelling, self.seed) for spelling in spellings)
        return np.fromiter(hashes, np.uint64, len(starts))
