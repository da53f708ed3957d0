"""The texts of the pairs that an overview lists, side by side, by the reader of evidence pages."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import SdtextError, UnreadableError
from sdtext.fingerprinting.load_and_save import holds_fingerprints
from sdtext.io.decompressed_content import Content
from sdtext.reading.inputs import size_and_digest
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reports.html.evidence_page import evidence_page
from sdtext.reports.html.report_page import ReportPage
from sdtext.reuse import find_reuse
from sdtext.text.document import Document
from sdtext.wording import printable

MOST_ROWS = 30
"""Pairs whose texts are in the page, the first ones."""

MOST_COMMANDS = 1000
"""Pairs for which the page has the command that shows their files, the first ones."""

MOST_TEXT = 1 << 23
"""Characters of all texts that are compared for the page; further documents have no text."""


def with_texts(
    page: ReportPage,
    path_of: Callable[[str], str],
    text_of: Callable[[str], Document | None] | None = None,
) -> ReportPage:
    """The page of an overview with the passages that the first pairs share, and their texts.

    `path_of` gives the file of a name, "" where it is none; `text_of` the document, by default that
    of the file, None where its text may not be shown.
    """
    overview, order = page.data["overview"], page.data["order"]
    table, names = page.data["table"], [overview.names[place] for place in order]
    wanted = {side for row in table[:MOST_COMMANDS] for side in row[:2]}
    files = [_quoted(path_of(name)) if n in wanted else "" for n, name in enumerate(names)]
    rows = [row for row in table[:MOST_ROWS] if row[0] != row[1]]
    documents, room = dict[int, Document](), MOST_TEXT
    for number in dict.fromkeys(side for row in rows for side in row[:2]):
        document = text_of(names[number]) if text_of else text_of_file(path_of(names[number]))
        if document and document.clean.strip() and len(document.clean) <= room:
            room -= len(document.clean)
            documents[number] = replace(document, source=str(number))
    pairs = [row[:2] for row in rows if {*row[:2]} <= documents.keys()]
    if pairs:
        page = _with_passages(page, documents, pairs, list(map(printable, names)))
    both = ([files[side] for side in row[:2]] for row in table if not row[-1])
    command = next((f"sdtext FindReuse {a} {b} --html pair.html" for a, b in both if a and b), "")
    embedded = {**page.embedded["overview"], "files": files}
    return replace(
        page,
        data={**page.data, "command": command},
        embedded={**page.embedded, "overview": embedded},
    )


def _with_passages(
    page: ReportPage,
    documents: dict[int, Document],
    pairs: Sequence[Sequence[int]],
    names: Sequence[str],
) -> ReportPage:
    """The page with what pairs of documents share; their rows lead to it."""
    left, right = ({pair[side]: documents[pair[side]] for pair in pairs} for side in (0, 1))
    if left.keys() & right.keys():
        left, right = documents, {}
    evidence = find_reuse(
        [*left.values()], [*right.values()] or None, texts=True, run=Run(problems=[])
    )
    numbers = [int(document.name) for document in evidence.documents]
    named = (replace(item, name=names[int(item.name)]) for item in evidence.documents)
    of_passages = evidence_page(replace(evidence, documents=tuple(named), problems=()))
    values = of_passages.embedded["evidence"]
    for document, number in zip(values["documents"], numbers, strict=True):
        document["row"] = number
    targets = {
        frozenset((numbers[first], numbers[second])): f"#p{place}"
        for place, (first, second, *_) in enumerate(values["pairs"], 1)
    }
    for row in page.data["table"]:
        row[-1] = row[-1] or targets.get(frozenset(row[:2]), "")
    return replace(
        page,
        data={**page.data, "reader": of_passages.data["reader"]},
        styles=of_passages.styles,
        scripts=of_passages.scripts,
        embedded={**page.embedded, "evidence": values},
    )


def _quoted(path: str) -> str:
    """A path in a command line; "" for what is no file with a text."""
    is_text = path and Path(path).is_file() and not holds_fingerprints(path)
    return printable(shlex.quote(f"./{path}" if path.startswith("-") else path)) if is_text else ""


def text_of_file(path: str) -> Document | None:
    """The text of a file; None where it cannot be read, or holds fingerprints."""
    try:
        return None if not path or holds_fingerprints(path) else read(path)
    except (SdtextError, OSError):
        return None


def sources_of(
    collections: Sequence[StoredCollection], files: Sequence[str] = ()
) -> tuple[Callable[[str], str], Callable[[str], Document | None]]:
    """What gives the file and the text of a document of collections, or of one at `files`.

    Other names may be those of records. A text is one that a collection keeps, or that of a file
    below the folder that was added, which did not change since.
    """

    @cache
    def stored(name: str) -> tuple[StoredCollection, StoredDocument] | None:
        for collection in collections:
            documents = [*collection.named([name])]
            if len(documents) == 1:
                return collection, documents[0]
        return None

    def path_of(name: str) -> str:
        if (known := stored(name)) is None:
            return name if any(_is_at(name, file) for file in files) else ""
        root, path = known[1].root, str(Path(known[1].root, name))
        return path if root and _is_at(path, root) else ""

    def text_of(name: str) -> Document | None:
        path = path_of(name)
        if known := stored(name):
            collection, document = known
            if collection.keeps_text:
                return Document.of(collection.text_of(document), name)
            with suppress(UnreadableError):
                if path and size_and_digest(Content(Path(path)).blocks())[1] != document.digest:
                    path = ""
        return text_of_file(path)

    return path_of, text_of


def _is_at(name: str, place: str) -> bool:
    """Whether a name is that of a file, or of one below a folder, links and .. followed."""
    path, folder = Path(name).resolve(), Path(place).resolve()
    return path == folder or (folder.is_dir() and path.is_relative_to(folder))
