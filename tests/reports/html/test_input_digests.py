"""Digests of what was read: of files on the disk alone, whatever documents are called."""

from hashlib import sha256
from pathlib import Path

import pytest

from sdtext.model import Examined
from sdtext.reports.html.report_page import digests_of, digests_of_examined, digests_of_inputs

ODD = ["-", "", "missing.txt", "x" * 5000, "nul\0byte", "\udcff", "folder", "locked.txt"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    for name in ("a.txt", "b.zip", "c.xml", "folder/a.txt", "id7"):
        (tmp_path / name).write_text(f"This is {name}.")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_parts_of_a_file_have_its_digest_once() -> None:
    names = ["a.txt", "b.zip!in/d.txt", "b.zip!e.txt", "c.xml#17", *ODD]
    digests = {item.name: item.digest for item in digests_of(names, "read")}
    assert digests == {
        name: sha256(Path(name).read_bytes()).hexdigest() for name in ("a.txt", "b.zip", "c.xml")
    }


@pytest.mark.usefixtures("folder")
def test_records_have_the_digest_of_their_text_and_archives_their_number_of_documents() -> None:
    documents = [Examined(name, 3, digest="d1") for name in ("b.zip!c.txt", "b.zip!d.txt", "row 7")]
    archive, record = digests_of_examined(documents, "compared")
    assert (archive.name, archive.role, archive.documents) == ("b.zip", "compared", 2)
    assert archive.digest == sha256(Path("b.zip").read_bytes()).hexdigest()
    assert (record.name, record.digest) == ("row 7", "d1")
    assert record.role == "compared (BLAKE2b of the content)"


@pytest.mark.usefixtures("folder")
def test_a_record_is_not_taken_for_a_file_of_its_name() -> None:
    given = ["records.jsonl", "folder", "a.txt"]
    digests = digests_of_inputs(given, ["id7", "a.txt", "folder/a.txt", "folder/gone.txt"], "read")
    assert [item.name for item in digests] == ["a.txt", "folder/a.txt"]


def test_a_file_that_cannot_be_read_again_is_left_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.path.isfile", lambda _: True)
    assert [item.name for item in digests_of([folder / "gone.txt"], "read")] == []
