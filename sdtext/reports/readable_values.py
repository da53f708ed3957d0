"""Values as people read them: shares as percentages, short names of files, one line each."""

import re
from collections import Counter
from collections.abc import Sequence
from os.path import commonprefix

from sdtext.formats.strict_json import cell_text
from sdtext.wording import as_percent, printable

_SHARES = ("boilerplate", "copies_found")
_SIMILARITIES = ("similarity", "weakest", "mean", "precision", "recall", "f1", "average_precision")
_RATES = ("rate", "observed", "at_most", "false_positive_rate")
"""Columns of percentages, besides those that are called a share."""
_ARCHIVE = re.compile(r".*\.\w+!")
"""The beginning of a part of a path up to the mark after the name of an archive."""


def for_people(name: str, value: object) -> str:
    """A value as a cell of a table; shares, similarities and rates are percentages.

    Shares and similarities are rounded down, rates to two significant digits.

    >>> for_people("left_share", 0.349), for_people("similarity", 0.4576), for_people("idf", 0.5)
    ('34 %', '45.7 %', '0.5000')
    >>> for_people("observed", 0.0045), for_people("metadata", {"year": 1912, "by": "Anna"})
    ('0.45 %', 'year: 1912, by: Anna')
    """
    if isinstance(value, float):
        if name.endswith("share") or name in _SHARES:
            return percent(value).replace("under ", "<")
        if name in _SIMILARITIES:
            return f"{_floored(value, 10):.1f} %"
        return as_percent(value) if name in _RATES else f"{value:.4f}"
    if isinstance(value, dict):
        return one_line(", ".join(f"{key}: {cell_text(item)}" for key, item in value.items()))
    items = value if isinstance(value, list | tuple) else [value]
    return one_line(", ".join(map(cell_text, items)))


def percent(share: float) -> str:
    """A share from 0 to 1 as a percentage, rounded down: whole from 1 % on, else to a tenth.

    >>> percent(0.3499), percent(0.29), percent(0.0049), percent(0.0004), percent(0.0)
    ('34 %', '29 %', '0.4 %', 'under 0.1 %', '0 %')
    """
    tenths = _floored(share, 10)
    if tenths >= 1 or not share:
        return f"{int(tenths)} %"
    return f"{tenths:.1f} %" if tenths else "under 0.1 %"


def _floored(share: float, steps: int) -> float:
    """A share as a percentage, rounded down to so many steps in a per cent."""
    return int(100 * steps * share + 1e-9) / steps  # 100 × .29 is a little less than 29


def one_line(text: str) -> str:
    """`text` on one line: characters that would break a row are escaped."""
    return text if text.isprintable() else printable(text.replace("\\", "\\\\"))


def shorten_path(path: str, width: int) -> str:
    """A path with as many of the folders next to its file as fit; its name is kept.

    >>> shorten_path("/home/anna/case/disk/letters/a.txt", 24)
    '…/disk/letters/a.txt'
    >>> shorten_path("letters/a.txt", 24), shorten_path("letters/of/1912/a.txt", 8)
    ('letters/a.txt', '…/a.txt')
    >>> shorten_path("letters/a-long-name.txt", 8)  # on two lines in any case
    '…/a-long-name.txt'
    >>> shorten_path("backup/old.zip!letters/of/1912/a.txt", 24)  # of an archive, its name, too
    '…/old.zip!…/a.txt'
    """
    from rich.cells import cell_len

    *folders, name = path.split("/")
    archives = [place for place, folder in enumerate(folders) if _ARCHIVE.match(folder)]
    last, least = len(folders) - 1, name
    if archives and (archive := _ARCHIVE.match(folders[archives[-1]])):
        last, least = archives[-1], f"{archive[0]}…/{name}"
    ends = ("/".join(["…", *folders[place:], name]) for place in range(1, last + 1))
    fitting = (text for text in (path, *ends, f"…/{least}", least) if cell_len(text) <= width)
    return next(fitting, f"…/{least}" if folders else path)


def common_folder(paths: Sequence[str]) -> str:
    """The folder that all paths are in, with a slash at its end; "" for none.

    >>> common_folder(["essays/a.txt", "essays/b.txt"]), common_folder(["a.txt", "x/b.txt"])
    ('essays/', '')
    """
    common = commonprefix(paths)  # noqa: RUF071 (cut behind a folder)
    return common[: common.rfind("/") + 1]


def distinct_names(paths: Sequence[str]) -> list[str]:
    """Names of files without folders, but with those that tell files of one name apart.

    >>> distinct_names(["b/essays/a.txt", "c/essays/a.txt", "c/essays/d.txt", "a.txt"])
    ['b/essays/a.txt', 'c/essays/a.txt', 'd.txt', 'a.txt']
    """
    ends = {}
    for path in paths:
        parts = path.rstrip("/").split("/")
        ends[path] = ["/".join(parts[place:]) for place in range(len(parts) - 1, -1, -1)]
    known = Counter(end for own in ends.values() for end in own)
    return [next((end for end in ends[path] if known[end] == 1), ends[path][-1]) for path in paths]
