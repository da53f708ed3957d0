"""A container that another package registers: its files are opened as those of an archive."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from sdtext import create_dictionary, load_recipe, read
from tests.support.installed_package import installed

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
ENTRY_POINTS = """[sdtext.containers]
cards = cards:Cards
[sdtext.hashes]
nothing = cards:Nothing
[sdtext.readers]
deck = cards:Deck
"""


@pytest.fixture
def documents(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """A folder with a box of cards; an installed package knows such files."""
    folder = tmp_path / "documents"
    folder.mkdir()
    (folder / "bees.cards").write_text("CARDS\nBees dance.\nBees swarm.\n")
    module = MODULE.format(signatures=request.param)
    with installed(tmp_path / "packages", "cards", module, ENTRY_POINTS):
        yield folder


@pytest.mark.parametrize("documents", SIGNATURES, indirect=True)
def test_registered_containers_and_readers_are_shown_their_files(documents: Path) -> None:
    assert read(documents / "bees.cards!2.txt").text == "Bees swarm."
    dictionary = create_dictionary([documents], load_recipe("configs/english.toml"))
    assert dictionary.documents == 2
    assert {"danc", "swarm"} <= set(dictionary.terms)
    for name, text in (("a", "DECK\nsee"), ("b", "DECKS\nsee"), ("c", "Bees dance.")):
        (documents / name).write_text(text)
    texts = [read(documents / name).text for name in "abc"]
    assert texts == ["ees\nKCED", "DECKS\nsee", "Bees dance."]
