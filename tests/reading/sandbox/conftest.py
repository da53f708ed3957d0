"""An installed package that brings a reader which does what its files say."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.support.installed_package import installed

READER = '''
import os, signal, stat, sys, time
from dataclasses import dataclass
from typing import ClassVar

from sdtext.errors import TextlessError, UnreadableError
from sdtext.model import Problem
from sdtext.parts.readers import Reader

LIBRARIES = []

def answer(line):
    """Write to whatever the answers go to."""
    for number in range(3, 64):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
        except OSError:
            continue
        if is_pipe:
            os.write(number, line)
    return "text"

def libraries(found):
    LIBRARIES.append(found)
    return "text"

def spin():
    while True:
        pass

def hold(size):
    held = bytearray(size)
    return str(len(held))

def fail(error):
    raise error

def endless(block):
    while True:
        yield block

def with_problem():
    yield "one"
    yield Problem("warning", "partly-read", "half of it")

@dataclass(frozen=True)
class Odd(Reader):
    """Does what its file says."""

    normal_form: ClassVar[str] = "NFC"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content):
        return content.head.startswith(b"ODD ")

    def __call__(self, content):
        LIBRARIES.clear()
        found = eval(content.whole().decode()[4:])
        return iter([found]) if isinstance(found, str | None) else found

    def libraries(self):
        return LIBRARIES[0] if LIBRARIES else [("odd", "1.0"), ("process", str(os.getpid()))]
'''


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The folder of an installed package that brings a reader of its own."""
    folder = tmp_path_factory.mktemp("packages")
    with installed(folder, "odd_reader", READER, "[sdtext.readers]\nodd = odd_reader:Odd\n"):
        yield folder


@pytest.fixture
def odd(package: Path, tmp_path: Path) -> Callable[[str], Path]:  # noqa: ARG001 (installed)
    """A function that gives a file that makes its reader do something."""

    def file(does: str, name: str = "file.odd") -> Path:
        path = tmp_path / name
        path.write_text(f"ODD {does}")
        return path

    return file
