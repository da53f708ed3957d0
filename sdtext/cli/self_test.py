"""SelfTest: compute the published test vectors."""

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.print_results import print_rows
from sdtext.cli.verb import verb
from sdtext.errors import MismatchError


@verb("sdtext SelfTest --format json")
@common.rows_format
def command(form: str | None) -> None:
    """Check that this installation computes what every other one does: the published test vectors.

    They go from texts over terms, bits, sketches and codes to scores and passages. If one is
    different, its fingerprints and scores may not fit those of others (exit code 4).
    """
    from sdtext.sharing.self_test import VectorResult, self_test

    results = self_test()
    rows = (result._asdict() for result in results)
    print_rows(form, VectorResult._fields, rows, "sdtext/self-test/1")
    equal = sum(result.result == "equal" for result in results)
    different = [result.name for result in results if result.result == "different"]
    if different:
        raise MismatchError(f"this installation computes otherwise: {', '.join(different)}")
    say(f"{equal} of {len(results)} vectors equal, none different")
