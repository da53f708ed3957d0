"""Open collections, which Python programs fill, search and ask for shared passages.

The search and the passages are rooms above this one; nothing in them imports this module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any
from uuid import uuid4
from weakref import finalize, proxy

from sdtext.collections.add import AddedDocuments, add_to
from sdtext.collections.collection_recipe import CollectionSpec, settled_recipe
from sdtext.collections.document_types import StoredDocument
from sdtext.collections.storage.collection_meta import CollectionMeta
from sdtext.collections.stored_collection import StoredCollection
from sdtext.collections.stored_fingerprints import stored_fingerprints
from sdtext.errors import OptionError
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.io.remote_files import forget_fetched
from sdtext.model import DataSource, Evidence, Fingerprint, Origin, Problem
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import Fields, InputDocument, problem_kind, record_of
from sdtext.reading.walk import Paths
from sdtext.reuse.reuse_search import ReuseInput, find_reuse
from sdtext.search.find import search_pairs
from sdtext.search.results import Hits, Pairs
from sdtext.search.search_plan import Question
from sdtext.search.similar_documents import (
    PreparedSearch,
    joined_hits,
    search_files,
    search_fingerprints,
)
from sdtext.text.document import Document
from sdtext.wording import brief

Record = Mapping[str, Any]
NewItem = str | PathLike[str] | Document | Record
"""What can be added: the path of a file or folder, a document in memory, or a record."""
Query = str | PathLike[str] | Document | Record | Fingerprint
"""What can be searched for: the same, or a fingerprint."""

_MOST_PREPARED = 8


def open(  # noqa: A001 (as `gzip.open`: `sdtext.open`)
    path: str | Path, *, verify: bool = True, skip_damaged: bool = False
) -> Collection:
    """Open the collection at `path` for searching.

    Each file is verified when this process first reads it, unless `verify` is false. With
    `skip_damaged` all are read at once, and damaged segments are left out: `problems` of the
    collection and of every result say so. Raises UnreadableError if there is no collection,
    FormatError if it is damaged; so do later uses that read more of it.

    >>> import sdtext
    >>> with sdtext.create(folder / "open.sdx", recipe="short-texts") as collection:
    ...     _ = collection.add({"id": "bees", "text": "The bees dance in the hive."})
    >>> with sdtext.open(folder / "open.sdx") as collection:
    ...     len(collection), [document.name for document in collection]
    (1, ['bees'])
    """
    return Collection.open(path, verify=verify, skip_damaged=skip_damaged)


def create(
    path: str | Path | None = None,
    *,
    recipe: RecipeLike | None = None,
    dictionary: OneOrMore = None,
    keep_text: bool = False,
) -> Collection:
    """Create a collection at `path`; its folder appears with the first documents.

    Without a path it is a temporary one, which is removed when it is closed: its files are in a
    folder of your own in that for temporary files (TMPDIR), as it may exceed memory. `recipe` is a
    recipe, the name of one, or the path of its file; the default is that of the (first)
    `dictionary`, over which bit vectors are stored, else `reuse`. The shingle length "auto" is that
    for short texts. With `keep_text` the texts are stored, too. Raises OptionError, or OutputError
    if something is at `path`.

    >>> import sdtext
    >>> with sdtext.create(recipe="short-texts") as collection:
    ...     added = collection.add({"id": 1, "text": "The bees dance in the hive.", "year": 2020})
    ...     hits = collection.similar(sdtext.Document.of("bees danced in a hive"))
    >>> added.added, [(row.document, row.score) for row in hits.rows]
    (1, [('1', 33)])
    """
    origin = Origin(str(uuid4()), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    dictionaries = tuple(dictionaries_of(dictionary))
    chosen = None if recipe is None else recipe_from(recipe)
    spec = CollectionSpec(chosen, dictionaries, keep_text)
    whole = settled_recipe(spec, lambda: 0)
    folder = mkdtemp(prefix="sdtext-") if path is None else ""
    at, temporary = path or Path(folder, "memory"), path is None
    collection = Collection.create(
        at, whole, dictionaries, origin, keeps_text=keep_text, temporary=temporary
    )
    if folder:
        collection._remover = finalize(collection, rmtree, folder, True)  # noqa: FBT003 (ignore errors)
    return collection


class Collection(StoredCollection):
    """A collection that a program fills and searches.

    `add`, `remove` and `compact` change it; `pairs`, `similar` and `reuse` search it; `documents`,
    `text`, `texts` and `fingerprints` give what it stores, and so do `len` and iteration; `verify`
    checks it, and `close` releases it, and removes a temporary one. `path` is its folder, `guid`
    its identifier; `recipe` and `dictionaries` are those of its columns, and `problems` has a
    warning for each damaged segment that is left out. Other names are for parts of sdtext.
    """

    _remover: Callable[[], object] | None = None

    def __init__(
        self, path: str | Path, meta: CollectionMeta | None = None, **options: bool
    ) -> None:
        super().__init__(path, meta, **options)
        self._prepared: tuple[object, dict[Question, PreparedSearch]] = (None, {})

    def close(self) -> None:
        """Release the files; every later use raises OptionError."""
        super().close()
        self._prepared = (None, {})
        if self._remover:
            self._remover()

    def text(self, name: str) -> str:
        """The stored text of the document called `name`, as it was read: its `Document.text`.

        `name` may also be an id. Raises OptionError if no document, or more than one, has that
        name, MismatchError if the collection stores no texts, FormatError if it is damaged.
        """
        ids, problems = self.selected([name])
        if problems:
            raise OptionError(problems[0].message)
        return self.text_with_id(ids.pop())

    def texts(self, where: str | None = None) -> Iterator[tuple[StoredDocument, str]]:
        """Its documents, or those that `where` selects, each with its stored text.

        Raises as `text` does.
        """
        self.check_keeps_text()
        return ((document, self.text_of(document)) for document in self.documents(where))

    def add(
        self,
        documents: NewItem | StoredCollection | ArrowStream | Iterable[NewItem],
        *,
        text_field: str = "text",
        id_field: str = "id",
        metadata: str | Path | None = None,
        run: Run | None = None,
    ) -> AddedDocuments:
        """Add documents: all, or none if this raises.

        A string or `Path` is a file, a folder, an archive, a file of records or of fingerprints, or
        another collection; a `Document` has a name; a mapping is a record with a text, an id, and
        metadata; a frame (an Arrow stream or a dataset, as of `deduplicate`) has records as rows.
        `metadata` is a file of CSV or JSON lines with a row for each document, which it names by
        its path below the folder, or the last part of it, in `document`, `file`, `path` or the
        first column.
        A document replaces the stored one of its name, unless both are equal. What cannot
        be read becomes a problem of the `run`; without one the first is raised. Raises
        UnreadableError, OptionError, MismatchError, OutputError.
        """
        self.check_open()
        forget_fetched()
        fields, run = Fields(text_field, id_field), run or Run()
        items: list[Any] = []
        if is_frame(documents):
            frame = Frame.of("add", documents, fields)
            rows = frame.rows(fields.text, others=True)
            held: tuple[int, Iterable[InputDocument]] = len(frame), _held(rows, fields, run)
        else:
            if isinstance(documents, StoredCollection):
                documents = documents.path
            items = [documents] if isinstance(documents, _ITEM) else [*documents]  # type: ignore[misc] # a frame is above
            others = [*_held((it for it in items if not isinstance(it, _PATH)), fields, run)]
            held = len(others), others
        paths = [Path(item) for item in items if isinstance(item, _PATH)]
        added = add_to(self, Inputs(paths, Fields(text_field), metadata), held, run)
        if self._remover:
            added.collection = Path(self.name)  # its folder is of no use to anybody
        return added

    def remove(
        self, documents: int | str | Iterable[int | str] = (), *, where: str | None = None
    ) -> int:
        """Remove documents by name or number, and those that meet a condition; returns how many.

        As in RemoveDocuments, an integer is first a name (3 means the record with the id 3, called
        "3"); only where no document has it, it is the number of the document in the collection,
        from 1: `StoredDocument.id`. Raises OptionError for a name that no document has, or several
        have; OutputError.
        """
        self.check_open()
        names = [documents] if isinstance(documents, int | str) else [*documents]
        ids, problems = self.selected([*map(str, names)], where)
        if problems:
            raise OptionError(problems[0].message, place="remove")
        return self.remove_ids(sorted(ids)) if ids else 0

    def fingerprints(
        self, *, where: str | None = None, names: bool = True
    ) -> Iterator[Fingerprint]:
        """Its documents, or those that meet a condition, as fingerprints, one by one.

        They are made of the stored bit vectors; `save` writes them. Without `names` they do not
        contain the names of documents and dictionaries, as by the profile minimal. Raises
        OptionError, MismatchError if the collection has no bit vectors, FormatError if it is
        damaged.

        >>> import sdtext
        >>> with sdtext.create(dictionary="english") as collection:
        ...     _ = collection.add({"id": "bees", "text": "The bees dance in the hive."})
        ...     prints = [*collection.fingerprints()]
        >>> prints[0].source.filename, prints[0].vectors[0].count
        ('bees', 3)
        """
        self.check_open()
        stored = stored_fingerprints(self, None, where)
        known = self.dictionaries
        if names:
            return (
                replace(item, source=DataSource(document.name), with_dictionaries=known)
                for document, item in stored
            )
        bare = tuple(replace(item.reference(), name="") for item in known)
        return (
            replace(item, dictionaries=bare, with_dictionaries=known, document=document.name)
            for document, item in stored
        )

    def pairs(
        self,
        other: StoredCollection | str | Path | None = None,
        *,
        similarity: float | None = None,
        matcher: str | None = None,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        recipe: RecipeLike | None = None,
        index: str | None = None,
        estimate: bool = False,
        explain: int = 0,
    ) -> Pairs:
        """Similar pairs of its documents, or of one of its own and one of another collection.

        - `similarity`: the minimum, from 0 to 1; the default is that of the recipe.
        - `matcher`: `name` or `name(option=value)`; the default is that of the recipe.
        - `top`: the most pairs.
        - `where`: the condition that selects documents of this collection.
        - `recall`: the required probability of finding a pair of that similarity.
        - `recipe`: one in place of the collection's, with the same tokenizer and filters.
        - `index`: bands, columns or scan; the default is that of the recipe, or the faster one.
        - `estimate`: scores are estimated from sketches, without verification.
        - `explain`: the most shared runs of shingles, or terms, that each row lists.

        Raises OptionError, MismatchError or FormatError.
        """
        question = self._question(
            similarity,
            recipe,
            matcher=matcher,
            top=top,
            where=where,
            recall=recall,
            index=index,
            estimate=estimate,
            explain=explain,
        )
        right = (
            other if isinstance(other, StoredCollection | None) else StoredCollection.open(other)
        )
        if right is not None:
            right.check_open()
        return search_pairs(self, question, right)

    def similar(
        self,
        query: Query | Sequence[Query],
        *,
        similarity: float | None = None,
        matcher: str | None = None,
        top: int | None = None,
        where: str | None = None,
        recall: float | None = None,
        recipe: RecipeLike | None = None,
        index: str | None = None,
        estimate: bool = False,
        recommended: bool = False,
        explain: int = 0,
        run: Run | None = None,
    ) -> Hits:
        """Its documents that are similar to a query, or to each of several, the best first.

        A string or `Path` is a file, a folder, a file of records or of fingerprints; a text is
        given as `Document.of(text)`, or as a record: a mapping with a `text`, and an `id` that
        names it. Fingerprints are compared with the bit vectors over their dictionary, which the
        collection must have. A file that cannot be read is a problem of the hits. A file that was
        added to the collection is not compared with its own stored copy. Without `similarity` and
        `top`, the best 10 that score 3 or more, or share rare shingles, are given. With
        `recommended`, matcher and least scores are those that the calibration of the dictionary
        recommends. The other options are those of `pairs`. Raises OptionError, MismatchError or
        UnreadableError.
        """
        question = self._question(
            similarity,
            recipe,
            matcher=matcher,
            top=top,
            where=where,
            recall=recall,
            index=index,
            estimate=estimate,
            recommended=recommended,
            explain=explain,
        )
        run = run.anew() if run else Run(problems=[])
        items: list[Any] = [query] if isinstance(query, (*_ITEM, Fingerprint)) else [*query]
        paths = [Path(item) for item in items if isinstance(item, _PATH)]
        prints = [item for item in items if isinstance(item, Fingerprint)]
        texts = [
            _query(item, f"text {place}" if len(items) > 1 else "text")
            for place, item in enumerate(items)
            if isinstance(item, Document | Mapping)
        ]
        parts = search_files(self, Inputs(paths), question, run) if paths else []
        if prints:
            parts.append(search_fingerprints(self, prints, question, run))
        if texts or not parts:
            parts.append(self._search_for(question)(texts, run))
        return joined_hits(parts, self, question, run, texts)

    def _question(
        self, similarity: float | None, recipe: RecipeLike | None, **options: Any
    ) -> Question:
        self.check_open()
        return Question.of(
            similarity, recipe=None if recipe is None else recipe_from(recipe), **options
        )

    def _search_for(self, question: Question) -> PreparedSearch:
        """The search for a question, prepared once for the current state of the collection."""
        state = self.catalog
        if self._prepared[0] is not state:
            self._prepared = (state, {})
        searches = self._prepared[1]
        if question in searches:
            return searches[question]
        if len(searches) == _MOST_PREPARED:
            searches.clear()
        # By a proxy: a collection that referred to itself would stay in memory, and on disk.
        search = searches[question] = PreparedSearch.of(proxy(self), question)
        return search

    def reuse(
        self,
        documents: ReuseInput | None = None,
        *,
        method: str = "",
        w: int | None = None,
        distance: int | None = None,
        min_passage: int | None = None,
        where: str | None = None,
        recipe: RecipeLike | None = None,
        unit: str | None = None,
        edits: bool = True,
        texts: bool = False,
        exclude_quotes: bool = False,
        exclude_references: bool = False,
        template: Paths = (),
        metadata: str | Path | None = None,
        run: Run | None = None,
    ) -> Evidence:
        """The passages that documents share with those of the collection, or these with each other.

        `documents` are paths of files, folders and archives, and Documents in memory, or another
        collection; `where` is a condition that selects documents of this collection. The other
        options are those of `sdtext.find_reuse`, which raises the same.
        """
        self.check_open()
        return find_reuse(
            self if documents is None else documents,
            None if documents is None else self,
            method=method,
            w=w,
            distance=distance,
            min_passage=min_passage,
            where=where,
            recipe=recipe,
            unit=unit,
            edits=edits,
            texts=texts,
            exclude_quotes=exclude_quotes,
            exclude_references=exclude_references,
            template=template,
            metadata=metadata,
            run=run,
        )


_PATH = (str, PathLike)
_ITEM = (*_PATH, Document, Mapping)


def _query(item: Document | Record, name: str) -> Document:
    """The document of a query in memory; one without a name or an id is called `name`."""
    if isinstance(item, Document):
        return item if item.source else replace(item, source=name)
    record = record_of(item, Fields(id="id" if "id" in item else ""), 0)
    if isinstance(record, str):
        raise OptionError(f"query: {record}", place="similar")
    return Document.of(record.text, record.name if "id" in item else name)


def _held(items: Iterable[Document | Record], fields: Fields, run: Run) -> Iterator[InputDocument]:
    """Documents and records in memory, or rows of a frame; what holds no text is a problem."""
    places: dict[int, int] = {}  # by hashes of names: a frame may have many rows
    for place, item in enumerate(items):
        if not isinstance(item, Document):
            new = record_of(item, fields, place)
        elif item.source:
            new = InputDocument("", item.source, document=item)
        else:
            new = "has no name; give one: Document.of(text, name='…')"
        if isinstance(new, InputDocument):
            first = places.setdefault(hash(new.name), place)
            if first == place:
                yield new
                continue
            new = f"has the same name as documents[{first}], {brief(new.name)}"
        argument = f"documents[{place}]"
        run.note(Problem(*problem_kind(new), f"{argument} {new}", argument, new))
