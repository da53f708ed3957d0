"""What is looked for: the fingerprints in files, and documents fingerprinted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sdtext.errors import MismatchError, SdtextError, UnreadableError, shown
from sdtext.fingerprinting.build_dictionary import Run, because
from sdtext.fingerprinting.compare import Comparer, default_matcher
from sdtext.fingerprinting.fingerprint_documents import Making, fingerprints
from sdtext.fingerprinting.load_and_save import (
    embedded_dictionaries,
    kind_of_file,
    named_fingerprints,
)
from sdtext.model import Fingerprint, Problem
from sdtext.model.dictionary import Dictionary
from sdtext.model.matches import MIN_TERMS
from sdtext.parts.units.segment import Segment
from sdtext.reading.walk import opened

_LEAST_SEGMENT = 50  # terms


@dataclass(frozen=True)
class Queries:
    """What is looked for: fingerprints by name, and the dictionaries that came with them.

    With `segment`, documents are compared as a whole and segment by segment.
    """

    found: tuple[tuple[str, Fingerprint], ...]
    dictionaries: tuple[Dictionary, ...] = ()
    segment: Segment | None = None

    def comparer(self, matcher: str | None = None, min_terms: int = MIN_TERMS) -> Comparer:
        """What compares them: by `matcher`, else by the one that their dictionaries allow."""
        name = matcher or default_matcher(self.dictionaries)
        return Comparer(name, self.dictionaries, min_terms)


def load_queries(
    files: Sequence[str | Path],
    dictionaries: Sequence[Dictionary],
    run: Run,
    segment: Segment | None = None,
) -> Queries:
    """The fingerprints in `files`; a plain document is fingerprinted on the way.

    The dictionaries are those given, else those inside the files; `segment` is the one given,
    else that of the first fingerprint that has any. A file that cannot be read is a problem;
    so is a document when no dictionary is at hand.
    """
    gathered = _Gathered(run, segment, {one.digest: one for one in dictionaries})
    wants_embedded = not dictionaries
    errors = {
        path: error
        for path in opened(files, run.reading, run.note)
        if (error := gathered.take(path, wants_embedded=wants_embedded))
    }
    for path, error in errors.items():
        run.note(Problem.of(error, path))
    if errors and not gathered.found and not gathered.documents:
        raise next(iter(errors.values()))
    return gathered.queries()


@dataclass
class _Gathered:
    """What the files of queries have held so far: fingerprints, documents, dictionaries."""

    run: Run
    segment: Segment | None
    dictionaries: dict[str, Dictionary]
    found: list[tuple[str, Fingerprint]] = field(default_factory=list)
    documents: list[Path] = field(default_factory=list)

    def take(self, path: Path, *, wants_embedded: bool) -> SdtextError | None:
        """Add what the file at `path` holds; the error if it is not usable."""
        try:
            kind = kind_of_file(path, self.run.reading.max_bytes)
            if not kind:
                self.documents.append(path)
            elif kind.startswith("fingerprint"):
                limit = self.run.reading.max_bytes
                self.found += named_fingerprints(path, str(path), limit)
                for embedded in embedded_dictionaries(path, limit) if wants_embedded else ():
                    self.dictionaries.setdefault(embedded.digest, embedded)
            else:
                return UnreadableError(
                    f"{shown(path)}: is a <{kind}> file, not a fingerprint; a dictionary goes "
                    "behind -d"
                )
        except SdtextError as error:
            return error
        return None

    def queries(self) -> Queries:
        """All of it, the documents fingerprinted."""
        dictionaries = tuple(self.dictionaries.values())
        if self.documents and not dictionaries:
            raise MismatchError(
                f"{shown(self.documents[0])}: is a document, and no dictionary is at hand to "
                "fingerprint it; name one with -d"
            )
        segment = self.segment or segment_of(one for _, one in self.found)
        making = Making(segment, whole=True)
        made = fingerprints(self.documents, dictionaries, self.run, making)
        found = (*self.found, *((str(path), fingerprint) for path, fingerprint in made))
        if not found:
            raise UnreadableError(because(self.run, "there is nothing to compare"))
        return Queries(found, dictionaries, segment)


def segment_of(found: Iterable[Fingerprint]) -> Segment | None:
    """How documents are cut that are compared with these: as the first that has segments.

    Where it is short and has one alone, they are cut to its length, half of one overlapping.
    """
    for fingerprint in found:
        first = next((vector for vector in fingerprint.vectors if vector.place), None)
        if first and first.place:
            alike = (one for one in fingerprint.vectors if one.dictionary == first.dictionary)
            starts = [one.place.first for one in alike if one.place][:2]
            # A stranger's file may ask for segments as small and as many as can be.
            tokens = max(first.place.tokens, _LEAST_SEGMENT)
            step = starts[1] - starts[0] if len(starts) > 1 else tokens // 2
            return Segment(tokens, min(max(step, tokens // 10), tokens))
    return None
