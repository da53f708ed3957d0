"""Queries of a comparison: the fingerprints, documents and dictionaries in files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TypedDict, TypeGuard, TypeVar, Unpack

from sdtext.analysis.dictionary_language_fit import in_other_languages
from sdtext.errors import (
    MismatchError,
    OptionError,
    SdtextError,
    UnreadableError,
    check_options,
    check_type,
    naming_arguments,
)
from sdtext.fingerprinting.compare_fingerprints import (
    COLUMNS,
    Comparer,
    Score,
    default_matcher,
    only,
    score_by,
)
from sdtext.fingerprinting.dictionaries_by_digest import (
    LocatedDictionary,
    described,
    dictionaries_by_digest,
    folder_of,
)
from sdtext.fingerprinting.fingerprint_documents import (
    FingerprintOptions,
    Foreign,
    fingerprint_of_document,
    fingerprints,
    fingerprints_of_documents,
    fingerprints_of_sources,
)
from sdtext.fingerprinting.folder_dictionary import (
    DefaultDictionary,
    Searched,
    default_dictionary,
    dictionary_for_pair,
    name_of,
)
from sdtext.fingerprinting.load_and_save import (
    OneOrMore,
    dictionaries_of,
    kind_of_file,
    load_dictionary,
    read_fingerprint_file,
)
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.options import Reading, checked_reading
from sdtext.reading.parallel_run import Run, nothing_left, process_document, skipped_artefact
from sdtext.reading.read_document import Source
from sdtext.reading.recognise_file import PLAIN
from sdtext.reading.text_arguments import check_file
from sdtext.reading.walk import Paths, ShortFiles, expanded_files, files_in
from sdtext.text.document import Document

_MIN_SEGMENT = 50  # terms
ScoredSide = Fingerprint | Document | str | Path
"""A fingerprint, a document, or the path of a file with either."""

_XML = ("xml", PLAIN)
"""Readers of XML of an unknown kind, also of its first bytes alone."""


@dataclass(frozen=True)
class Queries:
    """What to search for: fingerprints by name, and the dictionaries that came with them.

    With `segment`, documents are compared as a whole and segment by segment. `default` is the
    dictionary where none was named. `files` has the names of those that are in files. `foreign` has
    those in another language than a dictionary, of which the comparison warns. `located` describes
    the dictionaries that were neither named nor in the files of the fingerprints made with them.
    """

    fingerprints: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()
    segment: Segment | None = None
    default: DefaultDictionary | None = None
    files: frozenset[str] = frozenset()
    foreign: tuple[tuple[Path, str], ...] = ()
    located: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fingerprints; "" for one that is in no file."""
        return tuple(name for name, _ in self.fingerprints)

    @property
    def origins(self) -> tuple[str, ...]:
        """Where the dictionaries come from that were neither named nor in fingerprint files."""
        return (self.default.origin,) if self.default else self.located

    def comparer(
        self,
        matcher: str | None = None,
        min_terms: int = MIN_TERMS,
        explain: int = 0,
        index: str = COLUMNS,
    ) -> Comparer:
        """The comparer for them: by `matcher`, else by the default for their dictionaries.

        Where a dictionary was located for some fingerprints and none for others, that is "cosine".
        """
        name = matcher or default_matcher(() if self._lacks_dictionary else self.dictionaries)
        return Comparer(name, self.dictionaries, min_terms, explain, index)

    @property
    def _lacks_dictionary(self) -> bool:
        """Whether there are located dictionaries, and a fingerprint was made with none at hand."""
        known = {item.digest for item in self.dictionaries}
        digests = ([item.digest for item in query.dictionaries] for _, query in self.fingerprints)
        return bool(self.located) and any(map(known.isdisjoint, digests))


_File = TypeVar("_File", bound="str | Path | Content")
Named = tuple[str, Document | Fingerprint]
"""A document or fingerprint in memory, with its name."""


