"""An installed package that brings a reader which does what its files say."""

import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sdtext.parts import registry as parts
from sdtext.reading.sandbox import pool

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
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("packages")
    (folder / "odd_reader.py").write_text(READER)
    facts = folder / "odd_reader-1.0.dist-info"
    facts.mkdir()
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: odd-reader\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text("[sdtext.readers]\nodd = odd_reader:Odd\n")
    return folder


@pytest.fixture(scope="module")
def _installed(package: Path) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(package)
        _forget()
        yield
    _forget()
    sys.modules.pop("odd_reader", None)


@pytest.fixture
def odd(_installed: None, tmp_path: Path) -> Callable[[str], Path]:
    """A function that gives a file that makes its reader do something."""

    def file(does: str, name: str = "file.odd") -> Path:
        path = tmp_path / name
        path.write_text(f"ODD {does}")
        return path

    return file


def _forget() -> None:
    """Begin anew: without processes, and without what was found in other places."""
    pool._end_idle()
    importlib.invalidate_caches()
    for value in vars(parts).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()
