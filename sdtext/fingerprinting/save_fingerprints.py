"""Fingerprint files and write the results: one file for all, or one for each document."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, count, islice
from pathlib import Path
from secrets import randbelow

from sdtext.errors import OptionError, OutputError
from sdtext.fingerprinting.disclosure_profiles import Disclosure, Provenance
from sdtext.fingerprinting.fingerprint_documents import fingerprints
from sdtext.fingerprinting.load_and_save import load_dictionary, save
from sdtext.io.decompressed_content import MAX_BYTES
from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.overwrite_guard import (
    FINGERPRINTS,
    PLAIN,
    Identity,
    Output,
    check_named,
    check_outputs,
    check_outside,
    folder_for_files,
    identity_of,
)
from sdtext.reading.parallel_run import Run
from sdtext.reading.walk import documents_in
from sdtext.wording import counted, shown

Home = tuple[Dictionary, Path]
"""A dictionary and the path of its file."""


@dataclass(frozen=True)
class FingerprintOutput:
    """Where fingerprints go, and what is written of each.

    `path` is a folder (it exists, or ends in /), which gets a file for each document, or one
    file for all; None stands for a file fingerprint_<random>.xml for each document.
    `provenance` is called once for each fingerprint, which gets a GUID of its own. Files that are
    no fingerprint files are replaced only with `replaces`. `names` is the key: a file that states
    which number is which document. With it, files in a folder are named by number. With `codes`
    there are sentence codes in place of vectors, with `sketch` sketches of so many bytes.
    """

    path: str | None
    disclosure: Disclosure
    provenance: Callable[[], Provenance]
    segment: Segment | None = None
    replaces: bool = False
    names: str | None = None
    codes: bool = False
    sketch: int | None = None

    @property
    def is_folder(self) -> bool:
        """Whether each document gets a file of its own."""
        return self.path is None or self.path.endswith("/") or Path(self.path).is_dir()

    def file(self, path: str | Path) -> Output:
        """One of the files."""
        return Output(path, FINGERPRINTS, self.replaces)

    def check(self, documents: Iterable[str | Path], others: Iterable[str | Path] = ()) -> None:
        """Raise OutputError unless the files can be written without loss, and are no input.

        A folder that is named must not be that of a document, and the key must not be in it. Raises
        OptionError for a key of what names documents, and places on an image of several documents.
        """
        check_named(self.path)
        documents = list(documents)
        several = len(documents) > 1 or any(map(os.path.isdir, documents))
        if several and self.provenance().byte_runs:
            raise OptionError("byte_run is of a single document; give one")
        if self.names is not None and (self.disclosure.universal or self.disclosure.dataSource):
            raise OptionError("names is for fingerprints without names or GUIDs: profile minimal")
        if self.is_folder:
            check_outside(self.path or ".", documents, beside=self.path is None)
        outputs = [] if self.is_folder else [self.file(str(self.path))]
        if self.names is not None:
            key = Output(self.names, PLAIN, self.replaces)
            folder = Path(os.path.realpath(self.path)) if self.path and self.is_folder else None
            if folder and folder in key.place.parents:
                what = "is in the folder of the fingerprints, which you share; name a file outside"
                raise OutputError(f"{what} it", file=self.names)
            outputs.append(key)
        check_outputs(outputs, [*documents, *others])


@dataclass
class SavedFingerprints:
    """The files that were written; the document and the number of set bits of each fingerprint.

    `disclosed` describes what they disclose.
    """

    files: list[str] = field(default_factory=list)
    counts: list[int] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    disclosed: str = ""

    def add(self, document: Path | str, fingerprint: Fingerprint) -> None:
        """Count a fingerprint that is written."""
        union: defaultdict[str, int] = defaultdict(int)
        for vector in fingerprint.vectors:
            union[vector.dictionary] |= vector.number
        self.counts.append(sum(bits.bit_count() for bits in union.values()))
        self.documents.append(str(document))

    def key(self) -> list[tuple[int, str, str]]:
        """Which number is which document: number, file and document of each fingerprint.

        >>> SavedFingerprints(["all.xml"], [9, 8], ["a.txt", "b.txt"]).key()[1]
        (2, 'all.xml', 'b.txt')
        """
        files = self.files * (len(self.documents) if len(self.files) == 1 else 1)
        return [*zip(count(1), files, self.documents)]

    @property
    def place(self) -> str:
        """The file, or the number of files."""
        return self.files[0] if len(self.files) == 1 else f"{len(self.files):,} files"


def load_homes(paths: Iterable[str | Path], max_bytes: int = MAX_BYTES) -> list[Home]:
    """The dictionaries at `paths`, each once, with the paths of their files. Raises as `load`."""
    files = [Path(DICTIONARIES.resolve(path)) for path in paths]
    named = [(load_dictionary(path, max_bytes), path) for path in files]
    return list({dictionary.digest: (dictionary, path) for dictionary, path in named}.values())


def save_fingerprints(
    files: Sequence[str], homes: Sequence[Home], output: FingerprintOutput, run: Run
) -> SavedFingerprints:
    """Fingerprint the documents at `files`, files and folders, and write the results to `output`.

    A file in an output folder is numbered where its name is that of one of `files` or of the
    dictionaries, and named by its number where the output has a key. Raises OutputError, before
    any work if a file cannot be replaced.
    """
    documents = list(documents_in(files, run.reading, run.note))
    dictionaries = [dictionary for dictionary, _ in homes]
    named = fingerprints(documents, dictionaries, run, output.segment, output.disclosure.digest)
    inputs = (*map(Path, files), *(path for _, path in homes))
    return save_named(named, documents, inputs, homes, output)


def save_named(
    named: Iterable[tuple[Path | str, Fingerprint]],
    documents: Sequence[Path | str] | None,
    inputs: Sequence[Path],
    homes: Sequence[Home],
    output: FingerprintOutput,
) -> SavedFingerprints:
    """Write fingerprints to `output`, each by the path of its document, or by a name without path.

    In a folder, files are named after the `documents`, which are all that can come, and none is
    one of the `inputs`. One file is a container, unless a single document can come; without
    `documents` any number can. Raises OutputError.
    """
    embedded = [dictionary for dictionary, _ in homes] if output.disclosure.dictionary else []

    def disclosed_prints() -> Iterator[tuple[Path | str, Fingerprint]]:
        for document, made in named:
            item = output.disclosure.of(made, Path(document), homes, output.provenance())
            if isinstance(document, str) and item.source:
                item = replace(item, source=replace(item.source, filename=document))
            yield document, item

    disclosed = disclosed_prints()
    if output.is_folder and output.path is None:
        return _save_each(disclosed, _random_name, embedded, output)
    if output.is_folder:
        is_numbered = output.names is not None
        with folder_for_files(Path(str(output.path))) as folder:
            for target in map(_FileNames(folder, inputs, is_numbered=is_numbered), documents or ()):
                output.file(target).check_replaced()
            return _save_each(
                disclosed, _FileNames(folder, inputs, is_numbered=is_numbered), embedded, output
            )
    file = str(output.path)
    several = documents is None or len(documents) > 1
    first = list(islice(disclosed, 1 if several else None))  # to the end: warnings come there
    if not first:
        return SavedFingerprints()
    saved = SavedFingerprints([file])

    def counted_prints() -> Iterator[Fingerprint]:
        for document, item in chain(first, disclosed):
            saved.add(document, item)
            yield item

    items = counted_prints() if several else next(counted_prints())
    save(items, file, dictionary=embedded, may_replace=output.file(file).check_replaced)
    return saved


def _save_each(
    named: Iterable[tuple[Path | str, Fingerprint]],
    name: Callable[[Path | str], Path],
    dictionaries: Sequence[Dictionary],
    output: FingerprintOutput,
) -> SavedFingerprints:
    """Write a file for each document; `name` gives its path.

    A KeyboardInterrupt says how many are written.
    """
    saved = SavedFingerprints()
    try:
        for document, fingerprint in named:
            target = name(document)
            may_replace = output.file(target).check_replaced
            save(fingerprint, target, dictionary=dictionaries, may_replace=may_replace)
            saved.files.append(str(target))
            saved.add(document, fingerprint)
    except KeyboardInterrupt as error:
        if not saved.files:
            raise
        number, last = counted(len(saved.files), "file"), shown(saved.files[-1])
        raise KeyboardInterrupt(f"written: {number}; the last is {last}") from error
    return saved


def _random_name(_document: Path | str) -> Path:
    while os.path.lexists(name := Path(f"fingerprint_{randbelow(2**31)}.xml")):
        pass
    return name


class _FileNames:
    """Paths in `folder` named after documents, or by numbers.

    A name is numbered if it is taken, or leads to one of `inputs` or to a file that was written
    before: file systems may ignore case, and there may be links.
    """

    def __init__(self, folder: Path, inputs: Iterable[Path], *, is_numbered: bool = False) -> None:
        self._folder, self._is_numbered = folder, is_numbered
        self._count = 0
        self._names: set[str] = set()
        self._files: set[Identity] = set(filter(None, map(identity_of, inputs)))
        self._last = folder

    def __call__(self, document: Path | str) -> Path:
        if identity := identity_of(self._last):
            self._files.add(identity)
        self._count += 1
        stem = str(self._count) if self._is_numbered else Path(document).name
        number = 1
        name = f"{stem}.xml"
        while name in self._names or identity_of(self._folder / name) in self._files:
            number += 1
            name = f"{stem}-{number}.xml"
        self._names.add(name)
        self._last = self._folder / name
        return self._last
