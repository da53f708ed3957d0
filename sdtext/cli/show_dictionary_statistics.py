"""ShowDictionaryStatistics: show how a dictionary was made."""

from sdtext.cli.options import common
from sdtext.cli.print_results import JSON_FORMATS, print_record
from sdtext.cli.verb import verb


@verb("sdtext ShowDictionaryStatistics letters.xml --format json")
@common.dictionary
@common.rows_format
def command(path: str, form: str | None) -> None:
    """Show how many documents and terms a dictionary has, and how it was made."""
    from sdtext.fingerprinting.load_and_save import load_dictionary

    dictionary = load_dictionary(path)
    record = dictionary.statistics()
    if form not in JSON_FORMATS:
        trimmed = dictionary.trimmed
        calibrations = [calibration.described() for calibration in dictionary.calibrations]
        record["tokenizers"] = ", ".join(map(str, dictionary.recipe.chain()))
        record["trimmed"] = "{:g} to {:g}".format(*trimmed) if trimmed else "no"
        record["calibrations"] = "; ".join(calibrations) or "none; Calibrate makes one"
    print_record(form, "sdtext/dictionary/1", record)
