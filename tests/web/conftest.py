"""One server for the tests of a process, with an archive of texts with metadata."""

import io
import zipfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

import sdtext
from tests.support.command import prose

from .server import Server

TEXTS = [prose(seed, 300) for seed in range(8)]


def make_archive(path: Path) -> Path:
    with sdtext.create(path, recipe="reuse", keep_text=True) as archive:
        archive.add(
            {
                "id": f"{number}.txt",
                "text": text,
                "title": f"Bees in year {number}",
                "organisation": ("HUT", 'CSU\'s "lab"')[number % 2],
                "year": 2010 + number,
            }
            for number, text in enumerate(TEXTS)
        )
    return path


def zipped(texts: list[str]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}.txt", text)
    return file.getvalue()


@pytest.fixture(scope="session")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_archive(tmp_path_factory.mktemp("archive") / "archive.sdx")


@pytest.fixture(scope="session")
def server(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    pytest.importorskip("uvicorn", reason="the extra web is not installed")
    folder = tmp_path_factory.mktemp("serve") / "state"
    with closing(Server(folder, archive, "--max-upload", "1")) as started:
        yield started
