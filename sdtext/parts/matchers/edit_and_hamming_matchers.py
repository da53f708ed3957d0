"""Matchers by distance: edit similarity of sequences, Hamming similarity of codes."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from sdtext.errors import MismatchError
from sdtext.kernels.hamming_join import distance_plain
from sdtext.model import Similarity
from sdtext.parts.matchers import Matcher

_MOST_WORK = 10**11  # one length times the other: some ten seconds


@dataclass(frozen=True)
class Levenshtein(Matcher):
    """The edit similarity of two texts: 1 - d / (length of the longer one).

    d is the Levenshtein distance: the least number of tokens, or characters (`of`), to insert,
    delete or replace.

    >>> left, right = "the old man and the sea".split(), "the man and the sea".split()
    >>> Levenshtein().of_sequences(left, right).score
    83
    """

    of: Annotated[str, ("tokens", "characters")] = "tokens"
    compares: ClassVar[str] = "sequences"

    def of_sequences(
        self, left: Sequence[str], right: Sequence[str], minimum: int = 0
    ) -> Similarity:
        """The similarity of two texts, given as their tokens; 1 where both have none.

        One that scores less than `minimum` may be given as another that does, which is faster.
        MismatchError where texts that differ are so long that it would take minutes.
        """
        left, right = self._parts(left), self._parts(right)
        longest = max(len(left), len(right))
        if left == right:
            return Similarity(longest or 1, longest or 1)
        most = (100 - minimum) * longest // 100  # edits with which the score is still reached
        if abs(len(left) - len(right)) > most:
            return Similarity(longest - most - 1, longest)
        if len(left) * len(right) > _MOST_WORK:
            what = f"edit would take too long on texts of {len(left):,} and {len(right):,} tokens "
            raise MismatchError(f"{what}or characters; compare tokens, or use jaccard")
        from rapidfuzz.distance import Levenshtein as Edits

        edits = Edits.distance(left, right, score_cutoff=most)  # or one more than that
        return Similarity(longest - edits, longest)

    def _parts(self, text: Sequence[str]) -> Sequence[str]:
        """The units of the distance: tokens, or characters with a blank between tokens."""
        if self.of == "tokens" or isinstance(text, str):
            return text
        return " ".join(text)


@dataclass(frozen=True)
class Hamming(Matcher):
    """The Jaccard similarity estimated from two codes of `bbit`: 1 - 2d / (bits of a code).

    d is the Hamming distance, the number of bits that differ. Of the b bits of a slot that differs,
    half differ on average, so the estimate is unbiased for every b; values below 0 become 0.

    >>> Hamming().distance(bytes([0b1101, 0]), bytes([0b1011, 1]))
    3
    >>> Hamming().of_codes(bytes([0b1101, 0]), bytes([0b1011, 1]), bits=16).score
    62
    """

    compares: ClassVar[str] = "codes"

    def of_codes(self, left: bytes, right: bytes, bits: int) -> Similarity:
        """The similarity of two codes of so many bits; bits left over in the last byte are 0."""
        return Similarity.of_codes(self.distance(left, right), bits)

    def distance(self, left: bytes, right: bytes) -> int:
        """The Hamming distance of two codes of one length."""
        return distance_plain(left, right)
