"""Running `sdtext` in this process or as a user does, and what is to be seen of it."""

import io
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from lxml import etree

from sdtext.cli.main import main

ROOT = Path(__file__).parents[2]
CONFIGS = ROOT / "configs"
SCHEMA = ROOT / "sdtext" / "formats" / "schemas" / "sdtext.rng"
NAMES = {"s": "urn:sdtext:xml"}
PATIENCE = 120  # seconds: a net for what hangs, not a measure

_SCRIPT = Path(sys.executable).with_name("sdtext")
SDTEXT: tuple[str, ...] = (str(_SCRIPT),) if _SCRIPT.exists() else (sys.executable, "-m", "sdtext")

ROWS = (
    "ListParts", "ListRecipes", "ShowDictionaryTokens -d DICT --limit 40",
    "CompareDirectory -f PRINT -p TEXTS -m cosine",
    "CompareDirectory -f PRINT -p TEXTS -s 0 -m cosine --min-terms 60",
    "TokenizeFile -i TEXT -c RECIPE", "TokenizeFile -c RECIPE --explain Running",
)  # fmt: skip
RECORDS = ("ShowDictionaryStatistics -d DICT", "ScoreFingerprints -f PRINT -f PRINT -m cosine")
WRITERS = (
    "CreateDictionary -p TEXTS -c RECIPE -o OUT", "TrimDictionary -d DICT -b 0.2 -t 0.9 -o OUT",
    "KeyDictionary -d DICT -o OUT", "Fingerprint -i TEXT -d DICT -o OUT",
    "ExtractDictionary -f PRINT -d OUT", "ExtractText -i TEXT -o OUT",
)  # fmt: skip
"""Command lines of the verbs that print rows, that print a record, that write a file."""

Argument = object
"""A word of a command line: a text, bytes or a path. (A list of several kinds is inferred so.)"""


@dataclass(frozen=True)
class Outcome:
    """What a user sees of one command, which is never a traceback."""

    code: int
    out: bytes
    err: str

    def __post_init__(self) -> None:
        assert "Traceback" not in self.err, self.err[-2000:]

    @property
    def text(self) -> str:
        """The standard output."""
        return self.out.decode("utf-8")

    @property
    def json(self) -> Any:
        """The standard output, which is one JSON value."""
        return json.loads(self.out)

    @property
    def table(self) -> list[dict[str, str]]:
        """The standard output, which is TSV with a head."""
        head, *rows = [line.split("\t") for line in self.text.split("\n")[:-1]]
        return [dict(zip(head, row, strict=True)) for row in rows]

    @property
    def errors(self) -> list[str]:
        """The lines of the standard error."""
        return self.err.removesuffix("\n").split("\n") if self.err else []


class _Terminal(io.TextIOWrapper):
    def isatty(self) -> bool:
        return True


