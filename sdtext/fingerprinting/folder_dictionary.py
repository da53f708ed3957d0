"""The dictionary of a searched folder, for documents that are compared without one.

A whole dictionary of the searched documents finds more than any other: it knows their words, and
which of them are rare. It needs some documents, and documents that differ: in a folder of versions
of one text, the words of that text count as common. There, the dictionary that comes with sdtext
for the language is used. Worksheets, which have most of their text from a template, cannot be
distinguished from versions that were each edited in another way: by that dictionary all of them are
similar, and those with the same answers most of all.
"""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any
from weakref import finalize

from sdtext._version import __version__
from sdtext.analysis.dictionary_language_fit import language_of_text
from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import (
    MismatchError,
    OptionError,
    UnreadableError,
    counted,
    did_you_mean,
    reason,
    shown,
)
from sdtext.fingerprinting.load_and_save import kind_of_file, load_dictionary
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, PartSpec, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.parts.load_recipe import load_recipe, recipe_of, recipe_of_dictionary
from sdtext.parts.registry import build
from sdtext.reading.archive_members import in_archive
from sdtext.reading.main_process_limits import within_limits
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, Unread, batched, path_of, process_document, run_batches
from sdtext.reading.read_document import DocumentPieces, Source, TextPieces
from sdtext.reading.sandbox.pool import ProcessLimits
from sdtext.reading.walk import Paths, ShortFiles, files_in, path_list
from sdtext.text.document import Document
from sdtext.text.language import AUTO, language_of

LEAST_DOCUMENTS = 8
"""With fewer documents in the folder, the bundled dictionary finds more."""

_MOST_COMMON = 0.7
"""Share of a query's terms that may stand in half of the documents.

In folders of essays and speeches by one author it is at most 0.64. Where half of the documents
are versions of the query it is 0.74 or more, and versions that keep 90 % of the words score below
15.
"""


@dataclass(frozen=True)
class Searched:
    """What queries are compared with: files and folders, and what is in memory, by its name."""

    folders: Sequence[Path] = ()
    documents: Sequence[tuple[str, Document]] = ()
    fingerprints: Sequence[tuple[str, Fingerprint]] = ()

    @classmethod
    def of(cls, given: Paths | Searched) -> Searched:
        """The files and folders at paths."""
        return given if isinstance(given, Searched) else cls(path_list(given))

    @property
    def is_single(self) -> bool:
        """Whether it is one file or folder."""
        return len(self.folders) == 1 and not (self.documents or self.fingerprints)

    @property
    def described(self) -> str:
        """How messages name it."""
        names = [*map(shown, self.folders)]
        for items, noun in ((self.documents, "document"), (self.fingerprints, "fingerprint")):
            names += [f"{counted(len(items), noun)} in memory"] if items else []
        return ", ".join(names)


@dataclass(frozen=True)
class DefaultDictionary:
    """The dictionary for a comparison that names none, and where it comes from.

    `texts` are the documents of the folder that were read for it.
    """

    dictionary: Dictionary
    origin: str
    texts: FolderTexts | None = None


def default_dictionary(
    searched: Searched, queries: Sequence[Source | Document], run: Run
) -> DefaultDictionary:
    """The whole dictionary of the documents that are searched, else the bundled one.

    The recipe is that for the language of the `queries`. A bundled dictionary is a problem of the
    run; those of the searched documents are in the texts. Raises MismatchError if no dictionary is
    bundled for the language.
    """
    check_folder(searched)
    sources = list(_readable(queries))
    languages = {_language(source) for source in sources}
    language = languages.pop() if len(languages) == 1 else ""
    bundled = Content(DICTIONARIES.path(language or "") or "")
    with bundled.kept_open():  # for its recipe, and perhaps for all of it
        texts = FolderTexts.of(searched, _recipe(language, bundled), run)
        where = searched.described
        number = counted(texts.documents, "document")
        own = DefaultDictionary(texts.dictionary, f"made from the {number} of {where}", texts)
        if texts.documents < LEAST_DOCUMENTS:
            has = "has" if searched.is_single else "have"
            reason = f"{where} {has} {number}, and a dictionary of its own needs {LEAST_DOCUMENTS}"
            if language not in DICTIONARIES.names():
                raise MismatchError(
                    f"is a document, and there is no dictionary to fingerprint it with: {reason}; "
                    "name one as dictionary",
                    file=name_of(queries[0]),
                )
        elif any(_is_common(source, texts.dictionary) for source in sources):
            reason = f"most terms that the query shares with {where} stand in half of the {number}"
            if language not in DICTIONARIES.names():
                _warn(run, where, f"scores are low: {reason}; compare with the matcher cosine")
                return own
            reason += (
                "; to weigh only what few of them have, name a dictionary made from them "
                "(CreateDictionary makes one)"
            )
        else:
            return own
        if texts.documents:  # without any, the comparison reports what is wrong with the folder
            _warn(run, where, f"compared with the bundled dictionary {language}: {reason}")
        origin = f"{language}, which comes with sdtext"
        return replace(own, dictionary=load_dictionary(bundled), origin=origin)


