"""A container that another package registers: its files are opened as those of an archive."""

from __future__ import annotations

import importlib
import pickle
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from sdtext import create_dictionary, load_recipe, read
from sdtext.errors import OptionError
from sdtext.parts import registry
from sdtext.parts.containers import Container
from sdtext.reading import archive_members as archive_paths
from sdtext.reading.sandbox import pool

MODULE = '''
from dataclasses import dataclass
from typing import ClassVar

from sdtext.parts.containers import Member

@dataclass(frozen=True)
class Cards:
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
class Deck:
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
class Nothing:
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
        "[sdtext.containers]\ncards = cards:Cards\n[sdtext.tables]\nnothing = cards:Nothing\n"
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


@pytest.mark.parametrize("installed", [""], indirect=True)
def test_a_registered_container_gets_the_defaults_that_it_lacks(installed: Path) -> None:
    part = registry.find("containers", "cards")
    assert issubclass(part, Container)
    assert (part.__name__, part.signatures, part.also_text) == ("Cards", (), False)
    assert repr(part()) == "Cards()"
    assert registry.described("containers", "cards")["does"] == "Cards, a line each."
    assert installed.exists()


@pytest.mark.parametrize("installed", [""], indirect=True)
def test_a_class_without_what_a_container_must_have_is_refused(installed: Path) -> None:
    cls = registry.find("tables", "nothing")
    with pytest.raises(OptionError, match="cards: its class Nothing lacks members, recognises"):
        registry._completed("containers", "cards", cls)
    assert installed.exists()


@pytest.mark.parametrize("installed", [""], indirect=True)
def test_a_completed_part_can_be_sent_to_another_process(installed: Path) -> None:
    part = registry.find("containers", "cards")()
    assert pickle.loads(pickle.dumps(part)) == part  # noqa: S301 (written here)
    assert installed.exists()


def test_a_class_with_a_metaclass_of_its_own_is_completed() -> None:
    class Meta(type):
        pass

    @dataclass(frozen=True)
    class Cards(metaclass=Meta):
        called: ClassVar[str] = "box of cards"

        @staticmethod
        def recognises(_content: object) -> bool:
            return False

        def members(self, _content: object) -> list[object]:
            return []

    assert issubclass(registry._completed("containers", "cards", Cards), Container)
