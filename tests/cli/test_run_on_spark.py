"""The verbs as jobs of Spark write what the local commands write."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

import sdtext
from sdtext.fingerprinting.load_and_save import load_dictionary
from tests.spark.conftest import WORDS, corpus
from tests.spark.test_same_results import REMOVED, duplicates
from tests.support.command import ROOT, SDTEXT, here

SPARK = ("--engine", "spark", "--master", "local[2]")
BROKEN = {3: b"{broken", 700: b'{"id": "x"}', 1500: b'"no object"', 1999: b"\xff{}", 2000: b""}

needs_java = pytest.mark.skipif(not shutil.which("java"), reason="Java is not installed")


@pytest.fixture(autouse=True)
def no_server_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands do not see the variables of a Spark that runs in this process."""
    for name in [name for name in os.environ if name.startswith(("SPARK_", "PYSPARK_REMOTE"))]:
        monkeypatch.delenv(name)


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
    kinds = "warning|error|… |.* read, "
    return sorted(line for line in stderr.splitlines() if re.match(kinds, line))


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


@needs_java
@pytest.mark.deep
def test_a_killed_executor_changes_nothing(tmp_path: Path) -> None:
    needs_spark()
    records = tmp_path / "pages.jsonl"
    write_records(records, 4000)
    here("Deduplicate", records, "-o", tmp_path / "kept.jsonl")
    cluster = ("--engine", "spark", "--master", "local-cluster[2,1,1024]")
    command = [*SDTEXT, "Deduplicate", str(records), "-o", str(tmp_path / "kept"), *cluster]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as running:
        for line in running.stderr or ():
            if line.startswith("members"):  # a stage in the middle has begun
                os.kill(executors_of(running.pid)[0], signal.SIGKILL)
                break
        running.communicate()
    assert running.returncode == 3  # some lines are broken
    assert content(tmp_path / "kept") == (tmp_path / "kept.jsonl").read_bytes()


@needs_java
@pytest.mark.deep
def test_skewed_documents_are_compared_in_workers_of_little_memory(tmp_path: Path) -> None:
    """A worker that compared all copies and versions at once would need half a gigabyte more."""
    needs_spark()
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = Random(4)
    family = [rng.choice(WORDS) for _ in range(200)]
    texts = [" ".join(family)] * 100_000 + ["", "w1", "w1 w2"] * 1000
    for _ in range(2200):  # of which all pairs are more than the budget
        text = [*family]
        text[rng.randrange(200)] = rng.choice(WORDS)
        texts.append(" ".join(text))
    texts.append(" ".join(map(str, range(14_000_000))))  # 100 MB
    rng.shuffle(texts)
    records = [{"id": f"d{place:07}", "text": text} for place, text in enumerate(texts)]
    table = tmp_path / "pages.parquet"
    pq.write_table(pa.Table.from_pylist(records), table, 20_000, compression="gzip")
    outputs = ("-o", str(tmp_path / "kept"), "--removed", str(tmp_path / "rows.jsonl"))
    memory = ("--conf", "spark.executor.memory=2g", "--conf", "spark.executor.pyspark.memory=2300m")
    cluster = ("--engine", "spark", "--master", "local-cluster[2,1,2048]", *memory)
    command = [*SDTEXT, "Deduplicate", str(table), *outputs, *cluster]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = rows_in(content(tmp_path / "rows.jsonl").decode())
    local = next(duplicates(records))
    is_same = [tuple(row[name] for name in REMOVED) for row in rows] == local
    assert is_same  # pytest would compare long lists for minutes


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


ONE_PROCESS = """
import json, sys
from tests.support.command import here
for arguments in json.loads(sys.argv[1]):
    done = here(*arguments)
    print("DONE", json.dumps([done.code, done.text, done.err]))
"""


def outcomes(*commands: str) -> list[tuple[int, str, str]]:
    """The exit codes and both outputs of commands with `SPARK`, which share one Spark."""
    given = json.dumps([[*command.split(), *SPARK] for command in commands])
    python = [sys.executable, "-c", ONE_PROCESS, given]
    done = subprocess.run(python, capture_output=True, text=True, check=False, cwd=ROOT)
    lines = done.stdout.splitlines()
    found = [json.loads(line.removeprefix("DONE ")) for line in lines if line.startswith("DONE ")]
    assert len(found) == len(commands), done.stderr
    return [tuple(each) for each in found]


