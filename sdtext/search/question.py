"""What is asked of a collection, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from sdtext.collections.filters import Condition
from sdtext.errors import OptionError
from sdtext.model import Metadata, Problem, RecipeSpec

Curve = tuple[tuple[float, float], ...]
"""Jaccard similarities, each with the probability that a pair of it is found."""


@dataclass(frozen=True)
class Question:
    """How alike documents have to be, and by which measure.

    `minimum` is the least score that counts, 1 to 99; without one it is the similarity of the
    recipe's index. `matcher` is spelled `name` or `name(option=value)`; without one it is that
    of the recipe. `top` is how many are wanted of each query. `where` says which stored
    documents are looked at (of two collections: of the first). `recall` is how probable it has
    to be that a pair right at the minimum is found; without one it is that of the recipe's
    index. `recipe` takes the place of the collection's: its chain must be the same, shingler,
    sketch and index may differ. With `estimate` nothing is verified: scores are those of sketches.

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

    def __post_init__(self) -> None:
        if not (self.minimum is None or (_is_whole(self.minimum) and 0 <= self.minimum <= 99)):
            raise OptionError.of("search", "minimum", self.minimum, "a score from 0 to 99")
        if not (self.top is None or (_is_whole(self.top) and self.top >= 1)):
            raise OptionError.of("search", "top", self.top, "1 or more")
        if not (self.recall is None or (isinstance(self.recall, Real) and 0 < self.recall < 1)):
            raise OptionError.of("search", "recall", self.recall, "above 0 and below 1")


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


@dataclass(frozen=True)
class Pair:
    """Two documents that are alike, by their names; `score` is 0 to 99, `similarity` 0 to 1.

    Documents of several folders may have one name; their numbers differ.
    """

    left: str
    right: str
    score: int
    similarity: float
    left_id: int
    right_id: int


@dataclass(frozen=True)
class Found:
    """A stored document that is like a query, with what is known of it, and its number."""

    query: str
    document: str
    score: int
    similarity: float
    metadata: Metadata
    id: int


@dataclass(frozen=True)
class Pairs:
    """Pairs of documents, the most alike first; what a person should know; how they were found.

    `curve` is that of the bands by which they were found, empty where all were compared: how
    likely a pair is found, for some Jaccard similarities.
    """

    rows: tuple[Pair, ...]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    curve: Curve = ()


@dataclass(frozen=True)
class Hits:
    """What is like the queries, for each the most alike first; the rest as in `Pairs`."""

    rows: tuple[Found, ...]
    problems: tuple[Problem, ...] = ()
    how: str = ""
    curve: Curve = ()
