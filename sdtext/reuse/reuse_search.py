"""Search for text reuse: within a collection, between two, or of files in either.

`find_reuse` opens collections and reads files into collections in memory, finds the passages batch
by batch, and has an `EvidenceBuilder` make the evidence of them. Whatever finds a problem reports
it to the run, and the evidence has those of the run.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from hashlib import sha256
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.collections.memory import MemoryCollection
from sdtext.collections.read_into_memory import read_into_memory
from sdtext.collections.row_builder import RowBuilder
from sdtext.collections.stored_collection import StoredCollection, are_same
from sdtext.collections.wordless_fingerprints import (
    CODE_RECIPE,
    coded,
    codes_at,
    codes_digest,
    codes_of,
)
from sdtext.errors import MismatchError, NotTextError, OptionError, UnreadableError
from sdtext.kernels.arrays.integer_and_byte_hashes import hashes_of
from sdtext.model import Evidence, Problem, RecipeSpec, Shared
from sdtext.parts.load_recipe import RecipeLike, load_recipe
from sdtext.reading.inputs import DocumentInputs, Inputs, documents_and_paths, input_files
from sdtext.reading.parallel_run import COMPARING, Run, nothing_left
from sdtext.reading.records.metadata_files import MetadataTable
from sdtext.reading.walk import Paths, path_list
from sdtext.reuse.choose_finder import recipe_and_finder
from sdtext.reuse.document_batch import DocumentBatch
from sdtext.reuse.documents import (
    CHAPTERS,
    QUOTES,
    REFERENCES,
    SENTENCES,
    TEXTS,
    Documents,
    columns_for,
    stored_at,
)
from sdtext.reuse.evidence_builder import EvidenceBuilder
from sdtext.reuse.excluded_text import PassageFinder
from sdtext.reuse.mark_boilerplate_passages import most_documents
from sdtext.reuse.sentence_finder import SentenceFinder
from sdtext.reuse.window_finder import MIN_TERMS
from sdtext.text.document import Document
from sdtext.wording import counted, shown

ReuseInput = DocumentInputs | StoredCollection
"""Documents in memory, or in files, folders and archives; or a collection, or its path."""

_PART = "find_reuse"


def find_reuse(  # noqa: PLR0913 (options are spelled out)
    documents: ReuseInput,
    other: ReuseInput | None = None,
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
    """The passages that each of some documents shares with each other one, and shares of words.

    Without `other`, those that the documents, such as the files of a folder, share with each other.
    A file is never compared with itself. Where all documents are also among the others, as files of
    a folder there, each is one document of the evidence, and each pair is in it once. `documents`
    are the suspicious ones: coverage is the share of each that is found anywhere in `other`. What
    cannot be read becomes a problem of the `run` and of the evidence. Where no document was long
    enough to be compared, the evidence has a warning. The recipe decides what is not given:

    - `method`: "windows" (of `w` terms, of which `distance` may differ; 20 and 9 also find short
      quotations) or "sentences" (whose codes differ in at most `distance` bits).
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
    if unit not in (None, "chapter"):
        raise OptionError.of(_PART, "unit", unit, '"chapter" or None')
    run = (run or Run()).anew()
    given = _open([documents, *([] if other is None else [other])], metadata, where, run)
    collections = [side for side in given if isinstance(side, StoredCollection)]
    if of_codes := any(isinstance(side, MemoryCollection) for side in given):
        asked = texts or unit or exclude_quotes or exclude_references or template or recipe
        if asked or method not in ("", SENTENCES):
            what = "sentence codes are compared with sentence codes and documents alone, without "
            raise OptionError(f"{what}texts, chapters, quotes, templates and recipes", place=_PART)
        method, edits = SENTENCES, False
    spec, finder = recipe_and_finder(
        collections,
        method=method,
        w=w,
        distance=distance,
        min_passage=min_passage,
        recipe=recipe,
        note=run.note,
        jobs=run.jobs,
    )
    if spec.reader:
        run = replace(run, reading=run.reading.preferring(spec.reader))
    wanted = {
        CHAPTERS: unit,
        QUOTES: exclude_quotes,
        REFERENCES: exclude_references,
        SENTENCES: isinstance(finder, SentenceFinder),
        TEXTS: texts,
    }
    wants = frozenset(name for name, needed in wanted.items() if needed)
    templates = _read_templates(template, spec, wants & {SENTENCES}, run) if template else ()
    sides = _read_sides(given, spec, wants, where, metadata, run)
    builder = EvidenceBuilder(finder, templates, sides, run, edits=edits)
    _compare(sides, finder, builder, run)
    on_both_sides = builder.merge_files_on_both_sides() if len(sides) == 2 else 0
    compared = sum(side.number for side in sides) - on_both_sides
    if compared == 1 and not collections:
        raise _only_one(run)
    builder.mark_boilerplate(compared)
    evidence = builder.evidence(texts=texts)  # with the shares of what is left
    if of_codes:  # which do not show what is verbatim
        evidence = replace(evidence, shared=tuple(map(_without_verbatim, evidence.shared)))
    if finder.w:
        _note_short_texts(finder.w, sides, run)
    if unit:
        _note_lack_of_chapters(evidence, run)
    left_out = {QUOTES: exclude_quotes, REFERENCES: exclude_references}
    stored = (f"{item.name} ({item.guid})" if item.guid else item.name for item in collections)
    parameters = {
        **finder.parameters,
        "tokenizer": str(spec.tokenizer),
        "filters": " ".join(map(str, spec.filters)),
        "chain SHA-256": sha256(spec.canonical().encode("utf-8")).hexdigest(),
        "collections": ", ".join(stored),
        "left out": ", ".join(name for name, out in left_out.items() if out),
        "templates": ", ".join(map(shown, path_list(template))),
        "where": where or "",
        "shares": "of sentences" if of_codes else "",
        "program": f"sdtext {__version__}",
        "boilerplate": "short={}, long={}".format(*most_documents(compared)),
    }
    return replace(
        evidence,
        parameters={name: value for name, value in parameters.items() if value},
        how=_description(finder.description, sides, len(builder.same_files), on_both_sides)
        + "; words of templates do not count" * bool(templates),
        problems=tuple(dict.fromkeys(run.found)),
    )


