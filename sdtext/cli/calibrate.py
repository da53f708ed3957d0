"""Calibrate: measure how often unrelated documents reach a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    files_option,
    force_option,
    format_option,
    jobs_option,
)
from sdtext.cli.options.folders import folder_options
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.reading import reading_options
from sdtext.cli.options.values import OutputPath
from sdtext.cli.print_results import print_rows
from sdtext.cli.report_problems import report
from sdtext.cli.verb import Verb
from sdtext.errors import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sdtext.evaluation.calibrate import Calibrated
    from sdtext.model.calibration import Calibration
    from sdtext.reading.options import Reading

_COLUMNS = ("matcher", "bits", "pairs", "rate", "score", "observed", "at_most", "copies_found")
_LISTED = 5


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Calibrate -d letters.xml -p letters/\n\n"
    "sdtext Calibrate -d english -p letters/ -o letters-english.xml",
)
@click.option(
    "-d",
    "--dictionary",
    "path",
    required=True,
    metavar="DICT",
    help="The dictionary: a file, or a name such as english.",
)
@files_option("-p", "--path", metavar="DIR", words="A file or folder of the sample.")
@click.option(
    "-m",
    "--matcher",
    "matchers",
    multiple=True,
    metavar="MATCHER",
    help="A matcher to calibrate. Repeatable.  [default: the one that is used where none is named, "
    "and surprise]",
)
@click.option(
    "-o",
    "--output",
    type=OutputPath(),
    metavar="OUT",
    help="The file to write; - prints it.  [default: DICT itself]",
)
@click.option(
    "--sample",
    type=click.IntRange(min=10),
    default=500,
    show_default=True,
    metavar="COUNT",
    help="The number of documents in the sample.",
)
@click.option(
    "--mangler",
    "edits",
    multiple=True,
    metavar="MANGLER",
    help="What makes the edited copies, such as 'keep-lines(share=0.3)'. Repeatable.  [default: "
    "half and a fifth of the lines, a quarter and a tenth in one piece]",
)
@click.option(
    "--seed",
    type=click.IntRange(min=0),
    default=1,
    show_default=True,
    metavar="SEED",
    help="Other copies of other documents.",
)
@force_option
@format_option
@reading_options
@folder_options("files")
@jobs_option
def command(
    path: str,
    files: list[str],
    matchers: tuple[str, ...],
    output: str | None,
    sample: int,
    edits: tuple[str, ...],
    seed: int,
    force: bool,
    form: str | None,
    reading: Reading,
    jobs: int | None,
) -> int:
    """Measure which scores unrelated documents reach, and store it with the dictionary.

    Documents of DIR are compared with each other, and edited copies with their documents. The
    result is the score that 1 %, 0.1 % and 0.01 % of unrelated pairs reach, for each size class:
    the smaller number of set bits of a pair. From then on every match says how often chance gives
    its score.

    Documents that share text with others are related, so they are left out first. A score is only
    given where the sample supports it: its rate of false positives is below the stated one with 95
    % confidence. The content of the dictionary and its digest stay the same.
    """
    from sdtext.evaluation.calibrate import CalibrationOptions, calibrate
    from sdtext.fingerprinting.load_and_save import load_dictionary, save
    from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
    from sdtext.reading.overwrite_guard import DICTIONARY, Output

    if output is None and DICTIONARIES.path(path):
        raise click.UsageError(f"{path} comes with sdtext; name a file for the result with -o")
    target = Output(output or path, DICTIONARY, force)
    target.check(files)
    dictionary = load_dictionary(path, reading.max_bytes)
    created = origin().created
    with running(reading, jobs, files) as run:
        options = CalibrationOptions(sample=sample, seed=seed, created=created)
        if edits:
            options["mangler"] = edits
        done = calibrate(dictionary, files, matchers, run, **options)
    save(done.dictionary, target.path, may_replace=target.check_replaced)
    print_rows(form, _COLUMNS, _rows(done.calibrations), "sdtext/calibrate/1", run.problems or ())
    code = report(run.problems or ())
    _summarise(done, target.path)
    return code


def _rows(calibrations: Sequence[Calibration]) -> Iterator[dict[str, Any]]:
    """A row for each matcher, size class and rate."""
    from sdtext.model.calibration import RATES

    for calibration in calibrations:
        for item in calibration.classes:
            for rate in RATES:
                row: dict[str, Any] = dict.fromkeys(_COLUMNS)
                row |= {"matcher": calibration.matcher, "bits": item.sizes, "pairs": item.pairs}
                row |= {"rate": rate}
                if (score := item.level(rate)) is not None:
                    row |= {"score": score, "observed": item.rate(score)}
                    row |= {"at_most": item.bound(score), "copies_found": item.recall(score)}
                yield row


def _summarise(done: Calibrated, path: str | Path) -> None:
    """Print the sample, what was left out, and where the result is."""
    from sdtext.model.calibration import RECOMMENDED_RATES, most_sensitive

    calibration = done.calibrations[0]
    if done.left_out:
        names = ", ".join(shown(name) for name in done.left_out[:_LISTED])
        rest = len(done.left_out) - _LISTED
        names += f" and {rest:,} more" if rest > 0 else ""
        number = counted(len(done.left_out), "document")
        say(f"left out, because they share text with others: {number} ({names})")
    say(f"calibrated on {counted(calibration.documents, 'document')}; written to {shown(path)}")
    best = most_sensitive(done.dictionary.calibrations)
    if best and best.recommended_rate:
        found = f"{100 * best.recall(best.recommended_rate):.0f} % of the edited copies found"
        say(f"recommended: {best.described()}; {found}")
    if best is None or best.recommended_rate != RECOMMENDED_RATES[0]:
        say("no level of 0.1 %: the sample is too small; give more documents (--sample, -p)")
