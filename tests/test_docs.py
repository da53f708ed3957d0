"""The pages say what is so: examples run, verbs and parts are complete, links lead somewhere."""

from __future__ import annotations

import doctest
import os
import re
import runpy
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from shutil import copytree
from typing import Any

import click
import pytest
from lxml import etree

from sdtext.cli.main import EXIT_CODES, INTERRUPTED, VERBS
from sdtext.cli.main import sdtext as command_line
from sdtext.original import ORIGINAL_NAMES
from sdtext.parts import PARTS, described

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
VERB_NAMES = [verb for rows in VERBS.values() for verb in rows]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_MACHINE = re.compile(r"(?<![\w.~<])/(?:work|root|home|tmp|Users|mnt|srv)\b")
_CATEGORY = re.compile(r'Problem\(\s*"(?:warning|error)",\s*"([a-z-]+)"')


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def section(page: Path, heading: str) -> str:
    """What stands under a heading of the second level."""
    found = re.search(
        rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)",
        page.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert found, f"{name_of(page)} has no section {heading}"
    return found[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample texts and the recipes, in which the examples are run."""
    for name in ("texts", "documents"):
        copytree(ROOT / "tests" / "samples" / name, tmp_path / "tests" / "samples" / name)
    copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(command: str, folder: Path) -> tuple[list[str], list[str]]:
    """The lines that a command prints on a terminal of 110 columns, and those it says beside."""
    pty = pytest.importorskip("pty")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "110", "PYTHONIOENCODING": "utf-8"}
    master, terminal = pty.openpty()
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(
            ["sh", "-c", command], cwd=folder, env=environment, stdout=terminal, stderr=said
        ) as process:
            os.close(terminal)
            printed = _all_of(master)
        os.close(master)
        said.seek(0)
        told = said.read().decode("utf-8")
    assert process.returncode == 0, f"{command}: exit {process.returncode}\n{told}"
    lines = _COLOUR.sub("", printed.decode("utf-8")).splitlines()
    return _plain(lines), _plain(told.splitlines())


def _all_of(terminal: int) -> bytes:
    printed = b""
    with suppress(OSError):  # Linux ends what is read of a terminal by an error
        while block := os.read(terminal, 1 << 16):
            printed += block
    return printed


def _plain(lines: list[str]) -> list[str]:
    """The lines that hold something, without the width of the blanks in them."""
    return [plain for line in lines if (plain := " ".join(line.split()))]


def check_output(shown: list[str], printed: list[str], said: list[str]) -> None:
    """All that was printed is shown, and what else is shown was said.

    `…` stands for what varies in a line; alone in a line, for any number of lines.
    """
    told = iter(said)
    wanted = ""
    for line in _plain(shown):
        pattern = re.escape(line).replace("…", ".*")
        if line == "…":
            wanted += "(?:.*\n)*?"
        elif not _comes(pattern, told, said):
            wanted += pattern + "\n"
    text = "".join(f"{line}\n" for line in printed)
    assert re.fullmatch(wanted, text), f"shown:\n{chr(10).join(shown)}\n\nprinted:\n{text}"


def _comes(pattern: str, told: Iterator[str], said: list[str]) -> bool:
    """Whether a line like that was said, behind those that were found before."""
    if not any(re.fullmatch(pattern, line) for line in said):
        return False
    return any(re.fullmatch(pattern, line) for line in told)


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console block, each with what is shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, shown = re.split(r"(?<!\\)\n", part, maxsplit=1)
        yield command, shown.splitlines()


class _Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want.replace("…", "..."), got, optionflags)


def run_python(source: str, names: dict[str, Any], place: str) -> None:
    """Run a block of Python: an example with prompts, or a program; `names` live on."""
    if not source.startswith(">>>"):
        program = Path("program.py")
        program.write_text(source, "utf-8")
        names.update(runpy.run_path(str(program), names))
        return
    test = doctest.DocTestParser().get_doctest(source, names, place, place, 0)
    said: list[str] = []
    runner = doctest.DocTestRunner(_Checker(), optionflags=doctest.ELLIPSIS)
    runner.run(test, out=said.append, clear_globs=False)
    names.update(test.globs)
    assert not runner.failures, "".join(said)


def blocks(page: Path) -> list[tuple[str, str]]:
    return [(found[1], found[2]) for found in _BLOCK.finditer(page.read_text("utf-8"))]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_examples_of_a_page_do_what_it_shows(page: Path, folder: Path) -> None:
    names: dict[str, Any] = {"__name__": "__example__"}
    for language, block in blocks(page):
        if language == "console" and block.startswith("$ sdtext"):
            for command, shown in commands(block):
                check_output(shown, *run(command, folder))
        if language == "python":
            run_python(block, names, name_of(page))


def test_the_first_command_of_the_readme_shows_its_true_output(folder: Path) -> None:
    """But for the set-up, which takes a network."""
    listed = blocks(ROOT / "README.md")
    (language, whole), (_, shown) = listed[:2]
    assert language == "sh"
    assert whole.startswith("python3 -m venv .venv && .venv/bin/pip install --quiet . && ")
    command = whole.strip().split(" && ", 2)[2].replace(".venv/bin/", "").replace("\\\n", " ")
    check_output(shown.splitlines(), *run(command, folder))


def test_the_second_command_of_the_readme_passes_the_tests() -> None:
    install = "python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[test]'"
    assert ("sh", f"{install} && .venv/bin/pytest\n") in blocks(ROOT / "README.md")


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_a_verb_has_a_section_with_all_its_options(verb: str) -> None:
    told = section(DOCS / "commands.md", verb)
    command = command_line.get_command(click.Context(command_line), verb)
    assert command
    missing = [
        spelling
        for option in command.params
        if isinstance(option, click.Option)
        for spelling in (*option.opts, *option.secondary_opts)
        if not re.search(rf"`{spelling}(?![\w-])", told)
    ]
    assert not missing


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in PARTS for name in PARTS[kind]])
def test_a_part_stands_on_the_page_of_parts_as_its_class_describes_it(kind: str, name: str) -> None:
    told = described(kind, name)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in section(DOCS / "parts.md", kind).splitlines()
        if line.startswith(f"| `{name}` |")
    ]
    assert [row[1:3] for row in rows] == [[told["options"], told["does"]]]


def test_the_names_of_the_original_stand_beside_ours() -> None:
    text = (DOCS / "parts.md").read_text("utf-8")
    assert [
        name for names in ORIGINAL_NAMES.values() for name in names if f"`{name}`" not in text
    ] == []


def test_the_elements_and_attributes_of_the_schema_are_explained() -> None:
    text = (DOCS / "formats.md").read_text("utf-8")
    rng = "{http://relaxng.org/ns/structure/1.0}"
    schemas = [
        etree.parse(path) for path in (ROOT / "sdtext" / "formats" / "schemas").glob("*.rng")
    ]
    named = [item for schema in schemas for item in schema.iter() if item.get("name")]
    elements = {f"`<{item.get('name')}>`" for item in named if item.tag == f"{rng}element"}
    attributes = {f"`{item.get('name')}`" for item in named if item.tag == f"{rng}attribute"}
    assert schemas
    assert [name for name in sorted(elements | attributes) if name not in text] == []


def test_the_categories_of_problems_are_explained() -> None:
    text = section(DOCS / "errors.md", "Problems")
    source = "".join(path.read_text("utf-8") for path in (ROOT / "sdtext").rglob("*.py"))
    used = set(_CATEGORY.findall(source)) | {"damaged", "unreadable"}
    assert set(re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)) == used


def test_the_exit_codes_are_explained() -> None:
    codes = {0, 1, INTERRUPTED, *(code for _, code in EXIT_CODES)}
    for text in (
        (ROOT / "README.md").read_text("utf-8"),
        (DOCS / "errors.md").read_text("utf-8"),
    ):
        assert {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)} == codes


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text("utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_no_page_names_a_folder_of_one_machine() -> None:
    files = [*PAGES, ROOT / "CITATION.cff", *(ROOT / "configs").iterdir()]
    files += (ROOT / "tests" / "samples" / "texts").iterdir()
    assert [name_of(path) for path in files if _MACHINE.search(path.read_text("utf-8"))] == []


def test_every_page_is_linked_from_the_readme() -> None:
    links = _LINK.findall((ROOT / "README.md").read_text("utf-8"))
    assert set(map(name_of, PAGES)) - set(links) == {"README.md"}