def _open(
    given: Sequence[ReuseInput], metadata: str | Path | None, where: str | None, run: Run
) -> list[StoredCollection | MemoryCollection | DocumentInputs]:
    """Each side as a collection or as what is to be read; a collection with itself is one side."""
    sides: list[StoredCollection | MemoryCollection | DocumentInputs] = []
    digests: set[str] = set()  # of the recipes of codes
    for side in given:
        if (stored := stored_at(side)) is not None:
            sides.append(stored)
        elif known := codes_at(side, run.reading):
            sides.append(known[0])
            digests.add(known[1])
        else:
            sides.append(side)
    if digests:
        sides = [_coded(side, where, digests) for side in sides]
    collections = [side for side in sides if isinstance(side, StoredCollection)]
    if metadata is not None and all(
        isinstance(side, StoredCollection | MemoryCollection) for side in sides
    ):
        what = "metadata is for documents that are read, but all are stored ones; leave it out"
        raise OptionError(what, place=_PART)
    if where and not (collections or digests):
        raise OptionError("where selects stored documents, but there is no collection")
    if len(collections) == 2 and are_same(collections[0], collections[1], run.note):
        del sides[1], collections[1]
    run.note(*(problem for collection in collections for problem in collection.problems))
    return sides


def _coded(
    side: StoredCollection | MemoryCollection | DocumentInputs, where: str | None, digests: set[str]
) -> MemoryCollection | DocumentInputs:
    """A side that is compared with codes of sentences. MismatchError for ones by another recipe."""
    if isinstance(side, StoredCollection):
        digests.add(codes_digest(side.recipe))
        side = codes_of(side, where)
    elif not isinstance(side, MemoryCollection):
        digests.add(codes_digest(load_recipe(CODE_RECIPE)))
    if len(digests) > 1:
        what = "the codes of sentences are by different recipes, or under different keys; make both"
        raise MismatchError(f"{what} alike, by Fingerprint with codes")
    return side


