"""Copies of documents by manglers: in memory, and as files in a folder."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from pathlib import Path

from sdtext.errors import OptionError, OutputError
from sdtext.io.output import written
from sdtext.model import PartSpec
from sdtext.model.displayed_results import ShortFields
from sdtext.parts.registry import build, normalised, parse
from sdtext.reading.archive_members import MARK, display_name
from sdtext.reading.inputs import DocumentInputs, documents_and_paths
from sdtext.reading.mangled_documents import DocumentCopies
from sdtext.reading.overwrite_guard import (
    PLAIN,
    Output,
    check_outside,
    folder_for_files,
    identity_of,
)
from sdtext.reading.parallel_run import Run, read_each
from sdtext.reading.walk import Paths, documents_in, path_list

SEED = 1
"""The default seed."""

_STEM = 150  # bytes of the name of a document in that of its copy
NamedText = tuple[str, str]
"""The path or name of a document, and its text."""


@dataclass(frozen=True, repr=False)
class MangledCopy(ShortFields):
    """A copy of a document, and how it was made.

    `original` is the path or name of the document; copies of one document by one `mangler` are
    counted from 1 (`number`). If `related` is false, the copy must not match the original.
    `lenders` are the paths or names of other documents of which it may hold text. `text` is its
    text.
    """

    original: str
    mangler: str
    number: int
    seed: int
    related: bool
    lenders: tuple[str, ...]
    text: str = field(repr=False)


def _manglers(mangler: str | Sequence[str], copies: int, seed: int) -> list[PartSpec]:
    """The manglers that are named, of equal ones one. Raises OptionError.

    >>> [str(each) for each in _manglers(["shuffle", "keep-lines", "shuffle(of=words)"], 1, 1)]
    ['shuffle(of=words)', 'keep-lines']
    """
    for option, value, least in (("copies", copies, 1), ("seed", seed, 0)):
        if value < least:
            raise OptionError.of("mangle", option, value, f"{least} or more")
    names = [mangler] if isinstance(mangler, str) else mangler
    by_meaning = {normalised("manglers", spec): spec for spec in map(parse, names)}
    return [*by_meaning.values()]


def file_names(
    files: Sequence[Path], manglers: Sequence[PartSpec], copies: int
) -> dict[tuple[str, str, int], str]:
    """The name of the file of each copy, by original, mangler and number.

    Names that differ in letter case alone are the same, as on some file systems; the second one
    is numbered.

    >>> manglers = [PartSpec.of("keep-lines", share=0.5), PartSpec("shuffle")]
    >>> [*file_names([Path("a/b.pdf"), Path("c/B.txt")], manglers, 1).values()][1:]
    ['b.shuffle.1.txt', 'B.keep-lines-0.5.1-2.txt', 'B.shuffle.1-2.txt']
    """
    names: dict[tuple[str, str, int], str] = {}
    known: Counter[str] = Counter()
    for path in files:
        stem = re.sub(rf"[{MARK}/\\]", "-", display_name(path).removesuffix(path.suffix))
        # A longer name might not fit a file system, which has 255 bytes.
        stem = stem.encode("utf-8", "surrogateescape")[:_STEM].decode("utf-8", "ignore")
        stem = "stdin" if stem == "-" else stem
        for spec in manglers:
            values = (re.sub(r"[^\w.]+", "-", str(value)) for _, value in spec.options)
            slug = "-".join([spec.name, *values])
            for number in range(1, copies + 1):
                name = f"{stem}.{slug}.{number}"
                again = known[name.casefold()] = known[name.casefold()] + 1
                ending = f"-{again}.txt" if again > 1 else ".txt"
                names[str(path), str(spec), number] = name + ending
    return names


def mangle(
    paths: DocumentInputs,
    mangler: str | Sequence[str],
    *,
    copies: int = 1,
    seed: int = SEED,
    others: DocumentInputs = (),
    run: Run | None = None,
) -> Iterator[MangledCopy]:
    """Copies of documents by one mangler or several: files at `paths` and below, and Documents.

    A mangler is given as on the command line: "keep-lines(share=0.5)". `copies` is the number of
    copies of each document by each mangler, and `seed` selects the random numbers. `others` are
    files, folders and Documents that lend text, too, and are not copied. A copy depends on the
    text, the mangler, its number and the seed, and where it takes text of other documents, on the
    set of all texts: not on names, the order of files or the number of processes. Raises
    OptionError for a mangler or option that there is not, and where a mangler needs other documents
    and there are none.

    >>> place = folder / "bees.txt"
    >>> place.write_text("Bees dance in hives.")
    20
    >>> copy = next(mangle(place, "fragment(share=0.5)"))
    >>> copy.text, copy.number, copy.related
    ('Bees dance', 1, True)
    """
    manglers, run = _manglers(mangler, copies, seed), run or Run()
    files, originals = _texts_of(paths, run)
    _, lent = _texts_of(others, run, {*files})
    return _copies(manglers, copies, seed, originals, lent)


def _texts_of(
    given: DocumentInputs, run: Run, known: Collection[Path] = ()
) -> tuple[list[Path], Iterator[NamedText]]:
    """The files that are given, and their texts, but for `known` files, then those in memory."""
    held, named = documents_and_paths(given)
    files = list(documents_in(named, run.reading, run.note)) if named else []
    further = [path for path in files if path not in known]
    in_memory = ((item.source or str(place), item.text) for place, item in enumerate(held))
    return files, chain(read_each(further, attrgetter("text"), run), in_memory)


def _copies(
    manglers: Sequence[PartSpec],
    copies: int,
    seed: int,
    originals: Iterable[NamedText],
    others: Iterable[NamedText],
) -> Iterator[MangledCopy]:
    """The copies of the originals, in their order, one at a time in memory."""

    def copies_of(
        name: str, texts: Sequence[str], place: int, names: Sequence[Sequence[str]]
    ) -> Iterator[MangledCopy]:
        for spec in manglers:
            copying = DocumentCopies(spec, texts, lending=1)
            for number in range(1, copies + 1):
                copy, lenders = copying.of(place, seed, number)
                lent = tuple(sorted(each for lender in lenders for each in names[lender]))
                related = copying.part.related
                yield MangledCopy(name, str(spec), number, seed, related, lent, copy)

    if not (lending := [str(spec) for spec in manglers if build("manglers", spec).needs_others]):
        for name, text in originals:
            yield from copies_of(name, [text], 0, [[name]])
        return
    texts = [*originals]
    named: dict[str, list[str]] = {}
    for name, text in sorted([*texts, *others], key=lambda pair: (pair[1], pair[0])):
        named.setdefault(text, []).append(name)
    if len(named) == 1:
        what = "takes text from other documents; name another one that differs"
        raise OptionError(f"{', '.join(lending)}: {what}")
    distinct, names = [*named], [*named.values()]
    for name, text in texts:
        yield from copies_of(name, distinct, bisect_left(distinct, text), names)


@contextmanager
def saved_copies(
    output: str,
    paths: Paths,
    mangler: str | Sequence[str],
    *,
    copies: int = 1,
    seed: int = SEED,
    others: Paths = (),
    force: bool = False,
    run: Run,
) -> Iterator[Iterator[tuple[str, MangledCopy]]]:
    """Copies of the documents at `paths`, each with its file in the folder `output`, as written.

    A name is numbered where there is one like it; `force` replaces files. Raises OutputError before
    any work if a file cannot be written without loss, and OptionError for a path that is no name.
    A new folder that stays empty is removed. An interrupt removes all that was written.
    """
    manglers = _manglers(mangler, copies, seed)
    if output in ("", "-"):
        raise OptionError.of("mangle", "output", output, "the name of a folder")
    folder = Path(output)
    check_outside(folder, [*path_list(paths), *path_list(others)])
    files, originals = _texts_of(paths, run)
    _, lent = _texts_of(others, run, {*files})
    inputs = {*map(identity_of, files)} - {None}
    outputs = {}
    for key, name in file_names(files, manglers, copies).items():
        outputs[key] = Output(folder / name, PLAIN, force)
        if identity_of(folder / name) in inputs:
            raise OutputError("is also an input; choose another folder", file=folder / name)
        outputs[key].check_replaced()
    made = _copies(manglers, copies, seed, originals, lent)
    done: list[Path] = []
    with folder_for_files(folder):
        try:
            yield _saved(made, outputs, done)
        except KeyboardInterrupt:
            for target in done:
                target.unlink(missing_ok=True)
            raise


def _saved(
    copies: Iterator[MangledCopy], outputs: Mapping[tuple[str, str, int], Output], done: list[Path]
) -> Iterator[tuple[str, MangledCopy]]:
    """Write copies, and note in `done` which files there are."""
    for copy in copies:
        output = outputs[copy.original, copy.mangler, copy.number]
        target = Path(output.path)
        replaces = os.path.lexists(target)
        if not replaces:
            done.append(target)
        with written(target, output.check_replaced) as file:
            file.write(copy.text.encode("utf-8", "replace"))
        if replaces:  # until here it was the old file
            done.append(target)
        yield str(target), copy
