"""Calibrate: measure how often unrelated documents reach a score."""

from collections.abc import Sequence
from typing import Any

import click

from sdtext.cli.batch_run import Batch
from sdtext.cli.options import common, reading
from sdtext.cli.options.values import XML_PATH, InputPath, PartName
from sdtext.cli.origin import origin
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.wording import shown


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
@common.amount(
    "--sample",
    "The number of documents in the sample, 10 or more, or a percentage of all.",
    default="500",
)
@common.manglers(
    "edits",
    "What makes the edited copies, such as 'keep-lines(share=0.3)'. Repeatable.  [default: half "
    "and a fifth of the lines, a quarter and a tenth in one piece]",
)
@common.shared("seed", "Other copies of other documents.")
@common.force
@common.rows_format
@reading.plain_folders
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
    from sdtext.evaluation.calibrate import EDITS, CalibratedRow, calibrate

    if path is None and bare:
        path, *bare = bare
    files = [*files, *bare]
    if path is None or not files:
        raise click.UsageError(f"Missing argument '{'DIR' if path else 'DICT'}'.")
    sampling |= {"mangler": edits or EDITS, "created": origin().created}
    with batch.running(files) as run:
        done = calibrate(path, files, output=output or path, force=force, run=run, **sampling)
    print_rows(form, CalibratedRow._fields, done.rows(), "sdtext/calibrate/1", run.problems)
    return report(run.problems, f"written to {shown(output or path)}; {done}")