def _read_templates(
    paths: Paths, recipe: RecipeSpec, wants: frozenset[str], run: Run
) -> Sequence[DocumentBatch]:
    """The documents whose text does not count. Raises UnreadableError."""
    alone = Run(reading=run.reading)  # one that cannot be read is an error
    builder = RowBuilder(recipe, reading=run.reading, columns=columns_for(wants))
    read, _ = read_into_memory(input_files(Inputs(paths), alone), (), builder, alone, [])
    return Documents(read, wants, alone).in_memory


def _held(
    documents: Sequence[Document], recipe: RecipeSpec, wants: frozenset[str], run: Run
) -> Documents:
    """Documents in memory as a side, which may be empty."""
    builder = RowBuilder(recipe, reading=run.reading, columns=columns_for(wants))
    return Documents(read_into_memory((), documents, builder, run, [])[0], wants, run)


def _read_sides(
    given: Sequence[StoredCollection | MemoryCollection | DocumentInputs],
    recipe: RecipeSpec,
    wants: frozenset[str],
    where: str | None,
    metadata: str | Path | None,
    run: Run,
) -> list[Documents]:
    """The documents of each side, read into collections in memory or stored.

    `where` selects from the first of two collections. Files on the left that are also on the right
    are read once. A table of metadata that matches no file, and files in other languages, are
    problems of the run. Raises UnreadableError where a side is empty.
    """
    builder = RowBuilder(recipe, reading=run.reading, columns=columns_for(wants))
    of_codes = any(isinstance(side, MemoryCollection) for side in given)
    sides: list[Documents] = []
    unmatched: list[MetadataTable | None] = []
    foreign: list[list[tuple[Path, str]]] = []
    read: MemoryCollection | None = None
    first = next((side for side in given if isinstance(side, StoredCollection)), None)
    for side in reversed(given):  # mostly a collection before the files, which take longer
        if isinstance(side, StoredCollection):
            sides.append(Documents(side, wants, run, where if side is first else None))
            continue
        if isinstance(side, MemoryCollection):
            sides.append(Documents(side, wants, run))
            continue
        held, paths = documents_and_paths(side)
        files = input_files(Inputs(paths, metadata=metadata), run)
        same: MemoryCollection | None = None
        if read and not held and not any(file.records for file in files):
            names = {os.path.realpath(file.path): str(file.path) for file in files}
            same = read.with_roots(names)
        if same is None:
            foreign.append([])
            same, table = read_into_memory(files, held, builder, run, foreign[-1], metadata)
            unmatched.append(table)
        read = coded(same) if of_codes else same
        sides.append(Documents(read, wants, run))
        if not sides[-1].number:
            raise nothing_left(run, "there is nothing to compare", paths)
    tables = [table for table in unmatched if table]
    if tables and len(tables) == len(unmatched):
        run.note(*tables[-1].unused())
    misfits = dict.fromkeys(item for own in reversed(foreign) for item in own)
    if misfits:
        run.note(*in_other_languages(misfits))
    return sides[::-1]


def evidence_of_parts(
    parts: Sequence[Sequence[Document]], recipe: RecipeSpec, finder: PassageFinder, compared: int
) -> Evidence:
    """What `find_reuse` finds in one or two parts; if so many are `compared`, with boilerplate."""
    run = Run(problems=[])
    wants = frozenset({SENTENCES} if isinstance(finder, SentenceFinder) else ())
    sides = [_held(part, recipe, wants, run) for part in parts]
    builder = EvidenceBuilder(finder, (), sides, run, edits=False)
    _compare(sides, finder, builder, run)
    if compared:
        builder.mark_boilerplate(compared)
    return builder.evidence(texts=False)


def hashed_terms(
    documents: Sequence[Document], recipe: RecipeSpec
) -> Iterator[tuple[str, NDArray[np.uint64]]]:
    """The name of each document that can be compared, and the hashes of its terms in order."""
    for batch in _held(documents, recipe, frozenset(), Run(problems=[])).in_memory:
        hashes = hashes_of(batch.words.words)
        for info, terms in zip(batch.infos, batch.terms, strict=True):
            yield info.examined.name, hashes[terms - 1]