def check_folder(searched: Searched) -> None:
    """Raise UnreadableError if there is nothing to search but a folder, which is missing."""
    for only in searched.folders if searched.is_single else ():
        try:
            os.lstat(only)
        except (FileNotFoundError, NotADirectoryError) as error:
            if not in_archive(only):
                what = f"no such file or folder{did_you_mean(only)}"
                raise UnreadableError(what, file=only) from error
        except OSError as error:
            raise UnreadableError(reason(error), file=only) from error


def dictionary_for_pair(documents: Sequence[Source | Document]) -> DefaultDictionary:
    """The bundled dictionary for the language of two documents.

    Raises MismatchError if they have several languages, or one without a dictionary.
    """
    known = {_language(source) for source in _readable(documents)} - {"", None}
    language = next(iter(known), "") if len(known) == 1 else ""
    if not language or language not in DICTIONARIES.names():
        raise MismatchError(
            "is a document, and no dictionary comes with sdtext for the language of both; name one "
            "as dictionary",
            file=name_of(documents[0]),
        )
    return DefaultDictionary(load_dictionary(language), f"{language}, which comes with sdtext")


def _warn(run: Run, where: str, message: str) -> None:
    run.note(Problem("warning", "default-dictionary", message, where))


def name_of(document: Source | Document) -> str | Path:
    """The path of a file, or the name of a document in memory."""
    return document.source or "the text" if isinstance(document, Document) else document.path


def _readable(queries: Sequence[Source | Document]) -> Iterator[Source | DocumentPieces]:
    """The readable ones of `queries`; the others are reported when they are fingerprinted."""
    for query in queries:
        if isinstance(query, Document):
            yield DocumentPieces(query)
            continue
        with suppress(UnreadableError):
            with within_limits(query.reading.limits, shown(query.path)):
                is_readable = query.sample is not None
            if is_readable:
                yield query


def _language(source: TextPieces) -> str | None:
    """The language of a document: "" if unknown, None if recognising it needs a library.

    Without that library clear texts in the languages of the bundled dictionaries are recognised, so
    that the default comparison is the same in every installation.
    """
    try:
        return language_of(source.sample)
    except OptionError:
        language = language_of_text(source.sample)
        return language if language in DICTIONARIES.names() else None


def _recipe(language: str | None, bundled: Content) -> RecipeSpec:
    """The chain for documents in a language; "" stands for several or another one."""
    if language in DICTIONARIES.names():
        return recipe_of_dictionary(bundled)
    automatic = load_recipe("auto")
    if language is not None:
        return automatic
    plain = [part for part in automatic.chain() if ("language", AUTO) not in part.options]
    return recipe_of([*plain, PartSpec("lowercase")])


def _is_common(source: Source | DocumentPieces, dictionary: Dictionary) -> bool:
    """Whether the terms of a document mostly stand in half of the documents or more."""
    chain = Chain(dictionary.recipe).suited_to(source.sample)
    limits = source.reading.limits if isinstance(source, Source) else ProcessLimits()
    try:
        with within_limits(limits, ""):
            terms = chain.distinct(source.clean_pieces(chain.tokenizer.cuts))
    except UnreadableError:  # it is reported when it is fingerprinted
        return False
    places = [place for term in terms if (place := dictionary.places.get(term)) is not None]
    common = sum(2 * dictionary.counts[place] >= dictionary.documents for place in places)
    return bool(places) and common > _MOST_COMMON * len(places)


@dataclass(frozen=True)
class _DocumentTerms:
    """The distinct terms of a document, joined by line feeds, and how it was read.

    `path` is the name of one in memory.
    """

    path: Path | str
    terms: str
    language: str
    libraries: tuple[tuple[str, str], ...]


@dataclass
class _TermBatch:
    """The terms of a batch of documents, and the problems."""

    rows: list[_DocumentTerms] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _CollectTerms:
    """Collects the terms of a batch of files."""

    recipe: RecipeSpec
    reading: Reading

    def __call__(self, files: Sequence[Unread]) -> _TermBatch:
        batch = _TermBatch()
        for file in files:
            result = process_document(file, self.reading, self._read)
            if isinstance(result, Problem):
                batch.problems.append(replace(result, severity="error"))
                continue
            row, problems = result
            batch.rows.append(row)
            batch.problems += problems
        return batch

    def _read(self, source: Source) -> tuple[_DocumentTerms, Sequence[Problem]]:
        return self.terms(source.path, source), source.problems

    def terms(self, path: Path | str, text: TextPieces) -> _DocumentTerms:
        """The terms of one document."""
        chain = self._chain.suited_to(text.sample) if self._chain.is_automatic else self._chain
        terms = chain.distinct(text.clean_pieces(chain.tokenizer.cuts))
        return _DocumentTerms(path, "\n".join(terms), chain.language, text.libraries)

    @cached_property
    def _chain(self) -> Chain:
        return Chain(self.recipe)


