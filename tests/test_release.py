"""A release: what `python -m tools.release` made in the folder SDTEXT_RELEASE.

The wheel is installed in an empty environment; the executable runs in a root that has nothing but a
C library, without a network and with a home that cannot be written. Both give the same.
"""

import json
import os
import re
import shlex
import subprocess
import sys
from base64 import b64decode
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from shutil import copy, copytree, which
from zipfile import ZipFile
from zlib import decompress

import pytest

from sdtext.io.key_files import write_key
from sdtext.kernels.c_library import SIGNATURES
from tests.goldens.test_goldens import VARYING
from tests.support.command import ROOT

RELEASE = Path(os.environ.get("SDTEXT_RELEASE") or "/nowhere")
pytestmark = [
    pytest.mark.deep,
    pytest.mark.skipif(not RELEASE.is_dir(), reason="SDTEXT_RELEASE names no folder"),
]
HOME = "/home/examiner"
FILES = ROOT / "tests" / "samples" / "release"
C_LIBRARY = ("ld-linux-x86-64", "libc", "libdl", "libm", "libpthread", "librt", "libutil")


Run = Callable[..., tuple[int, str]]


def bare(root: Path, work: Path, *words: str) -> tuple[int, str]:
    """The exit code and output of a program in a bare root, where `work` is /files."""
    inner = ["bash", str(FILES / "bare.sh"), str(root), str(work), sys.executable, *words]
    command = ["unshare", "--map-root-user", "--mount", "--net", *inner]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


def make_root(root: Path, loader: Path, *libraries: Path) -> Path:
    """A root with a loader of programs and libraries, and nothing else."""
    for name in ("dev", "proc", "tmp", "files", HOME[1:], str(loader.parent)[1:]):
        (root / name).mkdir(parents=True)
    for path in (loader, *libraries):
        (root / str(path.parent)[1:]).mkdir(parents=True, exist_ok=True)
        copy(path, root / str(path)[1:])
    return root


def file_of(pattern: str) -> Path:
    (path,) = RELEASE.glob(pattern)
    return path.resolve()


