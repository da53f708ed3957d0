"""What is asked when reused text is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real

from sdtext.collections.filters import Condition
from sdtext.errors import OptionError
from sdtext.model import RecipeSpec
from sdtext.reading.walk import Paths

METHODS = ("windows", "sentences")
_PART = "find_reuse"


@dataclass(frozen=True)
class ReuseQuestion:
    """How reused text is looked for; what is not said follows from the recipe.

    `method` is "windows" (of `w` terms, of which `distance` may differ) or "sentences" (whose
    codes differ in no more bits than `distance`). In place of the distance `similarity`, 0 to 1,
    says how alike windows or sentences have to be, and `recall`, above 0 and below 1, how probable
    it has to be that sentences just as alike are found. With `ordered` the terms must come in the
    same order. `shortest` is the least length of a passage in terms. `where` says which stored
    documents are looked at (of two collections: of the first). `recipe` takes the place of the
    collection's, whose chain it must have. With `chapters` the shares of chapters are told, with
    `edits` what differs inside of passages. Passages within quotes, within lists of references
    and in the text of the files at `templates` do not count if they are to be left out.

    >>> ReuseQuestion(w=20, distance=9).w
    20
    """

    method: str = ""
    w: int | None = None
    distance: int | None = None
    similarity: float | None = None
    recall: float | None = None
    ordered: bool = False
    shortest: int | None = None
    where: Condition | None = None
    recipe: RecipeSpec | None = None
    chapters: bool = False
    edits: bool = True
    without_quotes: bool = False
    without_references: bool = False
    templates: Paths = ()

    def __post_init__(self) -> None:
        if self.method not in ("", *METHODS):
            raise OptionError.of(_PART, "method", self.method, " or ".join(METHODS))
        for name, least in (("w", 1), ("distance", 0), ("shortest", 1)):
            _check_whole(name, getattr(self, name), least)
        _check_share("similarity", self.similarity, "above 0 and at most 1")
        _check_share("recall", self.recall, "above 0 and below 1")
        if self.distance is not None and (self.similarity, self.recall) != (None, None):
            raise OptionError(
                f"{_PART}: distance and similarity say the same; give one of them, and recall only "
                "with similarity"
            )


def _check_whole(name: str, given: object, least: int) -> None:
    if given is None:
        return
    if not isinstance(given, Integral) or isinstance(given, bool) or given < least:
        raise OptionError.of(_PART, name, given, f"{least} or more")


def _check_share(name: str, given: object, wanted: str) -> None:
    if given is None:
        return
    fits = isinstance(given, Real) and 0 < float(given) <= 1
    if not fits or (name == "recall" and given == 1):
        raise OptionError.of(_PART, name, given, wanted)
