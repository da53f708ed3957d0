"""A container that another package registers: its files are opened as those of an archive."""

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sdtext import create_dictionary, load_recipe, read
from sdtext.parts import registry
from sdtext.reading import archive_members as archive_paths
from sdtext.reading.sandbox import pool

MODULE = '''
from dataclasses import dataclass
from typing import ClassVar

from sdtext.parts.containers import Container, Member
from sdtext.parts.readers import Reader

@dataclass(frozen=True)
class Cards(Container):
    """Cards, a line each."""

    called: ClassVar[str] = "box of cards"
    {signatures}

    @staticmethod
    def recognises(content):
        return content.head.startswith(b"CARDS")

    def members(self, content):
        for number, line in enumerate(content.whole().splitlines()[1:], 1):
            yield Member(f"{{number}}.txt", iter([line]))

@dataclass(frozen=True)
class Deck(Reader):
    """Cards, turned over."""

    called: ClassVar[str] = "deck of cards"
    signatures: ClassVar = (b"DECK",)

    @staticmethod
    def recognises(content):
        assert content.head.startswith(b"DECK")
        return content.head.startswith(b"DECK\\n")

    def __call__(self, content):
        yield content.whole().decode()[::-1]

@dataclass(frozen=True)
class Nothing(Container):
    """Lacks what a container must have."""

    called: ClassVar[str] = "nothing"
'''
SIGNATURES = ['signatures: ClassVar = (b"CARDS",)', "signatures: ClassVar = ()", ""]


@pytest.fixture
def installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Iterator[Path]:
    """A folder with a box of cards, and an installed package that knows such files."""
    packages, documents = tmp_path / "packages", tmp_path / "documents"
    facts = packages / "cards-1.0.dist-info"
    facts.mkdir(parents=True)
    documents.mkdir()
    (packages / "cards.py").write_text(MODULE.format(signatures=request.param))
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: cards\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(
        "[sdtext.containers]\ncards = cards:Cards\n[sdtext.hashes]\nnothing = cards:Nothing\n"
        "[sdtext.readers]\ndeck = cards:Deck\n"
    )
    (documents / "bees.cards").write_text("CARDS\nBees dance.\nBees swarm.\n")
    monkeypatch.syspath_prepend(packages)
    _forget()
    yield documents
    _forget()
    sys.modules.pop("cards", None)


def _forget() -> None:
    pool._end_idle()
    importlib.invalidate_caches()
    for module in (registry, archive_paths):
        for each in vars(module).values():
            if hasattr(each, "cache_clear"):
                each.cache_clear()


@pytest.mark.parametrize("installed", SIGNATURES, indirect=True)
def test_the_files_in_a_registered_container_are_read(installed: Path) -> None:
    assert read(installed / "bees.cards!2.txt").text == "Bees swarm."
    dictionary = create_dictionary([installed], load_recipe("configs/english.toml"))
    assert dictionary.documents == 2
    assert {"danc", "swarm"} <= set(dictionary.terms)


@pytest.mark.parametrize("installed", [""], indirect=True)
def test_a_registered_reader_is_shown_the_files_with_its_signature(installed: Path) -> None:
    for name, text in (("a", "DECK\nsee"), ("b", "DECKS\nsee"), ("c", "Bees dance.")):
        (installed / name).write_text(text)
    texts = [read(installed / name).text for name in "abc"]
    assert texts == ["ees\nKCED", "DECKS\nsee", "Bees dance."]