@dataclass(frozen=True)
class FolderFiles:
    """The files in folders and the problems of the walk in its order, so that there is one walk.

    `documents` are the files that are not sdtext's own. Short files are in memory.
    """

    folders: Sequence[Path]
    walked: Sequence[Unread | Problem]
    documents: Sequence[Unread]

    @classmethod
    def of(cls, folders: Sequence[Path], run: Run) -> FolderFiles:
        """The files at `folders` and below, with archives expanded."""
        walked: list[Unread | Problem] = []
        documents: list[Unread] = []
        short = ShortFiles()
        for content in files_in(folders, run.reading, walked.append):
            file = short.kept(content).portable
            walked.append(file)
            if not _is_own(content):
                documents.append(file)
        return cls(folders, walked, documents)

    def contents(self, run: Run, without: Sequence[Unread] = ()) -> Iterator[Content]:
        """The files, `without` some of them; notes the problems of the walk."""
        left_out = set(map(path_of, without))
        for item in self.walked:
            if isinstance(item, Problem):
                run.note(item)
            elif path_of(item) not in left_out:
                content = Source.at(item, run.reading).content
                with content.kept_open():
                    yield content


def _is_own(content: Content) -> bool:
    """Whether a file is one of sdtext's own; one that cannot be read is reported as a document."""
    try:
        return bool(kind_of_file(content))
    except UnreadableError:
        return False


@dataclass(eq=False)
class FolderTexts:
    """The documents that are searched as their distinct terms, each document read once.

    Memory holds the terms of all, each once; the numbers of the terms of each document are in a
    temporary file.
    """

    recipe: RecipeSpec
    searched: Searched
    files: FolderFiles
    numbers: IO[bytes]
    problems: list[Problem] = field(default_factory=list)
    _terms: dict[str, int] = field(default_factory=dict)
    _counts: array[int] = field(default_factory=lambda: array("I"))
    _rows: list[tuple[Path | str, int, str, tuple[tuple[str, str], ...]]] = field(
        default_factory=list
    )

    @classmethod
    def of(cls, searched: Searched, recipe: RecipeSpec, run: Run) -> FolderTexts:
        """The documents that are searched, those in memory first."""
        files = FolderFiles.of(searched.folders, run)
        numbers = TemporaryFile()  # noqa: SIM115 (lives as long as the texts)
        texts = cls(recipe, searched, files, numbers)
        finalize(texts, numbers.close)
        collect = _CollectTerms(recipe, run.reading)
        for name, document in searched.documents:
            texts._add(collect.terms(name, DocumentPieces(document)))
        noted = replace(run, problems=texts.problems)
        for batch in run_batches(
            collect, batched(files.documents, run.jobs), noted, len(files.documents)
        ):
            for row in batch.rows:
                texts._add(row)
        return texts

    def _add(self, row: _DocumentTerms) -> None:
        terms = row.terms.split("\n") if row.terms else []
        numbers = array("I", (self._terms.setdefault(term, len(self._terms)) for term in terms))
        self._counts.extend([0] * (len(self._terms) - len(self._counts)))
        for number in numbers:
            self._counts[number] += 1
        numbers.tofile(self.numbers)
        self._rows.append((row.path, len(numbers), row.language, row.libraries))

    @property
    def documents(self) -> int:
        """The number of documents that could be read."""
        return len(self._rows)

    @cached_property
    def dictionary(self) -> Dictionary:
        """The whole dictionary of the documents."""
        frequencies = dict(zip(self._terms, self._counts, strict=True))
        engines = {library for *_, libraries in self._rows for library in libraries}
        libraries = (*Chain(self.recipe).libraries(), *sorted(engines))
        dictionary = Dictionary.of(frequencies, self.documents, self.recipe)
        name = f"made from {self.searched.described}"
        return dictionary.labelled(name, libraries=libraries)

    def fingerprints(self) -> Iterator[tuple[Path | str, Fingerprint]]:
        """The fingerprint of each document over `dictionary`."""
        vector: Any = build("fingerprints", PartSpec("bitvector"))
        reference = self.dictionary.reference()
        names = list(self._terms)
        self.numbers.seek(0)
        for path, length, language, libraries in self._rows:
            numbers = array("I")
            numbers.fromfile(self.numbers, length)
            bits = vector([names[number] for number in numbers], self.dictionary)
            vectors = (replace(bits, language=language),)
            yield (
                path,
                Fingerprint(
                    vector.kind,
                    vectors,
                    (reference,),
                    libraries=libraries,
                    sdtext_version=__version__,
                ),
            )
