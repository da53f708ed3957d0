"""Open collections, which Python programs search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import floor
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TypeVar, overload

from sdtext.collections.collection import Checks, Collection
from sdtext.collections.conditions import Condition
from sdtext.errors import OptionError, brief
from sdtext.parts.registry import names_of
from sdtext.search.find import between, similar, within
from sdtext.search.results import Hits, Pairs
from sdtext.search.search_options import Question
from sdtext.text.document import Document

Answer = TypeVar("Answer", Pairs, Hits)

_TOLERANCE = 1e-12


def open(  # noqa: A001 (as `gzip.open`: `sdtext.open`)
    path: str | Path, *, verify: bool = True, skip_damaged: bool = False
) -> OpenCollection:
    """Open the collection at `path` for searching.

    Each file is verified when this process first reads it, unless `verify` is false. With
    `skip_damaged` all are read at once, and damaged segments are left out: `problems` of the
    collection and of every result say so. Raises UnreadableError if there is no collection,
    FormatError if it is damaged; so do later uses that read more of it.

    >>> import sdtext
    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> from sdtext.collections.collection import NewDocument, DocumentRows
    >>> with Collection.create(folder / "open.sdx", RecipeSpec(PartSpec("words"))).writing() as new:
    ...     ids = new.add(DocumentRows([NewDocument("bees.txt")], {}))
    >>> with sdtext.open(folder / "open.sdx") as collection:
    ...     len(collection), [document.name for document in collection]
    (1, ['bees.txt'])
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise OptionError.of("open", "path", path, "the folder of a collection")
    return OpenCollection.open(path, Checks(verify, skip_damaged))


class OpenCollection(Collection):
    """A collection that can be searched: what `sdtext.open` returns."""

    @overload
    def search(
        self,
        document: Collection | None = None,
        *,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        **least: float,
    ) -> Pairs: ...

    @overload
    def search(
        self,
        document: Document | str | Path,
        *,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        **least: float,
    ) -> Hits: ...

    def search(
        self,
        document: Collection | Document | str | Path | None = None,
        *,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        **least: float,
    ) -> Pairs | Hits:
        """Similar documents: within the collection, between it and another, or to a document.

        `document` is None, another open collection, a `Document` or the path of its file.
        `least` gives the matcher and the minimum similarity, 0 to 1: `jaccard=0.8`. The default
        are those of the recipe; for a document the best 10 that score 3 or more, and with `top`
        alone, everything in common counts.
        `where` selects documents of this collection. `recall` is the required probability of
        finding a pair at the minimum; the default is the recipe's. `top` limits the rows. Raises
        OptionError, MismatchError or UnreadableError.
        """
        if not isinstance(document, _KINDS) or document == "":
            wanted = "a document, the path of its file, an open collection or nothing"
            raise OptionError.of("search", "document", document, wanted)
        if not isinstance(where, str | None):
            raise OptionError.of("search", "where", where, "a condition such as 'year >= 2019'")
        matcher, minimum = _matcher(least)
        score = None if minimum is None else min(99, floor(round(100 * minimum, 9)))
        condition = Condition.parse(where) if where else None
        question = Question(score, matcher, top, condition, recall)
        if document is None:
            return _at_least(minimum, within(self, question))
        if isinstance(document, Collection):
            document.check_open()
            return _at_least(minimum, between(self, document, question))
        return _at_least(minimum, similar(self, [document], question))


_KINDS = (str, PathLike, Document, Collection, type(None))


def _matcher(least: Mapping[str, float]) -> tuple[str | None, float | None]:
    """The matcher in the keyword argument, and the minimum similarity."""
    if not least:
        return None, None
    if len(least) > 1:
        raise OptionError(f"search: {' and '.join(least)} are two measures; give one")
    ((name, minimum),) = least.items()
    names = {known.replace("-", "_"): known for known in names_of("matchers")}
    if name not in names:
        raise OptionError(
            f"search: there is no measure {brief(name)}; available: {', '.join(names)}"
        )
    if not isinstance(minimum, Real) or not 0 <= minimum <= 1:
        raise OptionError.of("search", name, minimum, "a similarity from 0 to 1")
    return names[name], minimum


def _at_least(minimum: float | None, answer: Answer) -> Answer:
    """The rows with at least the minimum similarity, which integer scores only approximate."""
    if minimum is None:
        return answer
    rows = (row for row in answer.rows if row.similarity >= minimum - _TOLERANCE)
    return replace(answer, rows=tuple(rows))
