"""ShowFingerprint: show everything in a fingerprint."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.options.common import dictionaries_option, file_option, format_option
from sdtext.cli.options.reading import max_bytes_option
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import Verb
from sdtext.errors import FormatError, MismatchError

if TYPE_CHECKING:
    from sdtext.model.dictionary import Dictionary


_TOKEN_BYTES = 8  # of text, for each term of a digest


@click.command(cls=Verb, epilog="Example: sdtext ShowFingerprint memo.fp.xml -d letters.xml")
@file_option("-f", "--fingerprint", to="path", metavar="FINGERPRINT", words="The file.")
@dictionaries_option("The dictionary, if the file does not contain it. Repeatable.")
@format_option
@max_bytes_option
def command(path: str, dictionaries: tuple[str, ...], form: str | None, max_bytes: int) -> None:
    """Show everything in FINGERPRINT; for a container, everything in each of its fingerprints.

    If the dictionary is available, the terms of each vector are shown, and for a digest all terms
    of the document in order.
    """
    from sdtext.fingerprinting.load_and_save import embedded_dictionaries, load_dictionary
    from sdtext.reports.row_formats import flat

    embedded = embedded_dictionaries(path, max_bytes)
    named = [load_dictionary(name, max_bytes) for name in dictionaries]
    known = {dictionary.digest: dictionary for dictionary in (*embedded, *named)}
    wanted = {dictionary.digest for dictionary in named}
    records = _records(
        path, (known, {dictionary.digest for dictionary in embedded}), wanted, max_bytes
    )
    first = list(islice(records, 1))  # raise errors before anything is printed
    records = chain(first, records)
    if form in ("json", "jsonl"):
        print_rows(form, [], records, "sdtext/fingerprint/1")
        return
    rows = (
        {"fingerprint": record["fingerprint"], "field": key, "value": value}
        for record in records
        for key, value in flat(record)
        if key != "fingerprint"
    )
    print_rows(form, ["fingerprint", "field", "value"], rows, "sdtext/fingerprint/1")


def _records(
    path: str,
    at_hand: tuple[Mapping[str, Dictionary], set[str]],
    wanted: set[str],
    max_bytes: int,
) -> Iterator[dict[str, Any]]:
    from sdtext.fingerprinting.compare_fingerprints import called
    from sdtext.fingerprinting.load_and_save import named_fingerprints
    from sdtext.reports.fingerprint_record import record_of

    room = max_bytes
    for name, fingerprint in named_fingerprints(path, path, max_bytes):
        if wanted and wanted.isdisjoint(item.digest for item in fingerprint.dictionaries):
            own = fingerprint.dictionaries[0]
            raise MismatchError(
                f"was made with dictionary {called(own)}, which is not among those named with -d",
                file=path,
            )
        room -= sum(_TOKEN_BYTES * digest.tokens for digest in fingerprint.digests)
        if room < 0:
            raise FormatError(
                f"its digests hold more than {max_bytes} bytes of terms; raise the "
                "limit with --max-bytes if you trust it",
                file=path,
            )
        try:
            record = record_of(fingerprint, *at_hand)
        except FormatError as error:
            raise FormatError(f"is damaged: {error}", file=name) from error
        yield {"fingerprint": name, **record}
