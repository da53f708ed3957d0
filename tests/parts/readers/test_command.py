"""The text that a program of the user's own writes."""

import gzip
import json
import os
import sys
from pathlib import Path

import pytest

from sdtext.errors import TextlessError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.external_programs import Command
from tests.support.cases import cases

WORDS = "Größe, und mehr.\n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of words, whose name would be an option if it were a word of its own."""
    place = tmp_path / "-x {} $(touch gone) ;.txt"
    place.write_text(WORDS)
    return place


def python(program: str, *words: str) -> Command:
    return Command(argv=(sys.executable, "-c", program, *(words or ("{}",))))


def test_a_program_gets_its_words_as_they_stand(path: Path) -> None:
    given = python(
        "import sys, json; print(json.dumps(sys.argv[1:]))", "a b", "$HOME", "x={}!", "{}{}"
    )
    file = str(path.resolve())
    assert json.loads("".join(map(str, given(Content(path))))) == [
        "a b", "$HOME", f"x={file}!", file + file,
    ]  # fmt: skip


@cases("codec", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_what_it_writes_may_be_in_any_encoding(path: Path, codec: str) -> None:
    path.write_bytes((WORDS * 20).encode(codec))
    assert "".join(map(str, Command(argv=("cat", "{}"))(Content(path)))) == WORDS * 20


def test_a_packed_file_is_unpacked_first_and_the_copy_removed(path: Path) -> None:
    path.write_bytes(gzip.compress(WORDS.encode()))
    reader = python("import sys; print(sys.argv[1]); print(open(sys.argv[1]).read())")
    name, text = "".join(map(str, reader(Content(path)))).split("\n", 1)
    assert text.strip() == WORDS.strip()
    assert name != str(path.resolve())
    assert not os.path.lexists(name)
    assert path.read_bytes()


@cases("reader, message", [
    (python(""), "the program {program} prints no text for it; run it by hand"),
    (python("print(' ')"), "the program {program} prints no text for it; run it by hand"),
    (python("import sys; sys.exit('\\n \\033[1mno such form\\nMORE')"),
     "{program} cannot read it: \\x1b[1mno such form"),
    (python("raise SystemExit(3)"), "cannot read it: exit code 3"),
    (python("import os; os.kill(os.getpid(), 9)"), "exit code -9"),
    (python("while True: print('words' * 1000)"), "writes more than 100,000 bytes of it"),
    (Command(argv=("no-such-program-here", "{}")), "no-such-program-here, needed to read it"),
    (Command(argv=("/", "{}")), "cannot be started: permission denied"),
])  # fmt: skip
def test_a_program_that_fails_says_why(path: Path, reader: Command, message: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        list(reader(Content(path, 100_000)))
    assert isinstance(caught.value, TextlessError) == ("no text" in message)
    output = str(caught.value)
    assert output.startswith(f"{path}: ")
    assert output.isprintable()
    assert "MORE" not in output  # the first line alone is reported
    assert message.format(program=Path(sys.executable).name) in output
