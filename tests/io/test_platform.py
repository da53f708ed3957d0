"""sdtext in a Python that lacks what Windows lacks, and where it asks for that."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sdtext.io.platform import IS_UNIX
from tests.support.command import ROOT, SDTEXT, run_python
from tests.support.without_unix import MODULES, NAMES

PLATFORM = ROOT / "sdtext" / "io" / "platform.py"
SAMPLES = ROOT / "tests" / "samples"
IMPORT = """
import importlib, json, sys
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except ModuleNotFoundError as error:
        failed[name] = error.name
print(json.dumps(failed))
"""

RUN = """
import sys
from sdtext.cli.main import main
for command in sys.argv[1:]:
    assert main(command.split()) == 0, command
"""

pytestmark = pytest.mark.skipif(not IS_UNIX, reason="compares with what Unix does")


def of_unix(path: Path) -> set[str]:
    asked = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        match node:
            case ast.Import(names):
                asked |= {each.name for each in names} & MODULES
            case ast.ImportFrom(module=str(module), names=names):
                asked |= {module} & MODULES
                asked |= {each.name for each in names} & NAMES.get(module, set())
            case ast.Attribute(value=ast.Name(id=module), attr=name):
                asked |= {name} & NAMES.get(module, set())
    return asked


def test_one_module_alone_asks_for_what_windows_lacks() -> None:
    assert {"fcntl", "resource", "killpg", "setitimer", "pread"} <= of_unix(PLATFORM)
    for path in (ROOT / "sdtext").rglob("*.py"):
        assert path == PLATFORM or not of_unix(path), path


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    hook = tmp_path_factory.mktemp("hook")
    text = "from tests.support.without_unix import remove_unix\nremove_unix()\n"
    (hook / "sitecustomize.py").write_text(text)
    return {**os.environ, "PYTHONPATH": f"{hook}{os.pathsep}{ROOT}"}


def test_every_module_is_imported_there(environment: dict[str, str]) -> None:
    places = [path.relative_to(ROOT).with_suffix("") for path in (ROOT / "sdtext").rglob("*.py")]
    names = [".".join(place.parts).removesuffix(".__init__") for place in places]
    missing = set(
        json.loads(run_python(IMPORT, *names, PYTHONPATH=environment["PYTHONPATH"]).stdout).values()
    )
    assert not any(name.partition(".")[0] in {*MODULES, "sdtext"} for name in missing), missing


COMMANDS = Path(__file__).with_name("commands.txt").read_text("utf-8").splitlines()


def test_commands_print_there_the_same_as_here(tmp_path: Path, environment: dict[str, str]) -> None:
    printed = []
    for number, env in enumerate((None, environment)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in ("letter.docx", "draft.pdf"):
            (folder / name).symlink_to(SAMPLES / "documents" / name)
        subprocess.run(["cp", "-r", SAMPLES / "texts", folder], check=True)
        subprocess.run(["tar", "czf", "packed.tgz", "texts"], check=True, cwd=folder)
        command = [sys.executable, "-c", RUN, *COMMANDS]
        result = subprocess.run(command, env=env, cwd=folder, capture_output=True, check=False)
        assert result.returncode == 0, result.stderr
        printed.append((result.stdout, result.stderr))
        left = {path.name for path in folder.iterdir()}
        assert left == {"texts", "packed.tgz", "letter.docx", "draft.pdf", "d.xml", "f.xml",
                        "x.sdx", "kept.txt"}  # fmt: skip
    assert printed[0] == printed[1]


def test_a_reader_is_ended_there_in_time(environment: dict[str, str]) -> None:
    document = SAMPLES / "documents" / "libreoffice" / "pages.pdf"
    result = subprocess.run(
        [*SDTEXT, "ExtractText", document],
        env={**environment, "SDTEXT_MAX_SECONDS": "0.01"},
        capture_output=True,
        check=False,
    )
    assert (result.returncode, result.stdout) == (3, b"")
    assert b"took more than 0.01 seconds" in result.stderr


def test_a_second_writer_is_refused_there(tmp_path: Path, environment: dict[str, str]) -> None:
    script = (
        "import sys, subprocess, sdtext\n"
        "sdtext.create('x.sdx').add(sys.argv[1])\n"
        "from sdtext.collections.storage.lock import Lock\n"
        "from pathlib import Path\n"
        "Lock(Path('x.sdx'), 'x.sdx')\n"
        "sys.exit(subprocess.call([*sys.argv[2:], 'AddDocuments', 'x.sdx', sys.argv[1]]))"
    )
    text = str(SAMPLES / "texts" / "bees.txt")
    command = [sys.executable, "-c", script, text, *SDTEXT]
    result = subprocess.run(
        command, env=environment, cwd=tmp_path, capture_output=True, check=False
    )
    assert result.returncode == 6, result.stderr
    assert b"is writing to it" in result.stderr
