"""Jobs of the web application: a table in SQLite, and the dispatcher that runs them in processes.

A job whose process or server ended in the middle waits again, and is run from its beginning.
"""

import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing, suppress
from dataclasses import dataclass, fields
from pathlib import Path
from secrets import token_urlsafe
from shutil import rmtree
from threading import Event, Thread
from time import time
from typing import Any

from sdtext.collections.storage.lock import Lock
from sdtext.io.platform import OWN_GROUP

WAITING, RUNNING, DONE, FAILED, CANCELLED = "waiting", "running", "done", "failed", "cancelled"
_MOST_TRIES = 3  # runs of a job whose process ends each time without a word
_BEAT = 0.1  # seconds between two looks of the dispatcher


@dataclass(frozen=True)
class Job:
    """A job: its kind, what is asked, and how far it is.

    `writes` is the path of the collection that it changes, if any; `done` of `total` files or
    steps of the `stage` are done; `sentence` says what came out; times are in seconds of the epoch.
    """

    id: str
    kind: str
    question: dict[str, Any]
    writes: str
    created: float
    state: str = WAITING
    stage: str = ""
    done: int = 0
    total: int = 0
    sentence: str = ""
    tries: int = 0
    ended: float | None = None

    @property
    def facts(self) -> dict[str, Any]:
        """What pages and programs get, which names no file of the server."""
        hidden = ("question", "writes", "tries")
        shown = {name: value for name, value in vars(self).items() if name not in hidden}
        return {"name": self.question["name"], **shown}


_COLUMNS = ", ".join(column.name for column in fields(Job))


class Jobs:
    """The table of jobs in a folder, and the folder of each."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._run("PRAGMA journal_mode = WAL")
        self._run(f"CREATE TABLE IF NOT EXISTS job ({_COLUMNS}, UNIQUE (id))")

    def files(self, number: str) -> Path:
        """The folder of the files of a job."""
        return self.folder / "jobs" / number

    def reserve(self) -> Path:
        """A folder for the files of a new job; its name is the id, which nobody can guess."""
        folder = self.files(token_urlsafe(16))
        folder.mkdir(mode=0o700, parents=True)
        return folder

    def add(self, kind: str, question: dict[str, Any], writes: str = "", number: str = "") -> str:
        """Add a job that waits; its id is `number`, if that was reserved for its files."""
        number = number or self.reserve().name
        job = vars(Job(number, kind, question, writes, time())) | {"question": json.dumps(question)}
        places = ", ".join("?" * len(job))
        self._run(f"INSERT INTO job VALUES ({places})", *job.values())  # noqa: S608 (fixed words)
        return number

    def get(self, number: str) -> Job | None:
        """The job with an id, None if there is none."""
        return next(iter(self.select("WHERE id = ?", number)), None)

    def latest(self, *kinds: str) -> list[dict[str, Any]]:
        """The facts of the latest hundred jobs of some kinds."""
        among = f"kind IN ({', '.join('?' * len(kinds))})"
        jobs = self.select(f"WHERE {among} ORDER BY created DESC LIMIT 100", *kinds)
        return [job.facts for job in jobs]

    def active(self) -> list[Job]:
        """The jobs that run or wait, in the order in which they begin."""
        return self.select("WHERE ended IS NULL ORDER BY created")

    def select(self, condition: str, *values: object) -> list[Job]:
        """The jobs that a condition of SQL selects."""
        rows = self._run(f"SELECT {_COLUMNS} FROM job {condition}", *values)  # noqa: S608 (fixed words)
        return [Job(number, kind, json.loads(asked), *rest) for number, kind, asked, *rest in rows]

    def change(self, number: str, *, is_over: bool = False, **values: object) -> None:
        """Note new values of a job, unless it is over meanwhile; or, of one that is over."""
        names = ", ".join(f"{name} = ?" for name in values)
        condition = "id = ? AND (ended IS NOT NULL) = ?"
        self._run(f"UPDATE job SET {names} WHERE {condition}", *values.values(), number, is_over)  # noqa: S608 (fixed words)

    def end(self, number: str, state: str, sentence: str) -> None:
        """Note that a job is over, unless it is."""
        self.change(number, state=state, sentence=sentence, ended=time())

    def recover(self) -> None:
        """Let jobs of an earlier server wait again; delete files of requests that it broke off."""
        self._run("UPDATE job SET state = ?, stage = '', done = 0 WHERE ended IS NULL", WAITING)
        for folder in (self.folder / "jobs").glob("*"):
            if not self.get(folder.name):
                rmtree(folder, ignore_errors=True)

    def delete(self, number: str) -> None:
        """Delete a job with all of its files."""
        self._run("DELETE FROM job WHERE id = ?", number)
        rmtree(self.files(number), ignore_errors=True)

    def _run(self, statement: str, *values: object) -> list[Any]:
        """The rows of a statement, which is committed."""
        path = self.folder / "jobs.sqlite"
        with closing(sqlite3.connect(path, timeout=30, isolation_level=None)) as database:
            return database.execute(statement, values).fetchall()


class Dispatcher:
    """Runs the jobs of a folder, each in a process, at most `most` at once.

    No two of them change one collection at a time. What ended `days` ago is deleted. Raises
    OutputError if another server has the folder.
    """

    def __init__(self, jobs: Jobs, most: int, days: int) -> None:
        self.jobs, self.most, self.days = jobs, most, days
        self._lock = Lock(jobs.folder, str(jobs.folder))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._closing = Event()
        jobs.recover()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all processes; their jobs run again with the next server."""
        self._closing.set()
        self._thread.join()
        for number in [*self._processes]:
            self._kill(number)
        self._lock.close()

    def _run(self) -> None:
        while not self._closing.wait(_BEAT):
            with suppress(sqlite3.OperationalError):  # the disk is full, or busy: later
                self._reap()
                self._start()
                for job in self.jobs.select("WHERE ended < ?", time() - self.days * 86_400):
                    self.jobs.delete(job.id)

    def _reap(self) -> None:
        """End processes of jobs that are over or deleted; run jobs again that are not over."""
        for number, process in [*self._processes.items()]:
            code, job = process.poll(), self.jobs.get(number)
            if code is None and job and job.ended is None:
                continue
            self._kill(number)
            if job is None:
                self.jobs.delete(number)  # what it wrote meanwhile
            elif job.tries < _MOST_TRIES:
                self.jobs.change(number, state=WAITING, stage="", done=0)
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
                self.jobs.change(job.id, state=RUNNING, tries=job.tries + 1)
                written.add(job.writes)
                words = ["-P", "-m", "sdtext.web.work", str(self.jobs.folder), job.id]
                self._processes[job.id] = subprocess.Popen(  # noqa: S603 (fixed words)
                    [sys.executable, *words, str(os.getpid())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    **OWN_GROUP,
                )

    def _kill(self, number: str) -> None:
        """Forget the process of a job, and end it unless it has; its readers end with it."""
        process = self._processes.pop(number)
        process.kill()
        process.wait()
