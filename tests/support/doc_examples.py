"""Examples on the pages of the documentation: run, and rewritten where their output differs.

A console block shows commands with their output, a Python block is a session with prompts or a
program. In what a page shows, `…` stands for any text within a line and, alone on a line, for any
number of lines. Blank lines and the width of blanks do not count.
"""

import doctest
import os
import re
import runpy
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import chdir, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.support.command import here

COLUMNS = 80
"""Width of the terminal that the examples are run on."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FOR_A_SHELL = re.compile(r"[|&;<>*?$`~\[]")
_QUOTED = re.compile(r"'[^']*'|\"[^\"$`\\]*\"")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def blocks(text: str) -> list[tuple[str, str]]:
    """Language and content of each fenced block of a page, in order."""
    return [(match[1], match[2]) for match in _BLOCK.finditer(text)]


def rewritten(text: str, block: Callable[[str, str], str]) -> str:
    """`text` with the content of each fenced block replaced by `block(language, content)`."""
    return _BLOCK.sub(lambda match: f"```{match[1]}\n{block(match[1], match[2])}```", text)


def commands(block: str) -> Iterator[tuple[str, list[str]]]:
    """The commands of a console block, each with the lines shown below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, shown = re.split(r"(?<!\\)\n", part, maxsplit=1)
        yield command, shown.splitlines()


def console(block: str, folder: Path) -> str:
    """A console block with the output of its commands, run in `folder`; unchanged if it fits."""
    text = ""
    for command, shown in commands(block):
        lines = fitted(shown, *run(command, folder))
        text += "".join(f"{line}\n" for line in (f"$ {command}", *lines))
    return text


def run(command: str, folder: Path) -> tuple[list[str], list[str]]:
    """Lines of stdout, a terminal of `COLUMNS` columns, and of stderr, a file."""
    if command.startswith("sdtext ") and not _FOR_A_SHELL.search(_QUOTED.sub("", command)):
        return _run_here(shlex.split(command.replace("\\\n", " "))[1:], folder)
    return _run_by_shell(command, folder)


def _run_here(arguments: list[str], folder: Path) -> tuple[list[str], list[str]]:
    """As `run`, without the half second that a process takes to start."""
    with chdir(folder), mock.patch.dict(os.environ, COLUMNS=str(COLUMNS), NO_COLOR="1"):
        outcome = here(*arguments, terminal=True)
    assert outcome.code == 0, f"{arguments}: exit {outcome.code}\n{outcome.err}"
    return _COLOUR.sub("", outcome.text).splitlines(), outcome.err.splitlines()


def _run_by_shell(command: str, folder: Path) -> tuple[list[str], list[str]]:
    pty = pytest.importorskip("pty")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "COLUMNS": str(COLUMNS),
        "NO_COLOR": "1",  # marks in place of colours
        "PYTHONIOENCODING": "utf-8",
    }
    master, terminal = pty.openpty()
    with tempfile.TemporaryFile() as stderr:
        with subprocess.Popen(
            ["sh", "-c", command], cwd=folder, env=environment, stdout=terminal, stderr=stderr
        ) as process:
            os.close(terminal)
            stdout = _read_to_end(master)
        os.close(master)
        stderr.seek(0)
        messages = stderr.read().decode("utf-8")
    assert process.returncode == 0, f"{command}: exit {process.returncode}\n{messages}"
    return _COLOUR.sub("", stdout.decode("utf-8")).splitlines(), messages.splitlines()


def _read_to_end(terminal: int) -> bytes:
    output = b""
    with suppress(OSError):  # Linux reports the end of a terminal's output as an error
        while block := os.read(terminal, 1 << 16):
            output += block
    return output


def fitted(shown: list[str], stdout: list[str], stderr: list[str]) -> list[str]:
    """`shown` if it fits the output, else all of the output; stderr only if some of it was shown.

    Shown lines with `…` that still fit a line stay.
    """
    if _fits(shown, stdout, stderr):
        return shown
    patterns = [_pattern(line) for line in _plain(shown) if line != "…"]
    has_messages = any(_any_fits(pattern, _plain(stderr)) for pattern in patterns)
    lines = [line.rstrip() for line in stdout if line.strip()]
    lines += stderr if has_messages or not shown else []
    return [_as_shown(line, shown) for line in lines]


def _fits(shown: list[str], stdout: list[str], stderr: list[str]) -> bool:
    """Whether all of stdout is shown, in order, and every other line shown is one of stderr."""
    messages = _plain(stderr)
    remaining = iter(messages)
    wanted = ""
    for line in _plain(shown):
        pattern = _pattern(line)
        if line == "…":
            wanted += "(?:.*\n)*?"
        elif not (_any_fits(pattern, messages) and _any_fits(pattern, remaining)):
            wanted += pattern + "\n"
    return bool(re.fullmatch(wanted, "".join(f"{line}\n" for line in _plain(stdout))))


def _pattern(line: str) -> str:
    return re.escape(line).replace("…", ".*")


def _any_fits(pattern: str, lines: list[str] | Iterator[str]) -> bool:
    return any(re.fullmatch(pattern, line) for line in lines)


def _plain(lines: list[str]) -> list[str]:
    """The lines that are not blank, with single blanks."""
    return [plain for line in lines if (plain := " ".join(line.split()))]


def _as_shown(line: str, shown: list[str]) -> str:
    """The line of `shown` with a `…` that `line` fits, else `line`."""
    (plain,) = _plain([line]) or [""]
    for old in shown:
        if "…" in old and old.strip() != "…" and re.fullmatch(_pattern(*_plain([old])), plain):
            return old
    return line


class _Checker(doctest.OutputChecker):
    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want.replace("…", "..."), got, optionflags)


class _Runner(doctest.DocTestRunner):
    """Collects the examples that print something else than is shown, each with its output."""

    def __init__(self) -> None:
        super().__init__(_Checker(), optionflags=doctest.ELLIPSIS)
        self.outputs: list[tuple[doctest.Example, str]] = []

    def report_failure(
        self,
        out: Any,  # noqa: ARG002
        test: doctest.DocTest,  # noqa: ARG002
        example: doctest.Example,
        got: str,
    ) -> None:
        """Collect `example` and its output."""
        self.outputs.append((example, got))


def python(source: str, names: dict[str, Any], place: str) -> str:
    """A Python block with its output, run in `names`, which live on; unchanged if it fits.

    An example that raises an exception which is not shown fails.
    """
    if not source.startswith(">>>"):
        program = Path("program.py")
        program.write_text(source, "utf-8")
        names.update(runpy.run_path(str(program), names))
        return source
    test = doctest.DocTestParser().get_doctest(source, names, place, place, 0)
    report: list[str] = []
    runner = _Runner()
    runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)
    assert not report, "".join(report)
    lines = source.splitlines(keepends=True)
    for example, output in reversed(runner.outputs):
        start = example.lineno + example.source.count("\n")
        lines[start : start + example.want.count("\n")] = output.splitlines(keepends=True)
    return "".join(lines)
