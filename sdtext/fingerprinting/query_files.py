"""Queries of a comparison: the fingerprints, documents and dictionaries in files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sdtext.errors import MismatchError, SdtextError, UnreadableError
from sdtext.fingerprinting.compare_fingerprints import Comparer, default_matcher, only
from sdtext.fingerprinting.fingerprint_documents import FingerprintOptions, fingerprints
from sdtext.fingerprinting.folder_dictionary import (
    DefaultDictionary,
    default_dictionary,
    dictionary_for_pair,
)
from sdtext.fingerprinting.load_and_save import kind_of_file, read_fingerprint_file
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import content_at
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, nothing_left
from sdtext.reading.read_document import PLAIN, Source
from sdtext.reading.walk import Paths, expanded_files

_MIN_SEGMENT = 50  # terms
_XML = ("xml", PLAIN)
"""Readers of XML of an unknown kind, also of its first bytes alone."""


@dataclass(frozen=True)
class Queries:
    """What to search for: fingerprints by name, and the dictionaries that came with them.

    With `segment`, documents are compared as a whole and segment by segment. `default` is the
    dictionary where none was named.
    """

    fingerprints: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()
    segment: Segment | None = None
    default: DefaultDictionary | None = None

    def comparer(
        self, matcher: str | None = None, min_terms: int = MIN_TERMS, explain: int = 0
    ) -> Comparer:
        """The comparer for them: by `matcher`, else by the default for their dictionaries."""
        name = matcher or default_matcher(self.dictionaries)
        return Comparer(name, self.dictionaries, min_terms, explain)


def load_queries(
    files: Sequence[str | Path],
    dictionaries: Sequence[Dictionary],
    run: Run,
    segment: Segment | None = None,
    folder: Paths | None = None,
) -> Queries:
    """The fingerprints in `files`; a plain document is fingerprinted on the way.

    The dictionaries are those given, else those inside the files, else for documents the default
    for `folder`, which is searched; `segment` is the one given, else that of the first fingerprint
    that has segments. A file that cannot be read is a problem of the run. Raises MismatchError for
    a document without a dictionary, UnreadableError if nothing can be read.
    """
    inputs = _QueryFiles(run, {item.digest: item for item in dictionaries})
    errors = {
        Path(content.path): error
        for content in expanded_files(files, run.reading, run.note)
        if (error := inputs.add(content, with_dictionaries=not dictionaries))
    }
    for path, error in errors.items():
        run.note(Problem.of(error, path))
    if errors and not inputs.fingerprints and not inputs.documents:
        raise next(iter(errors.values()))
    return inputs.queries(segment, folder)


def _is_document(path: str, reading: Reading) -> bool:
    """Whether a file named for a fingerprint is a document.

    Other XML is a damaged fingerprint, more likely than a document.
    """
    try:
        content = content_at(path, reading.max_bytes, reading.limits)
        is_xml = content.head.lstrip().startswith(b"<") and Source(content, reading).name in _XML
        return not (kind_of_file(content) or is_xml)
    except UnreadableError:  # there is no such file, or its compression is damaged
        return False


def load_pair(
    paths: tuple[str, str], dictionaries: Sequence[Dictionary], run: Run
) -> tuple[Fingerprint, Fingerprint, Queries]:
    """The fingerprints of two files, a document's computed, and both as queries.

    The dictionaries are those given, else those in the fingerprint files, else for two documents
    the one that comes with sdtext for their language. A file must hold a single fingerprint.
    Raises MismatchError for a document without a dictionary, UnreadableError for an unreadable one.
    """
    limit = run.reading.max_bytes
    documents = [Path(path) for path in dict.fromkeys(paths) if _is_document(path, run.reading)]
    loaded = {path: only(path, limit) for path in paths if Path(path) not in documents}
    known = list(dictionaries) or [item for _, embedded in loaded.values() for item in embedded]
    default = None
    if documents and not known:
        if loaded:
            raise MismatchError(
                "is a document, and the fingerprint contains no dictionary to fingerprint it with; "
                "name one with -d",
                file=documents[0],
            )
        default = dictionary_for_pair(documents, run)
        known = [default.dictionary]
    segment = segment_of(fingerprint for fingerprint, _ in loaded.values())
    sides = {path: fingerprint for path, (fingerprint, _) in loaded.items()}
    options = FingerprintOptions(segment, whole=True)
    for path, fingerprint in fingerprints(documents, known, run, options):
        sides[str(path)] = fingerprint
    left, right = (sides.get(path) or sides.get(str(Path(path))) for path in paths)
    if left is None or right is None:
        raise nothing_left(run, "there is nothing to compare")
    queries = tuple(zip(paths, (left, right), strict=True))
    return left, right, Queries(queries, tuple(known), segment, default)


@dataclass
class _QueryFiles:
    """What the files of queries hold: fingerprints, documents, dictionaries by digest."""

    run: Run
    dictionaries: dict[str, Dictionary]
    fingerprints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)

    def add(self, content: Content, *, with_dictionaries: bool) -> SdtextError | None:
        """Add what the file holds; the error if it is not usable."""
        path = Path(content.path)
        try:
            kind = kind_of_file(content)
            if not kind:
                self.documents.append(path)
            elif kind.startswith("fingerprint"):
                embedded = []
                for item in read_fingerprint_file(content, str(path)):
                    if isinstance(item, Dictionary):
                        embedded.append(item)
                    else:
                        self.fingerprints.append(item)
                # A damaged file gives its intact fingerprints, but no dictionary.
                for dictionary in embedded if with_dictionaries else ():
                    self.dictionaries.setdefault(dictionary.digest, dictionary)
            else:
                return UnreadableError(
                    f"is a <{kind}> file, not a fingerprint; name a dictionary with -d",
                    file=path,
                )
        except SdtextError as error:
            return error
        return None

    def queries(self, segment: Segment | None, folder: Paths | None) -> Queries:
        """All of it, the documents fingerprinted."""
        dictionaries = tuple(self.dictionaries.values())
        default = None
        if self.documents and not dictionaries:
            if folder is None:
                raise MismatchError(
                    "is a document, and there is no dictionary to fingerprint it with; name one "
                    "with -d",
                    file=self.documents[0],
                )
            default = default_dictionary(folder, self.documents, self.run)
            dictionaries = (default.dictionary,)
        segment = segment or segment_of(query for _, query in self.fingerprints)
        if default and segment:  # segments need the terms in their order
            default = replace(default, texts=None)
        fingerprinted = fingerprints(
            self.documents, dictionaries, self.run, FingerprintOptions(segment, whole=True)
        )
        queries = (*self.fingerprints, *((str(path), query) for path, query in fingerprinted))
        if not queries:
            raise nothing_left(self.run, "there is nothing to compare")
        return Queries(queries, dictionaries, segment, default)


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
