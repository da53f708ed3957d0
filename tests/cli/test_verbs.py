"""The command line as a person finds it: names, help, examples, completion, versions."""

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import version
from unittest import mock

import click
import pytest
from click.shell_completion import get_completion_class

from sdtext._version import __version__
from sdtext.cli.installed_versions import OPTIONAL, PROGRAMS, REQUIRED
from sdtext.cli.main import sdtext
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from tests.support.command import ROOT, check_usage, done, here, there
from tests.support.commands import VERB_NAMES, command_of

from .conftest import Shelf

ORIGINALS = ("BitVectorFingerprinter",)


def kebab(verb: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", verb).lower()


def test_help_lists_every_verb_with_what_it_does() -> None:
    outcome = there("--help")
    assert (outcome.code, outcome.err) == (0, "")
    for verb in VERB_NAMES:
        line = next(line for line in outcome.text.splitlines() if line.split()[:1] == [verb])
        assert len(line.split()) > 3
    assert here("-h").out == here("--help").out


@pytest.mark.parametrize("verb", [*VERB_NAMES, *ORIGINALS])
def test_a_verb_may_be_written_in_many_ways(verb: str) -> None:
    expected = done(verb, "--help").out
    spellings = {kebab(verb), verb.lower(), verb.upper(), kebab(verb).upper()}
    for spelling in spellings:
        assert done(spelling, "--help").out == expected
    assert (
        "-" not in kebab(verb) or len(spellings) > 3  # of one word there are two
    )


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_the_help_of_a_verb_has_an_example_that_uses_it_rightly(verb: str) -> None:
    text = done(verb, "--help").text
    lines = text.split("Examples:\n")[1].replace("\\\n", "")
    examples = re.findall(r"sdtext [A-Z][A-Za-z]+ [^\n]*", lines)
    assert examples
    for example in examples:
        name, *words = shlex.split(example)[1:]
        assert name == verb
        command = command_of(verb)
        with command.make_context(verb, words):  # raises for an option or value it does not take
            pass


def test_options_are_few() -> None:
    commands = map(command_of, VERB_NAMES)
    numbers = [sum(isinstance(each, click.Option) for each in item.params) for item in commands]
    assert max(numbers) <= 25
    assert sum(numbers) <= 330


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_an_option_that_takes_one_value_is_refused_if_it_is_given_twice(verb: str) -> None:
    for parameter in command_of(verb).params:
        if not isinstance(parameter, click.Option) or parameter.is_flag:
            continue
        first, last = parameter.opts[0], parameter.opts[-1]
        for line in ((first, "1", last, "2"), (first, "1", f"{last}=1"), (f"{last}=1",) * 3):
            outcome = here(verb, *line)
            if parameter.multiple:
                assert "takes one value" not in outcome.err
            else:
                check_usage(outcome)
                given = (
                    f"takes one value, but it is given {len(line) if '=' in line[0] else 2} times"
                )
                assert f"{last}'" in outcome.errors[-1]
                assert given in outcome.errors[-1]


def test_a_flag_may_be_given_twice(shelf: Shelf) -> None:
    line = ("TrimDictionary", "-d", shelf.dictionary, "-b", "0.2", "--preview")
    assert done(*line, "--preview").err == done(*line).err


def test_the_module_is_the_command() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "sdtext", "--help"], capture_output=True, check=True, timeout=60
    )
    assert run.stdout == there("--help").out


SECTIONS = (
    "Options", "Output", "Repeated passages (--unit)", "Files in folders",
    "Records (JSON lines, tables, Parquet)", "Reading of documents", "Provenance", "Apache Spark",
    "Damaged collections", "Other",
)  # fmt: skip


@pytest.mark.parametrize("verb", VERB_NAMES)
def test_help_lists_options_in_sections_common_ones_first(verb: str) -> None:
    text = done(verb, "--help").text
    titles = re.findall(r"^(\w[^\n]*):$", text, re.MULTILINE)
    assert titles == [title for title in (*SECTIONS, "Examples") if title in titles]
    assert titles[-2:] == ["Other", "Examples"]
    below = text[text.index(f"\n{titles[0]}:") :].split("\nExamples:")[0]
    listed = re.findall(r"^  (?:-\w, )*(--?[a-z-]+)", below, re.MULTILINE)
    command = command_of(verb)
    options = command.get_params(click.Context(command))
    assert (
        len(listed) == len(set(listed)) == sum(isinstance(item, click.Option) for item in options)
    )
    common = ("--input", "--fingerprint", "--path", "--output", "--min-score", "--top", "--config")
    assert [name for name in listed if name in common] == [
        name for name in common if name in listed
    ]
    assert all(len(line) < 80 for line in text.split("\nExamples:")[0].splitlines())


