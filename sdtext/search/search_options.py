"""The options of a search."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from sdtext.collections.conditions import Condition
from sdtext.errors import OptionError
from sdtext.model import RecipeSpec

DEFAULT_TOP, DEFAULT_MINIMUM = 10, 3
"""What a query gives by default: the best documents for it from this score up.

Edited copies, formats and excerpts of one text score between 3 and 99; of unrelated documents
about one in a thousand scores 3.
"""


@dataclass(frozen=True)
class Question:
    """The least score, the matcher and the other options of a search.

    - `minimum`: the least score, 1 to 99. Default: for pairs the similarity of the recipe's index;
      for a query the best 10 documents from 3 up, or with `top` the best of all.
    - `matcher`: `name` or `name(option=value)`. Default: that of the recipe.
    - `top`: the most results for each query.
    - `where`: the condition that selects stored documents (of two collections: of the first).
    - `recall`: the required probability of finding a pair that scores exactly `minimum`.
      Default: that of the recipe's index.
    - `recipe`: a recipe in place of the collection's. Its chain must be the same; shingler,
      sketch and index may differ.
    - `index`: the index, `name` or `name(option=value)`, in place of the recipe's: `scan` compares
      all with all, `columns` (bit vectors) and `bands` (shingles) look candidates up. Default: that
      of the recipe, else whichever is faster.
    - `recommended`: whether matcher and least scores are those that the calibration of the
      dictionary recommends.
    - `estimate`: whether scores are estimated from sketches, without verification.

    >>> Question(minimum=80, matcher="jaccard").minimum
    80
    """

    minimum: int | None = None
    matcher: str | None = None
    top: int | None = None
    where: Condition | None = None
    recall: float | None = None
    recipe: RecipeSpec | None = None
    estimate: bool = False
    index: str | None = None
    recommended: bool = False

    def __post_init__(self) -> None:
        if not (self.minimum is None or (_is_whole(self.minimum) and 0 <= self.minimum <= 99)):
            raise OptionError.of("search", "minimum", self.minimum, "a score from 0 to 99")
        if not (self.top is None or (_is_whole(self.top) and self.top >= 1)):
            raise OptionError.of("search", "top", self.top, "1 or more")
        if not (self.recall is None or (isinstance(self.recall, Real) and 0 < self.recall < 1)):
            raise OptionError.of("search", "recall", self.recall, "above 0 and below 1")


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)
