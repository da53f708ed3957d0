"""Names of fingerprint files in a folder of results."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.fingerprinting import save_fingerprints
from sdtext.fingerprinting.save_fingerprints import _FileNames


def test_names_that_differ_in_case_are_numbered_where_case_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def identity(path: Path) -> tuple[int, int] | None:
        name = path.name.lower()
        is_there = name in [entry.name.lower() for entry in path.parent.iterdir()]
        return (1, hash(name)) if is_there else None

    def written() -> list[str]:
        names = _FileNames(tmp_path, [tmp_path / "C.txt.xml"])
        documents = map(Path, ("x/A.txt", "y/a.txt", "z/A.TXT", "x/b.txt", "x/c.txt"))
        chosen = []
        for path in map(names, documents):
            path.touch()
            chosen.append(path.name)
        return chosen

    (tmp_path / "C.txt.xml").touch()
    assert written() == ["A.txt.xml", "a.txt.xml", "A.TXT.xml", "b.txt.xml", "c.txt.xml"]
    for path in tmp_path.iterdir():
        path.unlink()
    (tmp_path / "C.txt.xml").touch()
    monkeypatch.setattr(save_fingerprints, "identity_of", identity)
    assert written() == ["A.txt.xml", "a.txt-2.xml", "A.TXT-3.xml", "b.txt.xml", "c.txt-2.xml"]
