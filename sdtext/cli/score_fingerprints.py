"""ScoreFingerprints: score the similarity of two fingerprints."""

from dataclasses import asdict
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import (
    JSON_FORMATS,
    LISTED_TERMS,
    format_of_rows,
    print_record,
    print_rows,
    report,
    warn_of_unexplained,
)
from sdtext.cli.verb import verb


@verb(
    "sdtext ScoreFingerprints memo.docx letter.pdf",
    "sdtext ScoreFingerprints memo.fp.xml letter.fp.xml -m cosine",
)
@common.matcher
@common.files_option(
    *("-f", "--fingerprint"),
    metavar="FINGERPRINT",
    words="A fingerprint file or a document. Exactly two.",
)
@common.shared(
    "dictionaries",
    "The dictionary, if the fingerprints do not contain it. Repeatable.  [default: for a document "
    "and a fingerprint, the one that it was made with, if it comes with sdtext or is a file in the "
    "same folder]",
)
@common.min_terms
@common.explain_terms
@common.rows_format
@reading.plain_files
def command(
    files: list[str],
    dictionaries: tuple[str, ...],
    explain: bool,
    form: str | None,
    batch: Batch,
    **how: Any,
) -> int:
    """Score the similarity of two fingerprints or documents: 0 to 99, a percentage rounded down.

    Two documents are compared by shingles of five words; with a fingerprint, a dictionary or a
    matcher of bit vectors, bit vectors over a dictionary are, with a sketch sketches. common is the
    number of terms or shingles in both, a and b the number in each.
    """
    from sdtext.search.score import score_pair

    if len(files) != 2:
        given = "one" if len(files) == 1 else len(files)
        raise click.UsageError(f"Two fingerprints are needed; you gave {given}.")
    with batch.running(files) as run:
        score = score_pair((files[0], files[1]), dictionaries, run=run, **how)
    record = score.record()
    if form not in JSON_FORMATS:
        del record["pairs"]
    if explain:
        terms = score.shared_terms
        record["shared_terms"] = terms and list(map(asdict, terms[:LISTED_TERMS]))
        warn_of_unexplained(int(terms is None))
    shared = record.pop("shared_terms", None) if format_of_rows(form) == "table" else None
    print_record(form, "sdtext/score/1", record, run.problems)
    if shared:  # a table of its own
        print_rows(form, list(shared[0]), shared, "")
    return report(run.problems, *(f"dictionary: {item}" for item in score.located), score.how)
