"""Text that a page does not show is read apart from what it shows, reported, or left out."""

from __future__ import annotations

from pathlib import Path

from sdtext.model import Span
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.support.cases import cases

HIDING = {
    "display": '<b style="DISPLAY : none !important">x</b>',
    "visibility": '<b style="visibility:hidden">x</b>', "hidden": "<b hidden>x</b>",
    "size 0": '<b style="font-size:0px">x</b>', "size 0.1": '<b style="font-size: 0.1px">x</b>',
    "opacity": '<b style="opacity:0">x</b>', "transparent": '<b style="color: transparent">x</b>',
    "rgba": '<b style="color: rgba(0, 0, 0, 0)">x</b>',
    "same colour": '<b style="background: #123456; color:#123456">x</b>',
    "white on white": '<b style="color:#FFF">x</b>',
    "white on white ground": '<i style="background:#fff"><b style="color:white">x</b></i>',
    "white on a white table": '<i bgcolor="White"><font color="#ffffff">x</font></i>',
    "white by class": '<b class="pale">x</b>', "white font": '<font color="White">x</font>',
    "class": '<b class="a no">x</b>', "id": '<b id="gone">x</b>', "tag": "<u>x</u>",
    "nearly white": '<b style="color:#fefefe">x</b>', "ivory": '<b style="color: Ivory">x</b>',
    "white by numbers": '<b style="color:rgb(252, 252, 252)">x</b>',
    "nearly the same colour": '<b style="background:#000080;color:rgb(0,0,130)">x</b>',
    "white on no ground": '<i style="background:none"><b style="color:white">x</b></i>',
    "hex without opacity": '<b style="color:#00000000">x</b>',
    "short hex without opacity": '<b style="color:#0000">x</b>',
    "faint": '<b style="opacity:0.01">x</b>',
    "faint colour": '<b style="color:rgba(0,0,0,1%)">x</b>',
    "size 1 pt": '<b style="font-size:1pt">x</b>', "size in em": '<b style="font-size:.05em">x</b>',
    "no height": '<b style="height:0;overflow:hidden">x</b>',
    "no greater height": '<b style="max-height:0px; overflow: hidden">x</b>',
    "no width": '<b style="width:0;overflow:clip">x</b>',
    "indented": '<b style="text-indent:-9999px">x</b>',
    "indented by em": '<b style="text-indent: -999em">x</b>',
    "margin": '<b style="margin-left:-10000px">x</b>',
    "clipped": '<b style="position:absolute;clip:rect(0 0 0 0)">x</b>',
    "clipped with commas": '<b style="position:absolute;clip:rect(1px,1px,1px,1px)">x</b>',
    "clipped by a path": '<b style="clip-path: inset(50%)">x</b>',
    "clipped by a circle": '<b style="clip-path:circle(0)">x</b>',
    "outside": '<b style="position:absolute;left:-9999px">x</b>',
    "above": '<b style="position:fixed; top:-1000px">x</b>',
    "moved": '<b style="transform:translateX(-9999px)">x</b>',
    "scaled": '<b style="transform: scale(0)">x</b>',
    "one pixel": '<b style="position:absolute;width:1px;height:1px;overflow:hidden">x</b>',
    "for screen readers": '<b class="sr-only">x</b>', "nested": "<b hidden>x<i>x<br>x</i>x</b>",
}  # fmt: skip
SHOWN = [
    '<b style="display:inline; color:#123456">x</b>',
    '<b style="background:navy; color:white">x</b>',
    '<i style="background:navy"><b style="color:white">x</b></i>',
    '<i bgcolor="navy"><b class="pale">x</b></i>',
    '<i background="sky.gif"><b style="color:white">x</b></i>',
    '<b style="font-size: 10px; opacity: 0.5">x</b>', '<b style="color:#ddd">x</b>',
    '<b style="color:yellow">x</b>', '<b style="color:rgba(0,0,0,0.5)">x</b>',
    '<b style="color:#0000ff80">x</b>', '<b style="color:no-colour; background:#fff">x</b>',
    '<b style="font-size:80%">x</b>', '<b style="height:0">x</b>',
    '<b style="height:90px;width:100%;overflow:hidden">x</b>',
    '<b style="text-indent:-2em; margin-left:-20px">x</b>', '<b style="left:-9999px">x</b>',
    '<b style="position:absolute;left:-20px">x</b>', '<b style="clip:rect(0,0,0,0)">x</b>',
    '<b style="position:absolute;clip:rect(auto,auto,auto,auto)">x</b>',
    '<b style="clip-path:inset(5%); transform:translateX(-10px) scale(0.5)">x</b>',
    '<b class="printed nothing">x</b>',
]  # fmt: skip
SHEET = """<head><style>/* .a { display: none } */ .no, p.none { display: none; }
@media print { .printed { display: none } }
#gone { visibility: hidden } u { font-size: 0 } div .nothing { display: none }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) }
body { background: white } .pale { color: white }</style></head>"""


def written(folder: Path, body: str) -> Path:
    path = folder / "page.html"
    path.write_text(f"<html>{SHEET}<body><p>Bees d{body}ance.</p><p>Well.</p></body></html>")
    return path


@cases("name", HIDING)
def test_hidden_text_parts_no_words_and_can_be_left_out(tmp_path: Path, name: str) -> None:
    path = written(tmp_path, HIDING[name])
    document, dropped = read(path), read(path, reading=Reading(hidden="drop"))
    assert document.text.startswith("Bees dance.\nx")
    assert document.text.endswith("\nWell.\n")
    assert dropped.text == "Bees dance.\nWell.\n"
    for each in (document, dropped):
        assert [problem.category for problem in each.problems] == ["hidden-text"]
    unseen = document.text.removeprefix("Bees dance.\n").removesuffix("\nWell.\n")
    assert document.hidden == [Span(12, 12 + len(unseen))]


@cases("body", SHOWN)
def test_text_that_is_shown_stays_in_its_place(tmp_path: Path, body: str) -> None:
    document = read(written(tmp_path, body))
    assert document.text == "Bees dxance.\nWell.\n"
    assert not document.problems
