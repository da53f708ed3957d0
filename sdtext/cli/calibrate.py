"""Calibrate: measure how often unrelated documents reach a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.main import say
from sdtext.cli.options import common, reading
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.values import XML_PATH, AmountType, InputPath, PartName
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import MismatchError
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sdtext.cli.batch_run import Batch
    from sdtext.evaluation.calibrate import Calibrated
    from sdtext.model.calibration import Calibration

_COLUMNS = ("matcher", "bits", "pairs", "rate", "score", "observed", "at_most", "copies_found")
_LISTED = 5


@verb(
    "sdtext Calibrate -d letters.xml -p letters/",
    "sdtext Calibrate -d english -p letters/ -o letters-english.xml",
    "sdtext Calibrate archive.sdx -p letters/",
)
@common.option(
    "-d",
    "--dictionary",
    "path",
    kind=InputPath("dictionaries"),
    metavar="DICT",
    help="The dictionary: a file, a name such as english, or a collection NAME.sdx, for that of "
    "its bit vectors. Also as the first bare argument.",
)
@common.paths(
    *("-p", "--path", "files"),
    metavar="DIR",
    words="A file or folder of the sample. Repeatable, also as bare arguments.",
)
@click.argument("bare", nargs=-1, type=InputPath("dictionaries"), metavar="[DICT] [DIR]...")
@click.option(
    "-m",
    "--matcher",
    multiple=True,
    type=PartName("matchers"),
    metavar="MATCHER",
    help="A matcher to calibrate. Repeatable.  [default: the one that is used where none is named, "
    "and surprise]",
)
@common.output("OUT", "The file to write; - prints it.  [default: DICT itself]", XML_PATH)
@common.option(
    "--sample",
    kind=AmountType(least=10),
    default="500",
    help="The number of documents in the sample, 10 or more, or a percentage of all.",
)
@common.manglers(
    "edits",
    "What makes the edited copies, such as 'keep-lines(share=0.3)'. Repeatable.  [default: half "
    "and a fifth of the lines, a quarter and a tenth in one piece]",
)
@common.seed("Other copies of other documents.")
@common.force
@common.rows_format
@reading.folders
def command(
    path: str | None,
    files: Sequence[str],
    bare: Sequence[str],
    output: str | None,
    edits: tuple[str, ...],
    force: bool,
    form: str | None,
    batch: Batch,
    **sampling: Any,
) -> int:
    """Measure which scores unrelated documents reach, and store it with the dictionary.

    Documents of DIR are compared with each other, and edited copies with their documents. The
    result is the score that 1 %, 0.1 % and 0.01 % of unrelated pairs reach, for each size class:
    the smaller number of set bits of a pair. From then on every match says how often chance gives
    its score.

    Documents that share text with others are related, so they are left out first. A score is only
    given where the sample supports it: its rate of false positives is below the stated one with 95
    % confidence. The content of the dictionary and its digest stay the same.

    A bundled dictionary comes calibrated on documentation and messages of programs, of different
    sources. Documents of one form, or on one subject, reach its scores more often: calibrate it
    with yours. --recommended then takes their scores.
    """
    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.evaluation.calibrate import EDITS, calibrate
    from sdtext.fingerprinting.load_and_save import load_dictionary, save
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
    from sdtext.reading.overwrite_guard import DICTIONARY, Output
    from sdtext.reading.walk import is_collection

    if path is None and bare:
        path, *bare = bare
    files = [*files, *bare]
    if path is None or not files:
        raise click.UsageError(f"Missing argument '{'DIR' if path else 'DICT'}'.")
    collection = StoredCollection.open(path) if is_collection(path) else None
    target = Output(output or path, DICTIONARY, force)
    if output or collection is None:
        if output is None and DICTIONARIES.path(path):
            raise click.UsageError(f"{path} comes with sdtext; name a file for the result with -o")
        target.check(files)
    if collection and not collection.dictionaries:
        what = "has no bit vectors, which calibrations are for; add documents with a dictionary"
        raise MismatchError(f"{what} (-d)", file=path)
    dictionary = (
        collection.dictionaries[0] if collection else load_dictionary(path, batch.reading.max_bytes)
    )
    created = origin().created
    with batch.running(files) as run:
        done = calibrate(
            dictionary, files, mangler=edits or EDITS, created=created, run=run, **sampling
        )
    if collection and not output:
        collection.store_calibrations(done.dictionary)
    else:
        save(done.dictionary, target.path, may_replace=target.check_replaced)
    print_rows(form, _COLUMNS, _rows(done.calibrations), "sdtext/calibrate/1", run.problems)
    code = report(run.problems)
    _summarise(done, output or path)
    return code


def _rows(calibrations: Sequence[Calibration]) -> Iterator[dict[str, Any]]:
    """A row for each matcher, size class and rate."""
    from sdtext.model.calibration import RATES

    for calibration in calibrations:
        for item in calibration.classes:
            for rate in RATES:
                score = item.level(rate)
                values = [calibration.matcher, item.sizes, item.pairs, rate, score]
                measured: list[float | None] = [None] * 3
                if score is not None:
                    measured = [item.rate(score), item.bound(score), item.recall(score)]
                yield dict(zip(_COLUMNS, [*values, *measured], strict=True))


def _summarise(done: Calibrated, path: str) -> None:
    """Print the sample, what was left out, and where the result is."""
    from sdtext.model.calibration import RECOMMENDED_RATES, most_sensitive

    if done.left_out:
        names = ", ".join(shown(name) for name in done.left_out[:_LISTED])
        rest = len(done.left_out) - _LISTED
        names += f" and {rest:,} more" if rest > 0 else ""
        number = counted(len(done.left_out), "document")
        say(f"left out, because they share text with others: {number} ({names})")
    documents = counted(done.calibrations[0].documents, "document")
    say(f"calibrated on {documents}; written to {shown(path)}")
    best = most_sensitive(done.dictionary.calibrations)
    if best and best.recommended_rate:
        recall = f"{100 * best.recall(best.recommended_rate):.0f} % of the edited copies found"
        say(f"recommended: {best.described()}; {recall}")
    own = most_sensitive(done.calibrations)
    if own is None or own.recommended_rate != RECOMMENDED_RATES[0]:
        rates = "0.1 %" if own else "0.1 % or 1 %"
        say(f"no level of {rates}: the sample is too small; give more documents (--sample, -p)")
