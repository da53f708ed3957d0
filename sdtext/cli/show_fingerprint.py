"""ShowFingerprint: show everything in a fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from sdtext.cli.options import common, reading
from sdtext.cli.print_results import JSON_FORMATS, print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import FormatError, MismatchError

if TYPE_CHECKING:
    from sdtext.cli.batch_run import Batch
    from sdtext.model.dictionary import Dictionary
    from sdtext.reading.options import Reading
    from sdtext.reading.read_document import Source


_TOKEN_BYTES = 8  # of text, for each term of a digest


@verb(
    "sdtext ShowFingerprint memo.fp.xml -d letters.xml",
    "sdtext ShowFingerprint memo.docx -d english",
)
@common.file_option(
    *("-f", "--fingerprint"),
    to="path",
    metavar="FINGERPRINT",
    words="The file, or with a dictionary a document.",
)
@common.dictionaries(
    "The dictionary, if the file does not contain it, or is a document. Repeatable."
)
@common.rows_format
@reading.single_files
def command(path: str, dictionaries: tuple[str, ...], form: str | None, batch: Batch) -> int:
    """Show everything in FINGERPRINT; for a container, everything in each of its fingerprints.

    If the dictionary is available, the terms of each vector are shown, and for a digest all terms
    of the document in order. Of a document, the vectors over the dictionaries named with -d are
    shown, and their terms.
    """
    from sdtext.fingerprinting.fingerprint_documents import fingerprints
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.reading.parallel_run import nothing_left
    from sdtext.reading.walk import is_collection
    from sdtext.reports.fingerprint_record import record_of

    if is_collection(path):
        raise FormatError(
            "is a collection; Fingerprint writes its fingerprints to a file, and ShowCollection "
            "shows what it contains",
            file=path,
        )
    loaded = (load_dictionary(name, batch.reading.max_bytes) for name in dictionaries)
    by_digest = {dictionary.digest: dictionary for dictionary in loaded}
    source = _document_at(path, batch.reading)
    if source is None:
        _print(form, _records(path, by_digest, batch.reading.max_bytes))
        return 0
    if not by_digest:
        what = "is a document; add -d DICT to show the fingerprint that it would have"
        raise FormatError(what if source.content.head else "is empty", file=path)
    with batch.running([path]) as run:
        made = [
            fingerprint for _, fingerprint in fingerprints([source], [*by_digest.values()], run)
        ]
        if not made:
            raise nothing_left(run, "there is nothing to show")
    _print(form, iter([{"fingerprint": path, **record_of(made[0], by_digest)}]))
    return report(run.problems)


def _document_at(path: str, reading: Reading) -> Source | None:
    """The document in a file that was named in place of a fingerprint; None if it is none.

    Other XML is a damaged fingerprint, more likely than a document.
    """
    from sdtext.errors import UnreadableError
    from sdtext.reading.read_document import Source
    from sdtext.reading.recognise_file import PLAIN

    try:
        source = Source.at(path, reading)
        is_xml = source.content.head.lstrip().startswith(b"<") and source.name in ("xml", PLAIN)
        return None if source.artefact or is_xml else source
    except UnreadableError:  # there is no such file, or its compression is damaged
        return None


def _print(form: str | None, records: Iterator[dict[str, Any]]) -> None:
    """Print the records of fingerprints; as rows, a field of one each."""
    from sdtext.reports.row_formats import flat

    first = list(islice(records, 1))  # raise errors before anything is printed
    rows: Iterator[dict[str, Any]] = chain(first, records)
    columns = ["fingerprint", "field", "value"]
    if form not in JSON_FORMATS:
        rows = (
            dict(zip(columns, (record["fingerprint"], *item), strict=True))
            for record in rows
            for item in flat(record)
            if item[0] != "fingerprint"
        )
    print_rows(form, columns, rows, "sdtext/fingerprint/1")


def _records(
    path: str, named: Mapping[str, Dictionary], max_bytes: int
) -> Iterator[dict[str, Any]]:
    """The records of the fingerprints in a file, with the terms of its dictionaries and `named`."""
    from sdtext.fingerprinting.dictionaries_by_digest import called
    from sdtext.fingerprinting.load_and_save import embedded_dictionaries, read_fingerprint_file
    from sdtext.reading.archive_members import content_at
    from sdtext.reports.fingerprint_record import record_of

    embedded = {item.digest: item for item in embedded_dictionaries(path, max_bytes=max_bytes)}
    room = max_bytes
    for item in read_fingerprint_file(content_at(path, max_bytes), path):
        if not isinstance(item, tuple):
            continue
        name, fingerprint = item
        if named and named.keys().isdisjoint(item.digest for item in fingerprint.dictionaries):
            own = fingerprint.dictionaries[0]
            raise MismatchError(
                f"was made with dictionary {called(own)}, which is not among those named with -d",
                file=path,
            )
        room -= sum(_TOKEN_BYTES * digest.tokens for digest in fingerprint.digests)
        if room < 0:
            raise FormatError(
                f"its digests hold more than {max_bytes:,} bytes of terms; raise "
                "max_bytes if you trust it",
                file=path,
            )
        try:
            record = record_of(fingerprint, {**embedded, **named}, embedded)
        except FormatError as error:
            raise FormatError(f"is damaged: {error}", file=name) from error
        yield {"fingerprint": name, **record}
