"""ShowDictionaryStatistics: show how a dictionary was made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from sdtext.cli.options.common import file_option, format_option
from sdtext.cli.print_results import print_record
from sdtext.cli.verb import Verb
from sdtext.wording import counted

if TYPE_CHECKING:
    from sdtext.model.calibration import Calibration


@click.command(
    cls=Verb, epilog="Example: sdtext ShowDictionaryStatistics letters.xml --format json"
)
@file_option(
    "-d", "--dictionary", to="path", metavar="DICT", words="The dictionary.", bundled="dictionaries"
)
@format_option
def command(path: str, form: str | None) -> None:
    """Show how many documents and terms a dictionary has, and how it was made."""
    from sdtext.fingerprinting.load_and_save import load_dictionary

    dictionary = load_dictionary(path)
    record = dictionary.statistics()
    if form not in ("json", "jsonl"):
        record["tokenizers"] = ", ".join(map(str, dictionary.recipe.chain()))
        record["trimmed"] = (
            "no" if dictionary.trimmed is None else "{:g} to {:g}".format(*dictionary.trimmed)
        )
        record["calibrations"] = (
            "; ".join(map(_in_words, dictionary.calibrations)) or "none; Calibrate makes one"
        )
    print_record(form, "sdtext/dictionary/1", record)


def _in_words(calibration: Calibration) -> str:
    """The matcher of a calibration, the scores that are recommended, and its sample."""
    if calibration.recommended_rate:
        return calibration.described()
    number = counted(calibration.documents, "document")
    return f"{calibration.matcher}; calibrated on {number}, too few for a recommended score"