def load_queries(
    files: Sequence[str | Path | Content | Named],
    dictionaries: Sequence[Dictionary],
    run: Run,
    segment: Segment | None = None,
    folder: Paths | Searched | None = None,
) -> Queries:
    """The fingerprints in `files` and in memory; documents are fingerprinted on the way.

    A folder stands for the fingerprint files and documents in it and below.
    The dictionaries are those given, else those that the fingerprints were made with: at hand for
    those in memory, also of `folder`, inside the files, or for a file among those that come with
    sdtext, or in its folder. Without any,
    documents get the default for `folder`, which is searched. `segment` is the one given, else that
    of the first fingerprint that has segments. A file that cannot be read is a problem of the run.
    Raises MismatchError for a document without a dictionary, UnreadableError if nothing can be
    read.
    """
    inputs = _QueryFiles(run, {item.digest: item for item in dictionaries})
    paths = _different([item for item in files if not isinstance(item, tuple)])
    folders = [path for path in paths if _is_folder(path)]
    inputs.add_folders(folders, with_dictionaries=not dictionaries)
    named = [path for path in paths if path not in folders]
    errors = inputs.add_files(named, with_dictionaries=not dictionaries)
    searched = None if folder is None else Searched.of(folder)
    in_memory = [item for item in files if isinstance(item, tuple)]
    inputs.add_in_memory(in_memory)
    if not dictionaries:
        inputs.add_dictionaries_of([*in_memory, *(searched.fingerprints if searched else ())])
    for path, error in errors.items():
        run.note(Problem.of(error, path))
    if errors and not (inputs.fingerprints or inputs.in_memory or inputs.documents):
        raise next(iter(errors.values()))
    if not dictionaries:
        inputs.locate_dictionaries()
    if not inputs.dictionaries:  # the default one follows from what can be read
        inputs.drop_unreadable()
    return inputs.queries(segment, searched)


def _different(files: Iterable[_File]) -> list[_File]:
    """The files, one that is named twice once."""
    known: dict[object, _File] = {}
    for file in files:
        key = file if isinstance(file, Content) else os.path.realpath(str(file))
        known.setdefault(key, file)
    return [*known.values()]


def _is_folder(file: str | Path | Content) -> TypeGuard[str | Path]:
    return not isinstance(file, Content) and os.path.isdir(file)  # noqa: PTH112 (may raise)


def document_at(path: str, reading: Reading) -> Source | None:
    """The document in a file that was named in place of a fingerprint; None if it is none.

    Other XML is a damaged fingerprint, more likely than a document.
    """
    try:
        source = Source.at(path, reading)
        is_xml = source.content.head.lstrip().startswith(b"<") and source.name in _XML
        return None if source.artefact or is_xml else source
    except UnreadableError:  # there is no such file, or its compression is damaged
        return None


class ScoreOptions(TypedDict, total=False):
    """Further options of `score`.

    `min_terms` is the minimum number of terms on each side for a score; `reading` says how to read
    files, within which limits.
    """

    min_terms: int
    reading: Reading


@naming_arguments
def score(
    left: ScoredSide,
    right: ScoredSide,
    matcher: str | None = None,
    dictionary: OneOrMore = None,
    **options: Unpack[ScoreOptions],
) -> Score:
    """Score two fingerprints, or the documents or fingerprints in two files.

    A side may also be a `Document` in memory. The dictionary is the one given (or several), else
    the one that a fingerprint was made with in this process or that is inside a file, else for two
    documents the one that comes with sdtext for their language. Without a `matcher` it is
    "idf-cosine" where there is a dictionary, else "cosine". The options are those of
    `ScoreOptions`. Raises MismatchError if the two are not comparable, UnreadableError.

    >>> dictionary = create_dictionary(samples, "english")
    >>> left = fingerprint(samples / "union.txt", dictionary)
    >>> score(left, left, matcher="cosine").score
    99
    >>> score(samples / "union.txt", samples / "union-edited.txt", dictionary=dictionary).score
    45
    """
    check_options("score", options, ("matcher", "dictionary", *ScoreOptions.__annotations__))
    check_type("score", "matcher", matcher, (str, type(None)), "the name of a matcher")
    for name, side in (("left", left), ("right", right)):
        if isinstance(side, str):
            check_file("score", name, side)
    run = Run(reading=checked_reading("score", options.get("reading")))
    ours, theirs, pair = load_pair((left, right), dictionaries_of(dictionary), run)
    comparer = pair.comparer(matcher, options.get("min_terms", MIN_TERMS))
    result = score_by(comparer, ours, theirs, pair.names)
    return replace(result, chance=None) if pair.foreign else result


