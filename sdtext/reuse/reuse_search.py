"""Search for text reuse: within a collection, between two, or of files in either.

`find_reuse` opens collections and reads files into memory (`_sides`), compares them batch by batch
(`_compare`), and has an `EvidenceBuilder` make the evidence of the passages. Warnings follow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.read_into_memory import read_into_memory
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.stored_collection import OpenCollection, StoredCollection, stored_in
from sdtext.errors import NotTextError, OptionError, UnreadableError
from sdtext.model import Evidence, Problem
from sdtext.parts.load_recipe import RecipeLike
from sdtext.reading.inputs import DocumentInputs, Inputs, MetadataTable, documents_and_paths
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left
from sdtext.reading.walk import Paths, is_collection
from sdtext.reuse.document_batch import DocumentBatch, DocumentInfo
from sdtext.reuse.documents import SENTENCES, Documents, columns_for
from sdtext.reuse.evidence_builder import EvidenceBuilder
from sdtext.reuse.mark_boilerplate_passages import most_documents
from sdtext.reuse.question import ReuseQuestion
from sdtext.reuse.window_finder import MIN_TERMS
from sdtext.search.find import SAME_COLLECTION, is_same
from sdtext.wording import counted

ReuseInput = DocumentInputs | StoredCollection | OpenCollection
"""Documents in memory, or in files, folders and archives; or a collection, or its path."""

_PART = "find_reuse"


def find_reuse(  # noqa: PLR0913 (options are spelled out)
    documents: ReuseInput,
    other: ReuseInput | None = None,
    *,
    method: str = "",
    w: int | None = None,
    distance: int | None = None,
    short: bool = False,
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
    - `short`: also find short quotations, by windows of 20 terms of which 9 may differ.
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
        min_passage=min_passage,
        where=where,
        recipe=recipe,
        unit=unit,
        texts=texts,
        exclude_quotes=exclude_quotes,
        exclude_references=exclude_references,
        template=template,
    )
    given = [_collection_or_inputs(side) for side in (documents, other) if side is not None]
    stored = [side for side in given if isinstance(side, StoredCollection)]
    if metadata is not None and len(stored) == len(given):
        what = "metadata is for documents that are read, but all are stored ones; leave it out"
        raise OptionError(what, place=_PART)
    problems: list[Problem] = []
    if len(stored) == 2 and is_same(*stored):
        del given[1], stored[1]
        problems.append(SAME_COLLECTION)
    problems += (problem for collection in stored for problem in collection.problems)
    spec, finder = question.recipe_and_finder(stored)
    run = run or Run()
    run = replace(run, reading=run.reading.preferring(spec.reader))
    wants = question.wants(finder)
    quiet = Run(reading=run.reading)  # a template that cannot be read is an error
    wanted = wants & {SENTENCES}
    reader = RowBuilder(spec, reading=run.reading, columns=columns_for(wanted))
    read_templates, _ = read_into_memory(Inputs(template), (), reader, quiet, [])
    templates = Documents(read_templates, wanted, run.reading).listed
    reader = replace(reader, columns=columns_for(wants))
    sides, problems_of_files = _sides(given, wants, reader, where, metadata, run)
    builder = EvidenceBuilder(finder, templates, sides, run, edits=edits)
    terms = _compare(builder, sides, run)
    on_both_sides = builder.merge_sides()
    compared = sum(map(len, sides)) - on_both_sides
    if compared == 1 and not stored:
        raise _only_one(run)
    evidence = builder.evidence(compared, texts=texts)
    if finder.w:
        problems += _short_texts(finder.w, sides, terms)
    problems += (*problems_of_files, *finder.problems)
    if unit:
        problems += _without_chapters(evidence)
    problems += (*_templates_among(builder.infos, templates), *evidence.problems)
    parameters = question.parameters(spec, finder, stored)
    parameters["boilerplate"] = "short={}, long={}".format(*most_documents(compared))
    how = _description(finder.description, sides, len(builder.same_files), on_both_sides)
    return replace(evidence, parameters=parameters, how=how, problems=tuple(problems))


def _collection_or_inputs(side: ReuseInput) -> StoredCollection | DocumentInputs:
    if (stored := stored_in(side)) is not None:
        return stored
    if isinstance(side, str | PathLike) and is_collection(side):
        return StoredCollection.open(side)
    return side  # type: ignore[return-value] # a collection is above


def _sides(
    given: Sequence[StoredCollection | DocumentInputs],
    wants: frozenset[str],
    reader: RowBuilder,
    where: str | None,
    metadata: str | Path | None,
    run: Run,
) -> tuple[list[Documents], list[Problem]]:
    """The documents of each side, and warnings about files. Raises UnreadableError without any.

    `where` selects from the first of two collections. Warnings are about a table of metadata that
    matches no file, and about files in other languages.
    """
    sides: list[Documents] = []
    unmatched: list[MetadataTable | None] = []
    foreign: list[list[tuple[Path, str]]] = []
    first = next((side for side in given if isinstance(side, StoredCollection)), None)
    for side in reversed(given):  # mostly a collection before the files, which take longer
        if isinstance(side, StoredCollection):
            selects = where if side is first else None
            sides.append(Documents(side, wants, run.reading, selects))
            continue
        held, paths = documents_and_paths(side)
        foreign.append([])
        inputs = Inputs(paths, metadata=metadata)
        read, table = read_into_memory(inputs, held, reader, run, foreign[-1])
        documents = Documents(read, wants, run.reading)
        if not len(documents):
            raise nothing_left(run, "there is nothing to compare", paths)
        sides.append(documents)
        unmatched.append(table)
    tables = [table for table in unmatched if table]
    problems = [*tables[-1].unused()] if tables and len(tables) == len(unmatched) else []
    misfits = dict.fromkeys(item for side in reversed(foreign) for item in side)
    return sides[::-1], [*problems, *in_other_languages(misfits)]


def _compare(
    builder: EvidenceBuilder, sides: Sequence[Documents], run: Run
) -> list[list[tuple[str, int]]]:
    """Compare the left documents with the right ones, or with each other, batch by batch.

    Returns the names and numbers of terms of the documents of each side.
    """
    left, right = sides[0], sides[-1]
    within = len(sides) == 1
    terms: list[list[tuple[str, int]]] = [[] for _ in sides]
    total = len(left) ** 2 / 2 if within else len(left) * len(right)
    finished, reported = 0, 0

    def report(start: float, size: float = 0.0, share: float = 0.0) -> None:
        """Report that `start` pairs of documents are compared, and a share of some more."""
        nonlocal reported
        done = int(start + share * size) - reported
        reported += done
        run.step(done, int(total), COMPARING)

    for place, batch in enumerate(left.batches()):
        terms[0] += _terms(batch)
        before = total - (len(left) - finished) ** 2 / 2 if within else finished * len(right)
        others: Iterable[DocumentBatch | None] = (
            chain([None], left.batches(place + 1))
            if within
            else right.similar(batch, builder.finder)
        )
        for other in others:
            size = len(batch) ** 2 / 2 if other is None else len(batch) * len(other)
            report(before)
            builder.compare(batch, other, partial(report, before, size))
            before += size
            if place == 0 and other is not None and not within:
                terms[1] += _terms(other)
        finished += len(batch)
    report(total)
    return terms


def _terms(batch: DocumentBatch) -> Iterator[tuple[str, int]]:
    """The names of documents, and their numbers of terms."""
    names = (info.examined.name for info in batch.infos)
    return zip(names, batch.terms.lengths.tolist(), strict=True)


def _only_one(run: Run) -> OptionError | UnreadableError:
    """The error that there is one document, or that of several files one could be read."""
    if any(
        problem.severity == "error" or problem.category == NotTextError.category
        for problem in run.problems or ()
    ):
        return nothing_left(run, "there is nothing to compare the other document with")
    what = "only one document is given; name what to compare it with: another document, a "
    return OptionError(f"{what}folder or a collection", place=_PART)


def _description(
    method: str, sides: Sequence[Documents], same_files: int, on_both_sides: int
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
    elif same_files and not on_both_sides:
        whose = "its own stored copy" if same_files == 1 else "their own stored copies"
        stored = f"; {counted(same_files, 'document')} not compared with {whose}"
    return f"{method}; {counted(left, 'document')} compared with {others}{stored}"


def _templates_among(
    infos: Sequence[DocumentInfo], templates: Sequence[DocumentBatch]
) -> Iterator[Problem]:
    """A warning about each document that is itself a template."""
    files = {info.origin: info for batch in templates for info in batch.infos}
    for info in infos:
        if info.origin in files and info.is_same_file(files[info.origin]):
            what = "is one of the documents and a template, whose text counts in none of them"
            yield Problem.at("warning", "excluded-document", info.examined.name, what)


def _without_chapters(evidence: Evidence) -> Iterator[Problem]:
    """A warning about each document that has no chapters, and of those that share with these."""
    parts = {item.document: item.parts for item in evidence.coverage}
    for place in dict.fromkeys((*parts, *(pair.right for pair in evidence.shared))):
        document = evidence.documents[place]
        if len(parts.get(place, ())) < 2 and not any(span.title for span in document.chapters):
            lack = "share is that of the whole text" if place in parts else "passages name none"
            what = f"has no headings of chapters; its {lack}"
            yield Problem.at("warning", "no-chapters", document.name, what)


def _short_texts(
    w: int, sides: Sequence[Documents], terms: Sequence[Sequence[tuple[str, int]]]
) -> Iterator[Problem]:
    """Warnings about documents of fewer than `w` terms: that nothing, or how each is compared.

    `terms` has the names and the numbers of terms of the documents of each side. There is a
    warning for each document that is listed anyway, otherwise one for the collection.
    """
    least = min(w, MIN_TERMS)
    compared = [sum(length >= least for _, length in own) for own in terms]
    if len(sides) == 1:
        is_nothing, which = compared[0] < min(2, len(sides[0])), "fewer than two documents have"
    else:
        lacking = [own and not number for own, number in zip(terms, compared, strict=True)]
        is_nothing, which = any(lacking), "on one side, no document has"
    if is_nothing:
        what = f"nothing was compared: {which} {counted(least, 'term')}; use a shorter window (w)"
        yield Problem("warning", "nothing-compared", what)
    problems: dict[Problem, None] = {}  # a file may be on both sides
    for side, own in zip(sides, terms, strict=True):
        short = [(name, length) for name, length in own if length < w]
        if short and not side.listed:
            few = sum(length < MIN_TERMS for _, length in short)
            rest = f"; {few} have fewer than {MIN_TERMS} and are not compared" if few else ""
            what = (
                f"{counted(len(short), 'document')} with fewer terms than a window of {w}; "
                f"each is compared as one window of all its terms{rest}"
            )
            problems[Problem.at("warning", "short-text", side.collection.name, what)] = None
            continue
        for name, length in short:
            consequence = f"it is compared as one window of {length}"
            if length < MIN_TERMS:
                consequence = f"texts of fewer than {MIN_TERMS} terms are not compared"
            what = f"has {counted(length, 'term')}, fewer than a window of {w}; {consequence}"
            problems[Problem.at("warning", "short-text", name, what)] = None
    yield from problems
