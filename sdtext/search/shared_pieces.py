"""The end of a search: its rows, with what the two documents of each share, and its problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TypeVar

from sdtext.collections.document_types import OF_FINGERPRINT
from sdtext.collections.memory import MemoryCollection
from sdtext.errors import UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.model import PartSpec, Problem, RecipeSpec, SharedTerm
from sdtext.model.matches import TOLERANCE
from sdtext.reading.archive_members import in_archive
from sdtext.reading.inputs import size_and_digest
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import Source, read
from sdtext.search.compare_texts import TextComparer, shortened
from sdtext.search.results import Found, Hits, Pair, Pairs
from sdtext.search.search_plan import Question, recipe_of_whole_documents
from sdtext.search.searchable import Searchable
from sdtext.text.document import Document
from sdtext.wording import counted

Answer = TypeVar("Answer", Pairs, Hits)
Row = TypeVar("Row", Pair, Found)

_KEPT = 64
"""Texts that are kept for further rows."""


def finished(
    found: Answer,
    left: Searchable,
    other: Searchable | None,
    question: Question,
    run: Run,
    queries: Sequence[Document] = (),
) -> Answer:
    """The result of a question: rows of the minimum, explained if asked for, and the problems.

    `queries` are documents in memory.
    """
    least = (question.minimum or 0) / 100 - TOLERANCE  # which integer scores only approximate
    rows = tuple(row for row in found.rows if row.similarity >= least)
    if question.explain:
        recipe = question.recipe or recipe_of_whole_documents(left.recipe)
        texts = {document.source: document.clean for document in queries}
        sides = left, left if other is None else other
        pieces = SharedPieces(*sides, recipe, question.explain, run.reading, texts)
        rows = pieces.of_rows(rows, run)
    return replace(
        found, rows=rows, problems=tuple(dict.fromkeys(run.found)), explained=question.explain > 0
    )


@dataclass(frozen=True, eq=False)
class SharedPieces:
    """Finds what two documents share, where the texts of both are at hand.

    That of a stored document is at hand if the collection keeps texts, or if its file is unchanged;
    that of a query, if it is a file. At most `top` pieces are given, the longest first: runs of
    shingles, or terms of the dictionary by their IDF. `queries` has texts of queries in memory.
    """

    left: Searchable
    right: Searchable
    recipe: RecipeSpec
    top: int
    reading: Reading = field(default_factory=Reading)
    queries: Mapping[str, str] = field(default_factory=dict)

    def of_rows(self, rows: Sequence[Row], run: Run) -> tuple[Row, ...]:
        """The rows with what their documents share; a warning where that is not known."""
        shared: list[tuple[SharedTerm, ...] | None] = [self._of_row(row) for row in rows]
        if number := sum(terms is None for terms in shared):
            message = (
                f"what the documents of {counted(number, 'result')} share is not listed, because a "
                "text is not available: its file is gone or has changed, or it was a record or a "
                "fingerprint; AddDocuments with keep_text keeps texts"
            )
            run.note(Problem("warning", "no-text", message))
        pairs = zip(rows, shared, strict=True)
        return tuple(replace(row, shared_terms=terms) for row, terms in pairs)

    def _of_row(self, row: Pair | Found) -> tuple[SharedTerm, ...] | None:
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
            dictionary = self.left.dictionaries[0]
            counts = dict(zip(dictionary.terms, dictionary.counts, strict=True))
            common = (item.term for item in pieces if item.term in counts)
            known = {term: dictionary.idf(counts[term]) for term in common}
            total = sum(max(0.0, idf) for idf in known.values()) or 1.0
            ranked = sorted(known.items(), key=lambda item: (-item[1], item[0]))
            pieces = tuple(SharedTerm(term, idf, max(0.0, idf) / total) for term, idf in ranked)
        return tuple(replace(item, term=shortened(item.term)) for item in pieces[: self.top])

    @cached_property
    def _stored(self) -> Callable[..., str | None]:
        return lru_cache(maxsize=_KEPT)(self.stored_text)

    @cached_property
    def _named(self) -> Callable[[str], str | None]:
        return lru_cache(maxsize=_KEPT)(self._text_in)

    def stored_text(self, collection: Searchable, number: int) -> str | None:
        """The normalised text of a stored document, None where it is not at hand."""
        if isinstance(collection, MemoryCollection):
            return None
        if collection.keeps_text:
            return Document.of(collection.text_with_id(number)).clean
        document = collection.take([number])[0]
        if document.digest.startswith(OF_FINGERPRINT):  # its name says nothing of files here
            return None
        path = Path(document.root, document.name)
        if remote_address(path):  # only the user names what is fetched, no collection does
            return None
        try:
            content = Source(path, self.reading).content
            unchanged = size_and_digest(content.blocks())[1] == document.digest
        except (UnreadableError, OSError, ValueError):
            return None
        return self._text_in(str(path)) if unchanged else None

    def _text_in(self, path: str) -> str | None:
        if path in self.queries:
            return self.queries[path]
        try:
            there = Path(path).is_file() or in_archive(Path(path))
            return read(path, reading=self.reading).clean if there else None
        except (UnreadableError, OSError, ValueError):
            return None
