"""Completion in a shell."""

import os
import shutil
import subprocess
from unittest import mock

import pytest
from click.shell_completion import get_completion_class

from sdtext.cli.main import VERBS, sdtext
from sdtext.parts.bundled_dictionaries_and_recipes import DICTIONARIES
from tests.support.command import done, there

ALL_VERBS = [verb for rows in VERBS.values() for verb in rows]


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
    assert completed("") == [f"plain,{verb}" for verb in ALL_VERBS]
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
        ("AddDocuments x.sdx --config reu", ["reuse"]),
        ("FindReuse -c evi", ["evidence"]),
        ("TokenizeFile -i a.txt -c po", ["polish", "portuguese"]),
        ("CompareDirectory -d ", DICTIONARIES.names()),
        ("ShowDictionaryTokens fre", ["french"]),
        ("ScoreFingerprints -m co", ["containment", "cosine"]),
        ("ListRecipes --for ", ["near-duplicates", "passages", "dictionary"]),
        ("ListRecipes --format j", ["json", "jsonl"]),
        ("FindReuse --format p", ["pan"]),
        ("ListParts ma", ["matchers", "manglers"]),
        ("Mangle -m f", ["fragment"]),
        ("ExtractText --unit par", ["paragraph"]),
    ):
        items = _Line(shell, line).items
        assert [item[1] for item in items if item[0] == "plain"] == names, line


def test_a_name_or_a_file_is_offered_where_both_are_taken() -> None:
    assert _Line("bash", "CreateDictionary -c reu").items == [("file", "reu"), ("plain", "reuse")]
    assert _Line("bash", "CreateDictionary -c ./my").items == [("file", "./my")]
    assert _Line("bash", "CreateDictionary -o eng").items == [("file", "eng")]
    assert _Line("bash", "Fingerprint -c eng").items == [("file", "eng")]
    assert _Line("bash", "ExtractDictionary -d eng").items == [("file", "eng")]
