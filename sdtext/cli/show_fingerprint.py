"""ShowFingerprint: show everything in a fingerprint."""

from collections.abc import Iterable
from itertools import chain, islice
from typing import Any

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import JSON_FORMATS, print_rows, report
from sdtext.cli.verb import verb

_COLUMNS = ("fingerprint", "field", "value")


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
@common.shared(
    "dictionaries", "The dictionary, if the file does not contain it, or is a document. Repeatable."
)
@common.rows_format
@reading.plain_files
def command(path: str, dictionaries: tuple[str, ...], form: str | None, batch: Batch) -> int:
    """Show everything in FINGERPRINT; for a container, everything in each of its fingerprints.

    If the dictionary is available, the terms of each vector are shown, and for a digest all terms
    of the document in order. Of a document, the vectors over the dictionaries named with -d are
    shown, and their terms.
    """
    from sdtext.fingerprinting.fingerprint_record import records_in
    from sdtext.fingerprinting.load_and_save import load_dictionary
    from sdtext.reports.row_formats import flat

    loaded = [load_dictionary(name, batch.reading.max_bytes) for name in dictionaries]
    with batch.running([path]) as run:
        records = records_in(path, loaded, run)
        first = [*islice(records, 1)]  # raises errors before anything is printed
    records = chain(first, records)
    rows: Iterable[dict[str, Any]] = records
    if form not in JSON_FORMATS:
        rows = (
            dict(zip(_COLUMNS, (record["fingerprint"], *field), strict=True))
            for record in records
            for field in flat(record)
            if field[0] != "fingerprint"
        )
    print_rows(form, _COLUMNS, rows, "sdtext/fingerprint/1")
    return report(run.problems)
