"""Stages of a job: tables in a work folder, each made once of the documents of a DataFrame."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as all know it)
from pyspark.sql.types import IntegralType, StringType

from sdtext.errors import OptionError
from sdtext.reading.records.record import listed
from sdtext.wording import brief

Batches = Iterator[pa.RecordBatch]
Report = Callable[[str], None]
_ROWS = (1 << 33) - 1  # in a partition, by what `monotonically_increasing_id` is


@dataclass(frozen=True)
class Work:
    """A work folder at any path that Spark reads, and the key of what is made in it.

    A stage that is there under the same key is not made again.
    """

    spark: SparkSession
    folder: str
    key: str = ""
    report: Report | None = None

    @classmethod
    def on(cls, inputs: DataFrame, folder: str | None, report: Report | None) -> Work:
        """The work on the content of some columns.

        Without a folder, it is a temporary one of this machine, for this process.
        """
        spark = inputs.sparkSession
        if folder is None:
            folder = mkdtemp(prefix="sdtext-spark-")
            atexit.register(rmtree, folder, ignore_errors=True)
            return cls(spark, folder, report=report)
        hashed = F.sum(F.xxhash64(*inputs.columns).cast("decimal(38,0)"))
        content = inputs.select(F.count("*"), hashed).collect()[0]
        return cls(spark, folder.rstrip("/"), report=report).with_key(*content)

    def with_key(self, *parameters: object) -> Work:
        """The same for stages that depend on these, too."""
        key = blake2b(repr((self.key, *parameters)).encode(), digest_size=8).hexdigest()
        return replace(self, key=key)

    def stage(self, name: str, make: Callable[[], DataFrame]) -> DataFrame:
        """The table of a stage, written to the folder if it is not there."""
        path = f"{self.folder}/{name}-{self.key}"
        if not exists(self.spark, f"{path}/_SUCCESS"):
            if self.report:
                self.report(name)
            # Nearly all of it are hashes, which compression does not make smaller.
            make().write.mode("overwrite").option("compression", "none").parquet(path)
        return self.spark.read.parquet(path)


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is a file or folder at a path that Spark reads."""
    try:
        return bool(spark.read.format("binaryFile").load(path).columns)
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return False
        raise


def check_columns(caller: str, rows: DataFrame, text_field: str, id_field: str) -> None:
    """Raise OptionError unless there are columns of texts and of ids, strings or whole numbers."""
    types = {field.name: field.dataType for field in rows.schema.fields}
    for option, name in (("text_field", text_field), ("id_field", id_field)):
        wanted = (StringType, IntegralType) if option == "id_field" else StringType
        if name not in types:
            what = f"documents has no column {brief(name)}; it has {listed(types)}"
        elif not isinstance(types[name], wanted):
            what = f"the column {brief(name)} is {types[name].simpleString()}, and not of strings"
        else:
            continue
        raise OptionError(f"{what}; name one as {option}", place=caller)


def numbered(rows: DataFrame, order: str, name: str) -> DataFrame:
    """The rows with numbers from 1 in a column, in that order; `rows` are read twice."""
    ordered = rows.repartitionByRange(order).sortWithinPartitions(order)
    placed = ordered.withColumn("_place", F.monotonically_increasing_id())
    part = F.shiftright("_place", 33)
    before, total = [F.lit(-1), F.lit(0)], 1
    for row in placed.groupBy(part.alias("part")).count().orderBy("part").collect():
        before += [F.lit(row[0]), F.lit(total)]
        total += row[1]
    number = F.element_at(F.create_map(*before), part.cast("int"))
    number = number + F.col("_place").bitwiseAND(F.lit(_ROWS))
    return placed.withColumn(name, number.cast("long")).drop("_place")


def schema_of(columns: str) -> pa.Schema:
    """The schema of Arrow for one of Spark, such as "left long, name string"."""
    kinds = {"long": "int64", "boolean": "bool"}
    named = (each.split() for each in columns.split(", "))
    return pa.schema([(name, pa.type_for_alias(kinds.get(kind, kind))) for name, kind in named])


def arrow(columns: str, *values: Any) -> pa.RecordBatch:
    """A batch of Arrow with the columns of a schema of Spark, such as "left long, right long"."""
    names = [each.split()[0] for each in columns.split(", ")]
    arrays = [each if isinstance(each, pa.Array) else pa.array(each) for each in values]
    return pa.RecordBatch.from_arrays(arrays, names)


def arrays_of(batch: pa.RecordBatch) -> list[NDArray[Any]]:
    """The columns of numbers as arrays."""
    return [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def concatenated(parts: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    """The columns of all parts, one behind the other."""
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
