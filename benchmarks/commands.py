"""Whole commands, start and files included, on one core and on two.

Run as `python benchmarks/commands.py`. The commands take turns. Beside each stands a Python program
that does the least that any such command must do: nothing, or reading and splitting the files.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

from measuring import ROUNDS, command, size, table
from texts import english

SAMPLES = Path(__file__).parents[1] / "tests" / "samples" / "texts"
SPLIT = (
    "import sys, pathlib\n"
    "for path in pathlib.Path(sys.argv[1]).iterdir(): path.read_bytes().split()"
)


def verbs(folder: Path) -> dict[str, tuple[list[object], list[object]]]:
    """The arguments of each command, and the program beside it."""
    many, some, lines = folder / "many", folder / "some", folder / "lines.jsonl"
    for place, documents in ((many, english(size(40, 1))), (some, english(size(10, 1), 2)[:1000])):
        place.mkdir()
        for number, document in enumerate(documents):
            (place / f"{number}.txt").write_bytes(document[: 3_000 if place == some else None])
    with lines.open("w") as file:
        for path in sorted(many.iterdir()):
            text = path.read_text("utf-8", "replace")
            for at in range(0, len(text), 3_000):
                print(json.dumps({"text": text[at : at + 3_000]}), file=file)
    nothing, split = [sys.executable, "-c", ""], [sys.executable, "-c", SPLIT]
    files = f"{len([*many.iterdir()]):,} files"
    return {
        "CompareDirectory, 8 files": (
            ["CompareDirectory", SAMPLES / "union.txt", SAMPLES], nothing,
        ),
        f"CreateDictionary, 40 MB in {files}": (
            ["CreateDictionary", "-p", many, "-c", "english", "-o", os.devnull], [*split, many],
        ),
        "Deduplicate, the same in records of 3,000 characters": (
            ["Deduplicate", lines, "-o", folder / "kept.jsonl", "--force"], [*split, many],
        ),
        f"FindReuse, {len([*some.iterdir()]):,} files of 3,000 characters": (
            ["FindReuse", some, "--format", "jsonl"], [*split, some],
        ),
    }  # fmt: skip


def main() -> None:
    """Print the table."""
    cores = sorted(os.sched_getaffinity(0))
    rows = []
    with tempfile.TemporaryDirectory() as place:
        for name, (verb, least) in verbs(Path(place)).items():
            taken = []
            for _ in range(size(ROUNDS, 1)):
                one = command("taskset", "-c", cores[-1], sys.executable, "-m", "sdtext", *verb,
                              "--jobs", "1")  # fmt: skip
                two = command(sys.executable, "-m", "sdtext", *verb, "--jobs", "2")
                taken.append((*one, *two, command(*least)[0]))
            cpu, clock, memory, _, clock_of_two, _, bare = (
                median(each) for each in zip(*taken, strict=True)
            )
            faster = median(each[1] / each[4] for each in taken)
            rows.append((
                name, f"{cpu:.2f}", f"{clock:.2f}", f"{clock_of_two:.2f} ({faster:.1f}×)",
                f"{memory:.0f} MB", f"{bare:.2f}", f"{cpu / bare:.1f}",
            ))  # fmt: skip
    head = ("command", "CPU s", "s, one core", "s, two cores", "memory", "least CPU s", "times")
    table(head, rows)


if __name__ == "__main__":
    main()
