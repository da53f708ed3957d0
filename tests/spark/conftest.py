"""One Spark for the tests of a process, behind a Spark Connect server that it starts."""

import os
import shutil
import sys
import warnings
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

WORDS = [f"w{number:x}" for number in range(4000)]
Records = list[dict[str, Any]]


def corpus(number: int, seed: int = 1, variants: int = 3) -> Records:
    """Records in the order of their ids: unrelated texts, edited ones, copies, near-empty ones.

    So many in a hundred are `variants` of one text, each with a word of its own.
    """
    rng = Random(seed)
    common, family = ([rng.choice(WORDS) for _ in range(length)] for length in (90, 120))
    texts = list[list[str]]()
    while len(texts) < number:
        kind = rng.random()
        if texts and kind < 0.25:
            text = [*rng.choice(texts[-300:])]
            for _ in range(rng.randint(0, 3) if text else 0):
                text[rng.randrange(len(text))] = rng.choice(WORDS)
        elif kind < 0.27:
            text = common
        elif kind < 0.27 + variants / 100:
            text = [*family]
            text[rng.randrange(len(text))] = rng.choice(WORDS)
        else:
            length = rng.randint(0, 4) if kind > 0.97 else rng.randint(30, 120)
            text = [rng.choice(WORDS) for _ in range(length)]
        texts.append(text)
    rng.shuffle(texts)
    return [{"id": f"d{place:07}", "text": " ".join(text)} for place, text in enumerate(texts)]


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
