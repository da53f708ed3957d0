"""What is asked in a search for text reuse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real

from sdtext.collections.conditions import Condition
from sdtext.errors import OptionError
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.walk import Paths

METHODS = ("windows", "sentences")
_PART = "find_reuse"


@dataclass(frozen=True, repr=False)
class ReuseQuestion(ShortFields):
    """How to search for text reuse; the recipe decides what is not given.

    - `method`: "windows" (of `w` terms, of which `distance` may differ) or "sentences" (whose codes
      differ in at most `distance` bits).
    - `similarity`, above 0 and at most 1, in place of the distance: how similar windows or
      sentences must be. `recall`, above 0 and below 1: the required probability that a pair of
      sentences of just this similarity is found.
    - `ordered`: the terms must come in the same order.
    - `min_passage`: minimum length of a passage in terms.
    - `where`: a condition that selects stored documents (of two collections, of the first), such as
      "year >= 2019".
    - `recipe` (or its name, or its path) replaces that of the collection; its chain must be the
      same.
    - `unit`: "chapter" reports the share of each chapter, too. `edits`: report the edits inside of
      passages.
    - `texts`: the documents of the evidence that share passages have their texts.
    - `exclude_quotes`, `exclude_references`, `exclude`: passages within quotations, within
      reference lists and in the text of these files do not count.

    >>> ReuseQuestion(w=20, distance=9).w
    20
    """

    method: str = ""
    w: int | None = None
    distance: int | None = None
    similarity: float | None = None
    recall: float | None = None
    ordered: bool = False
    min_passage: int | None = None
    where: Condition | str | None = None
    recipe: RecipeLike | None = None
    unit: str | None = None
    edits: bool = True
    texts: bool = False
    exclude_quotes: bool = False
    exclude_references: bool = False
    exclude: Paths = ()

    def __post_init__(self) -> None:
        if self.method not in ("", *METHODS):
            raise OptionError.of(_PART, "method", self.method, " or ".join(METHODS))
        for name, least in (("w", 1), ("distance", 0), ("min_passage", 1)):
            _check_integer(name, getattr(self, name), least)
        if self.unit not in (None, "chapter"):
            raise OptionError.of(_PART, "unit", self.unit, '"chapter" or None')
        if not isinstance(self.where, Condition | str | None):
            wanted = "a condition such as 'year >= 2019'"
            raise OptionError.of(_PART, "where", self.where, wanted)
        _check_fraction("similarity", self.similarity, "above 0 and at most 1")
        _check_fraction("recall", self.recall, "above 0 and below 1")
        if self.distance is not None and (self.similarity, self.recall) != (None, None):
            raise OptionError(
                "distance and similarity set the same limit; give one of them, and recall only "
                "with similarity",
                place=_PART,
            )

    @cached_property
    def condition(self) -> Condition | None:
        """The condition that stored documents must meet. Raises OptionError for a wrong one."""
        return Condition.parse(self.where) if isinstance(self.where, str) else self.where


def _check_integer(name: str, given: object, least: int) -> None:
    if given is None:
        return
    if not isinstance(given, Integral) or isinstance(given, bool) or given < least:
        raise OptionError.of(_PART, name, given, f"{least} or more")


def _check_fraction(name: str, given: object, wanted: str) -> None:
    if given is None:
        return
    in_range = isinstance(given, Real) and 0 < float(given) <= 1
    if not in_range or (name == "recall" and given == 1):
        raise OptionError.of(_PART, name, given, wanted)