def load_pair(
    pair: tuple[ScoredSide, ScoredSide], dictionaries: Sequence[Dictionary], run: Run
) -> tuple[Fingerprint, Fingerprint, Queries]:
    """The fingerprints of two sides, a document's computed, and both as queries.

    The dictionaries are those given, else those of the fingerprints that are at hand or in their
    files. For a document and a fingerprint file without any, it is the one that the fingerprint was
    made with, if it comes with sdtext or is in the folder of that file; for two documents the one
    that comes with sdtext for their language. A file must hold a single fingerprint. Raises
    MismatchError for a document without a dictionary, UnreadableError for an unreadable one.
    """
    opened = [
        _opened(side, argument, run) for side, argument in zip(pair, ("left", "right"), strict=True)
    ]
    sides = [side for side, _ in opened]
    embedded = {item.digest: item for _, items in opened for item in items}
    known = [*dictionaries] or [*embedded.values()]
    default, located = None, []
    if (documents := [side for side in sides if not isinstance(side, Fingerprint)]) and not known:
        located = [*_located_for_pair(pair, sides, run)]
        default = None if located else _default_for_pair(documents)
        known = [default.dictionary] if default else [item.dictionary for item in located]
    segment = segment_of(side for side in sides if isinstance(side, Fingerprint))
    options = FingerprintOptions(segment, whole=True)
    foreign: Foreign = []
    left, right = (_fingerprint_of(side, known, run, options, foreign) for side in sides)
    names = [str(side) if isinstance(side, str | PathLike) else "" for side in pair]
    queries = tuple(zip(names, (left, right), strict=True))
    for problem in in_other_languages(foreign):
        run.note(problem)
    origins = tuple(item.origin for item in located)
    return (
        left,
        right,
        Queries(queries, tuple(known), segment, default, foreign=tuple(foreign), located=origins),
    )


def _opened(
    side: ScoredSide, argument: str, run: Run
) -> tuple[Fingerprint | Document | Source, Sequence[Dictionary]]:
    """A side, its file opened, and the dictionaries that came with it."""
    if isinstance(side, Document):
        return side, ()
    if isinstance(side, Fingerprint):
        return side, side.with_dictionaries
    if not isinstance(side, str | PathLike):
        wanted = "a fingerprint, an sdtext.Document or the path of a file"
        raise OptionError.of("score", argument, side, wanted)
    if source := document_at(str(side), run.reading):
        return source, ()
    return only(side, run.reading.max_bytes)


def _located_for_pair(
    pair: tuple[ScoredSide, ScoredSide], sides: Iterable[object], run: Run
) -> Iterator[LocatedDictionary]:
    """The dictionaries of the fingerprint files in a pair, as far as they are found elsewhere."""
    for given, side in zip(pair, sides, strict=True):
        if isinstance(side, Fingerprint) and isinstance(given, str | PathLike):
            digests = (reference.digest for reference in side.dictionaries)
            yield from dictionaries_by_digest(digests, folder_of(given), run.reading.max_bytes)


def _default_for_pair(documents: Sequence[Source | Document]) -> DefaultDictionary:
    """The bundled dictionary for two documents. MismatchError for a document and a fingerprint."""
    if len(documents) == 1:
        raise MismatchError(
            "is a document, and the fingerprint contains no dictionary to fingerprint it with; "
            "name one as dictionary",
            file=name_of(documents[0]),
        )
    return dictionary_for_pair(documents)


