"""What was read of a corpus so far, in a file: an interrupted deduplication goes on from there.

The file begins with a line of JSON: its kind, and the digest of what is read and how. A frame for
each batch of documents follows: the size of its content and the number of its documents (8 bytes
each), the digest of this number and the content (16), and the content: a line of JSON and the bytes
of its arrays. A frame that a killed process did not complete is cut off.
"""

from __future__ import annotations

import json
import os
import struct
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, BinaryIO, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.ingest.row_builder import BuiltRows
from sdtext.deduplication.repeated_passages.corpus_words import ReadUnits
from sdtext.deduplication.source_documents import HELD, Sources, file_version
from sdtext.errors import FormatError, OptionError, OutputError, reason
from sdtext.io.remote_files import remote_address
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.reading.inputs import InputDocument
from sdtext.reading.parallel_run import Run, run_batches

Arrays = Mapping[str, NDArray[Any]]
Read = TypeVar("Read", BuiltRows, ReadUnits)

_KIND = "sdtext deduplication progress 1"
_FRAME = struct.Struct("<QQ16s")
_OFFSETS = " offsets"


@dataclass(frozen=True)
class Reader(Generic[Read]):
    """Reads batches of documents, as `build` does; `arrays_of` and `of_arrays` store what is read.

    With a path of `progress`, batches that the file there holds are not read again, and those that
    are read are added to it.
    """

    build: Callable[[list[InputDocument]], Read]
    arrays_of: Callable[[Read], tuple[Arrays, Any]]
    of_arrays: Callable[[Arrays, Any], Read]
    progress: str | Path = ""

    def batches(self, sources: Sources, run: Run, total: Callable[[], int]) -> Iterator[Read]:
        """What is read of the sources, batch by batch, as `run_batches` gives it.

        Raises OptionError for the progress of another run, FormatError for another file or one that
        is damaged, OutputError where it cannot be written.
        """
        if not self.progress:
            yield from run_batches(self.build, sources.batches(run), run, total)
            return
        with _ProgressFile(Path(self.progress), digest_of(sources, self.build)) as file:
            done = 0
            for number, arrays, facts in file.stored():
                read = self.of_arrays(arrays, facts)
                yield read
                for problem in read.problems:
                    run.note(problem)
                done += number
                run.step(number, total())
            sizes = deque[int]()
            rest = _counted(_without_first(done, sources.batches(run)), sizes)
            for read in run_batches(self.build, rest, run, total):
                file.add(sizes.popleft(), *self.arrays_of(read))
                yield read


def rows_reader(
    build: Callable[[list[InputDocument]], BuiltRows], progress: str | Path
) -> Reader[BuiltRows]:
    """The reader of shingles and sketches."""
    return Reader(build, _arrays_of_rows, _rows_of_arrays, progress)


def units_reader(
    build: Callable[[list[InputDocument]], ReadUnits], progress: str | Path
) -> Reader[ReadUnits]:
    """The reader of words and units."""
    return Reader(build, _arrays_of_units, _units_of_arrays, progress)


def check_resumable(sources: Sources) -> None:
    """OptionError where the sources cannot be read again."""
    if sources.kind == HELD or any(str(path) == "-" for path in sources.paths):
        raise OptionError("progress is for files: standard input cannot be read a second time")
    check_local(sources.paths)


def check_local(paths: Iterable[str | Path]) -> None:
    """OptionError for an address, since what is there can change without a sign."""
    if address := next(filter(None, map(remote_address, paths)), ""):
        raise OptionError(
            "progress is for files of this machine: whether it has changed at its address is not "
            "known; fetch it first",
            file=address,
        )


def digest_of(sources: Sources, build: object) -> str:
    """The digest of what is read, and how: of another one nothing can be taken."""
    files = [file_version(path) for path in sources.paths]
    facts = [__version__, _described(build), _described(replace(sources, paths=())), *files]
    return blake2b(json.dumps(facts).encode(), digest_size=16).hexdigest()


def _described(value: object) -> object:
    """A value with all its fields as JSON: a representation may be shortened."""
    if is_dataclass(value) and not isinstance(value, type):
        pairs = [[each.name, _described(getattr(value, each.name))] for each in fields(value)]
        return [type(value).__name__, pairs]
    if isinstance(value, Mapping):
        return sorted(([repr(key), _described(item)] for key, item in value.items()), key=repr)
    if isinstance(value, Set):
        return sorted(map(repr, value))
    if isinstance(value, list | tuple):
        return [*map(_described, value)]
    return repr(value)


def _counted(
    batches: Iterable[list[InputDocument]], sizes: deque[int]
) -> Iterator[list[InputDocument]]:
    for batch in batches:
        sizes.append(len(batch))
        yield batch


def _without_first(
    number: int, batches: Iterable[list[InputDocument]]
) -> Iterator[list[InputDocument]]:
    """The batches without the first documents."""
    for batch in batches:
        if number < len(batch):
            yield batch[number:]
        number = max(number - len(batch), 0)


