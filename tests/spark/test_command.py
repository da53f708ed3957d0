"""The verbs as jobs of Spark write what the local commands write."""

import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tests.spark.conftest import corpus
from tests.support.command import SDTEXT, here

SPARK = ("--engine", "spark", "--master", "local[2]")
BROKEN = {3: b"{broken", 700: b'{"id": "x"}', 1500: b'"no object"', 1999: b"\xff{}", 2000: b""}

needs_java = pytest.mark.skipif(not shutil.which("java"), reason="Java is not installed")


def needs_spark() -> None:
    pytest.importorskip("pyspark", reason="pyspark is not installed")


def write_records(path: Path, number: int) -> None:
    """Records in lines, some of which are broken."""
    lines = [json.dumps(record).encode() for record in corpus(number)]
    for place, line in BROKEN.items():
        lines.insert(place, line)
    path.write_bytes(b"".join(line + b"\n" for line in lines))


def content(folder: Path) -> bytes:
    """What stands in the files of a folder, in the order of their names."""
    return b"".join(path.read_bytes() for path in sorted(folder.glob("part-*")))


def messages(stderr: str) -> list[str]:
    return sorted(line for line in stderr.splitlines() if re.match("warning|error|… ", line))


@needs_java
@pytest.mark.deep
def test_deduplicate_writes_what_it_writes_locally(tmp_path: Path) -> None:
    needs_spark()
    records = tmp_path / "pages.jsonl"
    write_records(records, 20_000)
    local = here(
        "Deduplicate",
        str(records),
        "-o",
        tmp_path / "kept.jsonl",
        "--removed",
        tmp_path / "removed.jsonl",
    )
    outputs = ("-o", str(tmp_path / "kept"), "--removed", str(tmp_path / "rows.jsonl"))
    small = ("--conf", "spark.sql.files.maxPartitionBytes=1000000")  # many blocks of one file
    command = [*SDTEXT, "Deduplicate", str(records), *outputs, *SPARK, *small]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == local.code, done.stderr
    assert content(tmp_path / "kept") == (tmp_path / "kept.jsonl").read_bytes()
    assert content(tmp_path / "rows.jsonl") == (tmp_path / "removed.jsonl").read_bytes()
    assert messages(done.stderr) == messages(local.err)
    again = here("Deduplicate", records, *outputs, *SPARK)
    assert again.code == 6  # the outputs exist


@needs_java
@pytest.mark.deep
def test_a_killed_executor_changes_nothing(tmp_path: Path) -> None:
    needs_spark()
    records = tmp_path / "pages.jsonl"
    write_records(records, 4000)
    here("Deduplicate", records, "-o", tmp_path / "kept.jsonl", "--recall", "0.99")
    cluster = ("--engine", "spark", "--master", "local-cluster[2,1,1024]")
    command = [
        *SDTEXT,
        "Deduplicate",
        str(records),
        "-o",
        str(tmp_path / "kept"),
        "--recall",
        "0.99",
        *cluster,
    ]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        for line in running.stderr or ():
            if line.startswith("buckets"):  # a stage in the middle has begun
                os.kill(executors_of(running.pid)[0], signal.SIGKILL)
                break
        running.communicate()
    assert running.returncode == 3  # some lines are broken
    assert content(tmp_path / "kept") == (tmp_path / "kept.jsonl").read_bytes()


def executors_of(pid: int) -> list[int]:
    """The executors among the descendants of a process."""
    table = subprocess.run(
        ["ps", "-ww", "-eo", "pid,ppid,args"], capture_output=True, text=True, check=True
    )
    rows = [line.split(None, 2) for line in table.stdout.splitlines()[1:]]
    family = {pid}
    for _ in range(6):
        family |= {int(own) for own, parent, _ in rows if int(parent) in family}
    return [int(own) for own, _, args in rows if int(own) in family and "ExecutorBackend" in args]


def test_an_engine_without_java_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    needs_spark()
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    done = here("Deduplicate", "pages.jsonl", "-o", "kept", "--engine", "spark")
    assert (done.code, len(done.err.splitlines())) == (2, 1)


def test_options_of_the_local_engine_are_refused(tmp_path: Path) -> None:
    for options in (("--explain", "--engine", "spark"), ("--master", "local")):
        done = here("Deduplicate", "pages.jsonl", "-o", tmp_path / "kept", *options)
        assert done.code == 2
