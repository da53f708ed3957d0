"""A folder of its own for every test, and a shelf of texts, dictionaries and fingerprints."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.command import CONFIGS, Argument, done, write_texts
from tests.support.interruption import much
from tests.support.planted import RECIPE, text, write_planted

__all__ = ["much"]


@dataclass(frozen=True)
class Shelf:
    """Files made once for all tests; no test writes to them."""

    texts: Path
    document: Path
    recipe: Path
    dictionary: Path
    trimmed: Path
    full: Path
    minimal: Path

    def line(self, text: str, **others: Argument) -> list[Argument]:
        """The words of a command line: TEXT, TEXTS, RECIPE, DICT, PRINT and others are files."""
        known: dict[str, Argument] = {
            "TEXT": self.document, "TEXTS": self.texts, "RECIPE": self.recipe, "DICT": self.trimmed,
            "PRINT": self.full, **others,
        }  # fmt: skip
        return [known.get(word, word) for word in text.split()]


@pytest.fixture(scope="session")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Shelf:
    """30 texts, their dictionary, it trimmed, and the fingerprint of one in two profiles."""
    folder = tmp_path_factory.mktemp("shelf")
    texts = write_texts(folder / "texts", 30)
    document, recipe = texts / "007.txt", CONFIGS / "english.toml"
    dictionary, trimmed = folder / "dictionary.xml", folder / "trimmed.xml"
    full, minimal = folder / "full.xml", folder / "minimal.xml"
    done("CreateDictionary", "-o", dictionary, "-p", texts, "-c", recipe)
    done("TrimDictionary", "-d", dictionary, "-b", "0.2", "-t", "0.9", "-o", trimmed)
    done("Fingerprint", "-i", document, "-d", trimmed, "-o", full)
    done("Fingerprint", "-i", document, "-d", trimmed, "-o", minimal, "--profile", "minimal")
    return Shelf(texts, document, recipe, dictionary, trimmed, full, minimal)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the commands of a test run: an empty one."""
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture
def files(folder: Path) -> Path:
    """The folder, with two texts in it that have a passage in common: a.txt and b.txt."""
    write_planted(folder)
    return folder


@pytest.fixture
def stored(files: Path) -> str:
    """A collection of both, and of a third one that is like neither."""
    (files / "c.txt").write_text(text("dogwood"))
    (files / "recipe.toml").write_text(RECIPE)
    (files / "facts.csv").write_text(
        "file,title,year\na.txt,Trees of the North,2019\nb.txt,Birches,2020\nc.txt,,2021\n"
    )
    names = ["a.txt", "b.txt", "c.txt"]
    done("AddDocuments", "x.sdx", *names, "-c", "recipe.toml", "--metadata", "facts.csv")
    return "x.sdx"
