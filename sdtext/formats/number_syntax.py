"""Numbers as the files of sdtext write them; everything else is a FormatError."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import inf, isnan, nan

from sdtext.errors import FormatError, brief

# Digits are limited because Python refuses to convert thousands of them.
_WHOLE = re.compile(r"-?[0-9]{1,400}")
_FRACTION = re.compile(r"-?(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:e[+-]?[0-9]{1,3})?")
_NOT_FINITE: Mapping[str, float] = {
    "inf": inf, "-inf": -inf, "INF": inf, "-INF": -inf, "NaN": nan,
}  # fmt: skip
_MOST_DIGITS = 15  # of a count or an offset


def whole_number(text: str | None, what: str, name: str) -> int:
    """`text` as a number of zero or more; FormatError names `what` and the file `name`.

    >>> whole_number("12", "<documents>", "bees.xml")
    12
    """
    if text is not None and text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS:
        return int(text)
    raise _no_number(text, what, "a whole number", name)


def decimal_number(text: str | None, what: str, name: str) -> float:
    """`text` as a number with a sign and a fraction; FormatError names `what` and the file `name`.

    It may be infinite.

    >>> decimal_number("-0.5", "minimum of <trimmed>", "bees.xml")
    -0.5
    """
    number = None if text is None else number_or_none(text, finite=False)
    if number is None or isnan(number):
        raise _no_number(text, what, "a number", name)
    return float(number)


def number_or_none(text: str, *, finite: bool = True) -> int | float | None:
    """The number that is written in `text`, None if there is none.

    Unless it must be `finite`, it may be INF or NaN, as XML Schema writes them.

    >>> number_or_none("3"), number_or_none("0.5"), number_or_none("1.2.3"), number_or_none(".")
    (3, 0.5, None, None)
    """
    if _WHOLE.fullmatch(text):
        return int(text)
    if _FRACTION.fullmatch(text):
        return float(text)
    return None if finite else _NOT_FINITE.get(text)


def _no_number(text: str | None, what: str, wanted: str, name: str) -> FormatError:
    given = "missing" if text is None else brief(text)
    return FormatError(f"{what} is {given}; it must be {wanted}", file=name)
