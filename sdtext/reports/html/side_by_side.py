"""The texts of the pairs that an overview lists, side by side, by the reader of evidence pages."""

import shlex
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from sdtext.collections.document_types import StoredDocument
from sdtext.collections.stored_collection import StoredCollection
from sdtext.errors import SdtextError
from sdtext.fingerprinting.load_and_save import holds_fingerprints
from sdtext.io.decompressed_content import Content
from sdtext.reading.inputs import size_and_digest
from sdtext.reading.parallel_run import Run
from sdtext.reading.read_document import read
from sdtext.reports.html.evidence_page import in_order, with_passages
from sdtext.reports.html.overview_page import Listed
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
    collections: Sequence[StoredCollection] = (),
    files: Sequence[str] | None = None,
) -> ReportPage:
    """The page of an overview with the passages that the first pairs share, and their texts.

    Of what is stored in one of the `collections`, a text is the one that it keeps, or that of a
    file below the folder that was added, which did not change since. Other documents are files at
    or below one of `files`, by default wherever they are; what else has the name of a file may be a
    record.
    """
    documents, table = page.data["documents"], page.data["table"]
    wanted = {side for row in table[:MOST_COMMANDS] for side in row[:2]}
    sources = {number: _source(documents[number], collections, files) for number in wanted}
    paths = [""] * len(documents)
    for number, (path, _) in sources.items():  # those of texts, as a command line has them
        if path and Path(path).is_file() and not holds_fingerprints(path):
            paths[number] = printable(shlex.quote(f"./{path}" if path.startswith("-") else path))
    rows = [row for row in table[:MOST_ROWS] if row[0] != row[1]]
    texts, room = dict[int, Document](), MOST_TEXT
    for number in dict.fromkeys(side for row in rows for side in row[:2]):
        place = documents[number].collection
        text = _text(*sources[number], None if place is None else collections[place])
        if text and text.clean.strip() and len(text.clean) <= room:
            room -= len(text.clean)
            texts[number] = replace(text, source=str(number))
    if pairs := [row[:2] for row in rows if {*row[:2]} <= texts.keys()]:
        page = _with_passages(page, texts, pairs)
    both = ([paths[side] for side in row[:2]] for row in table if not row[-1])
    command = next((f"sdtext FindReuse {a} {b} --html pair.html" for a, b in both if a and b), "")
    page.data["command"], page.embedded["overview"]["files"] = command, paths
    return page


def _with_passages(
    page: ReportPage, texts: dict[int, Document], pairs: Sequence[Sequence[int]]
) -> ReportPage:
    """The page with what pairs of documents share; their rows lead to it."""
    left, right = ({pair[side]: texts[pair[side]] for pair in pairs} for side in (0, 1))
    if left.keys() & right.keys():
        left, right = texts, {}
    evidence = find_reuse(
        [*left.values()], [*right.values()] or None, texts=True, run=Run(problems=[])
    )
    numbers = [int(document.name) for document in evidence.documents]
    listed = {frozenset(pair) for pair in pairs}
    shared = (
        pair
        for pair in evidence.shared
        if frozenset((numbers[pair.left], numbers[pair.right])) in listed
    )
    evidence = in_order(replace(evidence, shared=tuple(shared)))
    named = (
        replace(item, name=page.data["names"][number])
        for item, number in zip(evidence.documents, numbers, strict=True)
    )
    page = with_passages(page, replace(evidence, documents=tuple(named), problems=()))
    overview = page.data["overview"]
    if right and overview.queries and not overview.lowest:
        page.embedded["evidence"]["asked"] = len(left)  # verdicts are about these
    for document, number in zip(page.embedded["evidence"]["documents"], numbers, strict=True):
        document["row"] = number
    targets = {
        frozenset((numbers[pair.left], numbers[pair.right])): f"#p{place}"
        for place, pair in enumerate(evidence.shared, 1)
    }
    for row in page.data["table"]:
        row[-1] = row[-1] or targets.get(frozenset(row[:2]), "")
    return page


def _source(
    document: Listed, collections: Sequence[StoredCollection], files: Sequence[str] | None
) -> tuple[str, StoredDocument | None]:
    """The file of a document, "" for none, and the stored document, if it is one."""
    if document.collection is None:
        is_given = files is None or any(_is_at(document.path, file) for file in files)
        return (document.path if is_given else ""), None
    named = collections[document.collection].named([document.path])
    stored = [each for each in named if document.id in (0, each.id)]
    if len(stored) != 1:
        return "", None
    path = str(Path(stored[0].root, stored[0].name))
    return (path if stored[0].root and _is_at(path, stored[0].root) else ""), stored[0]


def _text(
    path: str, stored: StoredDocument | None, collection: StoredCollection | None
) -> Document | None:
    """The text of a document, None where it cannot be read or may not be shown."""
    if stored and collection and collection.keeps_text:
        return Document.of(collection.text_of(stored), stored.name)
    with suppress(SdtextError, OSError):
        is_text = path and not holds_fingerprints(path)
        if is_text and stored:
            is_text = size_and_digest(Content(Path(path)).blocks())[1] == stored.digest
        return read(path) if is_text else None
    return None


def _is_at(name: str, place: str) -> bool:
    """Whether a name is that of a file, or of one below a folder, links and .. followed."""
    path, folder = Path(name).resolve(), Path(place).resolve()
    return path == folder or (folder.is_dir() and path.is_relative_to(folder))
