"""A collection at hand: what Python programs search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import floor
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TypeVar, overload

from sdtext.collections.collection import Collection
from sdtext.collections.document_rows import StoredDocument
from sdtext.collections.filters import Condition
from sdtext.errors import OptionError, brief, counted, shown
from sdtext.model import Document, RecipeSpec
from sdtext.parts.catalogue import names_of
from sdtext.search.pairs import between, within
from sdtext.search.question import Hits, Pairs, Question
from sdtext.search.similar import similar

Answer = TypeVar("Answer", Pairs, Hits)

_LITTLE = 1e-12


def open(path: str | Path) -> OpenCollection:  # noqa: A001 (as `gzip.open`: `sdtext.open`)
    """The collection at `path`, ready to be searched.

    Raises UnreadableError where there is none, FormatError where it is damaged.

    >>> import sdtext
    >>> from sdtext.model import PartSpec
    >>> from sdtext.collections.collection import Collection, NewDocument, Rows
    >>> with Collection.create(folder / "open.sdx", RecipeSpec(PartSpec("words"))).writing() as new:
    ...     ids = new.add(Rows([NewDocument("bees.txt")], {}))
    >>> with sdtext.open(folder / "open.sdx") as collection:
    ...     len(collection), [document.name for document in collection]
    (1, ['bees.txt'])
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise OptionError.of("open", "path", path, "the folder of a collection")
    return OpenCollection(Collection.open(path))


class OpenCollection:
    """A collection as it was when it was opened."""

    def __init__(self, stored: Collection) -> None:
        self._stored: Collection | None = stored

    def __repr__(self) -> str:
        if self._stored is None:
            return "<closed collection>"
        known = counted(len(self), "document")
        return f"<collection {shown(self.stored.path)} of {known}>"

    @property
    def stored(self) -> Collection:
        """The collection as it is stored. Raises OptionError once it is closed."""
        if self._stored is None:
            raise OptionError("the collection is closed; open it again")
        return self._stored

    def __enter__(self) -> OpenCollection:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files; nothing can be asked any more."""
        self._stored = None

    def __len__(self) -> int:
        return len(self.stored)

    def __iter__(self) -> Iterator[StoredDocument]:
        return self.documents()

    @property
    def recipe(self) -> RecipeSpec:
        """How what is kept was made."""
        return self.stored.recipe

    def documents(self, where: str | None = None) -> Iterator[StoredDocument]:
        """Its documents; those that a condition means, such as `"year >= 2019"`."""
        return self.stored.documents(Condition.parse(where) if where else None)

    @overload
    def search(
        self,
        document: OpenCollection | None = None,
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
        document: OpenCollection | Document | str | Path | None = None,
        *,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        **least: float,
    ) -> Pairs | Hits:
        """What is alike: within the collection, between it and another, or like a document.

        `document` is nothing, another open collection, or a document (at hand, or a file).
        `least` names the matcher and the least similarity, 0 to 1: `jaccard=0.8`. Without it
        they are those of the recipe; for a document with `top` alone, all that have anything in
        common count. `where` chooses among the documents of this collection; pairs just as alike
        as asked for are found with the probability `recall`, else with the recipe's.
        `top` bounds the rows. Raises OptionError, MismatchError or UnreadableError.
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
            return _at_least(minimum, within(self.stored, question))
        if isinstance(document, OpenCollection):
            return _at_least(minimum, between(self.stored, document.stored, question))
        return _at_least(minimum, similar(self.stored, [document], question))


_KINDS = (str, PathLike, Document, OpenCollection, type(None))


def _matcher(least: Mapping[str, float]) -> tuple[str | None, float | None]:
    """The matcher that is named, and the least similarity by it."""
    if not least:
        return None, None
    if len(least) > 1:
        raise OptionError(f"search: {' and '.join(least)} are two measures; give one")
    ((name, minimum),) = least.items()
    names = {known.replace("-", "_"): known for known in names_of("matchers")}
    if name not in names:
        raise OptionError(
            f"search: there is no measure {brief(name)}; known are {', '.join(names)}"
        )
    if not isinstance(minimum, Real) or not 0 <= minimum <= 1:
        raise OptionError.of("search", name, minimum, "a similarity from 0 to 1")
    return names[name], minimum


def _at_least(minimum: float | None, found: Answer) -> Answer:
    """What is as alike as asked for, which a whole score does not tell to the last digit."""
    if minimum is None:
        return found
    rows = (row for row in found.rows if row.similarity >= minimum - _LITTLE)
    return replace(found, rows=tuple(rows))