def rows_in(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


@needs_java
@pytest.mark.deep
def test_all_verbs_write_what_they_write_locally_and_go_on(tmp_path: Path) -> None:
    needs_spark()
    import pyarrow.parquet as pq

    items = [{"id": "q", "question": " ".join(WORDS[:25])}]
    records = corpus(200)
    records[7]["text"] += f" {items[0]['question']}"
    names = ["pages", "items.jsonl", "pages.sdx", "kept", "clean", "words.xml", "bits", "made.xml"]
    pages, quiz, stock, kept, clean, words, bits, made = (str(tmp_path / name) for name in names)
    other = str(tmp_path / "other.sdx")
    Path(pages).mkdir()
    file, queries = Path(pages, "0.jsonl"), tmp_path / "queries.jsonl"
    file.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    queries.write_text("".join(json.dumps(record) + "\n" for record in records[:20]), "utf-8")
    Path(quiz).write_text(json.dumps(items[0]) + "\n", "utf-8")
    by = "-s 70 --rule cluster --keep newest --scope within:lang --against"
    work = f"sdtext.work={tmp_path}"
    verbs = {
        f"Deduplicate {pages} -o {kept} {by} {queries}": "removed",
        f"FindPairs {pages} {queries} -s 70 -k 9 --format jsonl --conf {work}/a": "pairs",
        f"FindSimilar {pages} {queries} -k 3 --format jsonl --conf {work}/b": "hits",
        f"CreateDictionary {pages} -c english -o {made} --force --conf {work}/c": "terms",
        f"Fingerprint {pages} -d {words} -o {bits} --force": "bits",
        f"Decontaminate {pages} --benchmark {quiz} -o {clean} --force --format jsonl": "matches",
    }
    documents = [sdtext.Document.of(row["text"], row["id"]) for row in records if row["text"]]
    sdtext.save(dictionary := sdtext.create_dictionary(documents, "english"), words)
    again = [command for command in verbs if command.startswith(("FindPairs", "Decontaminate"))]
    first = outcomes(*verbs, *again, f"Deduplicate {pages} -o {kept}")
    assert [code for code, *_ in first] == [0] * 8 + [6], first
    for stage, (_, _, messages) in zip(verbs.values(), first, strict=False):
        assert stage in messages.splitlines()
    for command, (_, _, messages) in zip(again, first[6:8], strict=True):
        assert verbs[command] not in messages.splitlines()  # it was there
    for stored, read in ((stock, file), (other, queries)):
        here("AddDocuments", stored, read, "-c", "deduplicate")
    here("Deduplicate", file, "-o", tmp_path / "local.jsonl", *by.split(), other)
    assert content(Path(kept)) == (tmp_path / "local.jsonl").read_bytes()
    pairs = here("FindPairs", stock, other, "-s", "70", "-k", "9", "--format", "jsonl")
    found = rows_in(first[1][1])
    assert found == [{name: row[name] for name in found[0]} for row in rows_in(pairs.text)]
    itself = {(row["query"], row["document"]) for row in rows_in(first[2][1])}
    assert itself >= {(row["id"], row["id"]) for row in records[:20] if len(row["text"]) > 40}
    assert load_dictionary(made).digest == dictionary.digest
    prints = sdtext.fingerprint(documents, dictionary)
    known = {item.document: item.vectors[0].packed for item in prints}
    table = pq.read_table(bits)
    assert dict(zip(table["document"].to_pylist(), table["bits"].to_pylist(), strict=True)) == known
    local = here("Decontaminate", file, "--benchmark", quiz, "-o", tmp_path / "c.jsonl")
    assert content(Path(clean)) == (tmp_path / "c.jsonl").read_bytes(), local.text
    closing = {
        1: pairs.err.splitlines()[-1],
        2: f"{len(rows_in(first[2][1]))} documents found",
        3: f"{len(dictionary.terms):,} terms of {dictionary.documents} documents in {made}",
        5: local.err.splitlines()[0],
    }
    assert all(line in first[place][2].splitlines() for place, line in closing.items()), first
    times = file.stat().st_mtime_ns, file.stat().st_mtime_ns
    file.write_text(f"{file.read_text('utf-8')}\n", "utf-8")
    os.utime(file, ns=times)
    [(_, _, messages), (code, *_)] = outcomes(again[-1], f"Deduplicate {kept} -o {clean} --force")
    assert ("matches" in messages.splitlines(), code) == (True, 0)  # by its size another file


@needs_java
@pytest.mark.deep
def test_nothing_is_left_out_without_a_word(tmp_path: Path) -> None:
    needs_spark()
    import pyarrow as pa
    import pyarrow.parquet as pq

    (tables := tmp_path / "tables").mkdir()
    for name, row in {"a": {"text": ["Bees dance."]}, "b": {"body": ["Bees sing."]}}.items():
        table = pa.table({"id": [name], **row})
        pq.write_table(table, tables / f"{name}.parquet", compression="gzip")
    lines = (json.dumps({"id": f"{n}", "text": " ".join(WORDS[:25])}) for n in range(65))
    (same := tmp_path / "same.jsonl").write_text("\n".join(lines), "utf-8")
    deduplicate = f"Deduplicate {tables} -o {tmp_path / 'kept'}"
    [(code, text, _), other] = outcomes(f"FindPairs {same} --format json", deduplicate)
    assert [code] + [each["category"] for each in json.loads(text)["problems"]] == [0, "many-pairs"]
    assert (other[0], "b.parquet: row 1" in other[2]) == (0, True)
    kept = pq.read_table(tmp_path / "kept").sort_by("id").to_pylist()
    assert kept == [
        {"id": "a", "text": "Bees dance.", "body": None},
        {"id": "b", "text": None, "body": "Bees sing."},
    ]


@needs_java
@pytest.mark.deep
@pytest.mark.parametrize(
    "option",
    [
        "--master=nonsense",
        "--master=local[x]",
        "--master=spark://127.0.0.1:1",
        "--remote=sc://127.0.0.1:1",
        "--conf=spark.driver.memory=x",
        "--conf=spark.sql.shuffle.partitions=x",
    ],
)
def test_a_spark_that_does_not_start_is_one_sentence(option: str, tmp_path: Path) -> None:
    needs_spark()
    command = [*SDTEXT, "FindPairs", str(tmp_path), "--engine", "spark", option]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=50)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1), done.stderr


