"""Open collections, which Python programs fill, search and ask for shared passages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any, TypedDict, TypeVar, Unpack, cast
from uuid import uuid4
from weakref import finalize

from sdtext.collections.add import AddedDocuments, add_to
from sdtext.collections.collection_recipe import (
    CollectionSpec,
    complete_recipe,
    with_purpose,
    with_shingle_length,
)
from sdtext.collections.snapshot import Snapshot
from sdtext.collections.stored_collection import Checks, StoredCollection
from sdtext.collections.stored_fingerprints import stored_fingerprints
from sdtext.errors import (
    OptionError,
    UnreadableError,
    brief,
    check_count,
    check_options,
    check_similarity,
    check_type,
    counted,
    naming_arguments,
    shown,
)
from sdtext.fingerprinting.load_and_save import OneOrMore, dictionaries_of
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.io.remote_files import forget_fetched
from sdtext.model import DataSource, Evidence, Fingerprint, Origin, Problem
from sdtext.model.matches import TOLERANCE, least_score
from sdtext.parts.load_recipe import RecipeLike, recipe_from
from sdtext.reading.inputs import HeldInputs, InputDocument, Inputs, check_metadata
from sdtext.reading.options import Reading, checked_reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.records import Fields
from sdtext.reading.records.arrow_frames import ArrowStream, Frame, is_frame
from sdtext.reading.records.record import NoText, record_of
from sdtext.reading.text_arguments import TextOrFile, check_file, document_of_text, warn_of_file
from sdtext.reuse.reuse_plan import ReuseQuestion
from sdtext.reuse.reuse_search import OF_RECORD, ReuseInput, find_reuse
from sdtext.search.compare_texts import SharedPieces
from sdtext.search.find import PreparedSearch, between, within
from sdtext.search.fingerprint_queries import similar_to_files, similar_to_fingerprints
from sdtext.search.results import Hits, Pairs
from sdtext.search.search_plan import Question
from sdtext.text.document import Document

Answer = TypeVar("Answer", Pairs, Hits)
NewItem = str | PathLike[str] | Document | Mapping[str, Any]
"""What can be added: the path of a file or folder, a document in memory, or a record."""
Query = TextOrFile | Mapping[str, Any]
"""What can be searched for: a text, the path of a file, a document in memory, or a record."""

_READING = Reading()
_MOST_PREPARED = 8


@naming_arguments
def open(  # noqa: A001 (as `gzip.open`: `sdtext.open`)
    path: str | Path, *, verify: bool = True, skip_damaged: bool = False
) -> Collection:
    """Open the collection at `path` for searching.

    Each file is verified when this process first reads it, unless `verify` is false. With
    `skip_damaged` all are read at once, and damaged segments are left out: `problems` of the
    collection and of every result say so. Raises UnreadableError if there is no collection,
    FormatError if it is damaged; so do later uses that read more of it.

    >>> import sdtext
    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> from sdtext.collections.stored_collection import NewDocument, DocumentRows
    >>> new = StoredCollection.create(folder / "open.sdx", RecipeSpec(PartSpec("words")))
    >>> with new.writing() as writer:
    ...     ids = writer.add(DocumentRows([NewDocument("bees.txt")], {}))
    >>> with sdtext.open(folder / "open.sdx") as collection:
    ...     len(collection), [document.name for document in collection]
    (1, ['bees.txt'])
    """
    if not isinstance(path, str | PathLike) or not str(path):
        raise OptionError.of("open", "path", path, "the folder of a collection")
    return Collection.open(path, Checks(verify, skip_damaged))


@naming_arguments
def create(
    path: str | Path | None = None,
    *,
    recipe: RecipeLike | None = None,
    purpose: str = "",
    dictionary: OneOrMore = None,
    keep_text: bool = False,
) -> Collection:
    """Create a collection at `path`; its folder appears with the first documents.

    Without a path it is a temporary one, which is removed when it is closed: its files are in a
    folder of your own in that for temporary files (TMPDIR), as it may exceed memory. `recipe` is a
    recipe, the name of one, or the path of its file; the default is that of the `purpose`
    (near-duplicates, passages or dictionary), else that of the (first) `dictionary`, over which
    bit vectors are stored, else `reuse`. The shingle length "auto" is that for short texts.
    With `keep_text` the texts are stored, too. Raises OptionError, or OutputError if something
    is at `path`.

    >>> import sdtext
    >>> with sdtext.create(recipe="short-texts") as collection:
    ...     added = collection.add({"id": 1, "text": "The bees dance in the hive.", "year": 2020})
    ...     hits = collection.similar("bees danced in a hive")
    >>> added.added, [(row.document, row.score) for row in hits.rows]
    (1, [('1', 33)])
    """
    if not (path is None or (isinstance(path, str | PathLike) and str(path))):
        raise OptionError.of("create", "path", path, "the folder to create, or None")
    origin = Origin(str(uuid4()), datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"))
    loaded = tuple(dictionaries_of(dictionary))
    chosen = None if recipe is None else recipe_from(recipe)
    spec = with_purpose(CollectionSpec(chosen, loaded, keep_text, origin=origin, purpose=purpose))
    settled, _ = with_shingle_length(complete_recipe(spec), lambda: 0)
    if path is not None:
        return Collection.create(path, settled, loaded, origin, keeps_text=keep_text)
    folder = mkdtemp(prefix="sdtext-")
    return Collection.create(
        Path(folder, "memory"), settled, loaded, origin, keeps_text=keep_text
    ).removed_when_closed(folder)


class SearchOptions(TypedDict, total=False):
    """Options of `pairs` and `similar`, with the names of those of FindPairs and FindSimilar.

    - `similarity`: the minimum, from 0 to 1.
    - `matcher`: `name` or `name(option=value)`; the default is that of the recipe.
    - `top`: the most rows, of `similar` for each query.
    - `where`: the condition that selects documents of the collection.
    - `recall`: the required probability of finding a pair of that similarity.
    - `recipe`: one in place of the collection's, with the same tokenizer and filters.
    - `estimate`: scores are estimated from sketches, without verification.
    - `index`: bands, columns or scan; the default is that of the recipe, or the faster one.
    - `recommended`: of `similar` alone, matcher and least scores are those that the calibration of
      the dictionary recommends.
    - `explain`: the most shared runs of shingles, or terms, that each row lists.
    """

    similarity: float | None
    matcher: str | None
    top: int | None
    where: str | None
    recall: float | None
    recipe: RecipeLike | None
    estimate: bool
    index: str | None
    recommended: bool
    explain: int


class Collection(StoredCollection):
    """A collection that is filled and searched: what `sdtext.open` and `sdtext.create` return."""

    _remover: finalize[[str, bool], Any] | None = None
    _prepared: _PreparedSearches | None = None

    def __repr__(self) -> str:
        if self._remover is None or self._closed:
            return super().__repr__()
        return f"<{self._name} of {counted(len(self), 'document')}>"

    def removed_when_closed(self, folder: str) -> Collection:
        """The same; `folder` is removed when it is closed, or no longer used."""
        self._remover = finalize(self, rmtree, folder, True)  # noqa: FBT003 (ignore errors)
        self._name = "temporary collection"
        self._when_closed = (
            "the collection is closed, and was removed with that, because it is a temporary one; "
            "fill a new one, or give create() a path to keep it"
        )
        self._checks = Checks(verify=False)  # nobody else has access to it
        return self

    def close(self) -> None:
        """Release the files; every later use raises OptionError."""
        super().close()
        self._prepared = None
        if self._remover:
            self._remover()

    @naming_arguments
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
        be read becomes a problem of the `run`; without one the first is raised. A record whose text
        is empty is a warning, in `problems` of the result. Raises OptionError, UnreadableError,
        MismatchError, OutputError.
        """
        self.check_open()
        check_metadata("add", metadata)
        if isinstance(documents, StoredCollection):
            documents = documents.path
        forget_fetched()
        fields, run = Fields(text_field, id_field), run or _RaisingErrors()
        held: HeldInputs
        paths: list[Path] = []
        if is_frame(documents):
            held = _FrameRows(Frame.of("add", documents, fields), fields, run)
        else:
            items = [documents] if isinstance(documents, _ITEM) else _items(documents)
            held = [*_held(items, fields, run)]
            paths = [Path(item) for item in items if isinstance(item, str | PathLike)]
        try:
            added = add_to(self, Inputs(paths, Fields(text_field), metadata), held, run)
        except UnreadableError as error:
            raise self._explained(error, run) from error
        if isinstance(run, _RaisingErrors):
            added.problems = tuple(run.warnings)
        if self._remover:
            added.collection = Path(self._name)  # its folder is of no use to anybody
        return added

    def _explained(self, error: UnreadableError, run: Run) -> UnreadableError:
        """The error that nothing could be added, with the reason, and without a temporary path."""
        begin = f"{shown(self.path)}: is not created: "
        if not str(error).startswith(begin):
            return error
        what = str(error).removeprefix(begin)
        if isinstance(run, _RaisingErrors) and run.warnings:
            more = f" (and {len(rest):,} more)" if (rest := run.warnings[1:]) else ""
            what = f"{run.warnings[0].message}{more}"
        if self._remover:
            return UnreadableError(what, place="add")
        return UnreadableError(f"is not created: {what}", file=self.path)

    @naming_arguments
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
        known = tuple(self.dictionaries)
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

    @naming_arguments
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
        wanted = "names or numbers of documents"
        check_type("remove", "documents", documents, (int, str, Iterable), wanted)
        named = [documents] if isinstance(documents, int | str) else [*documents]
        problems: list[Problem] = []
        ids = self.selected([*map(str, named)], where, problems.append)
        if problems:
            raise OptionError(f"the collection {problems[0].what}", place="remove")
        return super().remove(sorted(ids)) if ids else 0

    @naming_arguments
    def pairs(
        self,
        other: StoredCollection | str | Path | None = None,
        **options: Unpack[SearchOptions],
    ) -> Pairs:
        """Similar pairs of its documents, or of one of its own and one of another collection.

        `similarity`, 0 to 1, is the minimum; the default is that of the recipe. The other options
        are those of `SearchOptions`. Raises OptionError or MismatchError.
        """
        asked = _Asked.of("pairs", options)
        self.check_open()
        if other is None:
            return asked.explained(asked.at_least(within(self, asked.question)), self)
        if not isinstance(other, str | PathLike | StoredCollection):
            raise OptionError.of("pairs", "other", other, "a collection, or the path of one")
        right = other if isinstance(other, StoredCollection) else StoredCollection.open(other)
        right.check_open()
        pairs = asked.at_least(between(self, right, asked.question))
        return asked.explained(pairs, self, right)

    @naming_arguments
    def similar(
        self,
        query: Query | Fingerprint | Sequence[Query | Fingerprint],
        *,
        reading: Reading | None = None,
        **options: Unpack[SearchOptions],
    ) -> Hits:
        """Its documents that are similar to a query, or to each of several, the best first.

        A string is a text, a `Path` a file, a folder or a file of fingerprints; either may be a
        `Document`, or a record: a mapping with a `text`, and an `id` that names it. Fingerprints
        are compared with the bit vectors over their dictionary, which the collection must have. A
        file of a folder that cannot be read is a problem of the hits. A file that was added to the
        collection is not compared with its own stored copy. `similarity`, 0 to 1, is the minimum;
        without it and `top`, the best 10 that score 3 or more are given. `reading` says how to read
        files, within which limits. The other options are those of `SearchOptions`. Raises
        OptionError, MismatchError or UnreadableError.
        """
        asked = _Asked.of("similar", options)
        self.check_open()
        if fingerprints := _fingerprints(query):
            return asked.at_least(similar_to_fingerprints(self, fingerprints, asked.question))
        if paths := _folders_or_fingerprints(query):
            hits = self._similar_to_files(paths, asked.question, reading)
            return asked.explained(asked.at_least(hits), self)
        search = self._search_for(asked.question)
        texts = cast("Query | Sequence[Query]", query)
        run = Run(reading=_READING if reading is None else checked_reading("similar", reading))
        if not asked.explain:
            return asked.at_least(search(_queries(texts, run.reading), run))
        queries = [*_queries(texts, run.reading)]
        hits = asked.at_least(search(queries, run))
        return asked.explained(hits, self, texts={item.source: item.clean for item in queries})

    def _similar_to_files(
        self, paths: Sequence[Path], question: Question, reading: Reading | None
    ) -> Hits:
        """Its documents that are similar to the files at `paths`, and to fingerprints in them.

        A file that cannot be read is a problem of the hits.
        """
        reading = _READING if reading is None else checked_reading("similar", reading)
        problems: list[Problem] = []
        hits = similar_to_files(self, Inputs(paths), question, Run(1, reading, problems))
        return replace(hits, problems=tuple(dict.fromkeys((*problems, *hits.problems))))

    def _search_for(self, question: Question) -> PreparedSearch:
        """The search for a question, prepared once for the current state of the collection."""
        state = self._state
        if self._prepared is None or self._prepared.state is not state:
            self._prepared = _PreparedSearches(state)
        searches = self._prepared.searches
        if question in searches:
            if state is not None:
                state.hold_documents()
            return searches[question]
        if len(searches) == _MOST_PREPARED:
            searches.clear()
        search = searches[question] = PreparedSearch.of(self, question)
        return search

    @naming_arguments
    def reuse(
        self,
        documents: ReuseInput | None = None,
        question: ReuseQuestion | None = None,
        run: Run | None = None,
        *,
        metadata: str | Path | None = None,
    ) -> Evidence:
        """The passages that documents share with those of the collection, or these with each other.

        A string or `Path` is a file, folder or archive, as everywhere but in `similar`; a
        `Document` is one in memory. `metadata` is a file with that of the documents. As
        `sdtext.find_reuse`, which raises the same.
        """
        self.check_open()
        asked = question or ReuseQuestion()
        if isinstance(documents, str):
            check_file("reuse", "documents", documents)
        is_record = isinstance(documents, Mapping)
        if is_record or not isinstance(documents, Iterable | PathLike | Document | None):
            wanted = f"{_REUSED}; {OF_RECORD}" if is_record else _REUSED
            raise OptionError.of("reuse", "documents", documents, wanted)
        if documents is None:
            return find_reuse(self, None, asked, run, metadata=metadata)
        return find_reuse(documents, self, asked, run, metadata=metadata)


