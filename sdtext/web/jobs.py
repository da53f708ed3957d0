"""Jobs of the web application: a table in SQLite, and the dispatcher that runs them in processes.

A job is waiting, running, done, failed or cancelled. Its files are in a folder of its own. A job
whose process or server ended in the middle waits again, and is run from its beginning.
"""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from secrets import token_urlsafe
from shutil import rmtree
from threading import Event, Thread
from time import time
from typing import Any

from sdtext.collections.storage.lock import Lock

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
_MOST_TRIES = 3  # runs of a job whose process ends each time without a word
_BEAT = 0.2  # seconds between two looks of the dispatcher
_TABLE = """
CREATE TABLE IF NOT EXISTS job (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, question TEXT NOT NULL, writes TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting', stage TEXT NOT NULL DEFAULT '',
    done INTEGER NOT NULL DEFAULT 0, total INTEGER NOT NULL DEFAULT 0,
    sentence TEXT NOT NULL DEFAULT '', tries INTEGER NOT NULL DEFAULT 0,
    created REAL NOT NULL, ended REAL
)
"""
_COLUMNS = "id, kind, question, writes, state, stage, done, total, sentence, tries, created, ended"


@dataclass(frozen=True)
class Job:
    """A job: its kind, what is asked, and how far it is.

    `writes` is the path of the collection that it changes, if any; `done` of `total` files or
    steps of the `stage` are done; `sentence` says what came out; times are in seconds of the epoch.
    """

    id: str
    kind: str
    question: Mapping[str, Any]
    writes: str
    state: str
    stage: str
    done: int
    total: int
    sentence: str
    tries: int
    created: float
    ended: float | None

    @property
    def is_over(self) -> bool:
        """Whether it neither waits nor runs."""
        return self.state not in (WAITING, RUNNING)


