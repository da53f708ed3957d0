"""One executable for this system: the wheel, what it needs and Python, in one file.

It is named with its licences and its bill of materials (CycloneDX) beside it. PyInstaller makes it
as `executable.spec` says.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from shutil import copy, move
from typing import Any

import lief

from build_backend import SYSTEM
from sdtext._version import __version__
from tools.distributions import numbers_of

HERE = Path(__file__).parent
EXTRAS = "7z,arabic,keys,web"
# Those of the extra `formats`, without kreuzberg, which is as large as all others together.
MORE = ("compressed-rtf", "python-oxmsg", "tnefparse", "warcio")
MOST_BYTES = 120_000_000


def make_executable(wheel: Path, folder: Path, out: Path) -> list[Path]:
    """The executable in `out`, its licences and its bill of materials; `folder` is for the work."""
    environment, made = folder / "environment", folder / "made"
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet"]
    _run([sys.executable, "-m", "venv", "--without-pip", str(environment)], folder)
    _run([*pip, f"{wheel}[{EXTRAS}]", *MORE], folder)
    listed = folder / "listed.json"
    components = [sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible"]
    about = ["--pyproject", str(HERE.parent / "pyproject.toml"), "--output-file", str(listed)]
    _run([*components, *about, str(python)], folder)
    # Its start program is compiled here, with zlib within: other systems may not have libz.so.1.
    found = subprocess.check_output([*SYSTEM, "-print-file-name=libz.a"], text=True).strip()
    if not Path(found).is_absolute():
        raise FileNotFoundError("libz.a is missing: apt-get install gcc zlib1g-dev")
    copy(found, folder)
    compiled = {"PYINSTALLER_COMPILE_BOOTLOADER": "1", "LDFLAGS": f"-L{folder}"}
    _run([*pip, "--no-cache-dir", "--no-binary=pyinstaller", "pyinstaller>=6.10"], folder, compiled)
    for name in ("executable.spec", "frozen.py"):  # away from the checkout, whose package it is not
        copy(HERE / name, folder)
    work = ["--noconfirm", "--workpath", str(folder / "work"), "--distpath", str(made)]
    _run([str(python), "-m", "PyInstaller", *work, "executable.spec"], folder)
    carried = json.loads((made / "carried.json").read_text("utf-8"))
    listed.write_text(_with_system(listed.read_text("utf-8"), carried["libraries"]), "utf-8")
    base = f"sdtext-{__version__}-linux_{platform.machine()}"
    files = {base: made / "sdtext", f"{base}-LICENSES.txt": made / "LICENSES.txt"}
    files |= {f"{base}.cdx.json": listed}
    for name, file in files.items():
        move(file, out / name)
    _check(out / base, carried["binaries"])
    return [out / name for name in files]


def _run(command: list[str], folder: Path, more: Mapping[str, str] | None = None) -> None:
    """Run a command that is quiet unless it fails, with `more` settings."""
    settings = {"PYTHONHASHSEED": "0", "PYINSTALLER_CONFIG_DIR": str(folder), **(more or {})}
    settings = {**os.environ, **settings}
    settings.pop("PYTHONPATH", None)
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def _with_system(listed: str, libraries: dict[str, str]) -> str:
    """A bill of materials with Python and the libraries of the system added."""
    bill = json.loads(listed)
    added = {"Python": (platform.python_version(), "pkg:generic/python")}
    added |= {name: (version, f"pkg:deb/debian/{name}") for name, version in libraries.items()}
    bill["components"] += [
        {"type": "library", "bom-ref": name, "name": name, "version": version,
         "purl": f"{purl}@{version}"}
        for name, (version, purl) in added.items()
    ]  # fmt: skip
    return json.dumps(bill, indent=1) + "\n"


def _check(executable: Path, binaries: list[str]) -> None:
    """Raise ValueError unless it starts and is small enough; print which systems it runs on."""
    shown = subprocess.check_output([str(executable), "--version"], text=True)
    if f"sdtext {__version__}\n" not in shown or "kernels: compiled" not in shown:
        raise ValueError(f"{executable.name}: --version prints\n{shown}")
    if executable.stat().st_size > MOST_BYTES:
        raise ValueError(f"{executable.name}: has more than {MOST_BYTES:,} bytes")
    parsed: list[Any] = [lief.ELF.parse(binary) for binary in binaries]
    asked = {
        each.name
        for binary in parsed
        for need in binary.symbols_version_requirement
        for each in need.get_auxiliary_symbols()
    }
    newest = max((each for each in asked if each.startswith("GLIBC_2")), key=numbers_of)
    print(f"{executable.name} runs with {newest.replace('_', ' ')} or newer")
