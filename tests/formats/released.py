"""The files of released versions of the formats, and what is in them as elements."""

from pathlib import Path
from typing import Any

from lxml import etree

from sdtext.fingerprinting.disclosure_profiles import load_disclosure
from sdtext.fingerprinting.load_and_save import embedded_dictionaries, load, save
from sdtext.model import RecipeSpec
from tests.support.command import SCHEMA

SAMPLES = Path(__file__).parents[1] / "samples"
RELEASED = SAMPLES / "formats" / "1.0"
TEXT = SAMPLES / "texts" / "union-excerpt.txt"
FILES = sorted(RELEASED.glob("*.xml"))
NAMES = [path.name for path in FILES]
DICTIONARIES = [name for name in NAMES if name.startswith("dictionary")]
PRINTS = [name for name in NAMES if name.startswith(("fingerprint", "container"))]
VALID = etree.RelaxNG(etree.parse(str(SCHEMA)))


def elements(path: str | Path) -> list[tuple[Any, ...]]:
    """Every element with where it stands, what it holds and its attributes.

    But for the digest of a fingerprint, which the released files lack.
    """
    tree = etree.parse(path)
    return [
        (
            [parent.tag for parent in element.iterancestors()],
            element.tag,
            sorted(element.items()),
            (element.text or "").strip(),
            (element.tail or "").strip(),
        )
        for element in tree.iter()
        if not _is_digest(element)
    ]


def _is_digest(element: etree._Element) -> bool:
    parent = element.getparent()
    tags = (str(element.tag), "" if parent is None else str(parent.tag))
    return [tag.rpartition("}")[2] for tag in tags] == ["hashdigest", "fingerprint"]


def saved(path: Path, target: str = "again.xml") -> Path:
    inside = embedded_dictionaries(path) if path.name in PRINTS else []
    item = load(path)
    assert not isinstance(item, RecipeSpec)
    save(item, target, dictionary=inside)
    return Path(target)


def loaded(path: Path) -> object:
    """What the file says, whatever its kind; with the dictionaries in it."""
    if path.name == "output.xml":
        return load_disclosure(path)
    result = load(path)
    return (result, embedded_dictionaries(path)) if path.name in PRINTS else result
