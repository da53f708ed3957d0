"""ExtractDictionary: write the dictionary in a fingerprint to a file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import say
from sdtext.cli.options import common
from sdtext.cli.options.values import XML_PATH
from sdtext.cli.verb import verb
from sdtext.errors import UnreadableError
from sdtext.wording import counted, shown

if TYPE_CHECKING:
    from sdtext.model.dictionary import Dictionary


@verb("sdtext ExtractDictionary memo.fp.xml -d letters.xml")
@common.file_option(
    "-f", "-i", "--fingerprint", to="path", metavar="FINGERPRINT", words="The file."
)
@common.option(
    "-d",
    "-o",
    "--dictionary",
    "output",
    kind=XML_PATH,
    metavar="DICT",
    help="The file to write, for a single dictionary; - prints it.  [default: its name with .xml]",
)
@common.force
def command(path: str, output: str | None, force: bool) -> None:
    """Write each dictionary in FINGERPRINT to a file of its own.

    Without -d the fingerprint names the files, so that no existing one is replaced.
    """
    from sdtext.fingerprinting.load_and_save import embedded_dictionaries, save
    from sdtext.reading.overwrite_guard import DICTIONARY, PLAIN, Output, check_outputs

    dictionaries = embedded_dictionaries(path)
    if not dictionaries:
        raise UnreadableError(
            "contains no dictionary; only fingerprints of profile full do", file=path
        )
    if output and len(dictionaries) > 1:
        raise click.UsageError(
            f"{shown(path)}: contains {len(dictionaries)} dictionaries; omit -d to write each to "
            "a file of its own"
        )
    targets = [output] if output else _targets(dictionaries)
    outputs = [Output(target, DICTIONARY if output else PLAIN, force) for target in targets]
    check_outputs(outputs, [path])
    for dictionary, target in zip(dictionaries, outputs, strict=True):
        save(dictionary, target.path, may_replace=target.check_replaced)
        number = counted(len(dictionary.terms), "term")
        say(f"dictionary {dictionary.name} ({number}) in {shown(target.path)}")


def _targets(dictionaries: Sequence[Dictionary]) -> list[str]:
    """A plain file name for each dictionary, numbered where two share a name."""
    raw = (re.sub(r"[^\w.-]+", "_", dictionary.name) for dictionary in dictionaries)
    names = [name.lstrip(".-_")[:60] or "dictionary" for name in raw]
    before = [names[:place].count(name) for place, name in enumerate(names)]
    return [
        f"{name}-{count + 1}.xml" if count else f"{name}.xml"
        for name, count in zip(names, before, strict=True)
    ]