def _arrays_of_rows(read: BuiltRows) -> tuple[Arrays, Any]:
    arrays = dict[str, NDArray[Any]]()
    for name, array in (read.rows.arrays if read.rows else {}).items():
        if isinstance(array, Ragged):
            arrays[name], arrays[name + _OFFSETS] = array.values, array.offsets
        else:
            arrays[name] = array
    documents = [asdict(document) for document in read.rows.documents] if read.rows else []
    return arrays, [documents, read.lengths, [asdict(problem) for problem in read.problems]]


def _rows_of_arrays(arrays: Arrays, facts: Any) -> BuiltRows:
    documents, lengths, problems = facts
    columns = {
        name: Ragged(array, arrays[name + _OFFSETS]) if name + _OFFSETS in arrays else array
        for name, array in arrays.items()
        if not name.endswith(_OFFSETS)
    }
    new = [NewDocument(**document) for document in documents]
    rows = DocumentRows(new, columns) if new else None
    return BuiltRows(rows, lengths, added=len(new), problems=_problems(problems))


def _arrays_of_units(read: ReadUnits) -> tuple[Arrays, Any]:
    vocabulary = np.frombuffer(b"".join(read.vocabulary), np.uint8)
    sizes = np.array([*map(len, read.vocabulary)], np.int64)
    own: Arrays = {" words": read.words, " vocabulary": vocabulary, " sizes": sizes}
    return {**read.columns, **own}, [asdict(problem) for problem in read.problems]


def _units_of_arrays(arrays: Arrays, facts: Any) -> ReadUnits:
    ends = np.cumsum(arrays[" sizes"]).tolist()
    data = arrays[" vocabulary"].tobytes()
    vocabulary = [data[start:end] for start, end in zip([0, *ends], ends, strict=False)]
    columns = {name: array for name, array in arrays.items() if not name.startswith(" ")}
    return ReadUnits(columns, arrays[" words"], vocabulary, _problems(facts))


def _problems(rows: Iterable[dict[str, Any]]) -> list[Problem]:
    return [Problem(**{**row, "texts": tuple(row["texts"])}) for row in rows]


class _ProgressFile:
    """The file at a path, for what the `digest` says."""

    def __init__(self, path: Path, digest: str) -> None:
        self._path = path
        header = json.dumps({"kind": _KIND, "digest": digest}).encode() + b"\n"
        try:
            self._file: BinaryIO = path.open("r+b" if path.exists() else "x+b")
            first = self._file.readline()
            if first != header:
                self._begin(first, header)
        except OSError as error:
            raise self._failed(error) from error

    def __enter__(self) -> _ProgressFile:
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):
            self._file.close()

    def stored(self) -> Iterator[tuple[int, dict[str, NDArray[Any]], Any]]:
        """The number of documents, the arrays and the facts of each frame; then all is read."""
        try:
            place = self._file.tell()
            while (content := self._next()) is not None:
                number, data = content
                yield number, *_decoded(data, self._path)
                place = self._file.tell()
            self._file.seek(place)
            self._file.truncate()
        except OSError as error:
            raise self._failed(error) from error

    def add(self, number: int, arrays: Arrays, facts: Any) -> None:
        """Append a frame, at once."""
        head = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
        line = json.dumps([head, facts]).encode() + b"\n"
        data = b"".join([line, *(np.ascontiguousarray(each).tobytes() for each in arrays.values())])
        try:
            self._file.write(_FRAME.pack(len(data), number, _digest(number, data)) + data)
            self._file.flush()
        except OSError as error:
            raise self._failed(error) from error

    def _begin(self, first: bytes, header: bytes) -> None:
        """Write the first line. Raises an error for a file with another one."""
        if not header.startswith(first):
            self._file.close()
            if first.startswith(f'{{"kind": "{_KIND}"'.encode()):
                raise OptionError(
                    "has the progress of another run: its inputs have changed or its options are "
                    "others; name another file, or delete it",
                    file=self._path,
                )
            raise FormatError("is not the progress of a deduplication", file=self._path)
        self._file.seek(0)
        self._file.write(header)
        self._file.flush()

    def _next(self) -> tuple[int, bytearray] | None:
        """The number of documents and the content of the next frame; None where it is cut off."""
        head = self._file.read(_FRAME.size)
        if len(head) < _FRAME.size:
            return None
        size, number, digest = _FRAME.unpack(head)
        left = os.fstat(self._file.fileno()).st_size - self._file.tell()
        if size > left:
            return None
        data = bytearray(self._file.read(size))
        if _digest(number, data) != digest:
            raise _damaged(self._path)
        return number, data

    def _failed(self, error: OSError) -> OutputError:
        return OutputError(f"cannot be written: {reason(error)}", file=self._path)


def _digest(number: int, data: bytes | bytearray) -> bytes:
    hashed = blake2b(number.to_bytes(8, "little"), digest_size=16)
    hashed.update(data)
    return hashed.digest()


def _decoded(data: bytearray, path: Path) -> tuple[dict[str, NDArray[Any]], Any]:
    arrays, place = dict[str, NDArray[Any]](), data.index(b"\n") + 1
    head, facts = json.loads(data[:place])
    for name, dtype, shape in head:
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(data, dtype, count, place).reshape(shape)
        place += arrays[name].nbytes
    if place != len(data):
        raise _damaged(path)
    return arrays, facts


def _damaged(path: Path) -> FormatError:
    return FormatError("is damaged; delete it", file=path)
