"""Doctor: diagnose how files are read."""

from sdtext.cli.batch_run import Batch
from sdtext.cli.main import exit_code
from sdtext.cli.options import common, reading
from sdtext.cli.print_results import UNREADABLE, print_rows, report
from sdtext.cli.verb import verb
from sdtext.errors import FormatError


@verb("sdtext Doctor inbox/")
@common.inputs("FILE")
@common.rows_format
@reading.diagnosed_folders
def command(files: tuple[str, ...], form: str | None, batch: Batch) -> int:
    """Show the detected kind of each FILE, its reader, and how much text is read.

    If no text is read, or not all, problem gives the reason. Files in archives and attachments of
    mails have rows of their own, as ARCHIVE!NAME. A collection is verified byte by byte.
    """
    from sdtext.collections.stored_collection import DAMAGED
    from sdtext.file_diagnosis import Finding, examine, summary_of

    with batch.running(files) as run:
        rows = list(examine(files, run=run))
    problems = run.problems or []
    print_rows(form, Finding, rows, "sdtext/doctor/1", problems)
    errors = [problem for problem in problems if problem.severity == "error"]
    seen = {row.path for row in rows}
    others = (problem for problem in problems if problem.path not in seen)
    code = report(others, *summary_of(rows, problems))
    if code or not errors:
        return code
    return exit_code(FormatError()) if errors[0].category == DAMAGED else UNREADABLE
