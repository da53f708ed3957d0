"""The bundled dictionaries, by name."""

from __future__ import annotations

import re
from pathlib import Path

from sdtext.errors import UnreadableError

_NAME = re.compile("[a-z][a-z-]{0,40}")
_PACKAGE = Path(__file__).parents[1]


def ready(name: str | Path) -> Path | None:
    """The file of the bundled dictionary `name`; None if there is none or a file has that name.

    >>> ready("english").name, ready("letters.xml")
    ('english.xml.gz', None)
    """
    if not _NAME.fullmatch(str(name)) or Path(name).is_file():
        return None
    path = _folder() / f"{name}.xml.gz"
    return path if path.is_file() else None


def home_of(dictionary: str | Path) -> str | Path:
    """The file of a dictionary: the one at that path, else the bundled one of that name.

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
    """The names of the bundled dictionaries."""
    return sorted(file.name.removesuffix(".xml.gz") for file in _folder().glob("*.xml.gz"))


def _folder() -> Path:
    """Their folder: in the installed package, or beside it in a checkout."""
    beside = _PACKAGE.with_name("dictionaries")
    checkout = _PACKAGE.with_name("pyproject.toml").is_file()
    return beside if checkout else _PACKAGE / "dictionaries"
