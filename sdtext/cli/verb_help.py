"""The help of a verb: its options in sections, its examples as they can be pasted into a shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import click

OWN = "Options"
SECTIONS: dict[str, tuple[str, ...]] = {
    OWN: (
        *("--input", "--fingerprint", "--path", "--truth", "--found", "--output", "--for"),
        *("--min-score", "--top", "--matcher", "--mangler", "--config", "--dictionary"),
    ),
    "Output": ("--format", "--html", "--exit-code", "--force", "--quiet", "--verbose"),
    "Repeated passages (--unit)": ("--min-tokens", "--min-copies", "--min-frequency", "--restore"),
    "Files in folders": ("--include", "--exclude", "--all-files", "--files-from"),
    "Records (JSON lines, tables, Parquet)": ("--text-field", "--id-field", "--metadata"),
    "Reading of documents": (
        *("--encoding", "--hidden", "--ocr", "--pdf-engine", "--extractor"),
        *("--max-bytes", "--max-seconds", "--max-memory"),
    ),
    "Provenance": ("--creator", "--program", "--volume", "--image", "--byte-run"),
    "Damaged collections": ("--no-verify", "--skip-damaged"),
    "Other": ("--jobs", "--help"),
}
"""Titles with their options, in the order of the help. The first also has all other options."""
_PLACES = {
    name: (title, place) for title, names in SECTIONS.items() for place, name in enumerate(names)
}
_COLUMN, _GAP = 26, 2
"""Width of the left column, and blanks after it. A longer option has a line of its own."""

Record = tuple[str, str]
"""An option as it is written, and what it is for."""


def sections_of(command: click.Command, context: click.Context) -> dict[str, list[Record]]:
    """The options of a verb by the titles of their sections, without empty sections."""
    sections: dict[str, list[Record]] = {title: [] for title in SECTIONS}
    options = [item for item in command.get_params(context) if isinstance(item, click.Option)]
    for option in sorted(options, key=lambda option: _place(option)[1]):
        if record := option.get_help_record(context):
            sections[_place(option)[0]].append((record[0], _in_words(record[1])))
    return {title: records for title, records in sections.items() if records}


def _place(option: click.Option) -> tuple[str, int]:
    """The title of the section of an option, and its place there."""
    return next((_PLACES[name] for name in option.opts if name in _PLACES), (OWN, len(_PLACES)))


def _in_words(text: str) -> str:
    """A help text with the limits of a number in words, beside the default.

    >>> _in_words("Number of rows.  [default: all]  [x>=1]")
    'Number of rows.  [default: all; at least 1]'
    """
    return re.sub(r"\bx>=(\d+)", r"at least \1", text.replace("]  [x", "; x"))


def write_options(
    command: click.Command, context: click.Context, formatter: click.HelpFormatter
) -> None:
    """Write the options of a verb, section by section."""
    for title, records in sections_of(command, context).items():
        widest = min(_COLUMN, max(len(option) for option, _ in records))
        with formatter.section(title):
            formatter.write_dl(records, _COLUMN, _COLUMN + _GAP - widest)


def examples_of(command: click.Command) -> list[str]:
    """The commands in the epilog "Examples: COMMAND", with blank lines between them."""
    text = re.sub(r"^Examples?: ", "", command.epilog or "")
    return [example for example in text.split("\n\n") if example]


def write_examples(command: click.Command, formatter: click.HelpFormatter) -> None:
    """Write the examples of a verb; long ones go on in a new line before an option."""
    with formatter.section("Examples"):
        for example in examples_of(command):
            for line in _lines(example, formatter.width - 4):
                formatter.write(f"  {line}\n")


def _lines(example: str, width: int) -> Iterator[str]:
    r"""The lines of a command, which end in a backslash where it goes on.

    >>> list(_lines("sdtext FindPairs papers.sdx -s 80 -m 'dice'", 36))
    ['sdtext FindPairs papers.sdx -s 80 \\', "    -m 'dice'"]
    """
    line, *words = re.split(r" (?=-)", example)
    for word in words:
        if len(line) + len(word) + 3 > width:
            yield f"{line} \\"
            line = f"    {word}"
        else:
            line += f" {word}"
    yield line
