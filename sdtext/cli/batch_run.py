"""Run the batch of a verb: its processes, its progress bar, its problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import QUIET, is_set
from sdtext.cli.print_results import report
from sdtext.errors import SdtextError
from sdtext.wording import shown

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from sdtext.model import Problem
    from sdtext.reading.options import Reading
    from sdtext.reading.parallel_run import Run

_PARALLEL_BYTES = 4 << 20  # below this, starting processes costs more than they save


@dataclass(frozen=True)
class Batch:
    """How a verb reads documents, and in how many processes: without `jobs`, as many as pay off."""

    reading: Reading
    jobs: int | None = None

    @contextmanager
    def running(self, paths: Sequence[str]) -> Iterator[Run]:
        """A Run that collects problems and shows a progress bar on a terminal.

        Without `jobs`, the sizes of the files at `paths` say how many processes pay off.
        """
        from sdtext.reading.parallel_run import Run
        from sdtext.reading.walk import size_of, walk

        jobs = self.jobs
        if jobs is None:
            files = walk(paths, lambda _: None, self.reading.selection)
            jobs = (os.cpu_count() or 1) if sum(map(size_of, files)) > _PARALLEL_BYTES else 1
        named = frozenset(str(Path(path)) for path in paths)
        run = Run(jobs, self.reading, [], named=named)
        try:
            with _progress(run) as tracked:
                yield tracked
            if run.problems:
                _check_read(run, run.problems, paths)
        except SdtextError as error:
            report(item for item in run.problems or () if item.message != str(error))
            raise
        except BrokenPipeError:  # of the standard output: what was read until then is reported
            raise click.exceptions.Exit(report(run.problems)) from None


def _check_read(run: Run, problems: Sequence[Problem], paths: Sequence[str]) -> None:
    """Note an error if all files at `paths` hold no text, or are sdtext's own."""
    from sdtext.model import Problem
    from sdtext.reading.parallel_run import OTHER_FILES
    from sdtext.reading.walk import walk

    others = {problem.path for problem in problems if problem.category in OTHER_FILES}
    if not others or any(problem.severity == "error" for problem in problems):
        return
    files = {str(path) for path in walk(paths, lambda _: None, run.reading.selection)}
    if files <= others:
        where = ", ".join(map(shown, paths))
        run.note(Problem("error", "empty", f"{where}: contains no file with text", where))


@contextmanager
def searching() -> Iterator[Run]:
    """A Run for a search of collections, which reads no files, with a progress bar."""
    from sdtext.reading.parallel_run import COMPARING, Run

    with _progress(Run(), COMPARING) as tracked:
        yield tracked


@contextmanager
def _progress(run: Run, first: str = "reading") -> Iterator[Run]:
    """The run with a progress bar for each stage, with its own time left; first for `first`."""
    if is_set(QUIET) or not sys.stderr.isatty():
        yield run
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        bars = _StageBars(bar)
        bars(first, 0, None)
        yield replace(run, stages=bars)


@dataclass
class _StageBars:
    """A bar for each stage, drawn anew ten times a second at the most."""

    progress: Progress
    bars: dict[str, TaskID] = field(default_factory=dict)
    waiting: dict[str, int] = field(default_factory=dict)
    updated: float = 0.0

    def __call__(self, stage: str, done: int, total: int | None) -> None:
        """Report that `done` more steps of a stage of `total` are done."""
        if stage not in self.bars:
            self.bars[stage] = self.progress.add_task(stage.capitalize(), total=total)
        self.waiting[stage] = self.waiting.get(stage, 0) + done
        if total is not None and self._done(stage) < total and monotonic() < self.updated + 0.1:
            return
        bar = self.bars[stage]
        if total is not None and self._done(stage) > total:
            self.progress.reset(bar)  # a second phase: the files after the queries
        self.progress.update(bar, advance=self.waiting.pop(stage), total=total)
        self.updated = monotonic()

    def _done(self, stage: str) -> float:
        task = next(task for task in self.progress.tasks if task.id == self.bars[stage])
        return task.completed + self.waiting[stage]