@pytest.fixture(scope="module")
def executable(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bare root with the executable."""
    folder = Path("/lib/x86_64-linux-gnu")
    libraries = [path for path in folder.glob("lib*.so.?") if path.name.split(".")[0] in C_LIBRARY]
    loader = Path("/lib64/ld-linux-x86-64.so.2")
    root = make_root(tmp_path_factory.mktemp("bare"), loader, *libraries)
    copy(file_of("sdtext-*-linux_x86_64"), root / "sdtext")
    return root


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of the wheel in an environment of its own."""
    made = import_module("tools.executable")
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install", "-q"]
    wheel = file_of("*-manylinux_2_17_x86_64.whl")
    subprocess.run([*pip, f"{wheel}[{made.EXTRAS}]", *made.MORE], check=True)
    return folder / "bin" / "sdtext"


def outputs(work: Path, run: Run) -> dict[str, str]:
    """What the commands print, and the files that they write, without GUIDs and times."""
    for name in ("texts", "documents", "containers"):
        copytree(ROOT / "tests" / "samples" / name, work / name)
    (work / "texts" / "chinese.txt").write_text("我们在图书馆里研究古代文献的抄本。\n", "utf-8")
    write_key("dictionary", bytes(range(32)), work / "office.key", lambda: None)
    before = set(work.rglob("*"))
    found = {}
    for command in (FILES / "commands.txt").read_text().splitlines():
        code, out = run(*shlex.split(command))
        assert code in (0, 3), command  # some samples need programs that are not there
        found[command] = f"{code}\n{out}"
    written = sorted(path for path in work.rglob("*") if path not in before and path.is_file())
    found |= {str(path.relative_to(work)): path.read_text("utf-8") for path in written}
    found = {key: text.replace(str(work), "/files") for key, text in found.items()}
    # The page has the evidence in it, packed.
    found["page.html"] = re.sub(
        r"[\w+/]{500,}=*",
        lambda packed: decompress(b64decode(packed[0]), -15).decode("ascii"),
        found["page.html"],
    )
    for pattern, name in VARYING:
        found = {key: re.sub(pattern, name, text) for key, text in found.items()}
    return found


def test_the_executable_in_a_bare_root_gives_what_the_installed_package_gives(
    executable: Path, installed: Path, tmp_path: Path
) -> None:
    def run(*words: str) -> tuple[int, str]:
        done = subprocess.run(
            [str(installed), *words],
            cwd=tmp_path / "one",
            env={"PATH": "/nowhere", "HOME": HOME},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    expected = outputs(tmp_path / "one", run)
    found = outputs(
        tmp_path / "two", lambda *words: bare(executable, tmp_path / "two", "/sdtext", *words)
    )
    assert found.keys() == expected.keys()
    for name, text in expected.items():
        assert found[name] == text, name
    assert {"d.xml", "print.xml", "page.html"} <= found.keys()


@pytest.mark.parametrize(
    "command", ["--version", "CompareDirectory letter.docx .", "FindReuse . ."]
)
def test_the_executable_leaves_no_temporary_files(command: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [file_of("sdtext-*-linux_x86_64"), *command.split()],
        cwd=ROOT / "tests" / "samples" / "documents",
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 3), done.stderr
    assert not list(tmp_path.iterdir())


def test_the_executable_shows_licences_of_all_that_its_bill_lists() -> None:
    program = file_of("sdtext-*-linux_x86_64")
    shown = subprocess.check_output([str(program), "--licenses"], text=True)
    assert shown == file_of("*-LICENSES.txt").read_text("utf-8")
    named = {line.split()[0].lower() for line in re.findall(r"(?m)^={80}\n(.+)", shown)}
    bill = json.loads(file_of("*.cdx.json").read_text("utf-8"))
    assert bill["bomFormat"] == "CycloneDX"
    listed = {each["name"].lower() for each in bill["components"]} | {"sdtext"}
    assert named - listed <= {"pyinstaller", "pyinstaller-hooks-contrib"}
    assert {"python", "numpy", "lxml", "libssl3"} <= named & listed


def test_the_same_sources_make_the_same_wheels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = import_module("tools.distributions")
    made = subprocess.check_output(["git", "log", "-1", "--format=%ct"], cwd=ROOT, text=True)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", made.strip())
    monkeypatch.setenv("ZIG_GLOBAL_CACHE_DIR", str(tmp_path / "cache"))
    sdist, plain = make.make_sdist_and_plain_wheel(ROOT, tmp_path)
    assert sdist.read_bytes() == (RELEASE / sdist.name).read_bytes()
    for target in (make.TARGETS[0], make.TARGETS[2]):
        again = make.make_wheel(plain, target, tmp_path)
        assert again.read_bytes() == (RELEASE / again.name).read_bytes()


@pytest.mark.parametrize(
    ("name", "value", "libraries"),
    [("CC", "cc", 1), ("CC", "/nowhere/cc", 1), ("SDTEXT_KERNELS", "plain", 0)],
    ids=["cc", "zig", "plain"],
)
def test_the_sdist_builds_with_and_without_a_compiler(
    name: str, value: str, libraries: int, tmp_path: Path
) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path)]
    command = [*pip, str(file_of("*.tar.gz"))]
    subprocess.run(command, check=True, env={**os.environ, name: value}, timeout=600)
    (wheel,) = tmp_path.glob("*.whl")
    assert sum("/kernels-" in each for each in ZipFile(wheel).namelist()) == libraries


@pytest.mark.skipif(not which("musl-gcc"), reason="needs musl-gcc")
def test_the_library_of_the_musl_wheel_loads_beside_musl_alone(tmp_path: Path) -> None:
    loader = Path("/lib/ld-musl-x86_64.so.1")
    root = make_root(tmp_path / "root", loader)
    subprocess.run(["musl-gcc", "-o", str(root / "load"), str(FILES / "load.c")], check=True)
    work = tmp_path / "work"
    with ZipFile(file_of("*-musllinux_1_2_x86_64.whl")) as wheel:
        (name,) = (each for each in wheel.namelist() if "/kernels-" in each)
        path = wheel.extract(name, work)
    inside = f"/files/{Path(path).relative_to(work)}"
    names = [f"sdtext_{name}" for name in SIGNATURES]
    code, out = bare(root, work, "/load", inside, *names)
    assert (code, len(out.split())) == (0, len(names))
