"""The headings of Word files."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.io.decompressed_content import Content
from sdtext.model import Heading
from sdtext.parts.readers.office_open_xml import Docx
from tests.parts.readers.office import docx, joined, paragraph, run, t


def styled(text: str, *properties: str) -> str:
    """A paragraph with such properties."""
    return f"<w:p><w:pPr>{''.join(properties)}</w:pPr>{t(text)}</w:p>"


def style(name: str, *inside: str, called: str = "") -> str:
    shown = f"<w:name w:val='{called or name}'/>"
    return f"<w:style w:type='paragraph' w:styleId='{name}'>{shown}{''.join(inside)}</w:style>"


def level(value: str) -> str:
    return f"<w:pPr><w:outlineLvl w:val='{value}'/></w:pPr>"


STYLES = "".join(
    [
        style("berschrift1", level("0"), called="heading 1"),
        style("H2", called="Heading 2"),
        style("Own", "<w:basedOn w:val='H2'/>"),
        style("Deeper", "<w:basedOn w:val='Own'/>", level("8")),
        style("TOCHeading", "<w:basedOn w:val='berschrift1'/>", level("9")),
        style("Text"),
        style("Round", "<w:basedOn w:val='About'/>"),
        style("About", "<w:basedOn w:val='Round'/>"),
        style("Lost", "<w:basedOn w:val='None'/>"),
        style("Title"),
    ]
)


@pytest.mark.parametrize(
    ("properties", "expected"),
    [
        ("<w:pStyle w:val='berschrift1'/>", 1),
        ("<w:pStyle w:val='H2'/>", 2),
        ("<w:pStyle w:val='Own'/>", 2),
        ("<w:pStyle w:val='Deeper'/>", 9),
        ("<w:pStyle w:val='TOCHeading'/>", 0),
        ("<w:pStyle w:val='Text'/>", 0),
        ("<w:pStyle w:val='Round'/>", 0),
        ("<w:pStyle w:val='Lost'/>", 0),
        ("<w:pStyle w:val='Title'/>", 0),
        ("<w:pStyle w:val='Unknown'/>", 0),
        ("<w:outlineLvl w:val='3'/>", 4),
        ("<w:pStyle w:val='H2'/><w:outlineLvl w:val='9'/>", 0),
        ("<w:pStyle w:val='Text'/><w:outlineLvl w:val='0'/>", 1),
        ("<w:pStyle w:val='Text'/><w:outlineLvl w:val='x'/>", 0),
        ("<w:outlineLvl w:val='-1'/>", 0),
        ("</w:pPr><w:pStyle w:val='H2'/><w:outlineLvl w:val='0'/><w:pPr>", 0),
        ("<w:pPrChange><w:pPr><w:pStyle w:val='H2'/></w:pPr></w:pPrChange>", 0),
    ],
)
def test_headings_are_recognised_by_style_and_outline(
    path: Path, properties: str, expected: int
) -> None:
    body = paragraph(t("text")) + styled("The  bees", properties) + paragraph(t("text"))
    path.write_bytes(docx(body, {"styles": STYLES}))
    actual = list(Docx()(Content(path)))
    headings = [block for block in actual if isinstance(block, Heading)]
    assert headings == ([Heading(expected, "The bees")] if expected else [])
    assert joined(actual) == "text\nThe  bees\ntext\n"
    if expected:
        assert actual[0] == "text\n"
        assert actual[2] == "The  bees\ntext\n"


def test_headings_stand_in_the_body_alone(path: Path) -> None:
    heading = styled("Head", "<w:pStyle w:val='H2'/>")
    boxed = paragraph(t("words"), run(f"<w:txbxContent>{heading}</w:txbxContent>"))
    blank = styled(" ", "<w:pStyle w:val='H2'/>")
    body = styled("One", "<w:outlineLvl w:val='0'/>") + boxed + blank
    path.write_bytes(docx(body, {"styles": STYLES, "header": heading}))
    result = [
        (item.level, item.title) for item in Docx()(Content(path)) if isinstance(item, Heading)
    ]
    assert result == [(1, "One"), (2, "Head")]
