"""List what stands at paths by kind, then read it: fingerprints, shingles, dictionaries."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.errors import SdtextError, UnreadableError
from sdtext.fingerprinting.dictionaries_by_digest import (
    LocatedDictionary,
    described,
    dictionaries_by_digest,
    folder_of,
)
from sdtext.fingerprinting.fingerprint_documents import (
    Foreign,
    fingerprints,
    fingerprints_of_documents,
)
from sdtext.fingerprinting.load_and_save import load_dictionary, read_fingerprint_file
from sdtext.formats.hardened_xml import kind_of_own_file
from sdtext.io.decompressed_content import Content
from sdtext.model import Fingerprint, Problem, RecipeSpec
from sdtext.model.dictionary import Dictionary
from sdtext.parts.units.term_segments import Segment
from sdtext.reading.archive_members import expanded_files
from sdtext.reading.main_process_limits import work_on_each
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import (
    Run,
    Unread,
    batched,
    path_of,
    process_document,
    run_batches,
    skipped_artefact,
)
from sdtext.reading.read_document import Source
from sdtext.reading.walk import ShortFiles, walk
from sdtext.text.document import Document

Given = str | Path | Content | tuple[str, Document | Fingerprint]
"""A path, an open file, or a document or fingerprint in memory with its name."""

Known = Callable[[str], Any]
"""What is known of the document with a name, None where it has to be read."""


class ShingledDocument(NamedTuple):
    """The sorted distinct shingles of a document, and its clean text if that is kept."""

    name: str
    shingles: NDArray[np.uint64]
    text: str = ""


@dataclass
class ListedFiles:
    """What stands at some paths and in memory, by kind; problems go to the run.

    Documents are not read yet, and files of fingerprints only by `read_fingerprints`. `name` gives
    the name of what is in a file. `dictionaries` are those inside the files that were read so far,
    and `made_with` has the digests that their fingerprints name, by the folder of the file; `named`
    are the names of what was read from files, and `errors` are about what could not be used.
    """

    run: Run
    name: Callable[[Path], str] = str
    documents: list[Unread] = field(default_factory=list)
    in_memory: list[tuple[str, Document]] = field(default_factory=list)
    prints: list[tuple[str, Fingerprint]] = field(default_factory=list)
    files: list[tuple[Unread, Path | None]] = field(default_factory=list)
    beside: list[Unread] = field(default_factory=list)
    dictionaries: dict[str, Dictionary] = field(default_factory=dict)
    made_with: dict[Path | None, set[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    errors: list[SdtextError] = field(default_factory=list)

    def note(self, error: SdtextError, path: Path) -> None:
        """Add an error about what cannot be used."""
        self.run.note(Problem.of(error, path))
        self.errors.append(error)

    @property
    def number_of_documents(self) -> int:
        """How many documents there are, in files and in memory."""
        return len(self.documents) + len(self.in_memory)

    def read_fingerprints(self) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints in files and in memory, by name. A damaged file gives those before."""
        for file, folder in self.files:
            embedded: list[Dictionary] = []
            path = path_of(file)
            digests = self.made_with.setdefault(folder, set())
            content = Source(file, self.run.reading).content
            try:
                with content.kept_open():
                    for item in read_fingerprint_file(content, self.name(path)):
                        if isinstance(item, Dictionary):
                            embedded.append(item)
                        else:
                            digests.update(each.digest for each in item[1].dictionaries)
                            self.named.add(item[0])
                            yield item
                # A damaged file gives its intact fingerprints, but no dictionary.
                for dictionary in embedded:
                    self.dictionaries.setdefault(dictionary.digest, dictionary)
            except SdtextError as error:
                self.note(error, path)
        for name, fingerprint in self.prints:
            for dictionary in fingerprint.with_dictionaries:
                self.dictionaries.setdefault(dictionary.digest, dictionary)
            yield name, fingerprint

    def find_dictionaries(self) -> Iterator[LocatedDictionary]:
        """The dictionaries of the fingerprints read so far that no file contains.

        They stand in the folders of the fingerprints, or come with sdtext.
        """
        used = set().union(*self.made_with.values()) if self.made_with else set()
        for file in self.beside:
            path = path_of(file)
            try:
                dictionary = load_dictionary(Source(file, self.run.reading).content)
            except SdtextError as error:
                self.note(error, path)
                continue
            if dictionary.digest not in used:
                self.run.note(skipped_artefact(path, "dictionary"))
            elif dictionary.digest not in self.dictionaries:
                self.dictionaries[dictionary.digest] = dictionary
                yield LocatedDictionary(dictionary, described(dictionary, path))
        for folder, digests in self.made_with.items():
            missing = digests - self.dictionaries.keys()
            for located in dictionaries_by_digest(missing, folder, self.run.reading.max_bytes):
                self.dictionaries[located.dictionary.digest] = located.dictionary
                yield located

    def fingerprint_documents(
        self,
        dictionaries: Sequence[Dictionary],
        segment: Segment | None,
        foreign: Foreign,
        known: Known | None = None,
    ) -> Iterator[tuple[str, Fingerprint]]:
        """The fingerprints of the documents, by name; unreadable ones are problems of the run.

        Documents in another language than a dictionary are added to `foreign`. Those that are
        `known` by their names are not read again.
        """
        documents = [document for _, document in self.in_memory]
        made = fingerprints_of_documents(documents, dictionaries, segment, whole=True)
        yield from zip((name for name, _ in self.in_memory), made, strict=True)
        read = partial(
            fingerprints,
            dictionaries=dictionaries,
            run=self.run,
            segment=segment,
            whole=True,
            foreign=foreign,
        )
        yield from self._known_or_read(known, read)

    def shingle_documents(
        self, recipe: RecipeSpec, *, keep_text: bool, known: Known | None = None
    ) -> Iterator[ShingledDocument]:
        """The shingles of the documents, by name; unreadable ones are problems of the run.

        Documents that are `known` by their names are not read again.
        """
        encoder = Encoder(recipe)
        for name, document in self.in_memory:
            yield from _shingle(encoder, keep_text, [(name, document.clean)])
        work = partial(_read_and_shingle, encoder, self.run.reading, keep_text)

        def read(files: Sequence[Unread]) -> Iterator[tuple[Path, ShingledDocument]]:
            for rows in run_batches(work, batched(files, self.run.jobs), self.run, len(files)):
                yield from ((Path(item.name), item) for item in rows)

        for name, item in self._known_or_read(known, read):
            yield item._replace(name=name)

    def _known_or_read(
        self, known: Known | None, read: Callable[[Sequence[Unread]], Iterator[tuple[Path, Any]]]
    ) -> Iterator[tuple[str, Any]]:
        """The documents in files by name: first those that are known, then what `read` gives."""
        files: list[Unread] = []
        for file in self.documents:
            name = self.name(path_of(file))
            if item := known and known(name):
                yield name, item
            else:
                files.append(file)
        for path, item in read(files):
            name = self.name(path)
            self.named.add(name)
            yield name, item


