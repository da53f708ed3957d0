"""The figures of speed in README.md and docs/measured.md, in one run.

Run as `python benchmarks/run.py [PROGRAM]...`, with the extra `benchmarks` installed; it takes half
an hour. Each program runs on one core, except `commands`, which uses two. In each, sdtext and its
peers take turns; peers that are not installed are left out. The tables go to results.json, with the
machine and all versions. A run of some programs renews their part of that file.

--output FILE  another file
--quick        tiny inputs, to see that the programs run: the figures mean nothing
--docs         run nothing: write the tables of the file into docs/measured.md, and docs/growth.svg
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import Any

from growth_chart import growth_chart

from sdtext._version import __version__

ROOT = Path(__file__).parents[1]
PROGRAMS = {
    "chain": ["chain.py"],
    "commands": ["commands.py"],
    "documents": ["documents.py"],
    "sharing": ["sharing.py"],
    "near_duplicates": ["near_duplicates.py"],
    "windows": ["windows.py"],
    "sentence_codes": ["sentence_codes.py"],
    "columns": ["columns.py"],
    "growth": ["columns.py", "growth"],
    "repeated_passages": ["repeated_passages.py"],
}
_TABLE = re.compile(r"^\|.*\n\|[-| ]+\|\n(?:\|.*\n)*", re.MULTILINE)


def tables_in(text: str) -> Iterator[list[list[str]]]:
    """The rows of each table in Markdown, the head first."""
    for match in _TABLE.finditer(text):
        head, _, *rows = match[0].splitlines()
        yield [[cell.strip() for cell in row[1:-1].split("|")] for row in (head, *rows)]


def measured(name: str, *, quick: bool) -> dict[str, Any]:
    """The tables that a program prints, and how it ran."""
    cores = sorted(os.sched_getaffinity(0))
    used = cores if name == "commands" else cores[-1:]
    program, *arguments = PROGRAMS[name]
    command = [sys.executable, str(Path(__file__).with_name(program)), *arguments]
    begun = time.perf_counter()
    done = subprocess.run(
        ["taskset", "-c", ",".join(map(str, used)), *command],
        env={**os.environ, **({"SDTEXT_QUICK": "1"} if quick else {})},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return {
        "cores": len(used),
        "seconds": round(time.perf_counter() - begun, 1),
        "tables": [*tables_in(done.stdout)],
    }


def machine() -> dict[str, Any]:
    """The machine, what else runs on it, and the versions of sdtext and its peers."""
    peers = (item for item in requires("sdtext") or () if 'extra == "benchmarks"' in item)
    names = ["numpy", *(re.split(r"[^\w.-]", item)[0] for item in peers)]
    versions = {"sdtext": __version__}
    for name in names:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    (processor,) = re.findall(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[:1]
    return {
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "versions": versions,
    }


def renewed(page: str, results: Mapping[str, Any]) -> str:
    """The page with the tables of the programs: those behind the name of each, in their order."""
    parts = re.split(r"(?=`\w+\.py\b)", page)
    for name, result in results.items():
        program = f"`{PROGRAMS[name][0]}"
        place = next((at for at, part in enumerate(parts) if part.startswith(program)), None)
        tables = iter(result["tables"])

        def of_run(old: re.Match[str], tables: Iterator[list[list[str]]] = tables) -> str:
            rows = next(tables, None)
            if rows is None or len(rows[0]) != old[0].split("\n")[0].count("|") - 1:
                return old[0]
            lines = [rows[0], ["---"] * len(rows[0]), *rows[1:]]
            return "".join(f"| {' | '.join(line)} |\n" for line in lines)

        if place is not None and name != "growth":
            parts[place] = _TABLE.sub(of_run, parts[place])
    return "".join(parts)


def main() -> None:
    """Run the programs and write the file, or the page."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    options.add_argument("programs", nargs="*", choices=[[], *PROGRAMS])
    options.add_argument("--output", type=Path, default=ROOT / "benchmarks" / "results.json")
    options.add_argument("--quick", action="store_true")
    options.add_argument("--docs", action="store_true")
    given = options.parse_args()
    known = json.loads(given.output.read_text("utf-8")) if given.output.exists() else {}
    results = known.get("results", {})
    if given.docs:
        page = ROOT / "docs" / "measured.md"
        page.write_text(renewed(page.read_text("utf-8"), results), "utf-8")
        chart = growth_chart(results["growth"]["tables"][0])
        (ROOT / "docs" / "growth.svg").write_text(chart, "utf-8")
        return
    for name in given.programs or PROGRAMS:
        print(name, file=sys.stderr, flush=True)
        results[name] = {**measured(name, quick=given.quick), "machine": machine()}
        given.output.write_text(json.dumps({"results": results}, indent=1), "utf-8")


if __name__ == "__main__":
    main()
