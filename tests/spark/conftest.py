"""One Spark for the tests of a process, behind a Spark Connect server that it starts."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest

WORDS = [f"w{number:x}" for number in range(4000)]
Records = list[dict[str, Any]]


def corpus(number: int, words: Sequence[str] = WORDS, common: float = 2) -> Records:
    """Records in the order of their ids: unrelated texts, edited ones, copies, near-empty ones.

    So many in a hundred are copies of one text, and as many variants of one with a word of its own.
    Some have a language and a date.
    """
    rng = Random(1)
    copied, family = ([rng.choice(words) for _ in range(length)] for length in (90, 120))
    texts = list[list[str]]()
    while len(texts) < number:
        kind = rng.random()
        if texts and kind < 0.25:
            text = [*rng.choice(texts[-300:])]
            for _ in range(rng.randint(0, 3) if text else 0):
                text[rng.randrange(len(text))] = rng.choice(words)
        elif kind < 0.25 + common / 100:
            text = copied
        elif kind < 0.25 + common / 50:
            text = [*family]
            text[rng.randrange(len(text))] = rng.choice(words)
        else:
            length = rng.randint(0, 4) if kind > 0.97 else rng.randint(30, 120)
            text = [rng.choice(words) for _ in range(length)]
        texts.append(text)
    rng.shuffle(texts)
    dates = "2020", "2021-05-01", "2019-01", "soon", None
    return [
        {
            "id": f"d{place:07}",
            "text": " ".join(text),
            "lang": rng.choice(["en", "de", None]),
            "date": rng.choice(dates),
        }
        for place, text in enumerate(texts)
    ]


def frame(spark: Any, records: Records, partitions: int, seed: int | None = None) -> Any:
    """The records in so many partitions, in an order of their own."""
    import pyarrow as pa

    rows = records if seed is None else Random(seed).sample(records, len(records))
    return spark.createDataFrame(pa.Table.from_pylist(rows)).repartition(partitions)


def rows_of(rows: Any) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in rows.collect()]


@pytest.fixture(scope="session")
def spark() -> Iterator[Any]:
    """A session, connected to a server that works with two threads."""
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    pytest.importorskip("grpc", reason="pyspark[connect] is not installed")
    if not shutil.which("java"):
        pytest.skip("Java is not installed")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ["SPARK_TESTING"] = "1"  # the server takes a free port; another process has one, too
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        builder = sql.SparkSession.builder.remote("local[2]")
        settings = {"ui.enabled": "false", "sql.shuffle.partitions": "4", "driver.memory": "4g"}
        # Snappy does not load where the system has another C library besides its own.
        settings |= {"driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
        settings |= {"sql.parquet.compression.codec": "gzip", "log.level": "ERROR"}
        for name, value in settings.items():
            builder = builder.config(f"spark.{name}", value)
        session = builder.getOrCreate()
        yield session
        session.stop()