@needs_java
@pytest.mark.deep
def test_bad_input_is_one_sentence_before_any_work(tmp_path: Path) -> None:
    needs_spark()
    import pyarrow as pa
    import pyarrow.parquet as pq

    table, lines, other = (str(tmp_path / name) for name in ("a.parquet", "b.jsonl", "c.csv"))
    pq.write_table(pa.table({"id": ["a"], "size": [7]}), table)
    Path(lines).write_text('{"id": "a", "body": "Bees dance."}\n', "utf-8")
    Path(other).write_text("id,text\n", "utf-8")
    kept, none, cut = (str(tmp_path / name) for name in ("kept", "empty.jsonl", "cut.parquet"))
    Path(none).touch()
    Path(cut).write_bytes(Path(table).read_bytes()[:-20])
    text = str(tmp_path / "text.jsonl")
    Path(text).write_text('{"id": "a", "text": "Bees dance."}\n', "utf-8")
    refused = {
        f"Deduplicate {cut} -o {kept}": 3,
        f"Deduplicate {text} -o {kept} --removed {lines}/rows.jsonl": 6,
        f"FindSimilar {text} {none} -k 1": 3,
        f"FindSimilar {text} {lines}": 2,
        f"CreateDictionary {text} -c none -o {kept}": 3,
        f"Fingerprint {text} -o {kept}": 2,
        f"Decontaminate {text} --benchmark {none}": 3,
        f"Deduplicate {none} -o {kept}": 3,
        f"Deduplicate {table} -o {kept}": 2,
        f"Deduplicate {table} -o {kept} --text-field size": 2,
        f"Deduplicate {lines} -o {kept}": 2,
        f"Deduplicate {lines} -o {kept} --text-field body --id-field name": 2,
        f"Deduplicate {other} -o {kept}": 2,
        f"Deduplicate {tmp_path}/none -o {kept}": 3,
        f"Deduplicate {lines} -o {tmp_path}": 6,
        f"FindPairs {lines} --conf spark": 2,
        f"Deduplicate {lines} -o {tmp_path} --text-field body --force": 6,
    }
    for command, (code, out, err) in zip(refused, outcomes(*refused), strict=True):
        assert (code, out, len(err.splitlines())) == (refused[command], "", 1), (command, err)
    assert not Path(f"{kept}.work").exists()
    assert Path(lines).exists()
