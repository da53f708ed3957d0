"""Files that LibreOffice 7.4 saved of the same content in its own formats and in Microsoft's."""

from collections import Counter

from sdtext.parts.registry import find
from tests.parts.readers.packages import DOCUMENTS, Blocks, blocks_at, joined_text, titles
from tests.support.cases import cases

FILES = DOCUMENTS / "libreoffice"
# The file also has a comment and the deleted word "deleted".
TEXT = """The harbour
The harbour has nine berths, two  of them for ferries.
Mind the tide
Counted from the lighthouse.
North quay
deep\twater
The lighthouse
It is lit
at dusk.
Harbour Office, Quay 4
"""


def read(name: str, reader: str) -> Blocks:
    return blocks_at(find("readers", reader)(), FILES / name)


def test_a_text_with_notes_changes_and_a_box() -> None:
    result = read("harbour.odt", "odt")
    assert joined_text(result) == TEXT
    assert titles(result) == [(1, "The harbour"), (2, "The lighthouse")]
    word = read("harbour.docx", "docx")
    assert titles(word) == titles(result)
    # In a Word file, notes stand in a part of their own, behind the body.
    lines = [line.strip() for line in joined_text(word).splitlines()]
    assert Counter(lines) == Counter(TEXT.splitlines())
    assert lines[-2:] == ["Counted from the lighthouse.", "Harbour Office, Quay 4"]


@cases("name, reader", [("slides.odp", "odt"), ("slides.pptx", "pptx")])
def test_slides_with_notes(name: str, reader: str) -> None:
    result = read(name, reader)
    assert titles(result) == [(1, "The harbour"), (1, "The lighthouse")]
    assert joined_text(result) == (
        "The harbour\nNine berths\nTwo for ferries\nShow the map.\n\f"
        "The lighthouse\nLit at dusk\n\f"
    )


@cases("name, reader", [("berths.ods", "odt"), ("berths.xlsx", "xlsx")])
def test_sheets(name: str, reader: str) -> None:
    result = read(name, reader)
    assert titles(result) == [(1, "Berths"), (1, "Ferries")]
    assert joined_text(result) == (
        "quay\tdepth\tnote\nNorth quay\t14\tdeep water\n\fname\tberth\nAurora\tNorth quay\n\f"
    )
