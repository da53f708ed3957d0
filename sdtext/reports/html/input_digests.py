"""The digests of documents and files that were read, for the provenance of a report."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from hashlib import file_digest
from pathlib import Path

from sdtext.collections.collection import Collection
from sdtext.model import Examined
from sdtext.model.dictionary import Dictionary
from sdtext.reading.archive_members import MARK
from sdtext.reports.html.report_page import InputDigest

_PART = "#"  # of a container: file.xml#GUID
_OF_CONTENT = "BLAKE2b of the content"


def digests_of(paths: Iterable[str | Path], role: str) -> Iterator[InputDigest]:
    """The digest of each file, once; of documents in an archive that of the archive.

    What is no file on the disk, such as the standard input, is left out.

    >>> _ = (folder / "a.txt").write_text("abc")
    >>> [item.digest[:8] for item in digests_of([folder / "a.txt", "-"], "document")]
    ['ba7816bf']
    """
    documents = Counter(filter(None, map(_file, dict.fromkeys(paths))))
    for path, number in documents.items():
        with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 (kept as it is named)
            yield InputDigest(path, file_digest(file, "sha256").hexdigest(), role, number)


def digests_of_inputs(
    inputs: Iterable[str], documents: Iterable[str], role: str
) -> Iterator[InputDigest]:
    """The digests of the inputs that are files, and of the documents in those that are folders.

    Other documents are records: a file that happens to have the name of one is not read.
    """
    inputs = list(inputs)
    folders = tuple(os.path.join(path, "") for path in inputs if os.path.isdir(path))  # noqa: PTH118, PTH112
    return digests_of([*inputs, *(name for name in documents if name.startswith(folders))], role)


def digests_of_examined(documents: Iterable[Examined], role: str) -> Iterator[InputDigest]:
    """The digests of the files of documents; of records and of texts in memory their own."""
    documents = list(documents)
    yield from digests_of((document.name for document in documents), role)
    for document in documents:
        if document.digest and not _file(document.name):
            yield InputDigest(document.name, document.digest, f"{role} ({_OF_CONTENT})")


def digests_of_stored(collection: Collection, ids: Container[int]) -> Iterator[InputDigest]:
    """The digests of the texts of stored documents, which the collection keeps."""
    for document in collection.documents():
        if document.id in ids:
            role = f"stored in {collection.path} ({_OF_CONTENT})"
            yield InputDigest(document.name, document.digest, role)


def digests_of_dictionaries(dictionaries: Iterable[Dictionary]) -> Iterator[InputDigest]:
    """The content digests of dictionaries, which do not depend on their files."""
    for dictionary in dictionaries:
        name = dictionary.name or dictionary.guid
        yield InputDigest(name, dictionary.digest, "dictionary (content)")


def _file(path: str | Path) -> str | None:
    """The file on the disk that holds the document at `path`."""
    text = str(path)
    places = (text, text.split(MARK, maxsplit=1)[0], text.rpartition(_PART)[0])
    return next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113 (raises nothing)
