"""The dictionaries that come with sdtext, by name."""

from __future__ import annotations

import re
from pathlib import Path

from sdtext.errors import UnreadableError

_NAME = re.compile("[a-z][a-z-]{0,40}")
_PACKAGE = Path(__file__).parents[1]


def ready(name: str | Path) -> Path | None:
    """The file of the ready dictionary called `name`; None where a file has that name, or none.

    >>> ready("english").name, ready("letters.xml")
    ('english.xml.gz', None)
    """
    if not _NAME.fullmatch(str(name)) or Path(name).is_file():
        return None
    path = _folder() / f"{name}.xml.gz"
    return path if path.is_file() else None


def home_of(dictionary: str | Path) -> str | Path:
    """The file of a dictionary: the one of that path, else the ready one of that name.

    >>> home_of("letters.xml")
    'letters.xml'
    """
    name = str(dictionary)
    if path := ready(dictionary):
        return path
    if _NAME.fullmatch(name) and not Path(name).exists():
        names = ", ".join(ready_dictionaries()) or "none, in this installation"
        raise UnreadableError(
            f"no such file; dictionaries that come with sdtext: {names}", file=name
        )
    return dictionary


def ready_dictionaries() -> list[str]:
    """The names of the dictionaries that come with sdtext."""
    return sorted(file.name.removesuffix(".xml.gz") for file in _folder().glob("*.xml.gz"))


def _folder() -> Path:
    """Where they stand: in the package where that is installed, beside it in a checkout."""
    beside = _PACKAGE.with_name("dictionaries")
    checkout = _PACKAGE.with_name("pyproject.toml").is_file()
    return beside if checkout else _PACKAGE / "dictionaries"
