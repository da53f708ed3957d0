"""Read documents, each once, in batches over processes, and do some work with each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from sdtext.model import Problem
from sdtext.reading.options import Reading
from sdtext.reading.parallel_run import Run, batched, process_document, run_batches
from sdtext.reading.read_document import Source
from sdtext.text.document import Document

Result = TypeVar("Result")


@dataclass
class _Results(Generic[Result]):
    """The paths of the documents of a batch, and the results of the work with each."""

    rows: list[tuple[str, Result]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(frozen=True)
class _ReadBatch(Generic[Result]):
    work: Callable[[Document], Result]
    reading: Reading

    def __call__(self, files: Sequence[Path]) -> _Results[Result]:
        batch = _Results[Result]()
        for path in files:
            result = process_document(path, self.reading, self._done)
            if isinstance(result, Problem):
                batch.problems.append(result)
            else:
                batch.rows.append((str(path), result[0]))
                batch.problems += result[1]
        return batch

    def _done(self, source: Source) -> tuple[Result, Sequence[Problem]]:
        document = source.document()
        return self.work(document), document.problems


def read_each(
    files: Sequence[Path], work: Callable[[Document], Result], run: Run
) -> Iterator[tuple[str, Result]]:
    """The paths of the documents that can be read, and the result of `work` with each."""
    read = _ReadBatch(work, run.reading)
    for batch in run_batches(read, batched(files, run.jobs), run, len(files)):
        yield from batch.rows
