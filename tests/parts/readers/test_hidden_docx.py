"""Hidden text of a Word file is reported, and read or left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.parts.readers.office import docx

HIDING = ["<w:vanish/>", '<w:sz w:val="1"/>', '<w:color w:val="ffffff"/>']
SHOWN = [
    '<w:vanish w:val="0"/>',
    '<w:sz w:val="20"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>',
    '<w:color w:val="FFFFFF"/><w:highlight w:val="blue"/>',
    "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>",
]


def written(folder: Path, properties: str) -> Path:
    run = f"<w:r><w:rPr>{properties}</w:rPr><w:t>x</w:t></w:r>"
    body = f"<w:p><w:r><w:t>Bees d</w:t></w:r>{run}<w:r><w:t>ance.</w:t></w:r></w:p>"
    path = folder / "a.docx"
    path.write_bytes(docx(body))
    return path


@pytest.mark.parametrize("properties", HIDING)
def test_hidden_text_is_reported_and_can_be_left_out(tmp_path: Path, properties: str) -> None:
    path = written(tmp_path, properties)
    for hidden, text in (("keep", "Bees dxance.\n"), ("drop", "Bees dance.\n")):
        document = read(path, Reading(hidden=hidden))
        assert document.text == text
        assert [problem.category for problem in document.problems] == ["hidden-text"]


@pytest.mark.parametrize("properties", SHOWN)
def test_text_that_is_shown_is_not_reported(tmp_path: Path, properties: str) -> None:
    document = read(written(tmp_path, properties), Reading(hidden="drop"))
    assert document.text == "Bees dxance.\n"
    assert not document.problems


STYLES = (
    "<w:style w:styleId='P'><w:rPr><w:vanish/></w:rPr></w:style>"
    "<w:style w:styleId='Q'><w:basedOn w:val='P'/></w:style>"
    "<w:style w:styleId='R'><w:basedOn w:val='P'/><w:rPr><w:vanish w:val='0'/></w:rPr></w:style>"
)
BY_STYLE = {
    "<w:p><w:pPr><w:pStyle w:val='P'/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>": True,
    "<w:p><w:pPr><w:pStyle w:val='Q'/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>": True,
    "<w:p><w:pPr><w:pStyle w:val='R'/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>": False,
    "<w:p><w:r><w:rPr><w:rStyle w:val='Q'/></w:rPr><w:t>x</w:t></w:r></w:p>": True,
    "<w:p><w:pPr><w:pStyle w:val='P'/></w:pPr><w:r><w:rPr><w:vanish w:val='0'/></w:rPr>"
    "<w:t>x</w:t></w:r></w:p>": False,
}


@pytest.mark.parametrize("body", BY_STYLE)
def test_a_style_hides_the_text_that_has_it(tmp_path: Path, body: str) -> None:
    path = tmp_path / "a.docx"
    shown = "<w:p><w:r><w:t>Bees.</w:t></w:r></w:p>"
    path.write_bytes(docx(shown + body + shown, {"styles": STYLES}))
    document = read(path, Reading(hidden="drop"))
    assert "".join(document.text.split()) == ("Bees.Bees." if BY_STYLE[body] else "Bees.xBees.")
    hidden = [problem.category for problem in document.problems]
    assert hidden == ["hidden-text"] * BY_STYLE[body]
