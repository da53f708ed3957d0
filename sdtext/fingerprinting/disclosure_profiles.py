"""What a shared fingerprint says beside its vectors: profiles and output configurations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from sdtext.errors import OptionError
from sdtext.formats.configuration_xml import read_outputs
from sdtext.formats.toml_reader import table_in
from sdtext.io.decompressed_content import Content
from sdtext.model import ByteRun, DataSource, DictionarySource, Fingerprint, Origin, PartSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.fingerprints.compressed_tokens import Digest
from sdtext.parts.registry import build
from sdtext.reading.archive_members import display_name
from sdtext.wording import brief, counted

_MAX_BYTES = 1 << 20
_UNKNOWN = Origin()


@dataclass(frozen=True)
class Provenance:
    """Who made a fingerprint, with which program, and where the document was found.

    `creator` is a person; `volume`, `image` and `byte_runs` locate the document on a disk.
    """

    origin: Origin = _UNKNOWN
    creator: str = ""
    program: str = ""
    volume: str = ""
    image: str = ""
    byte_runs: tuple[ByteRun, ...] = ()

    def __post_init__(self) -> None:
        for name in ("creator", "program", "volume", "image"):
            if not getattr(self, name).isprintable():
                raise OptionError.of("fingerprint", name, getattr(self, name), "printable text")


_UNSAID = Provenance()


@dataclass(frozen=True)
class Disclosure:
    """What is written of a fingerprint, beside its vectors and its dictionary's identity.

    `universal`: GUID, time and system of its making, its creator, name and directory of the
    dictionary; `dataSource`: the document's file name and where it was found, the dictionary's
    path and the system it was made on; `dictionary`: the whole dictionary, once in a file;
    `digest`: all terms of the document in their order.
    """

    universal: bool = True
    dataSource: bool = True  # noqa: N815 (the name that sdtext gave it)
    dictionary: bool = True
    digest: Digest | None = None

    def of(
        self,
        fingerprint: Fingerprint,
        path: Path,
        dictionaries: Iterable[tuple[Dictionary, Path]],
        provenance: Provenance = _UNSAID,
    ) -> Fingerprint:
        """`fingerprint` of the document at `path`, reduced to what this configuration discloses.

        `dictionaries` come with the paths of their files.

        >>> dictionary = create_dictionary(samples, "english")
        >>> made = fingerprint(samples / "union.txt", dictionary)
        >>> home = (dictionary, folder / "texts.xml")
        >>> PROFILES["evidence"].of(made, samples / "union.txt", [home]).source.filename
        'union.txt'
        """
        homes = [(dictionary, Path(home).resolve()) for dictionary, home in dictionaries]
        references = [dictionary.reference(str(home.parent)) for dictionary, home in homes]
        if not self.universal:
            references = [replace(item, name="", directory="") for item in references]
        sources = tuple(
            DictionarySource(dictionary.guid, str(home), dictionary.origin.system)
            for dictionary, home in homes
        )
        source = DataSource(
            display_name(path), provenance.volume, provenance.image, provenance.byte_runs, sources
        )
        return replace(
            fingerprint,
            dictionaries=tuple(references),
            origin=provenance.origin if self.universal else Origin(),
            creator=provenance.creator if self.universal else "",
            program=provenance.program if self.universal else "",
            source=source if self.dataSource else None,
            digests=fingerprint.digests if self.digest else (),
        )

    def description(self, counts: Sequence[int], dictionaries: Sequence[Dictionary]) -> str:
        """A sentence on what fingerprints with so many terms reveal, and how to reveal less."""
        names = " or ".join(item.name or item.guid for item in dictionaries)
        who = "anyone who has this file" if self.dictionary else f"whoever has dictionary {names}"
        if all(item.is_keyed for item in dictionaries):
            who = f"whoever has the key of dictionary {names}"
        of = "of the document" if len(counts) == 1 else "of each document"
        low, high = min(counts), max(counts)
        terms = counted(low, "term") if low == high else f"{low:,} to {high:,} terms"
        what = f"every term {of}, in order" if self.digest else f"{terms} {of}"
        if self.digest and not self.dictionary:
            what += ", and anyone the words not in it"
        contents = [f"dictionary {names}"] if self.dictionary else []
        contents += ["names of files and machines"] if self.universal or self.dataSource else []
        if contents:
            what += f" (it contains {' and '.join(contents)})"
        is_least = not (self.universal or self.dataSource or self.dictionary or self.digest)
        less = "trim the dictionary" if is_least else "the profile minimal"
        return f"{who} can read {what}; to reveal less: {less}"


PROFILES = {
    "full": Disclosure(digest=Digest()),
    "evidence": Disclosure(dictionary=False),
    "minimal": Disclosure(universal=False, dataSource=False, dictionary=False),
}
"""What to disclose in one word."""


def load_disclosure(path: str | Path) -> Disclosure:
    """The output configuration in a file: `universal`, `dataSource`, `dictionary`, `digest`.

    TOML, or XML (`<outputConfiguration>`). What it does not name is left out, but for the
    universal part. Raises UnreadableError, FormatError or OptionError.

    >>> load_disclosure("configs/output-evidence.toml") == PROFILES["evidence"]
    True
    """
    content = Content(path, _MAX_BYTES)
    if content.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        table: Mapping[str, Any] = read_outputs(content.file(), content.name)
    else:
        table = table_in(content.whole(), content.name, "an output configuration")
    known = [field.name for field in fields(Disclosure)]
    outputs: dict[str, Any] = {"dataSource": False, "dictionary": False}
    for key, value in table.items():
        if key not in known:
            what = f"there is no output {brief(key)}; available: {', '.join(known)}"
            raise OptionError(what, file=content.name)
        if key == "digest" and isinstance(value, Mapping):
            try:
                outputs[key] = build("fingerprints", PartSpec.of("digest", **value))
            except OptionError as error:
                raise OptionError(str(error), file=content.name) from error
        elif not isinstance(value, bool):
            wanted = "true or false" + (" or a table of options" if key == "digest" else "")
            raise OptionError.of(content.name, key, value, wanted)
        elif key == "digest":
            outputs[key] = Digest() if value else None
        else:
            outputs[key] = value
    return Disclosure(**outputs)
