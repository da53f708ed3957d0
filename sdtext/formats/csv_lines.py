"""Lines of CSV in which no cell is a formula."""

import csv
from collections.abc import Iterable, Iterator, Sequence


def csv_lines(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    r"""The line of each row; cells with commas, quotes or several lines are quoted.

    >>> list(csv_lines([("a", "b,c")]))
    ['a,"b,c"\n']
    """
    writer = csv.writer(_Line())  # its "\r\n" makes it quote cells that hold either character
    return (writer.writerow(row).removesuffix("\r\n") + "\n" for row in rows)


class _Line:
    write = staticmethod(str)


def harmless(cell: str) -> str:
    """A cell that no spreadsheet evaluates as a formula; numbers stay as they are.

    >>> harmless("=1+1"), harmless("-1")
    ("'=1+1", '-1')
    """
    if cell[:1] not in ("=", "+", "-", "@", "\t", "\r"):
        return cell
    try:
        float(cell)
    except ValueError:
        return "'" + cell
    return cell
