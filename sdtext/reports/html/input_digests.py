"""The SHA-256 of files that were read, for the provenance of a report."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import file_digest
from pathlib import Path

from sdtext.model.dictionary import Dictionary
from sdtext.reading.archive_members import MARK
from sdtext.reports.html.report_page import InputDigest

_PART = "#"  # of a container: file.xml#GUID


def digests_of(paths: Iterable[str | Path], role: str) -> Iterator[InputDigest]:
    """The digest of each file, once; of a document in an archive that of the archive.

    What is no file on the disk, such as the standard input, is left out.

    >>> _ = (folder / "a.txt").write_text("abc")
    >>> [item.digest[:8] for item in digests_of([folder / "a.txt", "-"], "document")]
    ['ba7816bf']
    """
    for path in dict.fromkeys(map(_file, paths)):
        if path is not None:
            with path.open("rb") as file:
                yield InputDigest(str(path), file_digest(file, "sha256").hexdigest(), role)


def digests_of_dictionaries(dictionaries: Iterable[Dictionary]) -> Iterator[InputDigest]:
    """The content digests of dictionaries, which do not depend on their files."""
    for dictionary in dictionaries:
        name = dictionary.name or dictionary.guid
        yield InputDigest(name, dictionary.digest, "dictionary (content)")


def _file(path: str | Path) -> Path | None:
    """The file on the disk that holds the document at `path`."""
    text = str(path)
    for end in (text, text.split(MARK, maxsplit=1)[0], text.rpartition(_PART)[0]):
        if end and Path(end).is_file():
            return Path(end)
    return None
