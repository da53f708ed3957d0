"""Dictionaries, fingerprints and decontamination in Spark, and the story of the documentation."""

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

import sdtext
from tests.spark.conftest import WORDS, corpus
from tests.spark.test_deduplicate import frame, rows_of

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.deep]
TASKS = Path(__file__).parents[2] / "docs" / "tasks.md"


def test_dictionary_and_fingerprints_are_the_local_ones(spark: Any) -> None:
    from sdtext.spark import create_dictionary, fingerprint

    records = corpus(20_000)
    documents = [sdtext.Document.of(row["text"], row["id"]) for row in records]
    local = sdtext.create_dictionary(documents, "english")
    rows = frame(spark, records, 5, seed=1)
    made = create_dictionary(rows, "english")
    assert (made.digest, made.seen) == (local.digest, local.seen)
    some = frame(spark, records[:3000], 4, seed=2)
    bits = {row["document"]: bytes(row["bits"]) for row in fingerprint(some, made).collect()}
    prints = sdtext.fingerprint(documents[:3000], local)
    assert bits == {item.document: item.vectors[0].packed for item in prints}


def test_items_of_a_benchmark_are_found_as_locally(spark: Any) -> None:
    from sdtext.spark import decontaminate

    rng, records = Random(3), corpus(20_000)
    items = [{"id": f"q{n}", "question": " ".join(rng.sample(WORDS, 25))} for n in range(40)]
    for place, item in enumerate(items):
        records[place * 97]["text"] += f" {item['question']} and on"
    local = sdtext.decontaminate(records, items)
    done = decontaminate(frame(spark, records, 5, seed=2), items)
    names = done.matches.columns
    named = [tuple(getattr(match, name) for name in names) for match in local.matches]
    assert len(named) >= len(items)
    assert rows_of(done.matches) == named
    assert rows_of(done.kept.orderBy("id")) == [(row["id"], row["text"]) for row in local.kept]


def test_the_notebook_of_the_documentation_runs(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server is on this machine, but has a working folder of its own."""
    text = TASKS.read_text("utf-8")
    program = re.findall(r"^```py\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
    sample = next(
        code
        for code in re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
        if '"pages.jsonl", "w"' in code
    )
    for name in ("pages.jsonl", "kept"):
        sample = sample.replace(f'"{name}"', repr(str(tmp_path / name)))
        program = program.replace(f'"{name}"', repr(str(tmp_path / name)))
    monkeypatch.chdir(TASKS.parents[1])
    names: dict[str, Any] = {"spark": spark}
    exec(sample, names)  # noqa: S102 (our own documentation)
    exec(program, names)  # noqa: S102
    local = sdtext.deduplicate(str(tmp_path / "pages.jsonl"))
    assert spark.read.parquet(str(tmp_path / "kept")).count() == len(local.kept)
