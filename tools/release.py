"""Make a release: an sdist, a wheel for each platform, one executable, and what these consist of.

`python -m tools.release` in a checkout with the extra `release`; docs/release.md describes it.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import move
from tempfile import TemporaryDirectory

from tools.distributions import TARGETS, make_sdist_and_plain_wheel, make_wheel
from tools.executable import make_executable

ROOT = Path(__file__).parents[1]


def main(arguments: Sequence[str] | None = None) -> None:
    """Make what is asked for, check it, and print the name and size of each file."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description=__doc__)
    parser.add_argument("-o", "--output", type=Path, default=Path("dist"), metavar="FOLDER")
    tags = [target.tag for target in TARGETS]
    parser.add_argument("--wheels", nargs="*", choices=tags, default=tags, metavar="TAG")
    parser.add_argument("--no-executable", action="store_true")
    given = parser.parse_args(arguments)
    out: Path = given.output.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if "SOURCE_DATE_EPOCH" not in os.environ:
        command = ["git", "log", "-1", "--format=%ct"]
        made = subprocess.check_output(command, cwd=ROOT, text=True)
        os.environ["SOURCE_DATE_EPOCH"] = made.strip()
    with TemporaryDirectory() as name:
        folder = Path(name)
        sdist, plain = make_sdist_and_plain_wheel(ROOT, folder)
        _print(Path(move(sdist, out / sdist.name)))
        for target in TARGETS:
            if target.tag in given.wheels:
                _print(make_wheel(plain, target, out))
        if not given.no_executable:
            here = f"manylinux_2_17_{platform.machine()}"
            native = next(target for target in TARGETS if target.tag == here)
            for file in make_executable(make_wheel(plain, native, folder), folder, out):
                _print(file)


def _print(file: Path) -> None:
    print(f"{file.stat().st_size:>12,}  {file.name}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