def here(
    *arguments: Argument, stdin: bytes = b"", terminal: bool = False, progress: bool = False
) -> Outcome:
    """The outcome of `sdtext` with these arguments, run in this process.

    The standard output may be taken for a terminal, and the standard error for `progress`.
    """
    out, err = io.BytesIO(), io.BytesIO()
    stdout = (_Terminal if terminal else io.TextIOWrapper)(out, "utf-8", write_through=True)
    kind = _Terminal if progress else io.TextIOWrapper
    stderr = kind(err, "utf-8", errors="backslashreplace", write_through=True)
    given = mock.patch.object(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
    with redirect_stdout(stdout), redirect_stderr(stderr), given:
        code = main(words(arguments))
    return Outcome(code, out.getvalue(), err.getvalue().decode("utf-8"))


def there(
    *arguments: Argument, stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    """The outcome of `sdtext` with these arguments, run as a process of its own.

    That takes half a second: for what depends on the process, its streams or its environment.
    """
    return _finished([*SDTEXT, *arguments], stdin, env)


def opened_by(*arguments: Argument) -> Counter[Path]:
    """How often `sdtext` with these arguments opens each file, in all its processes together."""
    with TemporaryDirectory() as hooks:
        log = Path(hooks, "log")
        Path(hooks, "sitecustomize.py").write_text(
            "import os, sys\n"
            f"log = os.open({str(log)!r}, os.O_WRONLY | os.O_CREAT | os.O_APPEND)\n"
            "def hook(event, arguments):\n"
            "    if event == 'open' and isinstance(arguments[0], (str, os.PathLike)):\n"
            "        os.write(log, os.fsencode(os.path.abspath(arguments[0])) + b'\\n')\n"
            "sys.addaudithook(hook)\n"
        )
        outcome = there(*arguments, env={**os.environ, "PYTHONPATH": hooks})
        assert outcome.code == 0, outcome.err
        return Counter(map(Path, log.read_text("utf-8", "surrogateescape").splitlines()))


def run_python(
    program: str, *arguments: Argument, cwd: Path = ROOT, **env: str
) -> subprocess.CompletedProcess[str]:
    """What a Python program, which must go well, prints in a process of its own."""
    command = words([sys.executable, "-c", program, *arguments])
    run = partial(subprocess.run, command, capture_output=True, text=True, check=True)
    return run(cwd=cwd, timeout=PATIENCE, env={**os.environ, **env})


def shell(script: str, *arguments: Argument) -> Outcome:
    """The outcome of a line of bash in which "$@" is `sdtext` with these arguments."""
    return _finished(["bash", "-c", script, "bash", *SDTEXT, *arguments])


def _finished(
    command: Sequence[Argument], stdin: bytes = b"", env: Mapping[str, str] | None = None
) -> Outcome:
    done = subprocess.run(
        words(command), input=stdin, capture_output=True, check=False, timeout=PATIENCE, env=env
    )
    return Outcome(done.returncode, done.stdout, done.stderr.decode("utf-8", "backslashreplace"))


def words(arguments: Iterable[Argument]) -> list[str]:
    """The words of a command line as texts."""
    return [
        os.fsdecode(argument) if isinstance(argument, bytes) else str(argument)
        for argument in arguments
    ]


def done(*arguments: Argument) -> Outcome:
    """The outcome of a command that must go well."""
    outcome = here(*arguments)
    assert outcome.code == 0, outcome.err
    return outcome


def check_refused(outcome: Outcome, code: int, *named: str) -> None:
    """The command failed with `code` and one printable line that names what it must."""
    assert outcome.code == code, outcome.err[:2000]
    assert len(outcome.errors) == 1, outcome.errors[:10]
    (line,) = outcome.errors
    assert line.isprintable(), line
    assert len(line) < 600, line[:800]
    for name in named:
        assert name in line


def check_named(outcome: Outcome, code: int, *bad: str) -> None:
    """The command failed with `code`; a line names each bad input, and few others stand by."""
    assert outcome.code == code, outcome.err[:2000]
    assert len(outcome.errors) <= len(bad) + 2, outcome.errors[:10]
    for name in bad:
        assert sum(name in line for line in outcome.errors) == 1, (name, outcome.errors)
    assert all(line.isprintable() for line in outcome.errors), outcome.errors


def check_usage(outcome: Outcome, *named: str) -> None:
    """The command was refused as wrongly used, in six lines at the most."""
    assert outcome.code == 2, outcome.err[:2000]
    assert outcome.out == b""
    assert 1 <= len(outcome.errors) <= 6, outcome.errors
    for name in named:
        assert name in outcome.errors[-1]


def check_partly(outcome: Outcome, code: int, *bad: str) -> None:
    """The command did the rest, and has one printable line for each bad input, in any order."""
    assert outcome.code == code, outcome.err[:2000]
    listed = [line for line in outcome.errors if line.startswith("error: ")]
    assert len(listed) == len(bad), listed[:10]
    for name in bad:
        assert sum(name in line for line in listed) == 1, (name, listed)
    assert all(line.isprintable() for line in outcome.errors)


def parsed(path: str | Path) -> Any:
    """The root of an XML file, packed or not."""
    return etree.parse(os.fsencode(path)).getroot()


def schema_errors(path: str | Path) -> str:
    """What the schema finds wrong with a file, "" if nothing."""
    schema = etree.RelaxNG(etree.parse(str(SCHEMA)))
    schema.validate(etree.parse(os.fsencode(path)))
    return str(schema.error_log)


def chance(seed: int) -> Random:
    """A source of numbers that are the same in every run."""
    return Random(seed)


def _vocabulary() -> list[str]:
    draw = chance(2013)
    onsets = ("b", "br", "c", "d", "f", "g", "gl", "h", "k", "l", "m", "n", "p", "pr", "qu", "r",
              "s", "st", "t", "tr", "v", "w")  # fmt: skip
    words: dict[str, None] = {}
    while len(words) < 3000:
        syllables = draw.randint(2, 4)
        words["".join(draw.choice(onsets) + draw.choice("aeiou") for _ in range(syllables))] = None
    return list(words)


_WORDS = _vocabulary()
_WEIGHTS = [1 / rank for rank in range(2, len(_WORDS) + 2)]


def prose(seed: int, words: int = 300) -> str:
    """A text of pseudo-English in sentences, its words as unevenly common as real ones."""
    draw = chance(seed)
    drawn = iter(draw.choices(_WORDS, _WEIGHTS, k=words))
    lines = []
    while sentence := [word for _, word in zip(range(draw.randint(6, 14)), drawn, strict=False)]:
        lines.append(" ".join(sentence).capitalize() + ".")
    return "\n".join(lines) + "\n"


def write_texts(folder: Path, number: int, words: int = 300) -> Path:
    """`folder` with that many texts in it, named 000.txt, 001.txt and so on."""
    folder.mkdir(parents=True)
    for seed in range(number):
        (folder / f"{seed:03}.txt").write_text(prose(seed, words), "utf-8")
    return folder


NOISE = chance(1).randbytes(5000)
"""What is not a text in any encoding."""
