"""The rules by which repeated passages are removed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sdtext.errors import OptionError
from sdtext.model import RecipeSpec

LEAST_WORDS = {"paragraph": 1, "sentence": 1, "passage": 50}
"""The default of the fewest words that are compared."""

_LEAST = {"paragraph": 1, "sentence": 1, "passage": 2}
_WORDS_OF_CHANGE = 8  # the fewest words for each one that may be changed
_PART = "deduplicate"


@dataclass(frozen=True)
class PassageRules:
    """The rules by which passages of a `unit` are repeated, and by which copies are removed.

    Words are compared as the `recipe` normalizes them. A passage of fewer than `min_tokens` words
    stays; by default that is `LEAST_WORDS`. The first `min_copies` copies of a passage stay. One
    that stands fewer than `min_frequency` times in the corpus stays everywhere. With a `distance`,
    passages also repeat an earlier one where so many of `min_tokens` words are changed.
    """

    unit: str
    min_tokens: int | None = None
    min_copies: int = 1
    min_frequency: int = 2
    recipe: RecipeSpec | None = None
    distance: int = 0

    def __post_init__(self) -> None:
        if self.unit not in LEAST_WORDS:
            raise OptionError.of(_PART, "unit", self.unit, f"one of {', '.join(LEAST_WORDS)}")
        self._check("min_copies", self.min_copies, 1)
        self._check("min_frequency", self.min_frequency, 2)
        if self.min_tokens is not None:
            self._check("min_tokens", self.min_tokens, _LEAST[self.unit])
        self._check("distance", self.distance, 0)
        if self.distance:
            self._check_distance()

    def _check_distance(self) -> None:
        """OptionError where near passages cannot be removed by the other rules."""
        if self.unit != "passage":
            raise OptionError("distance is for the unit passage", place=_PART)
        if (self.min_copies, self.min_frequency) != (1, 2):
            raise OptionError(
                "distance does not go with min_copies and min_frequency: copies with changed words "
                "are not counted",
                place=_PART,
            )
        most = self.least_words // _WORDS_OF_CHANGE
        if self.distance > most:
            wanted = f"at most {most}, an eighth of min_tokens ({self.least_words})"
            raise OptionError.of(_PART, "distance", self.distance, wanted)

    def _check(self, option: str, given: Any, least: int) -> None:
        if not isinstance(given, int) or isinstance(given, bool) or given < least:
            raise OptionError.of(_PART, option, given, f"a whole number, {least} or more")

    @property
    def least_words(self) -> int:
        """The fewest words of a passage that is compared."""
        return LEAST_WORDS[self.unit] if self.min_tokens is None else self.min_tokens

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields of records that decide besides the text: none."""
        return ()

    def removes(self, rank: Any, number: Any) -> Any:
        """Whether to remove a copy with `rank` copies before it, of `number` in all."""
        return (rank >= self.min_copies) & (number >= self.min_frequency)
