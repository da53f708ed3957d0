"""Run the batch of a verb: its processes, its progress bar, its problems."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from sdtext.cli.main import QUIET, is_set
from sdtext.cli.report_problems import report
from sdtext.errors import SdtextError

if TYPE_CHECKING:
    from sdtext.reading.options import Reading
    from sdtext.reading.parallel_run import Run

_PARALLEL_BYTES = 4 << 20  # below this, starting processes costs more than they save


@contextmanager
def running(reading: Reading, jobs: int | None, paths: Sequence[str]) -> Iterator[Run]:
    """A Run that collects problems and shows a progress bar on a terminal.

    Without `jobs`, all cores are used if `paths` hold much data.
    """
    from sdtext.reading.parallel_run import Run
    from sdtext.reading.walk import size_of, walk

    if jobs is None:
        files = walk(paths, lambda _: None, reading.selection)
        size = sum(map(size_of, files))
        jobs = (os.cpu_count() or 1) if size > _PARALLEL_BYTES else 1
    run = Run(jobs, reading, [])
    try:
        with _progress(run) as tracked:
            yield tracked
    except SdtextError as error:
        repeated = (str(error), *error.reasons)
        report(item for item in run.problems or () if item.message not in repeated)
        raise


@contextmanager
def _progress(run: Run) -> Iterator[Run]:
    if is_set(QUIET) or not sys.stderr.isatty():
        yield run
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("Reading", total=None)

        def progress(done: int, total: int) -> None:
            if bar.tasks[0].finished:  # a second phase: the files after the queries
                bar.reset(task)
            bar.update(task, advance=done, total=total)

        yield replace(run, progress=progress)