def _compare(
    sides: Sequence[Documents], finder: PassageFinder, builder: EvidenceBuilder, run: Run
) -> None:
    """Add the passages (similar windows or sentences, aligned) of two sides, or within one."""
    left, right = sides[0], sides[-1]
    within = len(sides) == 1
    total = left.number**2 / 2 if within else left.number * right.number
    finished, reported = 0, 0

    def report(start: float, size: float = 0.0, share: float = 0.0) -> None:
        """Report that `start` pairs of documents are compared, and a share of some more."""
        nonlocal reported
        done = int(start + share * size) - reported
        reported += done
        run.step(done, int(total), COMPARING)

    for place, batch in enumerate(left.batches()):
        before = total - (left.number - finished) ** 2 / 2 if within else finished * right.number
        others: Iterable[DocumentBatch | None] = (
            chain([None], left.batches(place + 1))
            if within
            else right.batches_similar_to(batch, finder)
        )
        for other in others:
            others_number = len(batch.infos) / 2 if other is None else len(other.infos)
            size = len(batch.infos) * others_number
            report(before)
            found = finder(batch, other, partial(report, before, size))
            builder.add_passages(batch, other, found)  # cut at excluded text, with verbatim runs
            before += size
        finished += len(batch.infos)
    report(total)


def _without_verbatim(shared: Shared) -> Shared:
    passages = tuple(replace(item, verbatim=None, gaps=((), ())) for item in shared.passages)
    return replace(shared, passages=passages)


def _only_one(run: Run) -> OptionError | UnreadableError:
    """The error that there is one document, or that of several files one could be read."""
    if any(
        problem.severity == "error" or problem.category == NotTextError.category
        for problem in run.problems or ()
    ):
        return nothing_left(run, "there is nothing to compare the other document with")
    what = "only one document is given; name what to compare it with: another document, a "
    return OptionError(f"{what}folder or a collection")


def _description(
    method: str, sides: Sequence[Documents], same_files: int, on_both_sides: int
) -> str:
    """The method and how many documents are compared; no file is compared with itself."""
    left, right = sides[0].number, sides[-1].number
    are_all = 0 < left == on_both_sides  # each is one of the others
    others = "each other" if len(sides) == 1 else str(right - are_all)
    own = 0 if are_all else on_both_sides or same_files
    copies = f"; {counted(own, 'document')} not compared with the same file" * bool(own)
    return f"{method}; {counted(left, 'document')} compared with {others}{copies}"


def _note_lack_of_chapters(evidence: Evidence, run: Run) -> None:
    """Warn of each compared document that has no chapters of which shares could be stated."""
    for item in evidence.coverage:
        document = evidence.documents[item.document]
        if len(item.parts) < 2 and not any(span.title for span in document.chapters):
            what = "has no headings of chapters; its share is that of the whole text"
            run.note(Problem.at("warning", "no-chapters", document.name, what))


def _note_short_texts(w: int, sides: Sequence[Documents], run: Run) -> None:
    """Warn of documents of fewer than `w` terms: that nothing, or how each is compared."""
    least = min(w, MIN_TERMS)
    terms = [side.lengths.values() for side in sides]
    compared = [sum(length >= least for _, length in own) for own in terms]
    if len(sides) == 1:
        is_nothing, which = compared[0] < min(2, sides[0].number), "fewer than two documents have"
    else:
        lacking = [own and not number for own, number in zip(terms, compared, strict=True)]
        is_nothing, which = any(lacking), "on one side, no document has"
    if is_nothing:
        what = f"nothing was compared: {which} {counted(least, 'term')}; use a shorter window (w)"
        run.note(Problem("warning", "nothing-compared", what))
    for side, own in zip(sides, terms, strict=True):
        short = [(name, length) for name, length in own if length < w]
        if short and not side.in_memory:
            few = sum(length < MIN_TERMS for _, length in short)
            rest = f"; {few} have fewer than {MIN_TERMS} and are not compared" if few else ""
            what = (
                f"{counted(len(short), 'document')} with fewer terms than a window of {w}; "
                f"each is compared as one window of all its terms{rest}"
            )
            run.note(Problem.at("warning", "short-text", side.collection.name, what))
            continue
        for name, length in short:
            consequence = f"it is compared as one window of {length}"
            if length < MIN_TERMS:
                consequence = f"texts of fewer than {MIN_TERMS} terms are not compared"
            what = f"has {counted(length, 'term')}, fewer than a window of {w}; {consequence}"
            run.note(Problem.at("warning", "short-text", name, what))
