"""ExtractDictionary: the dictionary inside a fingerprint as a file of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.reading import max_bytes_option
from sdtext.errors import OutputError, UnreadableError, shown

if TYPE_CHECKING:
    from sdtext.model.dictionary import Dictionary


@click.command(epilog="Example: sdtext ExtractDictionary -f memo.fp.xml -d letters.xml")
@click.option(
    "-f", "-i", "--fingerprint", "path", required=True, metavar="FINGERPRINT", help="The file."
)
@click.option(
    "-d",
    "-o",
    "--dictionary",
    "output",
    metavar="DICT",
    help="The file to write, if there is one alone.  [default: its name with .xml]",
)
@click.option("--force", is_flag=True, help="Overwrite a file that exists.")
@max_bytes_option
def command(path: str, output: str | None, force: bool, max_bytes: int) -> None:
    """Write each dictionary that FINGERPRINT holds to a file of its own."""
    from sdtext.fingerprinting.load_and_save import embedded_dictionaries, save

    dictionaries = embedded_dictionaries(path, max_bytes)
    if not dictionaries:
        raise UnreadableError(
            f"{shown(path)}: holds no dictionary; only fingerprints of profile full do"
        )
    if output and len(dictionaries) > 1:
        raise click.UsageError(
            f"{shown(path)}: holds {len(dictionaries)} dictionaries; without -d each goes to a "
            "file of its own name"
        )
    targets = [output] if output else _targets(dictionaries)
    for target in targets:
        if target != "-" and Path(target).is_file() and not force:
            raise OutputError(f"{shown(target)}: exists; name another file with -d, or add --force")
    for dictionary, target in zip(dictionaries, targets, strict=True):
        save(dictionary, target)
        say(f"dictionary {dictionary.name} ({len(dictionary.terms)} terms) in {shown(target)}")


def _targets(dictionaries: Sequence[Dictionary]) -> list[str]:
    """A file for each dictionary, named after it, numbered where two share a name."""
    names = [_harmless(one.name) or "dictionary" for one in dictionaries]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [
        f"{name}-{count + 1}.xml" if count else f"{name}.xml"
        for name, count in zip(names, before, strict=True)
    ]


def _harmless(name: str) -> str:
    """A name from a stranger's file as the name of a file here, and nowhere else."""
    return re.sub(r"[^\w.-]+", "_", name).lstrip(".-_")[:60]
