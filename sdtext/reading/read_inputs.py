"""Files, records and documents in memory as documents, one by one, with the problems of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple, TypeVar

from sdtext.model import Problem
from sdtext.reading.inputs import InputDocument
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import process_document, process_record
from sdtext.reading.read_document import Source
from sdtext.text.document import Document, document_without_offsets
from sdtext.wording import shown

Result = TypeVar("Result")

_DIGEST_BYTES = 16


class ReadInput(NamedTuple):
    """A document that was read, with the size in bytes and the digest of its content.

    Without digests these are 0 and "". An unchanged document has not been read and is empty.
    """

    item: InputDocument
    document: Document
    size: int = 0
    digest: str = ""

    @property
    def is_unchanged(self) -> bool:
        """Whether its content still has the digest that the input names."""
        return bool(self.digest) and self.digest == self.item.digest


def read_inputs(
    items: Iterable[InputDocument],
    reading: Reading,
    problems: list[Problem],
    *,
    offsets: bool = True,
    digests: bool = False,
) -> Iterator[ReadInput]:
    """The documents that can be read within the limits of `reading`; `problems` gets the others.

    Without `offsets` documents of records have no offset map.
    """
    document_of = Document.of if offsets else document_without_offsets
    for item in items:

        def read(source: Source, item: InputDocument = item) -> ReadInput:
            size, digest = size_and_digest(source.content.blocks()) if digests else (0, "")
            row = ReadInput(item, _EMPTY, size, digest)
            return row if row.is_unchanged else row._replace(document=source.document())

        row: ReadInput | Problem
        if item.path is not None:
            row = process_document(item.path, reading, read)
        else:
            text = item.document.text if item.document else item.text
            blocks = [text.encode("utf-8", "surrogatepass")] if digests else []
            row = ReadInput(item, _EMPTY, *(size_and_digest(blocks) if digests else (0, "")))
            if not row.is_unchanged:
                document = item.document or process_record(
                    text, item.name, item.called, reading, document_of
                )
                row = document if isinstance(document, Problem) else row._replace(document=document)
        if isinstance(row, Problem):
            problems.append(row)
        else:
            problems.extend(row.document.problems)
            yield row


def work_on_inputs(
    work: Callable[[Sequence[ReadInput]], Result],
    rows: Sequence[ReadInput],
    reading: Reading,
    problems: list[Problem],
    reset: Callable[[], None],
) -> tuple[Result | None, Sequence[ReadInput]]:
    """The result of `work` for the documents within the limits, and these; see `work_on_each`."""
    result, done, errors = work_on_each(
        work, rows, reading.limits, lambda row: shown(row.item.called), reset
    )
    problems.extend(Problem.of(error, row.item.called) for row, error in errors)
    return result, done


def size_and_digest(blocks: Iterable[bytes]) -> tuple[int, str]:
    """The size and the digest of the content of a document; of a text those of its UTF-8."""
    digest = blake2b(digest_size=_DIGEST_BYTES)
    size = 0
    for block in blocks:
        digest.update(block)
        size += len(block)
    return size, digest.hexdigest()


_EMPTY = Document("", "")