_ITEM = (str, PathLike, Document, Mapping)


@dataclass(frozen=True)
class _RaisingErrors(Run):
    """A run that raises its first error; warnings are kept."""

    warnings: list[Problem] = field(default_factory=list)

    def note(self, problem: Problem) -> None:
        super().note(problem)
        self.warnings.append(problem)


@dataclass(frozen=True)
class _PreparedSearches:
    """Searches that were prepared for one state of a collection."""

    state: Snapshot | None
    searches: dict[Question, PreparedSearch] = field(default_factory=dict)


@dataclass(frozen=True)
class _Asked:
    """The options of a search, as a program gives them; `function` stands in messages."""

    function: str
    similarity: float | None = None
    matcher: str | None = None
    top: int | None = None
    where: str | None = None
    recall: float | None = None
    recipe: RecipeLike | None = None
    estimate: bool = False
    index: str | None = None
    recommended: bool = False
    explain: int = 0

    @classmethod
    def of(cls, function: str, options: SearchOptions) -> _Asked:
        """The options of a function. Raises OptionError for one that there is not."""
        own = ("other",) if function == "pairs" else ("reading",)
        check_options(function, options, (*SearchOptions.__annotations__, *own))
        asked = cls(function, **options)
        check_type(function, "matcher", asked.matcher, (str, type(None)), "the name of a matcher")
        check_type(function, "index", asked.index, (str, type(None)), "the name of an index")
        check_count(function, "explain", asked.explain)
        return asked

    @property
    def question(self) -> Question:
        """The same for a search. Raises OptionError."""
        least = self.similarity
        if least is not None:
            check_similarity(self.function, "similarity", least)
        try:
            return Question(
                None if least is None else least_score(least),
                self.matcher,
                self.top,
                self.where,
                self.recall,
                None if self.recipe is None else recipe_from(self.recipe),
                self.estimate,
                self.index,
                self.recommended,
            )
        except OptionError as error:
            if error.place != "search":
                raise
            raise OptionError(error.what, place=self.function) from error

    def explained(
        self,
        answer: Answer,
        left: StoredCollection,
        right: StoredCollection | None = None,
        texts: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer with what the documents of its rows share, if that is asked for."""
        if not self.explain:
            return answer
        pieces = SharedPieces.of(left, right, self.question, self.explain)
        return replace(pieces, queries=texts or {}).explain(answer)

    def at_least(self, answer: Answer) -> Answer:
        """The rows with the minimum similarity, which integer scores only approximate."""
        if self.similarity is None:
            return answer
        least = self.similarity - TOLERANCE
        rows = tuple(row for row in answer.rows if row.similarity >= least)
        return answer if len(rows) == len(answer.rows) else replace(answer, rows=rows)


def _fingerprints(query: object) -> list[Fingerprint]:
    """The fingerprints, where the queries are such. OptionError where only some are."""
    if isinstance(query, Fingerprint):
        return [query]
    if not isinstance(query, Sequence) or isinstance(query, str):
        return []
    fingerprints = [item for item in query if isinstance(item, Fingerprint)]
    if fingerprints and len(fingerprints) != len(query):
        what = "some items of query are fingerprints and some are not; ask for them in two calls"
        raise OptionError(what, place="similar")
    return fingerprints


def _folders_or_fingerprints(query: object) -> list[Path]:
    """The paths of queries, where each is one, and any is that of a folder or of fingerprints."""
    items = [query] if isinstance(query, PathLike) else query
    if not isinstance(items, list | tuple) or not all(isinstance(item, PathLike) for item in items):
        return []
    paths = [Path(item) for item in items]
    if any(path.is_dir() or kind_of_own_file(Content(path).unpacked_head()) for path in paths):
        return paths
    return []


def _queries(query: Query | Sequence[Query], reading: Reading) -> Iterator[Document]:
    """The documents of queries; texts without a name are named by their places."""
    if isinstance(query, _ITEM):
        yield _query("query", query, "text", reading)
        return
    if not isinstance(query, Iterable):
        raise OptionError.of("similar", "query", query, f"{_QUERY}, or several of these")
    for place, item in enumerate(query):
        yield _query(f"query[{place}]", item, f"text {place}", reading)


def _query(argument: str, given: Query, name: str, reading: Reading) -> Document:
    if isinstance(given, str):
        warn_of_file("similar", argument, given)
        return Document.of(given, name)
    if isinstance(given, Mapping):
        return _query_of_record(argument, given, name)
    document = document_of_text("similar", argument, given, reading)
    return document if document.source else replace(document, source=name)


_QUERY = "a text, an sdtext.Document, the Path of a file or a record such as {'text': '…'}"


def _query_of_record(argument: str, row: Mapping[str, Any], name: str) -> Document:
    """The document of a record, which is named by its id. Raises OptionError."""
    record = record_of(row, Fields(id="id" if "id" in row else ""), 0)
    if isinstance(record, str):
        raise OptionError(f"{argument} {record.partition('; ')[0]}", place="similar")
    return Document.of(record.text, record.name if "id" in row else name)


def _items(documents: object) -> list[NewItem]:
    if not isinstance(documents, Iterable):
        raise OptionError.of("add", "documents", documents, _WANTED)
    return [*documents]


_REUSED = "a path, an sdtext.Document, several of these, or a collection"
_WANTED = "a path, an sdtext.Document, a record such as {'id': 1, 'text': '…'}, or several of these"


def _held(items: Iterable[NewItem], fields: Fields, run: Run) -> Iterator[InputDocument]:
    """The documents and records in memory; one without a text is a problem of the run.

    Raises OptionError, which names the item.
    """
    places: dict[str, int] = {}
    for place, item in enumerate(items):
        if isinstance(item, str | PathLike):
            continue
        held = _held_item(f"documents[{place}]", item, fields)
        if isinstance(held, Problem):
            if run.problems is None and held.severity == "error":
                raise OptionError(f"{held.path} {held.what}", place="add")
            run.note(held)
            continue
        if held.name in places:
            raise OptionError(
                f"documents[{places[held.name]}] and documents[{place}] have the same name, "
                f"{brief(held.name)}",
                place="add",
            )
        places[held.name] = place
        yield held


@dataclass(frozen=True)
class _FrameRows:
    """The rows of a frame as records to add, some of which are Python strings at a time."""

    frame: Frame
    fields: Fields
    run: Run

    def __len__(self) -> int:
        return len(self.frame)

    def __iter__(self) -> Iterator[InputDocument]:
        seen: set[int] = set()  # hashes of names
        for place, row in enumerate(self.frame.rows()):
            record = record_of(row, self.fields, place)
            if isinstance(record, str):
                own_id = row.get(self.fields.id)
                self.run.note(_unusable(f"documents[{place}]", record, own_id))
            elif (key := hash(record.name)) in seen:
                why = f"has the name of an earlier row, {brief(record.name)}"
                self.run.note(_unusable(f"documents[{place}]", why))
            else:
                seen.add(key)
                yield InputDocument("", record.name, text=record.text, metadata=record.metadata)


def _unusable(argument: str, why: str, own_id: object = None) -> Problem:
    """The problem of a record, which may have an id; that it is empty is a warning."""
    if isinstance(why, NoText):
        called = argument if own_id is None else f"{argument} (id {brief(own_id)})"
        return Problem("warning", "empty", f"the text of {called} is empty", argument, why)
    return Problem("error", "unreadable", f"{argument}: {why}", argument, why)


def _held_item(argument: str, item: object, fields: Fields) -> InputDocument | Problem:
    if isinstance(item, Document):
        if not item.source:
            what = f"{argument} has no name; give one: Document.of(text, name='…')"
            raise OptionError(what, place="add")
        return InputDocument("", item.source, document=item)
    if not isinstance(item, Mapping):
        raise OptionError.of("add", argument, item, _WANTED)
    record = record_of(item, fields, 0)
    if isinstance(record, str):
        return _unusable(argument, record, item.get(fields.id))
    return InputDocument("", record.name, text=record.text, metadata=record.metadata)
