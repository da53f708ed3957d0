from pathlib import Path

from sdtext.model import Span
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.support.cases import cases

# Properties of a stretch of text, and stretches as a whole, that hide it or do not.
HIDING = [f'<b style="{style}">x</b>' for style in (
    "DISPLAY : none !important", "visibility:hidden", "font-size:0px", "font-size: 0.1px",
    "opacity:0", "color: transparent", "color: rgba(0, 0, 0, 0)",
    "background: #123456; color:#123456", "color:#FFF", "color:#fefefe", "color: Ivory",
    "color:rgb(252, 252, 252)", "background:#000080;color:rgb(0,0,130)", "color:#00000000",
    "color:#0000", "opacity:0.01", "color:rgba(0,0,0,1%)", "font-size:1pt", "font-size:.05em",
    "height:0;overflow:hidden", "max-height:0px; overflow: hidden", "width:0;overflow:clip",
    "text-indent:-9999px", "text-indent: -999em", "margin-left:-10000px",
    "position:absolute;clip:rect(0 0 0 0)", "position:absolute;clip:rect(1px,1px,1px,1px)",
    "clip-path: inset(50%)", "clip-path:circle(0)", "position:absolute;left:-9999px",
    "position:fixed; top:-1000px", "transform:translateX(-9999px)", "transform: scale(0)",
    "position:absolute;width:1px;height:1px;overflow:hidden",
)] + [
    "<b hidden>x</b>", '<i style="background:#fff"><b style="color:white">x</b></i>',
    '<i bgcolor="White"><font color="#ffffff">x</font></i>', '<b class="pale">x</b>',
    '<font color="White">x</font>', '<b class="a no">x</b>', '<b id="gone">x</b>', "<u>x</u>",
    '<i style="background:none"><b style="color:white">x</b></i>', '<b class="sr-only">x</b>',
    "<b hidden>x<i>x<br>x</i>x</b>",
]  # fmt: skip
SHOWN = [f'<b style="{style}">x</b>' for style in (
    "display:inline; color:#123456", "background:navy; color:white",
    "font-size: 10px; opacity: 0.5", "color:#ddd", "color:yellow", "color:rgba(0,0,0,0.5)",
    "color:#0000ff80", "color:no-colour; background:#fff", "font-size:80%", "height:0",
    "height:90px;width:100%;overflow:hidden", "text-indent:-2em; margin-left:-20px", "left:-9999px",
    "position:absolute;left:-20px", "clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(auto,auto,auto,auto)",
    "clip-path:inset(5%); transform:translateX(-10px) scale(0.5)",
)] + [
    '<i style="background:navy"><b style="color:white">x</b></i>',
    '<i bgcolor="navy"><b class="pale">x</b></i>',
    '<i background="sky.gif"><b style="color:white">x</b></i>', '<b class="printed nothing">x</b>',
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


@cases("body", HIDING)
def test_hidden_text_parts_no_words_and_can_be_left_out(tmp_path: Path, body: str) -> None:
    path = written(tmp_path, body)
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
