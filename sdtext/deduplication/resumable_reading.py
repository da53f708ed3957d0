"""What was read of a corpus so far: an interrupted deduplication goes on from there.

A frame of the progress file holds a batch of documents: a line of JSON and the bytes of its arrays.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import asdict, dataclass, fields, is_dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from sdtext._version import __version__
from sdtext.collections.document_types import DocumentRows, NewDocument
from sdtext.collections.row_builder import BuiltRows
from sdtext.deduplication.progress_file import ProgressFile, check_local
from sdtext.deduplication.repeated_passages.corpus_words import ReadUnits
from sdtext.deduplication.source_documents import HELD, Sources, file_version
from sdtext.errors import OptionError
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.reading.inputs import InputDocument
from sdtext.reading.parallel_run import ReadingSteps, Run, run_batches

Arrays = Mapping[str, NDArray[Any]]
Read = TypeVar("Read", BuiltRows, ReadUnits)

_OFFSETS = " offsets"


@dataclass(frozen=True)
class ResumableReader(Generic[Read]):
    """Reads batches of documents, as `build` does; `arrays_of` and `of_arrays` store what is read.

    With a path of `progress`, batches that the file there holds are not read again, and those that
    are read are added to it.
    """

    build: Callable[[list[InputDocument]], Read]
    arrays_of: Callable[[Read], tuple[Arrays, Any]]
    of_arrays: Callable[[Arrays, Any], Read]
    progress: str | Path = ""

    def batches(self, sources: Sources, run: Run) -> Iterator[Read]:
        """What is read of the sources, batch by batch, as `run_batches` gives it.

        Raises the errors of `ProgressFile`.
        """
        if not self.progress:
            yield from run_batches(self.build, sources.batches(run), run, sources.expected(run))
            return
        with ProgressFile(self.progress, "deduplication", digest_of(sources, self.build)) as file:
            steps = ReadingSteps(run, sources.expected(run))
            for number, content in file.stored():
                read = self.of_arrays(*_decoded(content, file))
                yield read
                for problem in read.problems:
                    run.note(problem)
                steps.add(number)
            sizes = deque[int]()
            rest = _counted(_without_first(steps.done, sources.batches(run)), sizes)
            for read in run_batches(self.build, rest, run, steps):
                file.add(sizes.popleft(), _encoded(*self.arrays_of(read)))
                yield read


def rows_reader(
    build: Callable[[list[InputDocument]], BuiltRows], progress: str | Path
) -> ResumableReader[BuiltRows]:
    """The reader of shingles and sketches."""
    return ResumableReader(build, _arrays_of_rows, _rows_of_arrays, progress)


def units_reader(
    build: Callable[[list[InputDocument]], ReadUnits], progress: str | Path
) -> ResumableReader[ReadUnits]:
    """The reader of words and units."""
    return ResumableReader(build, _arrays_of_units, _units_of_arrays, progress)


def check_resumable(sources: Sources) -> None:
    """OptionError where the sources cannot be read again."""
    if sources.kind == HELD or any(str(path) == "-" for path in sources.paths):
        raise OptionError("progress is for files: standard input cannot be read a second time")
    check_local(sources.paths)


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
    foreign = [[str(path), what] for path, what in read.foreign]
    problems = [asdict(problem) for problem in read.problems]
    return arrays, [documents, read.lengths, problems, foreign]


def _rows_of_arrays(arrays: Arrays, facts: Any) -> BuiltRows:
    documents, lengths, problems, foreign = facts
    columns = {
        name: Ragged(array, arrays[name + _OFFSETS]) if name + _OFFSETS in arrays else array
        for name, array in arrays.items()
        if not name.endswith(_OFFSETS)
    }
    new = [NewDocument(**document) for document in documents]
    rows = DocumentRows(new, columns) if new else None
    built = BuiltRows(rows, lengths, added=len(new), problems=_problems(problems))
    built.foreign = [(Path(path), what) for path, what in foreign]
    return built


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


def _encoded(arrays: Arrays, facts: Any) -> bytes:
    head = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    line = json.dumps([head, facts]).encode() + b"\n"
    return b"".join([line, *(np.ascontiguousarray(each).tobytes() for each in arrays.values())])


def _decoded(content: bytes, file: ProgressFile) -> tuple[dict[str, NDArray[Any]], Any]:
    arrays, place = dict[str, NDArray[Any]](), content.index(b"\n") + 1
    head, facts = json.loads(content[:place])
    data = bytearray(content)  # so that arrays can be changed
    for name, dtype, shape in head:
        count = int(np.prod(shape))
        arrays[name] = np.frombuffer(data, dtype, count, place).reshape(shape)
        place += arrays[name].nbytes
    if place != len(data):
        raise file.damaged()
    return arrays, facts
