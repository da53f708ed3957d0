"""Completion in a shell."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from sdtext.cli.main import VERBS

from .command import SDTEXT, check_usage, done, here, there

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


def test_another_shell_is_refused() -> None:
    check_usage(here("--completion", "tcsh"), "bash")


def test_verbs_options_values_and_files_are_completed() -> None:
    assert completed("") == [f"plain,{verb}" for verb in ALL_VERBS]
    assert completed("compare-d") == ["plain,CompareDirectory"]
    assert "plain,--min-score" in completed("FindPairs", "--min")
    assert completed("FindPairs", "x.sdx", "--format", "j") == ["plain,json", "plain,jsonl"]
    assert completed("Doctor", "le") == ["file,le"]
    assert completed("Fingerprint", "-o", "le") == ["file,le"]
    assert completed("CreateDictionary", "-c", "en") == ["file,en"]


@pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
def test_bash_completes_with_the_script(folder: Path) -> None:
    (folder / "bin").mkdir()
    (folder / "bin" / "sdtext").write_text(f'#!/bin/sh\nexec {" ".join(SDTEXT)} "$@"\n')
    (folder / "bin" / "sdtext").chmod(0o755)
    script = (
        'PATH="$PWD/bin:$PATH"; eval "$(sdtext --completion bash)"; COMP_WORDS=(sdtext FindP); '
        'COMP_CWORD=1; _sdtext_completion sdtext FindP sdtext; echo "${COMPREPLY[@]}"'
    )
    run = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout == "FindPairs\n", run.stderr
