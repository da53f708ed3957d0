"""Print a comparison of fingerprints or documents with a folder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sdtext.cli.main import VERBOSE, is_set, say
from sdtext.cli.print_results import explain_chances, print_rows, report, warn_of_unexplained
from sdtext.errors import MismatchError, UnreadableError
from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.search.comparison_rows import Comparison, Row


def print_comparison(
    comparison: Comparison,
    rows: Sequence[Row],
    form: str | None,
    folders: Sequence[str],
    *,
    explains: bool,
    is_whole: bool,
) -> int:
    """Print the rows that are listed, what was compared and what was not; return the exit code.

    The rows have shared terms if the verb `explains`, and `is_whole` says that all are listed.
    Raises MismatchError or UnreadableError where nothing in the folders could be compared.
    """
    from sdtext.reports.comparison_summary import summary_of

    listed = sum(row.reaches(comparison.minimum) for row in rows)
    more = max(0, comparison.reaching - comparison.nothing_rare - listed)
    columns = comparison.columns(explained=explains)
    print_rows(
        form,
        columns,
        rows,
        "sdtext/compare/1",
        comparison.problems,
        how=comparison.how,
        matcher=comparison.matcher,
        dictionaries=[item.name or item.guid for item in comparison.dictionaries],
        queries=len(comparison.names),
        documents=comparison.documents,
        compared=comparison.compared,
        without_text=comparison.without_text,
        unreadable=comparison.unreadable,
        unmatched=comparison.unmatched(rows),
        more=more,
        **{"nothing_rare": number} if (number := comparison.nothing_rare) else {},
        **{"folders": folders} if form == "dfxml" else {},
        not_comparable=[{"reason": reason, "count": n} for reason, n in comparison.reasons],
    )
    explain_chances(form, columns, rows)
    code = report(comparison.problems, found=[row for row in rows if row.score is not None])
    verbose = is_set(VERBOSE)
    for line in summary_of(comparison, rows, more, is_whole=is_whole, verbose=verbose):
        say(line)
    if explains:
        warn_of_unexplained(sum(row.score is not None and row.shared_terms is None for row in rows))
    if not comparison.compared:
        where = ", ".join(map(shown, folders))
        if comparison.reasons:
            raise MismatchError(f"nothing in {where} is comparable: {comparison.reasons[0][0]}")
        if comparison.left_out:
            raise UnreadableError(f"{where}: there is nothing to compare but the file itself")
        if not any(problem.severity == "error" for problem in comparison.problems):
            raise UnreadableError(f"nothing in {where} holds text")
    return code
