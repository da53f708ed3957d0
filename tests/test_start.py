"""What starting the command may load."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import sdtext
from tests.support.command import run_python

HEAVY = {
    "numpy", "lxml", "rich", "regex", "Stemmer", "nltk", "bitarray", "backports",
    "chardet", "charset_normalizer", "multiprocessing", "sqlite3", "asyncio", "email", "http",
}  # fmt: skip

SCRIPT = """
import json, sys
for arguments in json.loads(sys.argv[1]):
    before = set(sys.modules)
    from sdtext.cli.main import main
    code = main(arguments)
    sys.stdout.flush()
    print("loaded", *sorted(set(sys.modules) - before), file=sys.stderr)
    if code:
        sys.exit(code)
"""


def loaded(*arguments: str) -> set[str]:
    """The modules that the command loads, beyond those of the bare interpreter."""
    (modules,) = loaded_one_after_another(arguments)
    return modules


def loaded_one_after_another(*commands: Sequence[str]) -> list[set[str]]:
    """The modules that each command loads, beyond those of the commands before it."""
    run = run_python(SCRIPT, json.dumps(commands))
    assert run.stdout
    lines = [line.split() for line in run.stderr.splitlines()]
    return [set(words) for label, *words in filter(None, lines) if label == "loaded"]


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_loads_nothing_heavy(option: str) -> None:
    modules = loaded(option)
    assert "click" in modules
    assert not modules & {*HEAVY, "lazy_loader"}
    ours = {module for module in modules if module.split(".")[0] == "sdtext"}
    assert ours == {"sdtext", "sdtext.cli", "sdtext.cli.main", "sdtext.errors", "sdtext.wording"}


def test_the_version_loads_none_of_the_packages_that_it_lists() -> None:
    modules = loaded("--version")
    assert not modules & {"numpy", "lxml", "rich", "regex", "nltk", "pypdfium2", "pyarrow"}
    assert "sdtext.model" not in modules


def test_the_help_of_a_verb_loads_no_package_but_click() -> None:
    packages = {"numpy", "lxml", "rich", "regex", "Stemmer", "nltk", "bitarray", "backports"}
    shared = {
        *("batch_run", "main", "options", "origin", "user_defaults"),
        *("print_evidence", "print_results", "verb"),
    }
    verbs = [
        "CreateDictionary", "CompareDirectory", "Fingerprint", "ShowFingerprint", "TokenizeFile",
        "ListParts", "ListRecipes", "FindPairs", "FindSimilar", "FindReuse", "Deduplicate",
    ]  # fmt: skip
    of_each = loaded_one_after_another(*((verb, "--help") for verb in verbs))
    for verb, modules in zip(verbs, of_each, strict=True):
        assert not modules & packages, verb
        others = {module for module in modules if module.startswith("sdtext.cli.")}
        assert len([name for name in others if name.split(".")[2] not in shared]) == 1, verb


@pytest.mark.parametrize("arguments", [
    ("ExtractText", "-i", "tests/samples/texts/union.txt"),
    ("TokenizeFile", "-i", "tests/samples/texts/union.txt", "-c", "english"),
])  # fmt: skip
def test_a_run_on_plain_text_loads_the_reader_of_plain_text_alone(arguments: Sequence[str]) -> None:
    modules = loaded(*arguments)
    readers = {name for name in modules if name.startswith("sdtext.parts.readers.")}
    plain = ("hidden_text", "plain_text", "text_structure")
    assert readers == {f"sdtext.parts.readers.{name}" for name in plain}
    assert not {name for name in modules if name.startswith("sdtext.parts.containers")}
    assert not modules & {"numpy", "lxml", "rich", "regex", "nltk", "bitarray", "email.parser"}
    assert "sdtext.model.reuse_evidence" not in modules


def test_a_verb_without_a_page_loads_nothing_that_makes_one() -> None:
    modules = loaded("Deduplicate", "tests/samples/texts", "-o", "-", "--quiet")
    assert "sdtext.deduplication.deduplicate" in modules
    assert "jinja2" not in modules


def test_the_package_alone_shows_its_names_and_loads_none_of_its_rooms() -> None:
    code = "import sys, sdtext; print(*{*sdtext.__all__} - {*dir(sdtext)})"
    code += "\nprint(*[name for name in sys.modules if name[:6] == 'sdtext'])"
    code += "\nprint(*[getattr(sdtext, name) is not None for name in sdtext.__all__])"
    assert set(run_python(code).stdout.split()) == {"sdtext", "True"}


def test_ctrl_c_is_handled_before_anything_else_is_imported() -> None:
    code = f"""
import _signal, io, os, sys  # as Python itself does
class Finder:
    def find_spec(self, name, *_):
        if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
            print(name)
sys.meta_path.insert(0, Finder())
sys.path.insert(0, {str(Path(sdtext.__file__).parents[1])!r})
import sdtext.__main__
"""
    process = subprocess.run(
        [sys.executable, "-I", "-S", "-c", code], capture_output=True, check=True
    )
    assert set(process.stdout.split()) == {b"sdtext", b"__future__", b"sdtext.__main__", b"gc"}
