"""A folder of its own for every test, and a shelf of texts, dictionaries and fingerprints."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from .command import CONFIGS, done, write_texts


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
