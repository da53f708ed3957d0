"""The database of results: SQLite, or another that SQLAlchemy opens by its URL.

Every unit of work is written in one transaction, so that an interrupted run is resumed with the
unit at which it stopped. The measurements of a finished run stay: another choice can be made from
them. docs/experiments.md describes the tables.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import (
    Column,
    Connection,
    Engine,
    Float,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    insert,
    inspect,
    select,
    update,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from sdtext._version import __version__
from sdtext.errors import OptionError, OutputError
from sdtext.experiment.histograms import BINS, Counts, Histograms, ScoringUnit
from sdtext.experiment.plan import ExperimentPlan

_FORMAT = 1
_NO_MANGLER = -1
_NOT_COMPARABLE = "none"

_TABLES = MetaData()
_TYPES = {"text": Text, "float": Float, "digest": String(64), "word": String(40)}
_UNIT = ("trial", "group_number", "mangler_number", "fold")


def _table(table: str, keys: Sequence[str], **columns: str) -> Table:
    """A table of a run, with such keys beside its number; a type that ends in ? allows null."""
    run = Column("run", Integer, ForeignKey("experiment_runs.run"), primary_key=True)
    numbers = (Column(key, Integer, primary_key=True, autoincrement=False) for key in keys)
    return Table(table, _TABLES, run, *numbers, *_columns(columns))


def _columns(columns: Mapping[str, str]) -> Iterator[Column[Any]]:
    for name, kind in columns.items():
        type_: Any = _TYPES.get(kind.rstrip("?"), Integer)
        yield Column(name, type_, nullable=kind.endswith("?"))


RUNS = Table(
    "experiment_runs",
    _TABLES,
    Column("run", Integer, primary_key=True),
    *_columns(
        {
            "format": "number",
            "name": "text",
            "dataset": "text",
            "documents": "number",
            "plan": "text",
            "plan_digest": "digest",
            "dataset_digest": "digest",
            "version": "word",
            "started": "word",
            "finished": "word?",
        }
    ),
)
GROUPS = _table(
    "experiment_groups",
    ["group_number"],
    name="text",
    recipe="text",
    shingler="text?",
    fingerprint="text",
)
MATCHERS = _table("experiment_matchers", ["matcher_number"], matcher="text")
MANGLERS = _table("experiment_manglers", ["mangler_number"], mangler="text", related="number")
CELLS = _table(
    "experiment_cells",
    ["cell_number"],
    min_idf="float?",
    max_idf="float?",
    bands="number?",
    rows="number?",
)
UNITS = _table("experiment_units", _UNIT)
SCORES = _table(
    "experiment_scores",
    [*_UNIT, "matcher_number", "cell_number"],
    planted="text",
    others="text",
)
RESULTS = _table(
    "experiment_results",
    ["group_number", "matcher_number", "cell_number"],
    terms="number?",
    bytes="number",
    cut="number",
    recall="float",
    false_positive_rate="float",
    precision="float",
    f1="float",
    average_precision="float",
)


def checked_url(url: str) -> URL:
    """The URL of a database, with sdtext's driver where PostgreSQL is named without one.

    Raises OptionError, which shows no password.

    >>> str(checked_url("postgresql://host/results"))
    'postgresql+psycopg://host/results'
    """
    try:
        parsed = make_url(url)
        if parsed.drivername in ("postgresql", "postgres"):
            parsed = parsed.set(drivername="postgresql+psycopg")
        parsed.get_dialect().import_dbapi()
    except ModuleNotFoundError as error:
        what = f"the driver {error.name} of database {without_passwords(url)} is not installed"
        package = "'sdtext[postgresql]'" if error.name == "psycopg" else error.name
        raise OptionError(f"{what}: pip install {package}") from error
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        wanted = "a URL such as sqlite:///results.sqlite or postgresql://user@host/name"
        raise OptionError(f"database is {without_passwords(url)!r}; it must be {wanted}") from error
    return parsed


def without_passwords(text: str) -> str:
    """A text with the passwords of its URLs replaced by ***.

    >>> without_passwords("postgresql://ann:secret@host/results")
    'postgresql://ann:***@host/results'
    """
    return re.sub(r"(:/*[^\s:/@]*:)\S*(?=@)", r"\1***", text)


def file_of(url: URL) -> Path | None:
    """The file of an SQLite database; None for one in memory, or on a server."""
    name = url.database or ""
    if url.get_backend_name() != "sqlite" or name in ("", ":memory:"):
        return None
    return Path(name.removeprefix("file:") if "uri" in url.query else name)


@dataclass(frozen=True, eq=False)
class ResultsDatabase:
    """An open database of results; `new_file` is its file, if there was none before."""

    engine: Engine
    new_file: Path | None = None

    @classmethod
    def open(cls, url: str | URL) -> ResultsDatabase:
        """Open the database at a URL of SQLAlchemy.

        Raises OptionError for a URL that names no database, OutputError for one that cannot be
        used, or that another version of sdtext wrote.
        """
        url = checked_url(url) if isinstance(url, str) else url
        file = file_of(url)
        engine = create_engine(url)
        if engine.dialect.name == "sqlite":
            event.listen(engine, "connect", _keep_foreign_keys)
        database = cls(engine, file if file and not file.exists() else None)
        try:
            database._check_tables()
        except OutputError:
            database.close()
            raise
        return database

    def _check_tables(self) -> None:
        with self.connected() as connection:
            inspector = inspect(connection)
            for table in _TABLES.sorted_tables:
                if not inspector.has_table(table.name):
                    continue
                names = {column["name"] for column in inspector.get_columns(table.name)}
                if names != {column.name for column in table.columns}:
                    what = f"table {table.name} has other columns, those of another version"
                    raise OutputError(f"{what} of sdtext; name another database", file=self._shown)

    @property
    def _shown(self) -> str:
        return self.engine.url.render_as_string(hide_password=True)

    @contextmanager
    def connected(self) -> Iterator[Connection]:
        """A transaction. Raises OutputError where the database refuses it."""
        try:
            with self.engine.begin() as connection:
                yield connection
        except SQLAlchemyError as error:
            why = " ".join(str(getattr(error, "orig", None) or error).split())
            raise OutputError(f"the database cannot be used: {why}", file=self._shown) from error

    def close(self) -> None:
        """Close all connections, and remove a new file in which nothing was written."""
        self.engine.dispose()
        if self.new_file and self.new_file.is_file() and not self.new_file.stat().st_size:
            self.new_file.unlink()

    def start(
        self, plan: ExperimentPlan, dataset_digest: str, documents: int, started: str
    ) -> StoredRun:
        """Begin a run of a plan."""
        values = {
            "format": _FORMAT,
            "name": plan.name,
            "dataset": plan.dataset,
            "documents": documents,
            "plan": plan.text,
            "plan_digest": plan.digest(),
            "dataset_digest": dataset_digest,
            "version": __version__,
            "started": started,
        }
        with self.connected() as connection:
            _TABLES.create_all(connection)
            key = connection.execute(insert(RUNS).values(values)).inserted_primary_key
            run = StoredRun(self, int(key[0]) if key else 0)
            run.describe(connection, plan)
        return run

    def last_run(self, plan: ExperimentPlan, dataset_digest: str = "") -> StoredRun | None:
        """The last run of this plan on these documents, or without a digest on any."""
        query = (
            select(RUNS.c.run)
            .where(RUNS.c.plan_digest == plan.digest(), RUNS.c.version == __version__)
            .order_by(RUNS.c.run.desc())
        )
        if dataset_digest:
            query = query.where(RUNS.c.dataset_digest == dataset_digest)
        with self.connected() as connection:
            if not inspect(connection).has_table(RUNS.name):
                return None
            row = connection.execute(query).first()
        return StoredRun(self, row.run) if row else None


def _keep_foreign_keys(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA foreign_keys = ON")


@dataclass(frozen=True, eq=False)
class StoredRun:
    """One run in a database."""

    database: ResultsDatabase
    number: int

    def describe(self, connection: Connection, plan: ExperimentPlan) -> None:
        """Write what the numbers of groups, matchers, manglers and cells stand for."""
        recipes = [(group.name, group.recipe) for group in plan.groups]
        groups = [
            {
                "name": name,
                "recipe": recipe.canonical(),
                "shingler": str(recipe.shingler) if recipe.shingler else None,
                "fingerprint": str(recipe.fingerprint or "bitvector"),
            }
            for name, recipe in recipes
        ]
        manglers = [
            {"mangler": str(mangler), "related": int(plan.is_related(place))}
            for place, mangler in enumerate(plan.manglers)
        ]
        cells = [dict(zip(cell.keys, cell.values, strict=True)) for cell in plan.cells]
        matchers = [{"matcher": str(matcher)} for matcher in plan.matchers]
        rows: list[tuple[Table, str, Sequence[Mapping[str, object]]]] = [
            (GROUPS, "group_number", groups),
            (MATCHERS, "matcher_number", matchers),
            (MANGLERS, "mangler_number", manglers),
            (CELLS, "cell_number", cells),
        ]
        for table, key, values in rows:
            self._insert(
                connection, table, ({key: place, **row} for place, row in enumerate(values))
            )

    def _insert(
        self, connection: Connection, table: Table, rows: Iterable[Mapping[str, object]]
    ) -> None:
        if values := [{"run": self.number, **row} for row in rows]:
            connection.execute(insert(table), values)

    def units(self) -> set[ScoringUnit]:
        """The units of work that are done."""
        with self.database.connected() as connection:
            rows = connection.execute(select(UNITS).where(UNITS.c.run == self.number)).all()
        return {_unit(row) for row in rows}

    def add(self, unit: ScoringUnit, histograms: Histograms) -> None:
        """Write the histograms of a unit."""
        mangler = _NO_MANGLER if unit.mangler is None else unit.mangler
        key = dict(zip(_UNIT, (unit.trial, unit.group, mangler, unit.fold), strict=True))
        rows = [
            {
                **key,
                "matcher_number": matcher,
                "cell_number": cell,
                "planted": _text(histograms.planted[matcher, cell]),
                "others": _text(histograms.others[matcher, cell]),
            }
            for matcher, cell in np.ndindex(histograms.planted.shape[:2])
        ]
        with self.database.connected() as connection:
            self._insert(connection, UNITS, [key])
            self._insert(connection, SCORES, rows)

    def histograms(self) -> Iterator[tuple[ScoringUnit, int, int, Counts, Counts]]:
        """Each unit, matcher and cell with its histograms of planted and of other pairs."""
        query = select(SCORES).where(SCORES.c.run == self.number)
        with self.database.connected() as connection:
            for row in connection.execute(query):
                planted, others = _counts(row.planted), _counts(row.others)
                yield _unit(row), row.matcher_number, row.cell_number, planted, others

    def finish(self, plan: str, results: Sequence[Mapping[str, object]], finished: str) -> None:
        """Write the measures of each cell, in place of earlier ones, and that the run is finished.

        `plan` is the text of the plan, whose target may be another one than that of earlier ones.
        """
        with self.database.connected() as connection:
            connection.execute(delete(RESULTS).where(RESULTS.c.run == self.number))
            self._insert(connection, RESULTS, results)
            values = {"finished": finished, "plan": plan}
            connection.execute(update(RUNS).where(RUNS.c.run == self.number).values(values))


def _unit(row: Any) -> ScoringUnit:
    mangler = None if row.mangler_number == _NO_MANGLER else row.mangler_number
    return ScoringUnit(row.trial, row.group_number, mangler, row.fold)


def _text(counts: Counts) -> str:
    """A histogram as JSON: the number of pairs by score, without zeros."""
    filled = np.flatnonzero(counts)
    pairs = zip(filled.tolist(), counts[filled].tolist(), strict=True)
    return json.dumps({str(at - 1) if at else _NOT_COMPARABLE: count for at, count in pairs})


def _counts(text: str) -> Counts:
    counts = np.zeros(BINS, np.int64)
    for score, number in json.loads(text).items():
        counts[0 if score == _NOT_COMPARABLE else int(score) + 1] = number
    return counts
