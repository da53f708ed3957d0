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
from pyspark.sql.types import DataType, IntegralType, StringType

from sdtext.errors import OptionError
from sdtext.reading.records.record import NoText, listed
from sdtext.wording import brief

Batches = Iterator[pa.RecordBatch]
Report = Callable[[str], None]
CARRIED = "keep", "scope"
"""The options of which a field of the documents is a column of texts."""
_NO_FIELDS: Mapping[str, str] = {}
_KINDS = {"long": "int64", "double": "float64", "boolean": "bool"}
_TYPES: Mapping[str, Any] = {"text_field": StringType, "id_field": (StringType, IntegralType)}


@dataclass(frozen=True)
class Work:
    """Documents, a work folder at any path that Spark reads, and the key of what is made there.

    `texts` have a `number`, a `name` and a `text`, or a `problem`, and the values of the fields of
    the options `keep` and `scope`; the names are `unique`. A stage that is there under the same
    key, of the same documents and parameters, is not made again. A temporary folder is one of this
    machine, for this process.
    """

    texts: DataFrame
    folder: str
    key: str = ""
    report: Report | None = None
    unique: bool = True
    is_temporary: bool = False

    @classmethod
    def on(
        cls,
        caller: str,
        documents: DataFrame,
        text_field: str,
        id_field: str,
        folder: str | None = None,
        report: Report | None = None,
        *,
        fields: Mapping[str, str] = _NO_FIELDS,
    ) -> Work:
        """The work on documents, numbered in the order of their ids, with the fields of options.

        Raises OptionError unless there are columns of texts and of ids, strings or whole numbers.
        """
        named = {"text_field": text_field, "id_field": id_field, **fields}
        check_columns(documents, named, place=caller)
        known = {"id": F.col(id_field), "text": F.col(text_field)}
        known |= {name: F.col(fields[name]) if name in fields else F.lit("") for name in CARRIED}
        given = documents.select(*(column.alias(name) for name, column in known.items()))
        texts = (
            given.repartitionByRange("id")
            .sortWithinPartitions("id")
            .selectExpr(
                "monotonically_increasing_id() as number",
                "string(id) as name",
                "text",
                "string(null) as problem",
                *(f"string({name}) as {name}" for name in CARRIED),
            )
        )
        work = cls(texts, folder or "").in_folder(report)
        return work if work.is_temporary else work.with_key(fields, *content_of(given, *known))

    def in_folder(self, report: Report | None) -> Work:
        """The same in its folder, or without one in a temporary folder of this machine.

        Raises OptionError where Spark works on other machines, which do not read that.
        """
        if self.folder:
            return replace(self, folder=self.folder.rstrip("/"), report=report)
        folder, spark = mkdtemp(prefix="sdtext-spark-"), self.texts.sparkSession
        atexit.register(rmtree, folder, ignore_errors=True)
        is_local = str(spark.conf.get("spark.master", "")).startswith("local")
        if not (is_local and exists(spark, folder)):
            raise OptionError(
                "Spark runs on other machines, which read no temporary folder of this one; name as "
                "work a folder at a path that all of them read and write"
            )
        return replace(self, folder=folder, report=report, is_temporary=True)

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


def content_of(rows: DataFrame, *columns: str) -> Any:
    """The number of rows and a checksum of these columns, in any order."""
    hashed = F.sum(F.xxhash64(*columns).cast("decimal(38,0)"))
    return rows.agg(F.count("*"), hashed).collect()[0]


def check_columns(rows: DataFrame, columns: Mapping[str, str], **where: str) -> None:
    """Raise OptionError unless the columns that options name are of strings, or ids of numbers."""
    types = {field.name: field.dataType for field in rows.schema.fields}
    for option, name in columns.items():
        wanted = _TYPES.get(option, DataType)
        if name not in types:
            what = f"has no column {brief(name)}; it has {listed(types)}"
        elif not isinstance(types[name], wanted):
            what = f"has the column {brief(name)} of {types[name].simpleString()}, not of strings"
        else:
            continue
        raise OptionError(f"{what}; name one as {option}", **where)


def problem_of(called: str | None, why: object, how: str = "") -> str:
    """The problem of a document, which is kept: its severity, its category and its words."""
    kind = "warning\tempty" if isinstance(why, NoText) else "error\tunreadable"
    return f"{kind}\t{called}: {why}; it is kept{how}"


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
    """A batch of Arrow with the columns of a schema of Spark; without values it is empty."""
    schema = schema_of(columns)
    given = zip(values or [()] * len(schema), schema.types, strict=True)
    arrays = [each if isinstance(each, pa.Array) else pa.array(each, kind) for each, kind in given]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def columns_of(batches: Batches) -> list[NDArray[Any]]:
    """The columns of numbers of all batches of a partition; none where there are no batches."""
    parts = ([each.to_numpy(zero_copy_only=False) for each in batch.columns] for batch in batches)
    return [np.concatenate(column) for column in zip(*parts, strict=True)]
