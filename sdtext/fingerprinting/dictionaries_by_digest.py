"""The dictionaries that fingerprints were made with, found by content digest.

A fingerprint names its dictionary by GUID and content digest and need not contain it. It may be one
that comes with sdtext, or stand in a file beside that of the fingerprint. A dictionary states its
digest in its first lines: of other files only these are read, and no other dictionary is loaded.
What it states is checked when it is loaded.
"""

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sdtext.errors import SdtextError
from sdtext.fingerprinting.load_and_save import load_dictionary
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import MAX_BYTES, Content
from sdtext.model import DictionaryReference
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.wording import shown

_DIGEST = re.compile(rb">\s*([0-9a-f]{64})\s*<")
_ENDINGS = (".xml", ".xml.gz")


class LocatedDictionary(NamedTuple):
    """A dictionary, and where it comes from, for a message."""

    dictionary: Dictionary
    origin: str


def dictionaries_by_digest(
    digests: Iterable[str], folder: Path | None = None, max_bytes: int = MAX_BYTES
) -> Iterator[LocatedDictionary]:
    """The dictionaries with these content digests, as far as they are found, each once.

    Those that come with sdtext stand before those in the files `*.xml` and `*.xml.gz` of `folder`,
    without the folders in it, archives and symbolic links. A file that cannot be read is left out
    without a message.

    >>> (found,) = dictionaries_by_digest([load_dictionary("english").digest])
    >>> found.origin
    'english, which comes with sdtext'
    """
    wanted = set(digests)
    for name in DICTIONARIES.names():
        for dictionary in _loaded(DICTIONARIES.path(name) or "", wanted, max_bytes):
            yield LocatedDictionary(dictionary, f"{name}, which comes with sdtext")
    for path in _xml_files(folder) if folder and wanted else ():
        for dictionary in _loaded(path, wanted, max_bytes):
            yield LocatedDictionary(dictionary, described(dictionary, path))


def called(reference: DictionaryReference) -> str:
    """The name and GUID of a dictionary, as messages give them; the GUID alone without a name."""
    return f"{reference.name} (GUID {reference.guid})" if reference.name else reference.guid


def described(dictionary: Dictionary, path: Path) -> str:
    """The name of a dictionary, and the file that it is in."""
    return f"{shown(dictionary.name) or dictionary.guid} ({shown(path)})"


def folder_of(file: str | Path) -> Path | None:
    """The folder of a file; None for what stands in none: a pipe, a file in an archive."""
    is_file = os.path.isfile(file)  # noqa: PTH113 (Path.is_file raises for some names)
    return Path(file).parent if is_file else None


def _loaded(path: str | Path, wanted: set[str], max_bytes: int) -> Iterator[Dictionary]:
    """The dictionary in a file if it is a `wanted` one, which it is no longer then."""
    if not wanted:
        return
    content = Content(path, max_bytes)
    with content.kept_open(), suppress(SdtextError):
        head = content.head
        stated = {digest.decode("ascii") for digest in _DIGEST.findall(head)}  # its own is there
        if wanted.isdisjoint(stated) or kind_of_own_file(head) != "dictionary":
            return
        dictionary = load_dictionary(content)
        if dictionary.digest in wanted:
            wanted.remove(dictionary.digest)
            yield dictionary


def _xml_files(folder: Path) -> list[Path]:
    """The XML files in a folder, not below it, in the order of their names."""
    try:
        with os.scandir(folder) as entries:
            names = [
                entry.name
                for entry in entries
                if entry.name.lower().endswith(_ENDINGS) and entry.is_file(follow_symlinks=False)
            ]
    except OSError:
        return []
    return [folder / name for name in sorted(names, key=os.fsencode)]
