"""Search for text reuse: within a collection, between two, or of files in either.

Texts of the documents of a collection are those that it keeps, else those of unchanged files.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import (
    NotTextError,
    OptionError,
    UnreadableError,
    check_type,
    counted,
    naming_arguments,
    shown,
)
from sdtext.io.remote_files import remote_address
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Evidence, Problem
from sdtext.reading.inputs import Inputs, check_metadata
from sdtext.reading.options import literal_pattern
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left
from sdtext.reading.records import holds_records
from sdtext.reading.text_arguments import frames_here
from sdtext.reading.walk import Paths, is_collection, path_list
from sdtext.reuse.evidence_builder import BatchComparer, EvidenceBuilder
from sdtext.reuse.mark_boilerplate_passages import most_documents
from sdtext.reuse.reuse_documents import (
    SENTENCES,
    TEXTS,
    BatchReader,
    CollectionBatches,
    DocumentBatch,
    DocumentInfo,
    FileBatches,
    ReuseFiles,
    UnreadDocument,
)
from sdtext.reuse.reuse_plan import ReusePlan, ReuseQuestion, plan_reuse
from sdtext.reuse.window_finder import MIN_TERMS
from sdtext.search.find import is_same
from sdtext.text.document import Document

ReuseInput = str | Path | Document | Sequence[str | Path | Document] | Inputs | StoredCollection
"""Documents in memory, or in files, folders and archives; or a collection, or its path."""

_DEFAULT_QUESTION = ReuseQuestion()
_INPUTS = (str, PathLike, Document, Iterable, Inputs, StoredCollection)
_WANTED = "a path, an sdtext.Document, several of these, or a collection"
OF_RECORD = "of a record's text, Document.of(record['text'], name=record['id'])"
_SAME_COLLECTION = Problem(
    "warning",
    "same-collection",
    "both are the same collection: its documents are compared with one another, each pair once",
)


@naming_arguments
def find_reuse(
    left: ReuseInput,
    right: ReuseInput | None = None,
    question: ReuseQuestion = _DEFAULT_QUESTION,
    run: Run | None = None,
    *,
    metadata: str | Path | None = None,
) -> Evidence:
    """The passages that each left document shares with each right one, and the shares of words.

    Without `right`, those that the left documents, such as the files of a folder, share with each
    other. A file is never compared with itself. Where all left documents are also on the right, as
    files of a folder there, each is one document of the evidence, and each pair is in it once. The
    left documents are the suspicious ones: coverage is the share of each that is found anywhere on
    the right. What cannot be read becomes a problem of the `run`. `metadata` is a file of CSV or
    JSON lines with a row of metadata for each document that is no stored one, as for `add`. Where
    no document was long enough to be compared, a warning says so, and so does the evidence.

    Raises OptionError, also where the search would take too much work; UnreadableError where
    nothing is left to compare; MismatchError where a collection does not store what is needed, or
    its words were made by another chain; FormatError where one is damaged.

    >>> evidence = find_reuse(samples / "union-excerpt.txt", samples / "union.txt")
    >>> [len(pair.passages) for pair in evidence.shared]
    [1]
    """
    for name, side in (("left", left), ("right", right)):
        if isinstance(side, Mapping):  # a record, whose keys are no paths
            raise OptionError.of("find_reuse", name, side, f"{_WANTED}; {OF_RECORD}")
    check_type("find_reuse", "left", left, _INPUTS, _WANTED)
    check_type("find_reuse", "right", right, (*_INPUTS, type(None)), _WANTED)
    check_type("find_reuse", "question", question, (ReuseQuestion,), "an sdtext.ReuseQuestion")
    check_metadata("find_reuse", metadata)
    left_side = _opened(left, metadata)
    right_side = None if right is None else _opened(right, metadata)
    _check_sides(left_side, right_side, metadata)
    problems: list[Problem] = []
    if (
        isinstance(left_side, StoredCollection)
        and isinstance(right_side, StoredCollection)
        and is_same(left_side, right_side)
    ):
        right_side = None
        problems.append(_SAME_COLLECTION)
    collections = [side for side in (left_side, right_side) if isinstance(side, StoredCollection)]
    plan = plan_reuse(question, collections)
    problems += (problem for collection in collections for problem in collection.problems)
    given, run = run, run or Run()
    run = replace(run, reading=run.reading.preferring(plan.recipe.reader))
    evidence = ReuseSearch.of(plan, left_side, right_side, run).evidence()
    if given is None and (nothing := evidence.nothing_compared):
        warnings.warn(f"find_reuse: {nothing.message}", stacklevel=frames_here())
    return replace(evidence, problems=(*problems, *evidence.problems))


def _check_sides(
    left: StoredCollection | ReuseFiles,
    right: StoredCollection | ReuseFiles | None,
    metadata: object,
) -> None:
    """Raise OptionError for a single document, and for metadata where no document is read."""
    if _is_one_document(left, right):
        raise _only_one_given()
    if metadata is not None and not any(isinstance(side, ReuseFiles) for side in (left, right)):
        what = "metadata is for documents that are read, but all are stored ones; leave it out"
        raise OptionError(what, place="find_reuse")


def _only_one_given() -> OptionError:
    return OptionError(
        "only one document is given; name what to compare it with: another document, a folder or a "
        "collection",
        place="find_reuse",
    )


def _is_one_document(
    left: StoredCollection | ReuseFiles, right: StoredCollection | ReuseFiles | None
) -> bool:
    """Whether both sides are the same file, which is one document."""
    if not (isinstance(left, ReuseFiles) and isinstance(right, ReuseFiles)):
        return False
    if left.documents or right.documents:
        return False
    paths = {os.path.realpath(path) for side in (left, right) for path in _paths(side)}
    return len(paths) == 1 and all(
        os.path.isfile(path) and not holds_records(path)  # noqa: PTH113 (Path.is_file may raise)
        for path in paths
    )


def _paths(files: ReuseFiles) -> list[Path]:
    return path_list(files.inputs.paths)


def _opened(side: ReuseInput, metadata: str | Path | None) -> StoredCollection | ReuseFiles:
    """A collection, or the files and documents to read, with the file of their metadata."""
    if isinstance(side, StoredCollection):
        return side
    if isinstance(side, Inputs):
        return ReuseFiles(side)
    if isinstance(side, str | PathLike) and is_collection(side):
        return StoredCollection.open(side)
    items = [side] if isinstance(side, str | PathLike | Document) else list(side)
    documents = tuple(item for item in items if isinstance(item, Document))
    paths = [item for item in items if not isinstance(item, Document)]
    return ReuseFiles(Inputs(paths, metadata=metadata), documents)


@dataclass(frozen=True)
class ReuseSearch:
    """Compares left documents with right ones, or with each other, batch by batch."""

    plan: ReusePlan
    run: Run
    left: FileBatches | CollectionBatches
    right: FileBatches | CollectionBatches | None = None

    @classmethod
    def of(
        cls,
        plan: ReusePlan,
        left: StoredCollection | ReuseFiles,
        right: StoredCollection | ReuseFiles | None,
        run: Run,
    ) -> ReuseSearch:
        """The search of collections or files.

        Of two collections the question's condition selects from the first.
        """
        where = plan.question.where
        right_where = where if isinstance(left, ReuseFiles) else None
        sides = ((left, where), (right, right_where))
        return cls(
            plan, run, *(_batches(plan, side, own, run) for side, own in sides if side is not None)
        )

    def _only_one_read(self) -> UnreadableError | None:
        """The error that of several files only one could be read; None if there was only one."""
        problems = [
            problem
            for problem in self.run.problems or ()
            if problem.severity == "error" or problem.category == NotTextError.category
        ]
        if not problems:
            return None
        number = len({problem.path for problem in problems}) + 1
        return UnreadableError(
            f"1 of {number:,} files could be read; there is nothing to compare it with"
        )

    def evidence(self) -> Evidence:
        """The result. Raises UnreadableError where nothing can be compared."""
        if isinstance(self.right, FileBatches):
            self.right.read()
        progress = _Progress(self.run, self.left, self.right)
        plan = replace(self.plan, finder=self.plan.finder.reporting(progress.within_batch))
        comparer = BatchComparer(plan, _templates(self.plan, self.run), self.run)
        builder = EvidenceBuilder(comparer, within=self.right is None)
        short = _ShortTexts(self.plan.finder.window)
        self._compare(builder, short, progress)
        for side, batch in self._file_batches():
            builder.include(batch, side)
        if self.right is None and isinstance(self.left, FileBatches) and self.left.documents == 1:
            raise self._only_one_read() or _only_one_given()
        on_both_sides = builder.merge_sides()
        compared = self.left.documents + (self.right.documents if self.right else 0) - on_both_sides
        limits = "short={}, long={}".format(*most_documents(compared))
        parameters = {**self.plan.parameters, "boilerplate": limits}
        how = self._description(len(builder.same_files), on_both_sides)
        builder.settle(compared)
        unread = list(self._add_texts(builder)) if self.plan.question.texts else []
        evidence = builder.evidence(Evidence((), (), (), parameters, how))
        nothing = short.nothing_compared(self.left, self.right)
        problems = [*([nothing] if nothing else ()), *self._problems(short, evidence)]
        excluded = self._excluded_documents(builder.infos, comparer)
        return replace(evidence, problems=(*problems, *excluded, *unread))

    def _compare(self, builder: EvidenceBuilder, short: _ShortTexts, progress: _Progress) -> None:
        """Compare all batches, and count the short texts among their documents."""
        for place, batch in enumerate(self.left.batches()):
            short.count(batch, self.left)
            for other in self._others(place, batch):
                progress.begin(batch, other)
                builder.compare(batch, other)
                if place == 0:
                    short.count(other, self.right)
            progress.finish(batch)

    def _others(self, place: int, batch: DocumentBatch) -> Iterator[DocumentBatch | None]:
        """What a left batch is compared with; None stands for itself."""
        if self.right is None:
            yield None
            yield from self.left.batches(place + 1)
        elif isinstance(self.right, CollectionBatches):
            ids = self.plan.finder.candidates(batch, self.right.collection)
            yield from self.right.batches() if ids is None else self.right.among(ids)
        else:
            yield from self.right.batches()

    def _file_batches(self) -> Iterator[tuple[int, DocumentBatch]]:
        """The documents that were read from files, with their sides. Raises UnreadableError."""
        for number, side in enumerate((self.left, self.right)):
            if isinstance(side, FileBatches):
                if not side.documents:
                    raise self._nothing_left(side.paths)
                yield from ((number, batch) for batch in side.batches())

    def _nothing_left(self, paths: Paths) -> UnreadableError:
        """The error about a side without documents."""
        error = nothing_left(self.run, "there is nothing to compare", paths)
        if "is a <fingerprint" in str(error):
            error.append("; CompareDirectory compares fingerprints")
        return error

    def _add_texts(self, builder: EvidenceBuilder) -> Iterator[Problem]:
        """Add the texts of stored documents that share passages; a warning where one is gone."""
        reader = BatchReader(self.plan.recipe, self.run.reading, frozenset({TEXTS}))
        for number, side in enumerate((self.left, self.right)):
            if not isinstance(side, CollectionBatches):
                continue  # the documents were read with their texts
            texts = StoredTexts(side.collection, reader)
            for info, words in builder.with_passages(number):
                text = texts(info, words)
                if isinstance(text, Problem):
                    yield text
                else:
                    builder.add_text(number, info.id, text)

    def _problems(self, short: _ShortTexts, evidence: Evidence) -> Iterator[Problem]:
        """Warnings about metadata, languages, omitted matches, short texts, missing chapters."""
        read = [side for side in (self.left, self.right) if isinstance(side, FileBatches)]
        if not any(side.has_metadata for side in read):
            for side in read[:1]:
                yield from side.unused()
        yield from in_other_languages(dict.fromkeys(item for side in read for item in side.foreign))
        yield from self.plan.finder.problems
        yield from short.problems()
        if self.plan.question.unit:
            yield from _without_chapters(evidence)
            if isinstance(self.right, FileBatches):
                yield from _others_without_chapters(evidence)

    def _excluded_documents(
        self, infos: Iterable[DocumentInfo], comparer: BatchComparer
    ) -> Iterator[Problem]:
        """A warning about each document that is itself a file whose text does not count."""
        excluded = {info.origin: info for batch in comparer.templates for info in batch.infos}
        sides = [side for side in (self.left, self.right) if isinstance(side, FileBatches)]
        for info in infos:
            if info.origin in excluded and info.is_same_file(excluded[info.origin]):
                name = info.examined.name
                remedy = _how_to_leave_out(info, [path_list(side.paths) for side in sides])
                what = (
                    f"is one of the documents, and its text does not count in any of them{remedy}"
                )
                yield Problem("warning", "excluded-document", f"{shown(name)}: {what}", name, what)

    def _description(self, same_files: int, on_both_sides: int) -> str:
        """The method and how many documents are compared; no file is compared with itself."""
        compared = counted(self.left.documents, "document")
        others = "each other"
        if self.right is not None:
            others = _number_of_others(self.left.documents, self.right.documents, on_both_sides)
        stored = ""
        if same_files and isinstance(self.right, CollectionBatches):
            whose = "its own stored copy" if same_files == 1 else "their own stored copies"
            stored = f"; {counted(same_files, 'document')} not compared with {whose}"
        return f"{self.plan.finder.description}; {compared} compared with {others}{stored}"


def _number_of_others(left: int, right: int, on_both_sides: int) -> str:
    """With how many right documents the left ones are compared, of which some are left ones.

    >>> _number_of_others(1, 60, 1), _number_of_others(6, 60, 6)
    ('59', '59 others each')
    >>> _number_of_others(60, 6, 6)
    '6; 6 documents not compared with themselves'
    """
    if left == 1:
        return str(right - on_both_sides)
    if left == on_both_sides:
        return f"{right - 1} others each"
    if not on_both_sides:
        return str(right)
    themselves = "itself" if on_both_sides == 1 else "themselves"
    return f"{right}; {counted(on_both_sides, 'document')} not compared with {themselves}"


def _how_to_leave_out(info: DocumentInfo, sides: Iterable[Sequence[Path]]) -> str:
    """How a document that is named itself, or in a folder that is named, is left out."""
    remedies: dict[str, None] = {}
    for path in (path for side in sides for path in side):
        place = Path(os.path.realpath(path))
        if str(place) == info.file:
            remedies["do not name it"] = None
        elif place in Path(info.file).parents and os.path.lexists(info.file):
            pattern = literal_pattern(Path(info.file).relative_to(place).as_posix())
            remedies[f"exclude {pattern!r}"] = None
    return f"; to leave out this document alone, {' and '.join(remedies)}" if remedies else ""


def _without_chapters(evidence: Evidence) -> Iterator[Problem]:
    """A warning about each document that has no chapters."""
    for coverage in evidence.coverage:
        if len(coverage.parts) < 2 and not any(part.span.title for part in coverage.parts):
            what = "has no headings of chapters; its share is that of the whole text"
            yield _about(evidence.documents[coverage.document].name, what)


def _others_without_chapters(evidence: Evidence) -> Iterator[Problem]:
    """A warning about each document that shares passages with these, and has no chapters."""
    covered = {coverage.document for coverage in evidence.coverage}
    for place in dict.fromkeys(pair.right for pair in evidence.shared):
        document = evidence.documents[place]
        if place not in covered and not any(span.title for span in document.chapters):
            yield _about(document.name, "has no headings of chapters; its passages name none")


def _about(name: str, what: str) -> Problem:
    """The warning that a document has no chapters."""
    return Problem("warning", "no-chapters", f"{shown(name)}: {what}", name, what)


def _batches(
    plan: ReusePlan, side: StoredCollection | ReuseFiles, where: str | None, run: Run
) -> FileBatches | CollectionBatches:
    if isinstance(side, StoredCollection):
        return CollectionBatches(side, plan.wants, where)
    return FileBatches(side, BatchReader(plan.recipe, run.reading, plan.wants), run)


def _templates(plan: ReusePlan, run: Run) -> list[DocumentBatch]:
    """Text that does not count. Raises UnreadableError where a file cannot be read."""
    files = ReuseFiles(Inputs(plan.question.exclude))
    reader = BatchReader(plan.recipe, run.reading, plan.wants & {SENTENCES})
    return list(FileBatches(files, reader, Run(reading=run.reading)).batches())


class _Progress:
    """Reports how many pairs of documents are compared."""

    def __init__(
        self,
        run: Run,
        left: FileBatches | CollectionBatches,
        right: FileBatches | CollectionBatches | None,
    ) -> None:
        self._run, self._left, self._right = run, left, right
        self._finished = 0  # left documents that are compared with all others
        self._before = self._current = 0.0  # pairs compared, and those of the current batches
        self._reported = 0

    def begin(self, batch: DocumentBatch, other: DocumentBatch | None) -> None:
        """Begin to compare two batches, or one with itself."""
        self._before += self._current
        self._current = len(batch) ** 2 / 2 if other is None else len(batch) * len(other)
        self.within_batch(0)

    def within_batch(self, share: float) -> None:
        """Report that this share of the current batches is compared."""
        self._report(self._before + share * self._current)

    def finish(self, batch: DocumentBatch) -> None:
        """End the comparison of a batch with all others, of which some were no candidates."""
        self._finished += len(batch)
        self._before, self._current = self._pairs(self._finished), 0.0
        self._report(self._before)

    def _pairs(self, finished: int) -> float:
        """The number of pairs once so many of the left documents are compared."""
        if self._right is not None:
            return finished * self._right.documents
        count = self._left.documents
        return (count**2 - (count - finished) ** 2) / 2

    def _report(self, compared: float) -> None:
        done = int(compared) - self._reported
        self._reported += done
        self._run.step(done, int(self._pairs(self._left.documents)), COMPARING)


class _ShortTexts:
    """Collects warnings about documents of fewer than `w` terms; with 0 there are none."""

    def __init__(self, w: int) -> None:
        self._w = w
        self._least = min(w, MIN_TERMS)
        self._compared: Counter[int] = Counter()  # documents of each side, by its identity
        self._problems: list[Problem] = []
        self._stored: dict[str, list[int]] = {}

    def count(
        self, batch: DocumentBatch | None, side: FileBatches | CollectionBatches | None
    ) -> None:
        """Count the short documents of a batch of a side."""
        if batch is None or side is None or not self._w:
            return
        lengths = batch.terms.lengths.tolist()
        self._compared[id(side)] += sum(length >= self._least for length in lengths)
        short = [place for place, length in enumerate(lengths) if length < self._w]
        if isinstance(side, CollectionBatches):
            name = side.collection.name
            self._stored.setdefault(name, []).extend(lengths[place] for place in short)
            return
        for place in short:
            self._problems.append(self._warning(batch.infos[place].examined.name, lengths[place]))

    def _warning(self, name: str, length: int) -> Problem:
        """The warning about a document that was read from a file."""
        consequence = f"it is compared as one window of {length}"
        if length < MIN_TERMS:
            consequence = f"texts of fewer than {MIN_TERMS} terms are not compared"
        message = (
            f"{shown(name)}: has {counted(length, 'term')}, fewer than a window of {self._w}; "
            f"{consequence}"
        )
        return Problem("warning", "short-text", message, name)

    def nothing_compared(
        self, left: FileBatches | CollectionBatches, right: FileBatches | CollectionBatches | None
    ) -> Problem | None:
        """A warning if all documents of a side are too short; of a stored right side, not known."""
        sides = [left, *([right] if isinstance(right, FileBatches) else [])]
        compared = min(self._compared[id(side)] for side in sides)
        if right is None:
            is_nothing, which = compared < min(2, left.documents), "fewer than two documents have"
        else:
            is_nothing, which = not compared and left.documents > 0, "on one side, no document has"
        if not (self._w and is_nothing):
            return None
        what = f"nothing was compared: {which} {counted(self._least, 'term')}"
        return Problem("warning", "nothing-compared", f"{what}; use a shorter window (w)")

    def problems(self) -> Iterator[Problem]:
        """A warning for each document that was read from a file, and one for each collection."""
        yield from dict.fromkeys(self._problems)  # a file may be on both sides
        for name, lengths in self._stored.items():
            if not lengths:
                continue
            few = sum(length < MIN_TERMS for length in lengths)
            rest = f"; {few} have fewer than {MIN_TERMS} and are not compared" if few else ""
            message = (
                f"{name}: {counted(len(lengths), 'document')} with fewer terms than a window of "
                f"{self._w}; each is compared as one window of all its terms{rest}"
            )
            yield Problem("warning", "short-text", message, name)


@dataclass(frozen=True)
class StoredTexts:
    """The texts of stored documents, into which the offsets of their words lead.

    A file is read again by `reader` only where the collection keeps no texts.
    """

    collection: StoredCollection
    reader: BatchReader

    def __call__(self, info: DocumentInfo, words: DocumentWords) -> str | Problem:
        """The text of a document, or a warning that says why there is none."""
        if self.collection.keeps_text:
            return self.collection.text_with_id(info.id)
        if remote_address(info.path):  # only the user names what is fetched, no collection does
            return _warning(info, "its file is at a remote address, which is not fetched again")
        read = self.reader([UnreadDocument(info.examined.name, Path(info.path))])
        if read.documents is None:
            return _warning(info, "its file cannot be read again")
        examined = read.documents.infos[0].examined
        if examined.digest != info.examined.digest:
            return _warning(info, "its file has changed since it was added")
        if not _are_equal(words, read.documents.words_of(0)):
            return _warning(info, "its file is read in another way than when it was added")
        return examined.text


def _warning(info: DocumentInfo, reason: str) -> Problem:
    what = (
        f"{reason}, and the collection keeps no texts; its passages are listed without text. "
        "AddDocuments with keep_text keeps texts"
    )
    name = info.examined.name
    return Problem("warning", "no-text", f"{shown(name)}: {what}", name, what)


def _are_equal(words: DocumentWords, others: DocumentWords) -> bool:
    """Whether all words have the same offsets."""
    columns = ((words.starts, others.starts), (words.ends, others.ends))
    return all(np.array_equal(column, other) for column, other in columns)
