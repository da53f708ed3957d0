"""Run the batch of a verb: its processes, its progress bar, its problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sdtext.cli.main import QUIET, is_set
from sdtext.cli.print_results import report
from sdtext.errors import SdtextError
from sdtext.model import Problem
from sdtext.wording import shown

if TYPE_CHECKING:
    from rich.progress import TaskID

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

    bars: dict[str, TaskID] = {}

    def step(stage: str, done: int, total: int | None) -> None:
        if stage not in bars:
            bars[stage] = progress.add_task(stage.capitalize(), total=total)
        elif total is not None and progress.tasks[bars[stage]].completed + done > total:
            progress.reset(bars[stage])  # a second phase: the files after the queries
        progress.update(bars[stage], advance=done, total=total)

    with Progress(console=Console(stderr=True), transient=True) as progress:
        step(first, 0, None)
        yield replace(run, stages=step)
