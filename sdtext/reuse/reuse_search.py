"""Search for text reuse: within a collection, between two, or of files in either.

Documents of files are read into memory. Texts of the documents of a collection are those that it
keeps, else those of unchanged files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from os import PathLike
from pathlib import Path

import numpy as np

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.stored_collection import OpenCollection, StoredCollection, stored_in
from sdtext.errors import NotTextError, OptionError, UnreadableError
from sdtext.io.remote_files import remote_address
from sdtext.kernels.terms.document_words import DocumentWords
from sdtext.model import Evidence, Problem
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.inputs import InputDocument, Inputs, documents_and_paths
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left
from sdtext.reading.walk import Paths, is_collection
from sdtext.reuse.documents import (
    SENTENCES,
    TEXTS,
    DocumentBatch,
    DocumentInfo,
    DocumentReader,
    MemoryDocuments,
    StoredDocuments,
)
from sdtext.reuse.evidence_builder import EvidenceBuilder
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.mark_boilerplate_passages import most_documents
from sdtext.reuse.question import ReuseQuestion
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import MIN_TERMS
from sdtext.search.find import SAME_COLLECTION, is_same
from sdtext.text.document import Document
from sdtext.wording import counted

ReuseInput = (
    str
    | Path
    | Document
    | Sequence[str | Path | Document]
    | Inputs
    | StoredCollection
    | OpenCollection
)
"""Documents in memory, or in files, folders and archives; or a collection, or its path."""

_Side = MemoryDocuments | StoredDocuments
_Opened = StoredCollection | tuple[list[Document], Inputs | list[Path]]
_PART = "find_reuse"


def find_reuse(  # noqa: PLR0913 (options are spelled out)
    documents: ReuseInput,
    other: ReuseInput | None = None,
    *,
    method: str = "",
    w: int | None = None,
    distance: int | None = None,
    short: bool = False,
    verbatim: bool = False,
    ordered: bool = False,
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
    """The passages that each of some documents shares with each other one, and shares of words.

    Without `other`, those that the documents, such as the files of a folder, share with each other.
    A file is never compared with itself. Where all documents are also among the others, as files of
    a folder there, each is one document of the evidence, and each pair is in it once. `documents`
    are the suspicious ones: coverage is the share of each that is found anywhere in `other`. What
    cannot be read becomes a problem of the `run`. Where no document was long enough to be compared,
    the evidence has a warning. The recipe decides what is not given:

    - `method`: "windows" (of `w` terms, of which `distance` may differ) or "sentences" (whose codes
      differ in at most `distance` bits).
    - `short`: also find short quotations, by windows of 20 terms of which 9 may differ. `verbatim`:
      find nearly equal passages, by windows of 100 terms of which 5 may differ.
    - `ordered`: the terms must come in the same order.
    - `min_passage`: minimum length of a passage in terms.
    - `where`: a condition that selects stored documents (of two collections, of the first), such as
      "year >= 2019".
    - `recipe`: a recipe, its name or its path, in place of that of the collection; its chain must
      be the same.
    - `unit`: "chapter" reports the share of each chapter, too. `edits`: report the edits inside of
      passages. `texts`: the documents of the evidence that share passages have their texts.
    - `exclude_quotes`, `exclude_references`, `template`: passages within quotations, within lists
      of references and in the text of these files do not count.
    - `metadata`: a file of CSV or JSON lines with a row of metadata for each document that is no
      stored one, as for `add`.

    Raises OptionError, also where the search would take too much work; UnreadableError where
    nothing is left to compare; MismatchError where a collection does not store what is needed, or
    its words were made by another chain; FormatError where one is damaged.

    >>> evidence = find_reuse(samples / "union-excerpt.txt", samples / "union.txt")
    >>> [len(pair.passages) for pair in evidence.shared]
    [1]
    """
    question = ReuseQuestion(
        method=method,
        w=w,
        distance=distance,
        short=short,
        verbatim=verbatim,
        ordered=ordered,
        min_passage=min_passage,
        where=where,
        recipe=recipe,
        unit=unit,
        texts=texts,
        exclude_quotes=exclude_quotes,
        exclude_references=exclude_references,
        template=template,
    )
    sides = [_opened(side) for side in (documents, other) if side is not None]
    if metadata is not None and all(isinstance(side, StoredCollection) for side in sides):
        what = "metadata is for documents that are read, but all are stored ones; leave it out"
        raise OptionError(what, place=_PART)
    problems: list[Problem] = []
    stored = [side for side in sides if isinstance(side, StoredCollection)]
    if len(stored) == 2 and is_same(*stored):
        del sides[1], stored[1]
        problems.append(SAME_COLLECTION)
    problems += (problem for collection in stored for problem in collection.problems)
    spec, finder = question.recipe_and_finder(stored)
    run = run or Run()
    run = replace(run, reading=run.reading.preferring(spec.reader))
    wants = question.wants(finder)
    reader = DocumentReader(spec, run.reading, wants)
    quiet = Run(reading=run.reading)  # a template that cannot be read is an error
    template_reader = replace(reader, wants=wants & {SENTENCES})
    templates = [*MemoryDocuments(Inputs(template), (), template_reader, quiet).batches()]
    opened = _read(sides, reader, where, metadata, run)
    builder = EvidenceBuilder(finder, templates, run, edits=edits, within=len(opened) == 1)
    terms = _compare(builder, finder, opened, run)
    on_both_sides = builder.merge_sides()
    compared = sum(map(len, opened)) - on_both_sides
    if compared == 1 and not stored:
        raise _only_one(run)
    builder.settle(compared)
    reader = replace(reader, wants=frozenset({TEXTS}))
    unread = [*_add_texts(builder, opened, reader)] if texts else []
    parameters = question.parameters(spec, finder, stored)
    parameters["boilerplate"] = "short={}, long={}".format(*most_documents(compared))
    how = _description(finder, opened, len(builder.same_files), on_both_sides)
    evidence = builder.evidence(Evidence((), (), (), parameters, how))
    problems += _short_texts(finder.w, opened, terms)
    problems += _of_files(opened)
    problems += finder.problems
    if unit:
        problems += _without_chapters(evidence, opened[1:])
    problems += [*_templates_among(builder.infos, templates), *unread]
    return replace(evidence, problems=tuple(problems))


def _opened(side: ReuseInput) -> _Opened:
    """A collection, or documents in memory and the files to read."""
    if (stored := stored_in(side)) is not None:
        return stored
    if isinstance(side, Inputs):
        return [], side
    if isinstance(side, str | PathLike) and is_collection(side):
        return StoredCollection.open(side)
    return documents_and_paths(side)  # type: ignore[arg-type] # a collection is above


def _read(
    sides: Sequence[_Opened],
    reader: DocumentReader,
    where: str | None,
    metadata: str | Path | None,
    run: Run,
) -> list[_Side]:
    """The documents of each side. Raises UnreadableError where none can be read.

    `where` selects from the first of two collections.
    """
    read: list[_Side] = []
    first = next((side for side in sides if isinstance(side, StoredCollection)), None)
    for side in reversed(sides):  # mostly a collection before the files, which take longer
        if isinstance(side, StoredCollection):
            read.append(StoredDocuments(side, reader.wants, where if side is first else None))
            continue
        held, paths = side
        inputs = paths if isinstance(paths, Inputs) else Inputs(paths, metadata=metadata)
        documents = MemoryDocuments(inputs, held, reader, run)
        if not len(documents):
            raise nothing_left(run, "there is nothing to compare", documents.paths)
        read.append(documents)
    return read[::-1]


class _Progress:
    """Reports how many pairs of documents, of all, are compared; a batch begins `before`."""

    def __init__(self, run: Run, total: float) -> None:
        self._run, self._total, self._reported = run, int(total), 0
        self.before = self.size = 0.0

    def __call__(self, share: float = 0.0) -> None:
        """Report that this share of the current batches is compared."""
        done = int(self.before + share * self.size) - self._reported
        self._reported += done
        self._run.step(done, self._total, COMPARING)


def _compare(
    builder: EvidenceBuilder, finder: PassageFinder, sides: Sequence[_Side], run: Run
) -> list[list[tuple[str, int]]]:
    """Compare the left documents with the right ones, or with each other, batch by batch.

    Returns the names and numbers of terms of the documents of each side, as far as they were seen.
    """
    left, right = sides[0], sides[-1]
    within = len(sides) == 1
    terms: list[list[tuple[str, int]]] = [[] for _ in sides]

    def pairs(finished: int) -> float:
        """The number of pairs once so many of the left documents are compared."""
        if within:
            return (len(left) ** 2 - (len(left) - finished) ** 2) / 2
        return finished * len(right)

    progress, finished = _Progress(run, pairs(len(left))), 0
    for place, batch in enumerate(left.batches()):
        terms[0] += _terms(batch)
        others: Iterable[DocumentBatch | None] = right.batches()
        if within:
            others = chain([None], left.batches(place + 1))
        elif isinstance(right, StoredDocuments) and isinstance(finder, SentenceFinder):
            others = right.among(finder.candidates(batch, right.collection))
        for other in others:
            progress.size = len(batch) ** 2 / 2 if other is None else len(batch) * len(other)
            progress()
            builder.compare(batch, other, progress)
            progress.before += progress.size
            if place == 0 and other is not None and not within:
                terms[1] += _terms(other)
        finished += len(batch)
        progress.before = pairs(finished)  # some others were no candidates
        progress()
    for number, side in enumerate(sides):
        if isinstance(side, MemoryDocuments):
            for batch in side.batches():
                builder.include(batch, number)
    return terms


def _only_one(run: Run) -> OptionError | UnreadableError:
    """The error that there is one document, or that of several files one could be read."""
    unread = {
        problem.path
        for problem in run.problems or ()
        if problem.severity == "error" or problem.category == NotTextError.category
    }
    if unread:
        return UnreadableError(
            f"1 of {len(unread) + 1:,} files could be read; there is nothing to compare it with"
        )
    what = "only one document is given; name what to compare it with: another document, a "
    return OptionError(f"{what}folder or a collection", place=_PART)


def _add_texts(
    builder: EvidenceBuilder, sides: Sequence[_Side], reader: DocumentReader
) -> Iterator[Problem]:
    """Add the texts of stored documents that share passages; a warning where one is gone."""
    for key, (info, words) in builder.sharing.items():
        side = sides[key[0]]
        if isinstance(side, StoredDocuments):  # the others were read with their texts
            text = _stored_text(side.collection, reader, info, words)
            if isinstance(text, Problem):
                yield text
            else:
                builder.add_text(key, text)


def _description(
    finder: PassageFinder, sides: Sequence[_Side], same_files: int, on_both_sides: int
) -> str:
    """The method and how many documents are compared; no file is compared with itself."""
    left, right = len(sides[0]), len(sides[-1])
    others, stored = str(right - on_both_sides), ""
    if len(sides) == 1:
        others = "each other"
    elif left > 1 and left == on_both_sides:
        others = f"{right - 1} others each"
    elif left > 1 and on_both_sides:
        themselves = "itself" if on_both_sides == 1 else "themselves"
        others = f"{right}; {counted(on_both_sides, 'document')} not compared with {themselves}"
    if same_files and len(sides) == 2 and isinstance(sides[1], StoredDocuments):
        whose = "its own stored copy" if same_files == 1 else "their own stored copies"
        stored = f"; {counted(same_files, 'document')} not compared with {whose}"
    return f"{finder.description}; {counted(left, 'document')} compared with {others}{stored}"


def _of_files(sides: Sequence[_Side]) -> Iterator[Problem]:
    """Warnings about a table of metadata that matches no file, and files in other languages."""
    read = [side for side in sides if isinstance(side, MemoryDocuments)]
    tables = [side.table for side in read if side.table]
    if tables and not any(side.has_metadata for side in read):
        yield from tables[0].unused()
    yield from in_other_languages(dict.fromkeys(item for side in read for item in side.foreign))


def _templates_among(
    infos: Sequence[DocumentInfo], templates: Sequence[DocumentBatch]
) -> Iterator[Problem]:
    """A warning about each document that is itself a template."""
    files = {info.origin: info for batch in templates for info in batch.infos}
    for info in infos:
        if info.origin in files and info.is_same_file(files[info.origin]):
            what = "is one of the documents and a template, whose text counts in none of them"
            yield _about(info.examined.name, "excluded-document", what)


def _without_chapters(evidence: Evidence, right: Sequence[_Side]) -> Iterator[Problem]:
    """A warning about each document that has no chapters, and of those that share with these."""
    covered = {coverage.document for coverage in evidence.coverage}
    for coverage in evidence.coverage:
        if len(coverage.parts) < 2 and not any(part.span.title for part in coverage.parts):
            what = "has no headings of chapters; its share is that of the whole text"
            yield _about(evidence.documents[coverage.document].name, "no-chapters", what)
    if any(isinstance(side, MemoryDocuments) for side in right):
        for place in dict.fromkeys(pair.right for pair in evidence.shared):
            document = evidence.documents[place]
            if place not in covered and not any(span.title for span in document.chapters):
                what = "has no headings of chapters; its passages name none"
                yield _about(document.name, "no-chapters", what)


def _about(name: str, category: str, what: str) -> Problem:
    return Problem.at("warning", category, name, what)


def _terms(batch: DocumentBatch) -> Iterator[tuple[str, int]]:
    """The names of documents, and their numbers of terms."""
    names = (info.examined.name for info in batch.infos)
    return zip(names, batch.terms.lengths.tolist(), strict=True)


def _short_texts(
    w: int, sides: Sequence[_Side], terms: Sequence[Sequence[tuple[str, int]]]
) -> Iterator[Problem]:
    """Warnings about documents of fewer than `w` terms: that nothing, or how each is compared.

    `terms` has the names and the numbers of terms of the documents of each side. There is a
    warning for each document that was read, and one for each collection; of a stored right side
    it is not known whether nothing was compared.
    """
    if not w:  # sentences are compared
        return
    least = min(w, MIN_TERMS)
    compared = [sum(length >= least for _, length in own) for own in terms]
    if len(sides) == 1:
        is_nothing, which = compared[0] < min(2, len(sides[0])), "fewer than two documents have"
    else:
        known = compared if isinstance(sides[1], MemoryDocuments) else compared[:1]
        is_nothing, which = not min(known) and len(sides[0]) > 0, "on one side, no document has"
    if is_nothing:
        what = f"nothing was compared: {which} {counted(least, 'term')}; use a shorter window (w)"
        yield Problem("warning", "nothing-compared", what)
    problems: dict[Problem, None] = {}  # a file may be on both sides
    stored: list[Problem] = []
    for side, own in zip(sides, terms, strict=True):
        short = [(name, length) for name, length in own if length < w]
        if isinstance(side, StoredDocuments):
            few = sum(length < MIN_TERMS for _, length in short)
            rest = f"; {few} have fewer than {MIN_TERMS} and are not compared" if few else ""
            name = side.collection.name
            has = (
                f"{counted(len(short), 'document')} with fewer terms than a window of {w}; "
                f"each is compared as one window of all its terms{rest}"
            )
            stored += [Problem.at("warning", "short-text", name, has)] if short else []
            continue
        for name, length in short:
            consequence = f"it is compared as one window of {length}"
            if length < MIN_TERMS:
                consequence = f"texts of fewer than {MIN_TERMS} terms are not compared"
            has = f"has {counted(length, 'term')}, fewer than a window of {w}; {consequence}"
            problems[Problem.at("warning", "short-text", name, has)] = None
    yield from (*problems, *stored)


def _stored_text(
    collection: StoredCollection, reader: DocumentReader, info: DocumentInfo, words: DocumentWords
) -> str | Problem:
    """The text of a stored document, or a warning that says why there is none.

    A file is read again by `reader` only where the collection keeps no texts.
    """
    if collection.keeps_text:
        return collection.text_with_id(info.id)
    name = info.examined.name
    if remote_address(info.path):  # only the user names what is fetched, no collection does
        reason = "its file is at a remote address, which is not fetched again"
    elif (batch := reader([InputDocument("", name, Path(info.path))]).documents) is None:
        reason = "its file cannot be read again"
    elif batch.infos[0].examined.digest != info.examined.digest:
        reason = "its file has changed since it was added"
    else:
        read = batch.words_of(0)
        columns = ((words.starts, read.starts), (words.ends, read.ends))
        if all(np.array_equal(column, other) for column, other in columns):
            return batch.infos[0].examined.text
        reason = "its file is read in another way than when it was added"
    what = (
        f"{reason}, and the collection keeps no texts; its passages are listed without text. "
        "AddDocuments with keep_text keeps texts"
    )
    return _about(name, "no-text", what)