def completed(*line: str) -> list[str]:
    """What bash is offered for the last word of a line."""
    env = {
        **os.environ,
        "_SDTEXT_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(["sdtext", *line]),
        "COMP_CWORD": str(len(line)),
    }
    return there(env=env).text.split("\n")[:-1]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_printed(shell: str) -> None:
    script = done("--completion", shell).text
    assert f"_SDTEXT_COMPLETE={shell}_complete" in script
    program = shutil.which(shell)
    if program:
        assert subprocess.run([program, "-n"], input=script, text=True, check=False).returncode == 0


def test_verbs_options_values_and_files_are_completed() -> None:
    assert completed("") == [f"plain,{verb}" for verb in VERB_NAMES]
    assert completed("compare-d") == ["plain,CompareDirectory"]
    assert "plain,--min-score" in completed("FindPairs", "--min")
    assert completed("FindPairs", "x.sdx", "--format", "j") == ["plain,json", "plain,jsonl"]
    assert completed("Doctor", "le") == ["file,le"]
    assert completed("Fingerprint", "-o", "le") == ["file,le"]


class _Line:
    """A shell's request for the last word of a line, answered in this process."""

    def __init__(self, shell: str, line: str) -> None:
        *before, last = ["sdtext", *line.split(" ")]
        words = [*before, last] if shell != "fish" else before
        place = str(len(before)) if shell != "fish" else last
        env = mock.patch.dict(os.environ, COMP_WORDS=" ".join(words), COMP_CWORD=place)
        complete = get_completion_class(shell)
        assert complete
        with env:
            text = complete(sdtext, {}, "sdtext", "_SDTEXT_COMPLETE").complete()
        lines = text.split("\n")
        if shell == "zsh":  # three lines for each
            lines = [",".join(lines[place : place + 2]) for place in range(0, len(lines), 3)]
        self.items = [tuple(line.split("\t")[0].split(",")) for line in lines if line]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_names_of_recipes_dictionaries_and_parts_are_completed(shell: str) -> None:
    for line, names in (
        ("CreateDictionary -c eng", ["english", "english-nltk"]),
        ("AddDocuments x.sdx --config reu", ["reuse"]), ("FindReuse -c evi", ["evidence"]),
        ("TokenizeFile -i a.txt -c po", ["polish", "portuguese"]),
        ("CompareDirectory -d ", DICTIONARIES.names()), ("ShowDictionaryTokens fre", ["french"]),
        ("ScoreFingerprints -m co", ["containment", "cosine"]),
        ("ListRecipes --for ", ["near-duplicates", "passages", "dictionary"]),
        ("ListRecipes --format j", ["json", "jsonl"]), ("FindReuse --format p", ["pan"]),
        ("ListParts ma", ["matchers", "manglers"]), ("Mangle -m f", ["fragment"]),
        ("ExtractText --unit par", ["paragraph"]),
    ):  # fmt: skip
        items = _Line(shell, line).items
        assert [item[1] for item in items if item[0] == "plain"] == names, line


def test_a_name_or_a_file_is_offered_where_both_are_taken() -> None:
    assert _Line("bash", "CreateDictionary -c reu").items == [("file", "reu"), ("plain", "reuse")]
    assert _Line("bash", "CreateDictionary -c ./my").items == [("file", "./my")]
    assert _Line("bash", "CreateDictionary -o eng").items == [("file", "eng")]
    assert _Line("bash", "Fingerprint -c eng").items == [("file", "eng")]
    assert _Line("bash", "ExtractDictionary -d eng").items == [("file", "eng")]


def test_the_version_comes_first_and_what_is_installed_follows() -> None:
    lines = done("--version").text.split("\n")
    assert lines[0] == f"sdtext {__version__}"
    assert lines[1].startswith("Python 3.")
    assert f"numpy {version('numpy')}" in lines[2]
    assert str(ROOT) not in "".join(lines)


def test_what_is_missing_is_listed_with_what_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    text = done("--version").text
    assert "programs: none" in text
    assert "tesseract (scans)" in text.split("not installed: ")[1]


def test_the_lists_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    for name, extra in OPTIONAL.items():
        assert any(item.lower().startswith(f"{name}>=") for item in extras[extra]), name
    for name in REQUIRED:
        assert any(item.startswith(f"{name}>=") for item in project["dependencies"]), name
    sources = [path.read_text("utf-8") for path in (ROOT / "sdtext" / "parts").rglob("*.py")]
    for name in PROGRAMS:
        assert any(f'"{name}"' in source for source in sources), name
