"""The documents of a job of Spark, and its stages: tables in a work folder, each made once."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from hashlib import blake2b
from shutil import rmtree
from tempfile import mkdtemp
from typing import Any

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812 (as all know it)
from pyspark.sql.types import DataType, IntegralType, StringType

from sdtext._version import __version__
from sdtext.errors import OptionError, UnreadableError
from sdtext.reading.records.arrow_frames import Batches
from sdtext.reading.records.record import listed
from sdtext.search.search_in_parts import TEXTS
from sdtext.wording import brief

Report = Callable[[str], None]
CARRIED = "keep", "scope"  # options of which a field of the documents is a column of texts
NO_FIELDS: Mapping[str, str] = {}
_TYPES: Mapping[str, Any] = {"text_field": StringType, "id_field": (StringType, IntegralType)}


@dataclass(frozen=True)
class Work:
    """Documents, and the folder of their stages, at any path that Spark reads.

    `texts` have a `number`, a `name` and a `text`, or a `problem`, and the values of the fields of
    `keep` and `scope`. They are the `rows`, or what `parse` makes of these. The `key` is a digest
    of documents and parameters: a stage that is there under it is not made again.
    """

    rows: DataFrame
    folder: str
    key: str
    report: Report | None = None
    parse: Callable[[Batches], Batches] | None = None

    @property
    def texts(self) -> DataFrame:
        return self.rows.mapInArrow(self.parse, TEXTS) if self.parse else self.rows

    @classmethod
    def on(
        cls,
        caller: str,
        documents: DataFrame,
        text_field: str,
        id_field: str,
        work: str | None,
        report: Report | None = None,
        *,
        fields: Mapping[str, str] = NO_FIELDS,
    ) -> Work:
        """The work on documents, numbered in the order of their ids, with the fields of options.

        Raises OptionError unless there are columns of texts and of ids, strings or whole numbers,
        UnreadableError unless each document has an id of its own.
        """
        named = {"text_field": text_field, "id_field": id_field, **fields}
        check_columns(documents, named, place=caller)
        folder = folder_of(documents.sparkSession, work)
        known = {"id": F.col(id_field), "text": F.col(text_field)}
        known |= {name: F.col(fields[name]) if name in fields else F.lit("") for name in CARRIED}
        given = documents.select(*(column.alias(name) for name, column in known.items()))
        each = given.groupBy("id").agg(*content_of(*known))
        wrong = F.max(F.expr("if(number > 1 or id is null, ifnull(string(id), 'null'), null)"))
        *content, repeated = each.agg(F.sum("number"), F.sum("content"), wrong).collect()[0]
        if repeated is not None:
            what = f"an id is missing or repeated ({repeated}); give each document one of its own"
            raise UnreadableError(what, place=caller)
        numbered = "monotonically_increasing_id() as number", "string(id) as name"
        own = *(f"string({name}) as {name}" for name in CARRIED), "text", "string(null) as problem"
        texts = given.orderBy("id").selectExpr(*numbered, *own)
        return cls(texts, folder, key_of(content, fields), report)

    def with_key(self, *parameters: object) -> Work:
        """The same for stages that depend on these, too."""
        return replace(self, key=key_of(self.key, *parameters))

    def stage(self, name: str, rows: DataFrame) -> DataFrame:
        """The table of a stage, of these rows, written to the folder if it is not there."""
        spark, path = self.rows.sparkSession, f"{self.folder}/{name}-{self.key}"
        if not exists(spark, f"{path}/_SUCCESS"):
            if self.report:
                self.report(name)
            # Nearly all of it are hashes, which no compression makes smaller.
            plain = {"compression": "none", "parquet.enable.dictionary": False}
            rows.write.mode("overwrite").options(**plain).parquet(path)
        return spark.read.parquet(path)


def folder_of(spark: SparkSession, named: str | None) -> str:
    """The folder that is named, or a temporary one of this machine, for this process.

    Raises OptionError where Spark works on other machines, which do not read that.
    """
    if named:
        return named.rstrip("/")
    folder = mkdtemp(prefix="sdtext-spark-")
    atexit.register(rmtree, folder, ignore_errors=True)
    is_local = str(spark.conf.get("spark.master", "")).startswith("local")
    if not (is_local and exists(spark, folder)):
        what = "Spark runs on other machines, which read no temporary folder of this one; name as "
        raise OptionError(f"{what}work a folder at a path that all of them read and write")
    return folder


def key_of(*parameters: object) -> str:
    """A digest of parameters, and of the release, as each has stages of its own."""
    return blake2b(repr((__version__, *parameters)).encode(), digest_size=8).hexdigest()


def content_of(*columns: str) -> tuple[Any, Any]:
    """The `number` of rows, and their `content`: a checksum of these columns, in any order."""
    content = F.sum(F.xxhash64(*columns).cast("decimal(38,0)"))
    return F.count("*").alias("number"), content.alias("content")


def check_columns(rows: DataFrame, columns: Mapping[str, str], **where: str) -> None:
    """Raise OptionError unless the columns that options name are of strings, or ids of numbers."""
    types = {field.name: field.dataType for field in rows.schema.fields}
    for option, name in columns.items():
        kind = types.get(name)
        if not isinstance(kind, _TYPES.get(option, DataType)):
            what = f"has no column {brief(name)}; it has {listed(types)}"
            if kind:
                what = f"has the column {brief(name)} of {kind.simpleString()}, not of strings"
            raise OptionError(f"{what}; name one as {option}", **where)


def exists(spark: SparkSession, path: str) -> bool:
    """Whether there is a file or folder at a path that Spark reads."""
    try:
        return bool(spark.read.format("binaryFile").load(path).columns)
    except AnalysisException as error:
        if error.getCondition() == "PATH_NOT_FOUND":
            return False
        raise
