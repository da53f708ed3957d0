"""Text that a page does not show is read apart from what it shows, reported, or left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdtext.errors import OptionError
from sdtext.parts.readers.markup.html import Html
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.cli.command import done

HIDING = {
    "display": '<b style="DISPLAY : none !important">x</b>',
    "visibility": '<b style="visibility:hidden">x</b>',
    "hidden": "<b hidden>x</b>",
    "size 0": '<b style="font-size:0px">x</b>',
    "size 0.1": '<b style="font-size: 0.1px">x</b>',
    "opacity": '<b style="opacity:0">x</b>',
    "transparent": '<b style="color: transparent">x</b>',
    "rgba": '<b style="color: rgba(0, 0, 0, 0)">x</b>',
    "same colour": '<b style="background: #123456; color:#123456">x</b>',
    "white on white": '<b style="color:#FFF">x</b>',
    "white on white ground": '<i style="background:#fff"><b style="color:white">x</b></i>',
    "white on a white table": '<i bgcolor="White"><font color="#ffffff">x</font></i>',
    "white by class": '<b class="pale">x</b>',
    "white font": '<font color="White">x</font>',
    "class": '<b class="a no">x</b>',
    "id": '<b id="gone">x</b>',
    "tag": "<u>x</u>",
    "nested": "<b hidden>x<i>x<br>x</i>x</b>",
}
SHOWN = [
    '<b style="display:inline; color:#123456">x</b>',
    '<b style="background:navy; color:white">x</b>',
    '<i style="background:navy"><b style="color:white">x</b></i>',
    '<i bgcolor="navy"><b class="pale">x</b></i>',
    '<i background="sky.gif"><b style="color:white">x</b></i>',
    '<b style="font-size: 10px; opacity: 0.5">x</b>',
    '<b class="printed nothing">x</b>',
]
SHEET = """<head><style>/* .a { display: none } */ .no, p.none { display: none; }
@media print { .printed { display: none } }
#gone { visibility: hidden } u { font-size: 0 } div .nothing { display: none }
body { background: white } .pale { color: white }</style></head>"""


def written(folder: Path, body: str) -> Path:
    path = folder / "page.html"
    path.write_text(f"<html>{SHEET}<body><p>Bees d{body}ance.</p><p>Well.</p></body></html>")
    return path


@pytest.mark.parametrize("name", HIDING)
def test_hidden_text_parts_no_words_and_is_reported(tmp_path: Path, name: str) -> None:
    document = read(written(tmp_path, HIDING[name]))
    assert document.text.startswith("Bees dance.\nx")
    assert document.text.endswith("\nWell.\n")
    assert [problem.category for problem in document.problems] == ["hidden-text"]


@pytest.mark.parametrize("name", HIDING)
def test_hidden_text_can_be_left_out_and_is_reported(tmp_path: Path, name: str) -> None:
    document = read(written(tmp_path, HIDING[name]), Reading(hidden="drop"))
    assert document.text == "Bees dance.\nWell.\n"
    assert [problem.category for problem in document.problems] == ["hidden-text"]


@pytest.mark.parametrize("body", SHOWN)
def test_text_that_is_shown_stays_in_its_place(tmp_path: Path, body: str) -> None:
    document = read(written(tmp_path, body))
    assert document.text == "Bees dxance.\nWell.\n"
    assert not document.problems


def test_a_user_reads_what_is_hidden_and_can_drop_it(tmp_path: Path) -> None:
    page = written(tmp_path, '<b style="display:none">not seen</b>')
    kept = done("ExtractText", "-i", page)
    assert kept.text == "Bees dance.\nnot seen\nWell.\n"
    assert "8 characters are hidden from readers, from “not seen” on" in kept.errors[0]
    dropped = done("ExtractText", "-i", page, "--hidden", "drop")
    assert dropped.text == "Bees dance.\nWell.\n"
    assert "left out" in dropped.errors[0]


def test_any_other_choice_is_refused() -> None:
    with pytest.raises(OptionError, match="keep or drop"):
        Html(hidden="no")
    with pytest.raises(OptionError, match="keep or drop"):
        Reading(hidden="no")
