"""The database of results: an SQLite file, or with psycopg a PostgreSQL database.

Every unit of work is written in one transaction, so that an interrupted run is resumed with the
unit at which it stopped. The measurements of a finished run stay: another choice can be made from
them. docs/experiments.md describes the tables.
"""

import json
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sdtext._version import __version__
from sdtext.errors import OptionError, OutputError
from sdtext.experiment.histograms import BINS, Counts, ScoringUnit
from sdtext.experiment.plan import ExperimentPlan

IN_MEMORY = ":memory:"
"""The name of a database that is not kept."""

_FORMAT = 1
_NO_MANGLER = -1
_NOT_COMPARABLE = "none"
_SERVER = ("postgresql:", "postgres:")

_TABLES = {
    "runs": "run INTEGER PRIMARY KEY, format INTEGER, name TEXT, dataset TEXT, documents INTEGER, "
    "plan TEXT, plan_digest TEXT, dataset_digest TEXT, version TEXT, started TEXT, finished TEXT",
    "groups": "group_number INTEGER, name TEXT, recipe TEXT, shingler TEXT, fingerprint TEXT, "
    "PRIMARY KEY (run, group_number)",
    "matchers": "matcher_number INTEGER, matcher TEXT, PRIMARY KEY (run, matcher_number)",
    "manglers": "mangler_number INTEGER, mangler TEXT, related INTEGER, "
    "PRIMARY KEY (run, mangler_number)",
    "cells": "cell_number INTEGER, min_idf FLOAT, max_idf FLOAT, bands INTEGER, rows INTEGER, "
    "PRIMARY KEY (run, cell_number)",
    "scores": "trial INTEGER, group_number INTEGER, mangler_number INTEGER, fold INTEGER, "
    "matcher_number INTEGER, cell_number INTEGER, planted TEXT, others TEXT, "
    "PRIMARY KEY (run, trial, group_number, mangler_number, fold, matcher_number, cell_number)",
    "results": "group_number INTEGER, matcher_number INTEGER, cell_number INTEGER, terms INTEGER, "
    "bytes INTEGER, cut INTEGER, recall FLOAT, false_positive_rate FLOAT, precision FLOAT, "
    "f1 FLOAT, average_precision FLOAT, PRIMARY KEY (run, group_number, matcher_number, "
    "cell_number)",
}
"""The columns of each table, whose name begins with "experiment_"; all have the number of a run."""


def without_passwords(text: str) -> str:
    """A text with the passwords of its URLs replaced by ***.

    >>> without_passwords("postgresql://ann:secret@host/results")
    'postgresql://ann:***@host/results'
    """
    return re.sub(r"(:/*[^\s:/@]*:)\S*(?=@)", r"\1***", text)


def database_file(name: str) -> Path | None:
    """The file of a database; None for one in memory, or on a server."""
    is_file = name != IN_MEMORY and not name.startswith(_SERVER)
    return Path(name.removeprefix("sqlite:///")) if is_file else None


