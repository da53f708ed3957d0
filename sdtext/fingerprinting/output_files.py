"""Where fingerprints go: one file for all, or one for each document."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from secrets import randbelow

from sdtext.errors import OutputError, reason, shown
from sdtext.fingerprinting.load_and_save import save
from sdtext.model import Fingerprint
from sdtext.model.dictionary import Dictionary


def save_fingerprints(
    named: Iterable[tuple[Path, Fingerprint]],
    output: str | None,
    dictionaries: Sequence[Dictionary],
    *,
    several: bool,
    inputs: Iterable[Path] = (),
) -> Iterator[tuple[str, list[int]]]:
    """Write fingerprints to `output`; each file, with how many terms its fingerprints have set.

    A folder (it is one, or ends in /) gets a file for each document, named after it, and none of
    the `inputs` in it is written over; any other output is one file: a container where `several`
    may come. Without output each goes to a file of its own, fingerprint_<random>.xml. Raises
    OutputError.
    """
    if output is None or output.endswith("/") or Path(output).is_dir():
        name = _random_name if output is None else _namer(Path(output), inputs)
        for path, fingerprint in named:
            target = name(path)
            save(fingerprint, target, *dictionaries)
            yield str(target), [_terms(fingerprint)]
        return
    arriving = iter(named)
    first = list(islice(arriving, 1))
    if not first:
        return
    if not several:
        save(first[0][1], output, *dictionaries)
        yield output, [_terms(first[0][1])]
        return
    counts: list[int] = []
    save(_counted(chain(first, arriving), counts), output, *dictionaries)
    yield output, counts


def _counted(named: Iterable[tuple[Path, Fingerprint]], counts: list[int]) -> Iterator[Fingerprint]:
    for _, fingerprint in named:
        counts.append(_terms(fingerprint))
        yield fingerprint


def _terms(fingerprint: Fingerprint) -> int:
    """How many terms the vectors tell: for each dictionary those of all segments."""
    told: defaultdict[str, int] = defaultdict(int)
    for vector in fingerprint.vectors:
        told[vector.dictionary] |= vector.number
    return sum(bits.bit_count() for bits in told.values())


def _random_name(_path: Path) -> Path:
    while (name := Path(f"fingerprint_{randbelow(2**31)}.xml")).exists():
        pass
    return name


def _namer(folder: Path, inputs: Iterable[Path]) -> Callable[[Path], Path]:
    """Names in `folder` after documents, numbered where a name is another's or an input's."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{shown(folder)}: cannot be made: {reason(error)}") from error
    place = folder.resolve()
    taken = {path.name for path in map(Path.resolve, inputs) if path.parent == place}

    def name(path: Path) -> Path:
        number = 1
        free = f"{path.name}.xml"
        while free in taken:
            number += 1
            free = f"{path.name}-{number}.xml"
        taken.add(free)
        return folder / free

    return name
