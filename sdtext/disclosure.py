"""What a shared fingerprint says beside its vectors: profiles, output configurations, files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from itertools import chain, islice
from pathlib import Path
from secrets import randbelow

from sdtext.artefacts import save
from sdtext.dictionary import Dictionary
from sdtext.errors import OptionError, OutputError, reason, shown
from sdtext.formats.toml import table_in
from sdtext.model import DataSource, DictionaryReference, Fingerprint, Origin
from sdtext.readers.content import Content

_MAX_BYTES = 1 << 20
_LESS = {
    (True, True): "--profile evidence (no dictionary) or minimal (no names either)",
    (True, False): "--profile minimal (no names)",
    (False, True): "--profile minimal (no dictionary)",
    (False, False): "trim the dictionary further",
}

_UNSAID = Origin()


@dataclass(frozen=True)
class Disclosure:
    """What is written of a fingerprint, beside its vectors and its dictionary's identity.

    `universal`: GUID, time and system of its making, name and directory of the dictionary;
    `dataSource`: the document's file name, the dictionary's path and the system it was made on;
    `dictionary`: the whole dictionary, once in a file.
    """

    universal: bool = True
    dataSource: bool = True  # noqa: N815 (the name that sdtext gave it)
    dictionary: bool = True

    def of(
        self,
        fingerprint: Fingerprint,
        path: Path,
        dictionaries: Iterable[tuple[Dictionary, Path]],
        origin: Origin = _UNSAID,
    ) -> Fingerprint:
        """`fingerprint` of the document at `path` with all that is to be said, and no more.

        `dictionaries` come with the paths of their files; `origin` is that of the fingerprint.

        >>> dictionary = create_dictionary(samples, "configs/english.toml")
        >>> made = fingerprint(samples / "union.txt", dictionary)
        >>> home = (dictionary, folder / "texts.xml")
        >>> PROFILES["evidence"].of(made, samples / "union.txt", [home]).source.filename
        'union.txt'
        """
        homes = {one.guid: (one, Path(home).resolve()) for one, home in dictionaries}
        references = tuple(
            self._reference(homes[reference.guid]) for reference in fingerprint.dictionaries
        )
        dictionary, home = homes[references[0].guid]
        source = DataSource(path.name, str(home), dictionary.origin.system)
        return replace(
            fingerprint,
            dictionaries=references,
            origin=origin if self.universal else Origin(),
            source=source if self.dataSource else None,
        )

    def _reference(self, home: tuple[Dictionary, Path]) -> DictionaryReference:
        dictionary, path = home
        reference = dictionary.reference(str(path.parent))
        return reference if self.universal else replace(reference, name="", directory="")

    def told(self, counts: list[int], dictionary: Dictionary, *, by_name: bool = False) -> str:
        """In words, what fingerprints with that many terms set reveal, and how to reveal less.

        `by_name` says that their files are named after the documents.
        """
        low, high = min(counts), max(counts)
        terms = f"{low} terms" if low == high else f"{low} to {high} terms a document"
        name = dictionary.name or dictionary.guid
        who = "anyone, for it holds" if self.dictionary else "whoever holds"
        names = self.universal or self.dataSource
        also = " (and names of files and machines)" if names else ""
        if by_name and not names:
            also = " (and the files are named after the documents)"
        less = _LESS[names, self.dictionary]
        return f"reveals {terms} readable by {who} dictionary {name}{also}; to reveal less: {less}"


PROFILES = {
    "full": Disclosure(),
    "evidence": Disclosure(dictionary=False),
    "minimal": Disclosure(universal=False, dataSource=False, dictionary=False),
}
"""What to disclose in one word."""


def load_disclosure(path: str | Path) -> Disclosure:
    """The output configuration in a TOML file: `universal`, `dataSource`, `dictionary`.

    What it does not name is left out, but for the universal part. Raises UnreadableError,
    FormatError or OptionError.

    >>> load_disclosure("configs/output-evidence.toml") == PROFILES["evidence"]
    True
    """
    content = Content(path, _MAX_BYTES)
    known = [field.name for field in fields(Disclosure)]
    table = table_in(content.whole(), content.name, "an output configuration")
    for key, value in table.items():
        if key not in known:
            raise OptionError(
                f"{content.name}: there is no output {key!r}; known are {', '.join(known)}"
            )
        if not isinstance(value, bool):
            raise OptionError.of(content.name, key, value, "true or false")
    return Disclosure(**{"dataSource": False, "dictionary": False, **table})


def save_fingerprints(
    named: Iterable[tuple[Path, Fingerprint]],
    output: str | None,
    dictionary: Dictionary | None,
    *,
    several: bool,
) -> Iterator[tuple[str, list[int]]]:
    """Write fingerprints to `output`; each file, with how many terms its fingerprints have set.

    A folder (it is one, or ends in /) gets a file for each document, named after it; any other
    output is one file: a container where `several` may come. Without output each goes to a file
    of its own, fingerprint_<random>.xml. Raises OutputError.
    """
    if output is None or output.endswith("/") or Path(output).is_dir():
        name = _random_name if output is None else _namer(Path(output))
        for path, fingerprint in named:
            target = name(path)
            save(fingerprint, target, dictionary)
            yield str(target), [_terms(fingerprint)]
        return
    arriving = iter(named)
    first = list(islice(arriving, 1))
    if not first:
        return
    if not several:
        save(first[0][1], output, dictionary)
        yield output, [_terms(first[0][1])]
        return
    counts: list[int] = []
    save(_counted(chain(first, arriving), counts), output, dictionary)
    yield output, counts


def _counted(named: Iterable[tuple[Path, Fingerprint]], counts: list[int]) -> Iterator[Fingerprint]:
    for _, fingerprint in named:
        counts.append(_terms(fingerprint))
        yield fingerprint


def _terms(fingerprint: Fingerprint) -> int:
    return max(vector.count for vector in fingerprint.vectors)


def _random_name(_path: Path) -> Path:
    while (name := Path(f"fingerprint_{randbelow(2**31)}.xml")).exists():
        pass
    return name


def _namer(folder: Path) -> Callable[[Path], Path]:
    """Names in `folder` after documents, numbered where two documents share a name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{shown(folder)}: cannot be made: {reason(error)}") from error
    taken: set[str] = set()

    def name(path: Path) -> Path:
        number = 1
        free = f"{path.name}.xml"
        while free in taken:
            number += 1
            free = f"{path.name}-{number}.xml"
        taken.add(free)
        return folder / free

    return name
