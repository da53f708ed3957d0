"""EvaluateReuse: measure how well passages were detected."""

from sdtext.cli.main import exit_code
from sdtext.cli.options import common
from sdtext.cli.print_results import print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import FormatError
from sdtext.wording import counted


@verb(
    "sdtext EvaluateReuse truth/ found/", "sdtext EvaluateReuse planted/truth found --format json"
)
@common.path("TRUTH", "truth")
@common.path("FOUND", "found")
@common.rows_format
def command(truth: str, found: str, form: str | None) -> int:
    """Measure how well passages were detected: PAN's precision, recall, granularity, plagdet.

    TRUTH is a folder of true cases in PAN's XML, FOUND one of detections, as FindReuse --format pan
    writes them. Files are matched by their names below the two folders. Macro rows weight each
    case equally, micro rows each code point; subfolders of the truth have rows of their own.
    """
    from sdtext.evaluation.evaluate_pan_folders import EvaluationRow, evaluate
    from sdtext.reading.parallel_run import Run

    run = Run(problems=[])
    rows = evaluate(truth, found, run=run)
    problems = run.problems or []
    print_rows(form, EvaluationRow, rows, "sdtext/evaluate-reuse/1", problems)
    lines = (
        f"{total.found} of {counted(total.cases, 'case')} found, "
        + counted(total.false, "false detection")
        for total in rows[-1:]
    )
    code = report(problems, *lines)
    damaged = any(problem.category == "damaged" for problem in problems)
    return exit_code(FormatError()) if damaged else code
