"""The documentation is true: examples run, parts are complete, links lead to files.

`pytest tests/test_docs.py --update` rewrites what comes from the code: the output of examples and
the tables of parts.
"""

import json
import re
import subprocess
from collections.abc import Callable
from difflib import unified_diff
from pathlib import Path
from shutil import copytree, which
from typing import Any

import pytest
from lxml import etree

from sdtext.cli.main import EXIT_CODES, INTERRUPTED
from sdtext.cli.man_pages import man_pages
from sdtext.parts.original_names import ORIGINAL_NAMES
from sdtext.parts.registry import PARTS, list_parts
from tests.support.doc_examples import blocks, console, fitted, python, rewritten, run

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
Check = Callable[[Path, str], None]

_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_ANCHOR = re.compile(r"\]\(([^)#\s:]*)#([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_MACHINE = re.compile(r"(?<![\w.~<])/(?:work|root|home|tmp|Users|mnt|srv)\b")
_CATEGORY = re.compile(
    r'(?:Problem(?:\.at)?\(\s*"(?:warning|error)",\s*|category(?:, what)? = \(?\s*)'
    r'"(?!error)([a-z-]+)"'
)


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def section(page: Path, heading: str) -> str:
    """What stands under a heading of the second level."""
    result = re.search(
        rf"^## {re.escape(heading)}$(.*?)(?=^## |\Z)",
        page.read_text("utf-8"),
        re.MULTILINE | re.DOTALL,
    )
    assert result, f"{name_of(page)} has no section {heading}"
    return result[1]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the sample texts and the recipes, in which the examples are run."""
    for name in ("texts", "documents", "benchmark"):
        copytree(ROOT / "tests" / "samples" / name, tmp_path / "tests" / "samples" / name)
    copytree(ROOT / "configs", tmp_path / "configs")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def check(request: pytest.FixtureRequest) -> Check:
    """Compares a page with the text that it should have; with `--update` writes the text."""

    def compare(page: Path, wanted: str) -> None:
        if request.config.getoption("--update"):
            page.write_text(wanted, "utf-8")
        text = page.read_text("utf-8") if page.exists() else ""
        changes = unified_diff(text.splitlines(), wanted.splitlines(), "page", "code", lineterm="")
        assert text == wanted, "\n".join([f"{name_of(page)}: run with --update", *changes])

    return compare


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_examples_of_a_page_print_what_it_shows(page: Path, folder: Path, check: Check) -> None:
    names: dict[str, Any] = {"__name__": "__example__"}

    def block(language: str, content: str) -> str:
        if language == "console" and content.startswith("$ sdtext"):
            return console(content, folder)
        if language == "python":
            return python(content, names, name_of(page))
        return content

    check(page, rewritten(page.read_text("utf-8"), block))


def test_the_first_command_of_the_readme_prints_what_it_shows(folder: Path, check: Check) -> None:
    """All but the set-up, which takes a network."""
    readme = ROOT / "README.md"
    text = readme.read_text("utf-8")
    (language, whole), (_, shown) = blocks(text)[:2]
    assert language == "sh"
    assert whole.startswith("python3 -m venv .venv && .venv/bin/pip install --quiet . && ")
    command = whole.strip().split(" && ", 2)[2].replace(".venv/bin/", "").replace("\\\n", " ")
    lines = fitted(shown.splitlines(), *run(command, folder))
    check(readme, text.replace(shown, "".join(f"{line}\n" for line in lines)))


def test_the_second_command_of_the_readme_passes_the_tests() -> None:
    install = "python3 -m venv .venv && .venv/bin/pip install --quiet -e '.[test]'"
    text = (ROOT / "README.md").read_text("utf-8")
    assert ("sh", f"{install} && .venv/bin/pytest\n") in blocks(text)


def test_tables_of_parts_describe_them_as_their_classes_do(check: Check) -> None:
    page = DOCS / "parts.md"
    text = page.read_text("utf-8")
    for kind in PARTS:
        old = section(page, kind)
        text = text.replace(old, with_table_of_parts(old, kind))
    check(page, text)


def with_table_of_parts(text: str, kind: str) -> str:
    """The section of a kind with a row for each part: name, options, what it does."""
    table = re.search(r"^\|.*\n\|[-|]+\n((?:\|.*\n)*)", text, re.MULTILINE)
    assert table, f"section {kind} has no table"
    rows = []
    for part in list_parts(kind):
        options = f" ({as_on_the_command_line(part.options)})" if part.options else ""
        rows.append(f"| `{part.name}`{options} | {part.does} |\n")
    return text.replace(table[1], "".join(rows))


def as_on_the_command_line(options: str) -> str:
    """`length (a whole number, default 5)` as `length=5`; without a default, `length=…`."""
    empty = {"a text": '"…"', "a list of texts": '["…"]'}

    def assignment(option: re.Match[str]) -> str:
        name, kind, value = option.groups()
        if value is None:
            return f"`{name}={empty.get(kind, '…')}`"
        return f"`{name}={json.dumps(value) if 'text' in kind else value.lower()}`"

    return re.sub(r"(\w+) \(([^,()]+)(?:, default ([^)]*))?\)", assignment, options)


@pytest.mark.skipif(not which("mandoc"), reason="needs mandoc")
def test_the_manual_pages_have_no_errors(tmp_path: Path) -> None:
    for name, text in man_pages().items():
        (tmp_path / name).write_text(text, "utf-8")
    lint = subprocess.run(
        ["mandoc", "-T", "lint", "-W", "warning", *map(str, tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    messages = [line for line in lint.stdout.splitlines() if "missing date" not in line]
    assert messages == []


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
    used = set(_CATEGORY.findall(source)) | {"damaged", "unreadable", "no-text"}
    cells = re.findall(r"^\| (`[^|]*) \|", text, re.MULTILINE)
    assert {name for cell in cells for name in re.findall(r"`([a-z-]+)`", cell)} == used


def test_the_exit_codes_are_explained() -> None:
    codes = {0, 1, INTERRUPTED, *(code for _, code in EXIT_CODES)}
    text = (DOCS / "errors.md").read_text("utf-8")
    assert {int(code) for code in re.findall(r"^\| (\d+) \|", text, re.MULTILINE)} == codes


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_links_of_a_page_lead_to_files(page: Path) -> None:
    links = [link for link in _LINK.findall(page.read_text("utf-8")) if "://" not in link]
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_anchors_in_links_of_a_page_are_headings(page: Path) -> None:
    links = _ANCHOR.findall(page.read_text("utf-8"))
    targets = [(page.parent / name if name else page, anchor) for name, anchor in links]
    wrong = [(target.name, anchor) for target, anchor in targets if anchor not in anchors(target)]
    assert wrong == []


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    headings = _HEADING.findall(page.read_text("utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_no_page_names_a_folder_of_one_machine() -> None:
    files = [*PAGES, ROOT / "CITATION.cff", *(ROOT / "configs").iterdir()]
    files += (ROOT / "tests" / "samples" / "texts").iterdir()
    assert [name_of(path) for path in files if _MACHINE.search(path.read_text("utf-8"))] == []


def test_every_page_is_linked_from_the_readme() -> None:
    links = _LINK.findall((ROOT / "README.md").read_text("utf-8"))
    assert set(map(name_of, PAGES)) - set(links) == {"README.md"}


STDOUT = [" term   df ", " ─────────", " bees    3"]
STDERR = ["8 added; 8 documents in texts.sdx", "wrote 3f2a.xml"]


def test_lines_that_fit_stay_whatever_their_blanks_and_elisions() -> None:
    for shown in (
        ["term df", "─────────", "", "bees 3"],
        ["8 added; 8 documents in texts.sdx", *STDOUT],
        ["term df", "…"],
        [*STDOUT, "wrote ….xml"],
    ):
        assert fitted(shown, STDOUT, STDERR) == shown


def test_other_lines_are_replaced_by_the_output() -> None:
    shown = ["term df", "bees 4", "wrote ….xml"]
    expected = [*(line.rstrip() for line in STDOUT), STDERR[0], "wrote ….xml"]
    assert fitted(shown, STDOUT, STDERR) == expected
    assert fitted([], ["3"], ["done"]) == ["3", "done"]
    assert fitted([], [], ["done"]) == []
    assert fitted(["3"], ["4"], ["done"]) == ["4"]


def test_the_output_of_a_session_is_replaced_where_it_differs() -> None:
    names: dict[str, Any] = {}
    session = ">>> size = 2\n>>> size\n3\n>>> [\n...     size,\n... ]\n[2]\n>>> 'a' * size\n'…'\n"
    assert python(session, names, "page") == session.replace("\n3\n", "\n2\n")
    assert names["size"] == 2


def test_blocks_are_rewritten_in_place() -> None:
    page = "text\n```sh\n1\n```\n\n```console\n2\n```\nend\n"
    assert rewritten(page, lambda language, content: f"{language} {content}") == (
        "text\n```sh\nsh 1\n```\n\n```console\nconsole 2\n```\nend\n"
    )
