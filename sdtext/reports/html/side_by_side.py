"""The texts of the pairs that an overview lists, side by side, by the reader of evidence pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import holds_fingerprints
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.reading.inputs import size_and_digest
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reports.html.evidence_page import evidence_page
from sdtext.reports.html.report_page import ReportPage
from sdtext.reuse import find_reuse
from sdtext.text.document import Document
from sdtext.wording import printable

TextOf = Callable[[str], Document | None]
_MOST_ROWS = 30  # pairs whose texts are in the page
_COMMAND = (
    "The page has no texts of these documents; sdtext FindReuse FILE FILE --html PAGE.html shows "
    "two of them side by side."
)


def with_texts(page: ReportPage, text_of: TextOf) -> ReportPage:
    """The page of an overview with the passages that the first pairs share, and their texts.

    `text_of` gives the document of a name, None where its text is not at hand. Where there is no
    text the page names the command that shows two files.
    """
    overview, order = page.data["overview"], page.data["order"]
    rows = [row for row in page.data["table"][:_MOST_ROWS] if row[0] != row[1]]
    documents: dict[int, Document] = {}
    for number in dict.fromkeys(side for row in rows for side in row[:2]):
        if (document := text_of(overview.names[order[number]])) and document.clean.strip():
            documents[number] = replace(document, source=str(number))
    pairs = [row[:2] for row in rows if {*row[:2]} <= documents.keys()]
    sides = [dict.fromkeys(pair[side] for pair in pairs) for side in (0, 1)]
    if not pairs:
        return _noted(page) if rows else page
    left, right = ([documents[number] for number in side] for side in sides)
    if sides[0].keys() & sides[1].keys():
        left, right = [*documents.values()], []
    evidence = find_reuse(left, right or None, texts=True, run=Run(problems=[]))
    numbers = [int(document.name) for document in evidence.documents]
    names = [printable(overview.names[order[number]]) for number in numbers]
    named = zip(evidence.documents, names, strict=True)
    evidence = replace(
        evidence, documents=tuple(replace(item, name=name) for item, name in named), problems=()
    )
    of_passages = evidence_page(evidence)
    values = of_passages.embedded["evidence"]
    for document, number in zip(values["documents"], numbers, strict=True):
        document["row"] = number
    targets: dict[frozenset[int], str] = {
        frozenset((numbers[first], numbers[second])): f"#p{place}"
        for place, (first, second, *_) in enumerate(values["pairs"], 1)
    }
    for row in page.data["table"]:
        row[-1] = row[-1] or targets.get(frozenset(row[:2]), "")
    return replace(
        page,
        template=of_passages.template,
        data={**of_passages.data, **page.data, "alone": False, "how": evidence.how},
        styles=of_passages.styles,
        scripts=of_passages.scripts,
        embedded={**page.embedded, "evidence": values},
    )


def _noted(page: ReportPage) -> ReportPage:
    overview = page.data["overview"]
    noted = replace(overview, notes=[*overview.notes, _COMMAND])
    return replace(page, data={**page.data, "overview": noted})


def text_of_file(path: str, reading: Reading | None = None) -> Document | None:
    """The text of a file; None where it cannot be read, or holds fingerprints."""
    try:
        return None if holds_fingerprints(path) else read(path, reading=reading)
    except (SdtextError, OSError):
        return None


def texts_in(files: Sequence[str]) -> TextOf:
    """The texts of files, and of those below folders; a record may be called like another file."""
    return lambda name: text_of_file(name) if any(_is_at(name, file) for file in files) else None


def _is_at(name: str, place: str | Path) -> bool:
    """Whether a name is that of a file, or of one below a folder, links and .. followed."""
    path, place = Path(name).resolve(), Path(place).resolve()
    return path == place or (place.is_dir() and path.is_relative_to(place))


def _is_same(path: Path, document: StoredDocument) -> bool:
    """Whether the file has the content that was added."""
    try:
        return size_and_digest(Content(path).blocks())[1] == document.digest
    except UnreadableError:
        return False


def texts_of(collections: Iterable[StoredCollection], files: Sequence[str] = ()) -> TextOf:
    """The texts that collections keep, those of the files that they were made of, or of `files`."""

    def text_of(name: str) -> Document | None:
        for collection in collections:
            for document in collection.take(sorted(collection.selected([name], None, _ignore))):
                if collection.keeps_text:
                    return Document.of(collection.text_of(document), name)
                path = Path(document.root, document.name)
                is_below = bool(document.root) and _is_at(str(path), document.root)
                # Whoever made the collection may not choose which files the page shows.
                return text_of_file(str(path)) if is_below and _is_same(path, document) else None
        return texts_in(files)(name)

    return text_of


def _ignore(_problem: Problem) -> None:
    """Take no note of a name that no document has."""