def _fingerprint_of(
    side: Fingerprint | Document | Source,
    dictionaries: Sequence[Dictionary],
    run: Run,
    options: FingerprintOptions,
    foreign: Foreign,
) -> Fingerprint:
    """The fingerprint of a side; a file in another language than a dictionary is `foreign`.

    Raises UnreadableError for a file that cannot be read.
    """
    if isinstance(side, Fingerprint):
        return side
    if isinstance(side, Document):
        return fingerprint_of_document(side, dictionaries, options)
    for _, fingerprint in fingerprints_of_sources([side], dictionaries, run, options, foreign):
        return fingerprint
    raise nothing_left(run, "there is nothing to compare")


def _sample(source: Source) -> str:
    return source.sample


@dataclass
class _QueryFiles:
    """What the files of queries hold: fingerprints, documents, dictionaries by digest.

    `made_with` has the digests of the dictionaries of fingerprints by the folder of their file,
    None where no dictionary is looked for beside it.
    """

    run: Run
    dictionaries: dict[str, Dictionary]
    fingerprints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    documents: list[Source | Document] = field(default_factory=list)
    in_memory: list[tuple[str, Fingerprint]] = field(default_factory=list)
    located: list[str] = field(default_factory=list)
    made_with: dict[Path | None, set[str]] = field(default_factory=dict)
    short: ShortFiles = field(default_factory=ShortFiles)

    def add_in_memory(self, items: Sequence[Named]) -> None:
        """Add fingerprints and documents in memory by their names."""
        for name, item in items:
            if isinstance(item, Fingerprint):
                self.in_memory.append((name, item))
            else:
                self.documents.append(replace(item, source=name))

    def add_dictionaries_of(self, items: Sequence[tuple[str, object]]) -> None:
        """Add the dictionaries that fingerprints in memory were made with, if they are at hand."""
        for _, item in items:
            for dictionary in item.with_dictionaries if isinstance(item, Fingerprint) else ():
                self.dictionaries.setdefault(dictionary.digest, dictionary)

    def add_folders(self, folders: Sequence[str | Path], *, with_dictionaries: bool) -> None:
        """Add the fingerprint files and documents in `folders`; other files of sdtext are skipped.

        Without a named dictionary, a dictionary in them that fingerprints were made with is used.
        What cannot be read is a problem of the run.
        """
        beside: list[Content] = []
        for content in files_in(folders, self.run.reading, self.run.note) if folders else ():
            path = Path(content.path)
            kind = kind_of_file(content)
            if kind == "dictionary" and with_dictionaries:
                beside.append(self.short.kept(content))
            elif kind and not kind.startswith("fingerprint"):
                self.run.note(skipped_artefact(path, kind))
            elif error := self.add(content, with_dictionaries=with_dictionaries):
                self.run.note(Problem.of(error, path))
        for content in beside:
            self._add_dictionary(content)

    def _add_dictionary(self, content: Content) -> None:
        """Add the dictionary in a file if fingerprints were made with it, else skip it."""
        path = Path(content.path)
        try:
            dictionary = load_dictionary(content)
        except SdtextError as error:
            self.run.note(Problem.of(error, path))
            return
        used = {item.digest for _, query in self.fingerprints for item in query.dictionaries}
        if dictionary.digest not in used:
            self.run.note(skipped_artefact(path, "dictionary"))
        elif dictionary.digest not in self.dictionaries:
            self._locate(LocatedDictionary(dictionary, described(dictionary, path)))

    def _locate(self, located: LocatedDictionary) -> None:
        self.dictionaries[located.dictionary.digest] = located.dictionary
        self.located.append(located.origin)

    def locate_dictionaries(self) -> None:
        """Add the dictionaries of fingerprints that no file of the queries contains."""
        for folder, digests in self.made_with.items():
            missing = digests - self.dictionaries.keys()
            for located in dictionaries_by_digest(missing, folder, self.run.reading.max_bytes):
                self._locate(located)

    def add_files(
        self, files: Sequence[str | Path | Content], *, with_dictionaries: bool
    ) -> dict[Path, SdtextError]:
        """Add files that are named themselves, with archives expanded; the errors, by file."""
        errors = {}
        for content in expanded_files(files, self.run.reading, self.run.note):
            path = Path(content.path)
            error = self.add(content, folder_of(path), with_dictionaries=with_dictionaries)
            if error:
                errors[path] = error
        return errors

    def add(
        self, content: Content, folder: Path | None = None, *, with_dictionaries: bool
    ) -> SdtextError | None:
        """Add what the file holds; the error if it is not usable.

        The dictionaries of its fingerprints may be in `folder`.
        """
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            if not kind:
                self.documents.append(Source.at(self.short.kept(content), self.run.reading))
            elif kind.startswith("fingerprint"):
                embedded = []
                made_with = self.made_with.setdefault(folder, set())
                for item in read_fingerprint_file(content, str(path)):
                    if isinstance(item, Dictionary):
                        embedded.append(item)
                    else:
                        self.fingerprints.append(item)
                        made_with.update(reference.digest for reference in item[1].dictionaries)
                # A damaged file gives its intact fingerprints, but no dictionary.
                for dictionary in embedded if with_dictionaries else ():
                    self.dictionaries.setdefault(dictionary.digest, dictionary)
            else:
                return UnreadableError(
                    f"is a <{kind}> file, not a fingerprint; give a dictionary, too",
                    file=path,
                )
        except SdtextError as error:
            return error
        return None

    def drop_unreadable(self) -> None:
        """Leave out the documents that cannot be read; each is a problem of the run."""
        documents, self.documents = self.documents, []
        for item in documents:
            if isinstance(item, Source):
                sample = process_document(item, item.reading, _sample)
                if isinstance(sample, Problem):
                    self.run.note(sample)
                    continue
            self.documents.append(item)

    def queries(self, segment: Segment | None, searched: Searched | None) -> Queries:
        """All of it, the documents fingerprinted."""
        dictionaries = tuple(self.dictionaries.values())
        default = None
        if self.documents and not dictionaries:
            if searched is None:
                raise MismatchError(
                    "is a document, and there is no dictionary to fingerprint it with; name one "
                    "as dictionary",
                    file=name_of(self.documents[0]),
                )
            default = default_dictionary(searched, self.documents, self.run)
            dictionaries = (default.dictionary,)
        segment = segment or segment_of(query for _, query in (*self.fingerprints, *self.in_memory))
        options = FingerprintOptions(segment, whole=True)
        files = [item for item in self.documents if isinstance(item, Source)]
        foreign: Foreign = []
        if default:  # which was chosen by their language: they are read
            fingerprinted = fingerprints_of_sources(files, dictionaries, self.run, options, foreign)
        else:
            readable = [source.content.portable for source in files]
            fingerprinted = fingerprints(readable, dictionaries, self.run, options, foreign)
        held = [item for item in self.documents if isinstance(item, Document)]
        made = fingerprints_of_documents(held, dictionaries, options)
        in_memory = [*self.in_memory, *zip((item.source for item in held), made, strict=True)]
        read = [(str(path), query) for path, query in fingerprinted]
        if not (queries := (*self.fingerprints, *in_memory, *read)):
            raise nothing_left(self.run, "there is nothing to compare")
        names = frozenset(name for name, _ in (*self.fingerprints, *read))
        return Queries(
            *(queries, dictionaries, segment, default, names, tuple(foreign)),
            located=tuple(self.located),
        )


def segment_of(queries: Iterable[Fingerprint]) -> Segment | None:
    """How to segment documents that are compared with these: as the first query with segments.

    Where that one is short and has a single segment, its length, with half of it overlapping.
    """
    for query in queries:
        first = next((vector for vector in query.vectors if vector.place), None)
        if first and first.place:
            siblings = (item for item in query.vectors if item.dictionary == first.dictionary)
            starts = [item.place.first for item in siblings if item.place][:2]
            # A file from outside may ask for segments of any size and number.
            tokens = max(first.place.tokens, _MIN_SEGMENT)
            step = starts[1] - starts[0] if len(starts) > 1 else tokens // 2
            return Segment(tokens, min(max(step, tokens // 10), tokens))
    return None