class ResultsDatabase:
    """An open database of results, and the number of the `run` that is written.

    `name` is the path of an SQLite file, also as sqlite:///FILE, or the URL of a PostgreSQL
    database. Raises OptionError where its driver is not installed, OutputError where it cannot be
    used.
    """

    def __init__(self, name: str) -> None:
        self.run = 0
        self._shown, file = without_passwords(name), database_file(name)
        self._new_file = file if file and not file.exists() else None
        self._is_server = name.startswith(_SERVER)
        driver: Any = sqlite3
        if self._is_server:
            try:
                driver = import_module("psycopg")
            except ModuleNotFoundError as error:
                what = f"database is {self._shown}, whose driver is not installed"
                raise OptionError(f"{what}: pip install 'sdtext[postgresql]'") from error
        self._error: type[Exception] = driver.Error
        self._connection: Any = None
        with self.transaction():
            self._connection = driver.connect(str(file or name))
        try:
            if not self._is_server:
                with self.transaction():  # whether it is a database
                    self.execute("SELECT count(*) FROM sqlite_master")
        except OutputError:
            self.close()
            raise

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """A transaction. Raises OutputError where the database refuses it."""
        try:
            yield
            self._connection.commit()
        except BaseException as error:
            if self._connection:
                self._connection.rollback()
            if not isinstance(error, self._error):
                raise
            why = " ".join(str(error).split())
            raise OutputError(f"the database cannot be used: {why}", file=self._shown) from error

    def execute(self, query: str, values: Sequence[object] = ()) -> Any:
        """The rows that a query gives, of which each ? stands for a value."""
        return self._connection.execute(self._query(query), values)

    def _query(self, query: str) -> str:
        return query.replace("?", "%s") if self._is_server else query

    def _insert(self, table: str, rows: Iterable[Sequence[object]]) -> None:
        values = [(self.run, *row) for row in rows]
        if values:
            places = ", ".join("?" * len(values[0]))
            query = f"INSERT INTO experiment_{table} VALUES ({places})"  # noqa: S608 (a table of ours)
            self._connection.cursor().executemany(self._query(query), values)

    def close(self) -> None:
        """Close the connection, and remove a new file in which nothing was written."""
        self._connection.close()
        if self._new_file and self._new_file.is_file() and not self._new_file.stat().st_size:
            self._new_file.unlink()

    def start(
        self, plan: ExperimentPlan, dataset_digest: str, documents: int, started: str
    ) -> None:
        """Begin a run of a plan, and write what its numbers of groups and others stand for."""
        with self.transaction():
            for table, columns in _TABLES.items():
                run = "" if table == "runs" else "run INTEGER REFERENCES experiment_runs (run), "
                self.execute(f"CREATE TABLE IF NOT EXISTS experiment_{table} ({run}{columns})")
            query = (
                "SELECT COALESCE(MAX(run), 0) + 1, COALESCE(MAX(format), 0) FROM experiment_runs"
            )
            ((self.run, newest),) = self.execute(query).fetchall()
            if newest > _FORMAT:
                what = f"is in version {newest} of the format; update sdtext, or name another file"
                raise OutputError(what, file=self._shown)
            described = (_FORMAT, plan.name, plan.dataset, documents, plan.text, plan.digest())
            self._insert("runs", [(*described, dataset_digest, __version__, started, None)])
            groups = (
                (
                    place,
                    name,
                    recipe.canonical(),
                    str(recipe.shingler) if recipe.shingler else None,
                    str(recipe.fingerprint or "bitvector"),
                )
                for place, (name, recipe) in enumerate(plan.groups)
            )
            self._insert("groups", groups)
            self._insert("matchers", ((at, str(part)) for at, part in enumerate(plan.matchers)))
            related = (int(plan.is_related(place)) for place in range(len(plan.manglers)))
            manglers = zip(plan.manglers, related, strict=True)
            self._insert(
                "manglers", ((at, str(part), keeps) for at, (part, keeps) in enumerate(manglers))
            )
            keys = ("min_idf", "max_idf", "bands", "rows")
            cells = ([cell.values.get(key) for key in keys] for cell in plan.cells)
            self._insert("cells", ((place, *values) for place, values in enumerate(cells)))

    def find(self, plan: ExperimentPlan, dataset_digest: str = "") -> bool:
        """Go on with the last run of this plan on these documents, or without a digest on any.

        Tells whether there is one.
        """
        query = "SELECT MAX(run) FROM experiment_runs WHERE plan_digest = ? AND version = ?"
        values = [plan.digest(), __version__]
        if dataset_digest:
            query, values = f"{query} AND dataset_digest = ?", [*values, dataset_digest]
        table = "SELECT 1 FROM sqlite_master WHERE name = 'experiment_runs'"
        if self._is_server:
            table = "SELECT to_regclass('experiment_runs')"
        self.run = 0
        with self.transaction():
            if (self.execute(table).fetchone() or (None,))[0] is not None:
                self.run = self.execute(query, values).fetchone()[0] or 0
        return bool(self.run)

    def units(self) -> set[ScoringUnit]:
        """The units of work that are done."""
        query = (
            "SELECT DISTINCT trial, group_number, mangler_number, fold FROM experiment_scores "
            "WHERE run = ?"
        )
        with self.transaction():
            return {_unit(row) for row in self.execute(query, [self.run])}

    def add(self, unit: ScoringUnit, histograms: Counts) -> None:
        """Write the histograms of a unit, of shape (2, matchers, cells, `BINS`)."""
        key = unit._replace(mangler=_NO_MANGLER if unit.mangler is None else unit.mangler)
        planted, others = histograms
        rows = (
            (*key, *at, _histogram_text(planted[at]), _histogram_text(others[at]))
            for at in np.ndindex(planted.shape[:2])
        )
        with self.transaction():
            self._insert("scores", rows)

    def histograms(self) -> Iterator[tuple[ScoringUnit, tuple[int, int], Counts, Counts]]:
        """Each unit, matcher and cell with its histograms of planted and of other pairs."""
        query = "SELECT * FROM experiment_scores WHERE run = ?"
        with self.transaction():
            for _, *key, matcher, cell, planted, others in self.execute(query, [self.run]):
                yield _unit(key), (matcher, cell), _histogram(planted), _histogram(others)

    def finish(self, plan: str, results: Iterable[Sequence[object]], finished: str) -> None:
        """Write the measures of each cell, in place of earlier ones, and that the run is finished.

        `plan` is the text of the plan, whose target may be another one than that of earlier ones.
        """
        with self.transaction():
            self.execute("DELETE FROM experiment_results WHERE run = ?", [self.run])
            self._insert("results", results)
            query = "UPDATE experiment_runs SET finished = ?, plan = ? WHERE run = ?"
            self.execute(query, [finished, plan, self.run])


def _unit(row: Sequence[int]) -> ScoringUnit:
    unit = ScoringUnit(*row)
    return unit._replace(mangler=None) if unit.mangler == _NO_MANGLER else unit


def _histogram_text(counts: Counts) -> str:
    """A histogram as JSON: the number of pairs by score, without zeros."""
    filled = np.flatnonzero(counts)
    pairs = zip(filled.tolist(), counts[filled].tolist(), strict=True)
    return json.dumps({str(at - 1) if at else _NOT_COMPARABLE: count for at, count in pairs})


def _histogram(text: str) -> Counts:
    counts = np.zeros(BINS, np.int64)
    for score, number in json.loads(text).items():
        counts[0 if score == _NOT_COMPARABLE else int(score) + 1] = number
    return counts
