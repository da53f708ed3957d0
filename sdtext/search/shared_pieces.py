"""What similar documents of a collection share: runs of shingles, or terms."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from sdtext.collections.collection import Collection
from sdtext.collections.document_types import OF_FINGERPRINT
from sdtext.collections.ingest.row_builder import digest_of_file
from sdtext.errors import UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import PartSpec, RecipeSpec, SharedTerm
from sdtext.reading.archive_members import in_archive
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from sdtext.search.compare_texts import TextComparer
from sdtext.search.results import Found, Hits, Pair, Pairs
from sdtext.search.search_options import Question
from sdtext.search.search_plan import recipe_of_whole_documents
from sdtext.text.document import Document

Explained = TypeVar("Explained", Pairs, Hits)

_LONGEST = 80
"""Characters of a run that are shown."""
_KEPT = 64
"""Texts that are kept for further rows."""


@dataclass(frozen=True, eq=False)
class SharedPieces:
    """Finds what two documents share, where the texts of both are at hand.

    That of a stored document is at hand if the collection keeps texts, or if its file is unchanged;
    that of a query, if it is a file. At most `top` pieces are given, the longest first: runs of
    shingles, or terms of the dictionary by their IDF. `queries` has texts of queries in memory.
    """

    left: Collection
    right: Collection
    recipe: RecipeSpec
    top: int
    reading: Reading = field(default_factory=Reading)
    queries: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(
        cls, left: Collection, right: Collection | None, question: Question, top: int
    ) -> SharedPieces:
        """The pieces for the results of a question."""
        recipe = question.recipe or recipe_of_whole_documents(left.recipe)
        return cls(left, right or left, recipe, top)

    def explain(self, result: Explained) -> Explained:
        """The result with what the documents of each row share."""
        rows = tuple(replace(row, shared_terms=self._of_row(row)) for row in result.rows)
        return replace(result, rows=rows, explained=True)

    def _of_row(self, row: Pair | Found) -> tuple[SharedTerm, ...] | None:
        """The pieces of a result; None where a text is not at hand."""
        if isinstance(row, Pair):
            left, right = (
                self._stored(self.left, row.left_id),
                self._stored(self.right, row.right_id),
            )
        else:
            left, right = self._named(row.query), self._stored(self.left, row.id)
        if left is None or right is None:
            return None
        pieces = TextComparer(self.recipe, PartSpec("jaccard")).shared(left, right)
        if self.left.dictionaries and not self.recipe.shingler:
            pieces = self._by_idf(pieces)
        return tuple(replace(item, term=shortened(item.term)) for item in pieces[: self.top])

    @cached_property
    def _stored(self) -> Callable[[Collection, int], str | None]:
        """The normalised text of a stored document, None where it is not at hand."""
        return lru_cache(maxsize=_KEPT)(self.stored_text)

    @cached_property
    def _named(self) -> Callable[[str], str | None]:
        """The normalised text of a file, None if it has none."""
        return lru_cache(maxsize=_KEPT)(self._text_in)

    def stored_text(self, collection: Collection, number: int) -> str | None:
        """The normalised text of a stored document, None where it is not at hand."""
        if collection.keeps_text:
            return Document.of(collection.text_with_id(number)).clean
        document = collection.taken([number])[0]
        if document.digest.startswith(OF_FINGERPRINT):  # its name says nothing of files here
            return None
        path = Path(document.root, document.name)
        if remote_address(path):  # only the user names what is fetched, no collection does
            return None
        try:
            unchanged = digest_of_file(path, self.reading) == document.digest
        except (UnreadableError, OSError, ValueError):
            return None
        return self._text_in(str(path)) if unchanged else None

    def _text_in(self, path: str) -> str | None:
        if path in self.queries:
            return self.queries[path]
        try:
            there = Path(path).is_file() or in_archive(Path(path))
            return read(path, self.reading).clean if there else None
        except (UnreadableError, OSError, ValueError):
            return None

    def _by_idf(self, terms: Sequence[SharedTerm]) -> tuple[SharedTerm, ...]:
        """The terms of the dictionary, the rarest first, each with its share of all IDF."""
        dictionary = self.left.dictionaries[0]
        counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
        common = (item.term for item in terms if item.term in counts)
        known = {term: dictionary.idf(counts[term]) for term in common}
        total = sum(max(0.0, idf) for idf in known.values()) or 1.0
        ranked = sorted(known.items(), key=lambda item: (-item[1], item[0]))
        return tuple(SharedTerm(term, idf, max(0.0, idf) / total) for term, idf in ranked)


def shortened(run: str) -> str:
    """The beginning of a long run, with an ellipsis."""
    return run if len(run) <= _LONGEST else f"{run[: _LONGEST - 1]}…"