def list_files(  # noqa: PLR0912 (one case for each kind)
    items: Iterable[Given], run: Run, name: Callable[[Path], str] = str, *, queries: bool
) -> ListedFiles:
    """What stands at paths, in folders and archives, and what is in memory, each once, by kind.

    Files of sdtext that are neither documents nor fingerprints are left out, with a warning; a
    dictionary in a folder of `queries` may be that of fingerprints there. A file that is a query
    itself must be usable.
    """
    listed = ListedFiles(run, name)
    paths: dict[object, Any] = {}
    for item in items:
        if not isinstance(item, tuple):
            key = item if isinstance(item, Content) else os.path.realpath(str(item))
            paths.setdefault(key, item)
        elif isinstance(item[1], Fingerprint):
            listed.prints.append((item[0], item[1]))
        else:
            listed.in_memory.append((item[0], item[1]))
    singles = [
        path
        for path in paths.values()
        if queries and (isinstance(path, Content) or not os.path.isdir(path))  # noqa: PTH112 (Path.is_dir raises for some names)
    ]
    folders = [path for path in paths.values() if path not in singles]
    short = ShortFiles()
    in_folders = walk(folders, run.note, run.reading.selection)
    for is_single, files in ((False, in_folders), (True, singles)):
        for content in expanded_files(files, run.reading, run.note):
            path = path_of(content)
            try:
                kind = kind_of_own_file(content.head)
                is_hidden = b"<!ENTITY" in content.head and b"]>" not in content.head
                if not kind and is_single and (b"<fingerprint" in content.head or is_hidden):
                    kind = "fingerprint"  # a damaged one
                if not kind:
                    listed.documents.append(short.kept(content))
                elif kind.startswith("fingerprint"):
                    folder = folder_of(path) if is_single else None
                    listed.files.append((short.kept(content), folder))
                elif kind == "dictionary" and queries and not is_single:
                    listed.beside.append(short.kept(content))
                elif is_single:
                    what = f"is a <{kind}> file, not a fingerprint; name a dictionary as dictionary"
                    raise UnreadableError(what, file=path)
                else:
                    run.note(skipped_artefact(path, kind))
            except SdtextError as error:
                listed.note(error, path)
    return listed


def _read_and_shingle(
    encoder: Encoder,
    reading: Reading,
    keep_text: bool,  # noqa: FBT001 (bound in one place)
    files: Sequence[Unread],
    problems: list[Problem],
) -> Sequence[ShingledDocument]:
    """Read a batch of files and shingle their texts, both within the limits."""

    def text_of(source: Source) -> tuple[str, Sequence[Problem]]:
        return "".join(source.clean_pieces(" \n")), source.problems

    texts: list[tuple[str, str]] = []
    for file in files:
        result = process_document(file, reading, text_of)
        if isinstance(result, Problem):
            problems.append(result)
        else:
            texts.append((str(path_of(file)), result[0]))
            problems += result[1]
    shingle = partial(_shingle, encoder, keep_text)
    rows, _ = work_on_each(shingle, texts, reading.limits, lambda item: item[0], problems.append)
    return rows or []


def _shingle(
    encoder: Encoder,
    keep_text: bool,  # noqa: FBT001 (as above)
    texts: Sequence[tuple[str, str]],
) -> list[ShingledDocument]:
    sets = encoder.sets(encoder.block([text for _, text in texts]))
    return [
        ShingledDocument(name, np.asarray(sets[place]), text if keep_text else "")
        for place, (name, text) in enumerate(texts)
    ]
