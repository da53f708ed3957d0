"""Dates and times of Excel cells as their number format shows them (ECMA-376, part 1, 18.8.30)."""

import re
from datetime import datetime, timedelta
from functools import lru_cache
from itertools import islice

_FORMATS = {
    "14": "m/d/yyyy", "15": "d-mmm-yy", "16": "d-mmm", "17": "mmm-yy", "18": "h:mm AM/PM",
    "19": "h:mm:ss AM/PM", "20": "h:mm", "21": "h:mm:ss", "22": "m/d/yyyy h:mm", "45": "mm:ss",
    "46": "[h]:mm:ss", "47": "mm:ss.0",
}  # fmt: skip
"""The formats of dates that a file names by number alone."""
_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*+)"|\\(?P<sign>.)|[_*].|(?P<spent>\[(?:h+|m+|s+)\])|\[[^\]]*+\]|\[|'
    r"(?P<part>y+|m+|d+|h+|s+(?:\.0+)?|am/pm|a/p)|(?P<plain>.)",
    re.IGNORECASE | re.DOTALL,
)
_MOST = 100  # tokens; a format has some ten
_DAYS, _DAY = 2_958_466, 86_400
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}  # noqa: DTZ001
_NAMES = "January February March April May June July August September October November December"
_WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"


def date_format(number: str, code: str = "") -> str:
    """The format code for a date or time; "" for a format of other values.

    >>> date_format("17"), date_format("165", "d mmm;@"), date_format("2", "0.00")
    ('mmm-yy', 'd mmm;@', '')
    """
    code = code or _FORMATS.get(number, "")
    tokens = _tokens(code)
    is_number = any(kind == "plain" and text in "0#?" for kind, text in tokens)
    is_date = any(kind in ("part", "spent") for kind, _ in tokens)
    return code if is_date and not is_number else ""


def shown_date(value: str, code: str, *, from_1904: bool = False) -> str:
    """The stored value, a count of days, as a cell with the format `code` shows it.

    What is no date stays as it is.

    >>> shown_date("45352.75", "d mmmm yyyy h:mm AM/PM"), shown_date("1.5", "[h]:mm")
    ('1 March 2024 6:00 PM', '36:00')
    """
    try:
        days = float(value)
    except ValueError:
        try:  # as in a strict file
            days = (datetime.fromisoformat(value) - _EPOCHS[from_1904]) / timedelta(days=1)
        except (ValueError, TypeError):
            return value
    if not 0 <= days < _DAYS:
        return value
    tokens = _tokens(code)
    fraction = any("." in text for kind, text in tokens if kind == "part")
    seconds = round(days * _DAY, 3 if fraction else 0)
    when = _EPOCHS[from_1904] + timedelta(seconds=seconds)
    if not from_1904 and 1 <= days < 60:  # before a 29 February 1900, which only Excel has
        when += timedelta(days=1)
    has_half = any(text.lower() in ("am/pm", "a/p") for _, text in tokens)
    parts = [text.lower().strip("[]") if kind in ("part", "spent") else "" for kind, text in tokens]
    shown, before = [], ""
    for place, (kind, text) in enumerate(tokens):
        part = parts[place]
        if not part:
            shown.append(text)
            continue
        behind = next(filter(None, parts[place + 1 :]), "")
        if part[0] == "m" and (before.startswith("h") or behind.startswith("s")):
            part = "i" * len(part)
        spent = {"h": 3600, "m": 60, "i": 60, "s": 1}
        if kind == "spent":
            shown.append(str(int(seconds // spent[part[0]])))
        else:
            shown.append(_shown_part(when, part, has_half=has_half))
        before = part
    return "".join(shown).strip()


def _shown_part(when: datetime, part: str, *, has_half: bool) -> str:
    kind, length = part[0], len(part)
    if kind == "a":
        half = "AM" if when.hour < 12 else "PM"
        return half if length > 3 else half[0]
    if kind == "y":
        return f"{when.year:04}" if length > 2 else f"{when.year % 100:02}"
    if kind in "md" and length > 2:
        names = (_NAMES if kind == "m" else _WEEKDAYS).split()
        name = names[when.month - 1 if kind == "m" else when.weekday()]
        return name[:3] if length == 3 else name[0] if length == 5 else name
    hour = (when.hour % 12 or 12) if has_half else when.hour
    number = {"m": when.month, "d": when.day, "h": hour, "i": when.minute, "s": when.second}[kind]
    whole, _, digits = part.partition(".")
    fraction = f".{when.microsecond:06}"[: len(digits) + 1] if digits else ""
    return f"{number:0{min(len(whole), 2)}}{fraction}"


@lru_cache(256)
def _tokens(code: str) -> list[tuple[str, str]]:
    """The tokens of the first section of a format, each with its kind."""
    tokens = []
    for match in islice(_TOKEN.finditer(code), _MOST):
        if match[0] == ";":
            break
        if match.lastgroup:
            tokens.append((match.lastgroup, match[match.lastgroup]))
    return tokens