class Jobs:
    """The table of jobs in a folder, and the folder of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with self._opened() as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.execute(_TABLE)

    def files(self, number: str) -> Path:
        """The folder of the files of a job."""
        return self.folder / "jobs" / number

    def add(
        self, kind: str, question: Mapping[str, Any], *, writes: str = "", number: str = ""
    ) -> str:
        """Add a job that waits; its id, which nobody can guess, is `number` if files are there."""
        number = number or self.reserve()
        with self._opened() as database:
            database.execute(
                "INSERT INTO job (id, kind, question, writes, created) VALUES (?, ?, ?, ?, ?)",
                (number, kind, json.dumps(question), writes, time()),
            )
        return number

    def reserve(self) -> str:
        """A new id, with a folder for its files."""
        number = token_urlsafe(16)
        self.files(number).mkdir(mode=0o700, parents=True)
        return number

    def get(self, number: str) -> Job | None:
        """The job with an id, None if there is none."""
        return next(self._select("WHERE id = ?", number), None)

    def latest(self, *kinds: str) -> list[Job]:
        """The latest hundred jobs of some kinds, or of all."""
        among = f"WHERE kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
        return [*self._select(f"{among} ORDER BY created DESC LIMIT 100", *kinds)]

    def active(self) -> list[Job]:
        """The jobs that run or wait, in the order in which they begin."""
        return [*self._select("WHERE state IN (?, ?) ORDER BY created", WAITING, RUNNING)]

    def ended_before(self, moment: float) -> list[Job]:
        """The jobs that ended before a time, in seconds of the epoch."""
        return [*self._select("WHERE ended < ?", moment)]

    def begin(self, number: str) -> None:
        """Note that a job runs, once more."""
        self._change(number, "state = ?, tries = tries + 1", RUNNING)

    def step(self, number: str, stage: str, done: int, total: int) -> None:
        """Note how far a job is."""
        self._change(number, "stage = ?, done = ?, total = ?", stage, done, total)

    def end(self, number: str, state: str, sentence: str = "") -> None:
        """Note that a job is over, unless it is."""
        over = f"state = ?, sentence = ?, ended = ? WHERE state IN ('{WAITING}', '{RUNNING}') AND"
        self._change(number, over, state, sentence, time())

    def wait_again(self, number: str) -> None:
        """Note that a job waits to be run from its beginning."""
        self._change(number, "state = ?, stage = '', done = 0", WAITING)

    def recover(self) -> None:
        """Let jobs of an earlier server wait again; delete files of requests that it broke off."""
        for job in self.active():
            if job.state == RUNNING:
                self.wait_again(job.id)
        folders = (self.folder / "jobs").glob("*")
        for folder in [folder for folder in folders if not self.get(folder.name)]:
            rmtree(folder, ignore_errors=True)

    def delete(self, number: str) -> None:
        """Delete a job with all of its files."""
        with self._opened() as database:
            database.execute("DELETE FROM job WHERE id = ?", (number,))
        rmtree(self.files(number), ignore_errors=True)

    def _change(self, number: str, values: str, *parameters: object) -> None:
        where = values if values.endswith("AND") else f"{values} WHERE"
        with self._opened() as database:
            database.execute(f"UPDATE job SET {where} id = ?", (*parameters, number))  # noqa: S608 (fixed words)

    def _select(self, rest: str, *parameters: object) -> Iterator[Job]:
        with self._opened() as database:
            rows = database.execute(f"SELECT {_COLUMNS} FROM job {rest}", parameters).fetchall()  # noqa: S608 (fixed words)
        for number, kind, question, *others in rows:
            yield Job(number, kind, json.loads(question), *others)

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        path = self.folder / "jobs.sqlite"
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as database:
            yield database


class Dispatcher:
    """Runs the jobs of a folder, each in a process, at most `most` at once.

    No two of them change one collection at a time. What ended longer than `kept_seconds` ago is
    deleted. Raises OutputError if another server has the folder.
    """

    def __init__(self, jobs: Jobs, most: int, kept_seconds: float) -> None:
        self.jobs, self.most, self.kept_seconds = jobs, most, kept_seconds
        self._lock = Lock(jobs.folder, str(jobs.folder))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._wake, self._is_closing = Event(), False
        jobs.recover()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def look(self) -> None:
        """Look at once for a new job."""
        self._wake.set()

    def cancel(self, number: str) -> None:
        """End a job; the dispatcher kills its process within a moment."""
        self.jobs.end(number, CANCELLED, "It was cancelled.")
        self.look()

    def close(self) -> None:
        """End all processes; their jobs run again with the next server."""
        self._is_closing = True
        self.look()
        self._thread.join()
        for number in [*self._processes]:
            self._kill(number)
            self.jobs.wait_again(number)
        self._lock.close()

    def _run(self) -> None:
        while not self._is_closing:
            with suppress(sqlite3.OperationalError):  # the disk is full, or busy: later
                self._reap()
                self._start()
                for job in self.jobs.ended_before(time() - self.kept_seconds):
                    self.jobs.delete(job.id)
            self._wake.wait(_BEAT)
            self._wake.clear()

    def _reap(self) -> None:
        """Take note of processes that ended; a job that did not say how it ended waits again."""
        for number, process in [*self._processes.items()]:
            job, code = self.jobs.get(number), process.poll()
            if code is None:
                if job is None or job.is_over:  # cancelled or deleted
                    self._kill(number)
                    if job is None:
                        self.jobs.delete(number)
                continue
            del self._processes[number]
            if job is None or job.is_over:
                continue
            if job.tries < _MOST_TRIES:
                self.jobs.wait_again(number)
            else:
                how = f"ended with the exit code {code}, {_MOST_TRIES} times"
                self.jobs.end(number, FAILED, f"The process that did the work {how}.")

    def _start(self) -> None:
        """Start jobs that wait, as many as may run."""
        active = self.jobs.active()
        written = {job.writes for job in active if job.id in self._processes}
        for job in active:
            is_free = not job.writes or job.writes not in written
            if job.state == WAITING and is_free and len(self._processes) < self.most:
                self.jobs.begin(job.id)
                written.add(job.writes)
                words = ["-P", "-m", "sdtext.web.work", str(self.jobs.folder), job.id]
                self._processes[job.id] = subprocess.Popen(  # noqa: S603 (fixed words)
                    [sys.executable, *words, str(os.getpid())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    start_new_session=True,
                )

    def _kill(self, number: str) -> None:
        process = self._processes.pop(number)
        with suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        process.wait()
