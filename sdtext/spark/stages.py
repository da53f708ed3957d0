"""The documents of a job of Spark, and its stages: tables in a work folder, each made once."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Mapping
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
_KINDS = {"long": "int64", "boolean": "bool"}


@dataclass(frozen=True)
class Work:
    """Documents, a work folder at any path that Spark reads, and the key of what is made there.

    `texts` have a `number`, a `name` and a `text`, or a `problem`; the names are `unique`. A stage
    that is there under the same key, of the same documents and parameters, is not made again. A
    temporary folder is one of this machine, for this process.
    """

    texts: DataFrame
    folder: str
    key: str
    report: Report | None = None
    unique: bool = True
    is_temporary: bool = False

    @classmethod
    def on(
        cls,
        caller: str,
        documents: DataFrame | Work,
        text_field: str,
        id_field: str,
        folder: str | None = None,
        report: Report | None = None,
    ) -> Work:
        """The work on documents, numbered in the order of their ids.

        Raises OptionError unless there are columns of texts and of ids, strings or whole numbers.
        """
        if isinstance(documents, Work):
            return documents
        check_columns(documents, {"text_field": text_field, "id_field": id_field}, place=caller)
        named = documents.select(F.col(id_field).alias("id"), F.col(text_field).alias("text"))
        ordered = named.repartitionByRange("id").sortWithinPartitions("id")
        number = F.monotonically_increasing_id().alias("number")
        none = F.lit(None).cast("string").alias("problem")
        texts = ordered.select(number, F.col("id").cast("string").alias("name"), "text", none)
        if folder is None:
            folder = mkdtemp(prefix="sdtext-spark-")
            atexit.register(rmtree, folder, ignore_errors=True)
            return cls(texts, folder, "", report, is_temporary=True)
        hashed = F.sum(F.xxhash64("id", "text").cast("decimal(38,0)"))
        content = named.select(F.count("*"), hashed).collect()[0]
        return cls(texts, folder.rstrip("/"), "", report).with_key(*content)

    def with_key(self, *parameters: object) -> Work:
        """The same for stages that depend on these, too."""
        key = blake2b(repr((self.key, *parameters)).encode(), digest_size=8).hexdigest()
        return replace(self, key=key)

    def stage(
        self, name: str, make: Callable[[], DataFrame], *, is_last: bool = False
    ) -> DataFrame:
        """The table of a stage, written to the folder if it is not there.

        The last one, which is read once, is written only where a folder was named.
        """
        if is_last and self.is_temporary:
            return make()
        spark, path = self.texts.sparkSession, f"{self.folder}/{name}-{self.key}"
        if not exists(spark, f"{path}/_SUCCESS"):
            if self.report:
                self.report(name)
            # Nearly all of it are hashes, which compression does not make smaller.
            make().write.mode("overwrite").option("compression", "none").parquet(path)
        return spark.read.parquet(path)


def check_columns(rows: DataFrame, columns: Mapping[str, str], **where: str) -> None:
    """Raise OptionError unless the columns that options name are of strings, or ids of numbers."""
    types = {field.name: field.dataType for field in rows.schema.fields}
    for option, name in columns.items():
        wanted = (StringType, IntegralType) if option == "id_field" else StringType
        if name not in types:
            what = f"has no column {brief(name)}; it has {listed(types)}"
        elif not isinstance(types[name], wanted):
            what = f"has the column {brief(name)} of {types[name].simpleString()}, not of strings"
        else:
            continue
        raise OptionError(f"{what}; name one as {option}", **where)


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is a file or folder at a path that Spark reads."""
    try:
        return bool(spark.read.format("binaryFile").load(path).columns)
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return False
        raise


def schema_of(columns: str) -> pa.Schema:
    """The schema of Arrow for one of Spark, such as "left long, name string"."""
    named = (each.split() for each in columns.split(", "))
    return pa.schema([(name, pa.type_for_alias(_KINDS.get(kind, kind))) for name, kind in named])


def arrow(columns: str, *values: Any) -> pa.RecordBatch:
    """A batch of Arrow with the columns of a schema of Spark."""
    names = [each.split()[0] for each in columns.split(", ")]
    arrays = [each if isinstance(each, pa.Array) else pa.array(each) for each in values]
    return pa.RecordBatch.from_arrays(arrays, names)


def arrow_rows(columns: str, rows: list[tuple[Any, ...]]) -> pa.RecordBatch:
    """The same of rows, of which there may be none."""
    schema = schema_of(columns)
    values = zip(*rows, strict=True) if rows else [()] * len(schema)
    return pa.RecordBatch.from_arrays([*map(pa.array, values, schema.types)], schema=schema)


def arrays_of(batch: pa.RecordBatch) -> list[NDArray[Any]]:
    """The columns of numbers as arrays."""
    return [column.to_numpy(zero_copy_only=False) for column in batch.columns]


def concatenated(parts: list[list[NDArray[Any]]]) -> list[NDArray[Any]]:
    """The columns of all parts, one behind the other."""
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
