"""Names of fingerprint files in a folder of results."""

from pathlib import Path

import pytest

import sdtext
from sdtext.errors import OutputError
from sdtext.fingerprinting import save_fingerprints
from sdtext.fingerprinting.load_and_save import load_dictionary
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


def test_saving_in_python_replaces_results_of_the_same_kind_alone(tmp_path: Path) -> None:
    dictionary = load_dictionary("english")
    made = sdtext.fingerprint(sdtext.Document.of("Bees dance in their hive."), dictionary)
    text = tmp_path / "essay.txt"
    text.write_text("An essay.")
    sdtext.save(made, tmp_path / "f.xml")
    for item, name in ((dictionary, "essay.txt"), (made, "essay.txt"), (dictionary, "f.xml")):
        with pytest.raises(OutputError, match="already exists and is not"):
            sdtext.save(item, tmp_path / name)
    assert text.read_text() == "An essay."
    sdtext.save(made, tmp_path / "f.xml")
    sdtext.save(dictionary, tmp_path / "f.xml", replaces=True)
    assert sdtext.load(tmp_path / "f.xml") == dictionary
