"""Calibrate: measure how often unrelated documents reach a score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from sdtext.cli.batch_run import running
from sdtext.cli.main import say
from sdtext.cli.options.common import (
    force_option,
    format_option,
    jobs_option,
)
from sdtext.cli.options.provenance import origin
from sdtext.cli.options.reading import folder_options
from sdtext.cli.options.values import XML_PATH, AmountType, InputPath, PartName, WholeNumber
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import Verb
from sdtext.errors import MismatchError
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from sdtext.collections.stored_collection import StoredCollection
    from sdtext.evaluation.calibrate import Calibrated
    from sdtext.model.calibration import Calibration
    from sdtext.model.dictionary import Dictionary
    from sdtext.reading.options import Reading
    from sdtext.reading.overwrite_guard import Output
    from sdtext.reading.parallel_run import Amount

_COLUMNS = ("matcher", "bits", "pairs", "rate", "score", "observed", "at_most", "copies_found")
_LISTED = 5


@click.command(
    cls=Verb,
    epilog="Examples: sdtext Calibrate -d letters.xml -p letters/\n\n"
    "sdtext Calibrate -d english -p letters/ -o letters-english.xml\n\n"
    "sdtext Calibrate archive.sdx -p letters/",
)
@click.option(
    "-d",
    "--dictionary",
    "path",
    type=InputPath("dictionaries"),
    metavar="DICT",
    help="The dictionary: a file, a name such as english, or a collection NAME.sdx, for that of "
    "its bit vectors. Also as the first bare argument.",
)
@click.option(
    "-p",
    "--path",
    "files",
    multiple=True,
    type=InputPath(),
    metavar="DIR",
    help="A file or folder of the sample. Repeatable, also as bare arguments.",
)
@click.argument("bare", nargs=-1, type=InputPath("dictionaries"), metavar="[DICT] [DIR]...")
@click.option(
    "-m",
    "--matcher",
    "matchers",
    multiple=True,
    type=PartName("matchers"),
    metavar="MATCHER",
    help="A matcher to calibrate. Repeatable.  [default: the one that is used where none is named, "
    "and surprise]",
)
@click.option(
    "-o",
    "--output",
    type=XML_PATH,
    metavar="OUT",
    help="The file to write; - prints it.  [default: DICT itself]",
)
@click.option(
    "--sample",
    type=AmountType(least=10),
    default="500",
    show_default=True,
    help="The number of documents in the sample, 10 or more, or a percentage of all.",
)
@click.option(
    "--mangler",
    "edits",
    multiple=True,
    type=PartName("manglers"),
    metavar="MANGLER",
    help="What makes the edited copies, such as 'keep-lines(share=0.3)'. Repeatable.  [default: "
    "half and a fifth of the lines, a quarter and a tenth in one piece]",
)
@click.option(
    "--seed",
    type=WholeNumber(min=0),
    default=1,
    show_default=True,
    metavar="SEED",
    help="Other copies of other documents.",
)
@force_option
@format_option
@folder_options
@jobs_option
def command(
    path: str | None,
    files: list[str],
    bare: Sequence[str],
    matchers: tuple[str, ...],
    output: str | None,
    sample: Amount,
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

    A bundled dictionary comes calibrated on documentation and messages of programs, of different
    sources. Documents of one form, or on one subject, reach its scores more often: calibrate it
    with yours. --recommended then takes their scores.
    """
    from sdtext.evaluation.calibrate import EDITS, calibrate

    if path is None and bare:
        path, *bare = bare
    files = [*files, *bare]
    if path is None or not files:
        raise click.UsageError(f"Missing argument '{'DIR' if path else 'DICT'}'.")
    target = _CalibratedFile(path, output, force)
    dictionary = target.dictionary(files, reading.max_bytes)
    created = origin().created
    with running(reading, jobs, files) as run:
        done = calibrate(
            dictionary,
            files,
            matcher=matchers,
            sample=sample,
            mangler=edits or EDITS,
            seed=seed,
            created=created,
            run=run,
        )
    target.save(done.dictionary)
    print_rows(form, _COLUMNS, _rows(done.calibrations), "sdtext/calibrate/1", run.problems or ())
    code = report(run.problems or ())
    _summarise(done, target.output or path)
    return code


@dataclass(frozen=True)
class _CalibratedFile:
    """Where a dictionary is, a file or a collection, and where it is stored with calibrations."""

    path: str
    output: str | None
    force: bool

    @property
    def _collection(self) -> StoredCollection | None:
        from sdtext.collections.stored_collection import StoredCollection
        from sdtext.reading.walk import is_collection

        return StoredCollection.open(self.path) if is_collection(self.path) else None

    @property
    def _file(self) -> Output:
        from sdtext.reading.overwrite_guard import DICTIONARY, Output

        return Output(self.output or self.path, DICTIONARY, self.force)

    def dictionary(self, files: Sequence[str], max_bytes: int) -> Dictionary:
        """The dictionary, after a check that it can be stored."""
        from sdtext.fingerprinting.load_and_save import load_dictionary
        from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES

        collection = self._collection
        if self.output or collection is None:
            if self.output is None and DICTIONARIES.path(self.path):
                message = f"{self.path} comes with sdtext; name a file for the result with -o"
                raise click.UsageError(message)
            self._file.check(files)
        if collection is None:
            return load_dictionary(self.path, max_bytes)
        if not collection.dictionaries:
            what = "has no bit vectors, which calibrations are for; add documents with a dictionary"
            raise MismatchError(f"{what} (-d)", file=self.path)
        return collection.dictionaries[0]

    def save(self, dictionary: Dictionary) -> None:
        """Store the dictionary."""
        from sdtext.fingerprinting.load_and_save import save

        collection = self._collection
        if collection and not self.output:
            collection.store_calibrations(dictionary)
        else:
            save(dictionary, self._file.path, may_replace=self._file.check_replaced)


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
        recall = f"{100 * best.recall(best.recommended_rate):.0f} % of the edited copies found"
        say(f"recommended: {best.described()}; {recall}")
    own = most_sensitive(done.calibrations)
    if own is None or own.recommended_rate != RECOMMENDED_RATES[0]:
        rates = "0.1 %" if own else "0.1 % or 1 %"
        say(f"no level of {rates}: the sample is too small; give more documents (--sample, -p)")
