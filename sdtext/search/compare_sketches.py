"""The third way to compare folders: by the sketches of documents, some of which may be files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sdtext.collections.memory import MemoryCollection
from sdtext.collections.schema import SKETCHED
from sdtext.collections.wordless_fingerprints import digest_of, row_of, sketch_recipe
from sdtext.errors import MismatchError, OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.kernels.bottom_k import Row
from sdtext.model import Match, PartSpec, RecipeSpec, SharedTerm
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.registry import build
from sdtext.reading.parallel_run import nothing_left
from sdtext.search.candidates.buckets import Rows
from sdtext.search.list_files import ListedFiles
from sdtext.search.results import QueryMatches
from sdtext.search.search_plan import LEAST_OF_SKETCHES, Question, SearchPlan, plan_search
from sdtext.search.searchable import Table, segment_views
from sdtext.search.sketch_search import BySketches


@dataclass(eq=False)
class ByDocumentSketches:
    """Sketches in files, and documents that are sketched on the way."""

    searched: ListedFiles
    queries: Sequence[tuple[str, Row]]
    plan: SearchPlan
    digest: str
    scorer = None
    located = ()

    @classmethod
    def from_queries(
        cls,
        queries: ListedFiles,
        searched: ListedFiles,
        keyed: Sequence[Dictionary],
        asked: Question,
    ) -> ByDocumentSketches:
        """The comparison by the recipe of the first sketch.

        Documents are sketched under the keys of `keyed` dictionaries. Raises MismatchError where
        that is another recipe, OptionError, UnreadableError without a query.
        """
        if asked.segment or asked.recommended or asked.min_terms != MIN_TERMS:
            raise OptionError("segment, recommended and min_terms are of bit vectors, not sketches")
        recipe = sketch_recipe(keyed=keyed)
        prints = [item for side in (queries, searched) for _, item in side.prints]
        digest = next(item.sketch.recipe for item in prints if item.sketch)
        if digest != digest_of(recipe) and (
            queries.number_of_documents or searched.number_of_documents
        ):
            what = "documents cannot be compared with sketches under a key, or by another recipe; "
            raise MismatchError(f"{what}name the keyed dictionary as dictionary")
        rows = [*_rows(queries, recipe, digest)]
        if not rows and queries.errors:
            raise queries.errors[0]
        if not rows:
            raise nothing_left(queries.run, "there is nothing to compare")
        question = replace(asked, minimum=asked.least or LEAST_OF_SKETCHES, top=None)
        plan = plan_search(MemoryCollection(recipe, Ragged.of([]), ()), question)
        return cls(searched, rows, plan, digest)

    @property
    def matcher(self) -> str:
        return str(self.plan.matcher)

    @property
    def minimum(self) -> int:
        return self.plan.minimum

    @property
    def how(self) -> str:
        return f"sketches of pairs of words compared by {self.matcher}"

    def read_folder(self, _same: Callable[[str], Sequence[str]]) -> Iterator[MemoryCollection]:
        """All documents at once, since their weights are by all."""
        rows = [*_rows(self.searched, self.plan.recipe, self.digest)]
        if not rows and self.searched.errors:
            raise self.searched.errors[0]
        if rows:
            names, sketches = [name for name, _ in rows], Ragged.of([row for _, row in rows])
            part = MemoryCollection(self.plan.recipe, sketches, names)
            table = Table(segment_views(part, self.plan.derivation), self.plan.derivation)
            self._search = BySketches(table, self.plan)
            yield part

    def search(self, _part: MemoryCollection) -> BySketches:
        """The search of all documents."""
        return self._search

    def similar(
        self,
        query: int,
        part: MemoryCollection,  # noqa: ARG002 (of any way)
        search: Any,
    ) -> tuple[Rows, QueryMatches]:
        """The documents that have a score with a query, even 0, and the similar ones."""
        row = self.queries[query][1]
        return search.comparable(row), search.query(row)

    def match(self, query: int, part: MemoryCollection, place: int) -> Match:  # noqa: ARG002 (as above)
        """The exact match of a query and a document."""
        return self._search.match(self.queries[query][1], place)

    def shared_terms(self, *_: Any) -> Sequence[SharedTerm]:
        """Nothing: sketches hold no terms."""
        return ()


def _rows(side: ListedFiles, recipe: RecipeSpec, digest: str) -> Iterator[tuple[str, Row]]:
    """The sketches of a side; files with others are problems of the run, one each."""
    refused: set[str] = set()
    for name, item in side.read_fingerprints():
        file = name.partition("#")[0]
        try:
            yield name, row_of(item, digest, file)
        except MismatchError as error:
            if file not in refused:
                side.note(error, Path(file))
            refused.add(file)
    sketch = build("fingerprints", recipe.fingerprint or PartSpec(SKETCHED))
    for document in side.shingle_documents(recipe, keep_text=False):
        yield document.name, sketch(Ragged.of([document.shingles]))[0]
