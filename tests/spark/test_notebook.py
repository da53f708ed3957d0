"""The notebook of the documentation runs in Spark."""

import re
from pathlib import Path
from typing import Any

import pytest

import sdtext

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.deep]
TASKS = Path(__file__).parents[2] / "docs" / "tasks.md"


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
