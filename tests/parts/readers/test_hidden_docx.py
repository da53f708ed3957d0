"""Hidden text of a Word file is reported, and read or left out."""

from __future__ import annotations

from pathlib import Path

from sdtext.model import Problem, Span
from sdtext.parts.readers.office_open_xml import Docx
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.parts.readers.office import docx
from tests.parts.readers.packages import gathered, joined_text
from tests.support.cases import cases

HIDING = [
    "<w:vanish/>", '<w:sz w:val="1"/>', '<w:sz w:val="1pt"/>', '<w:color w:val="ffffff"/>',
    '<w:color w:val="FDFDFD"/>', '<w:color w:val="000080"/><w:shd w:fill="000080"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="auto"/>',
    '<w:color w:val="FFFFFF"/><w:highlight w:val="none"/>',
    '<w:color w:val="FFFFFF"/><w:highlight w:val="white"/><w:shd w:fill="000000"/>',
]  # fmt: skip
SHOWN = [
    '<w:vanish w:val="0"/>', '<w:sz w:val="20"/>', '<w:sz w:val="1.5pt"/>',
    '<w:color w:val="FFFF00"/>', '<w:color w:val="FFFFFF"/><w:color w:val="auto"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:val="pct50" w:fill="FFFFFF"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:val="clear" w:fill="auto" w:themeFill="dark1"/>',
    '<w:color w:val="FFFFFF"/><w:shd w:fill="000000"/>',
    '<w:color w:val="FFFFFF"/><w:highlight w:val="blue"/>',
    "<w:rPrChange><w:rPr><w:vanish/></w:rPr></w:rPrChange>",
]  # fmt: skip


def test_hidden_text_parts_no_words_and_can_be_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    hidden = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>"
    path.write_bytes(
        docx(f"<w:p><w:r><w:t>Bees d</w:t></w:r>{hidden}<w:r><w:t>ance.</w:t></w:r></w:p>")
    )
    for choice, x, spans in (("keep", "x", [Span(6, 7)]), ("drop", "", [])):
        document = read(path, reading=Reading(hidden=choice))
        assert (document.text, document.hidden) == (f"Bees d{x}ance.\n", spans)
        assert [problem.category for problem in document.problems] == ["hidden-text"]


def test_styles_that_are_remembered_are_those_of_the_file(tmp_path: Path) -> None:
    """Files are read in turn by one process, each three times; some share their styles."""
    body = "<w:p><w:pPr><w:pStyle w:val='P{}'/></w:pPr><w:r><w:t>x</w:t></w:r></w:p>"
    style_of = "<w:style w:styleId='P{}'><w:rPr><w:vanish w:val='{}'/></w:rPr></w:style>"
    cases = [(name, hides) for name in range(6) for hides in (0, 1)]
    for name, hides in cases:
        for other in (name, 9):  # 9 is no style, in a file with the same styles
            further = {"styles": style_of.format(name, hides)}
            path = tmp_path / f"{name} {hides} {other}.docx"
            shown = "<w:p><w:r><w:t>Bees.</w:t></w:r></w:p>"
            path.write_bytes(docx(shown + body.format(other), further))
    for path in [*sorted(tmp_path.iterdir()), *sorted(tmp_path.iterdir(), reverse=True)] * 2:
        style_there, hidden, style_used = path.stem.split()
        is_hidden = hidden == "1" and style_used == style_there
        words = read(path, reading=Reading(hidden="drop")).text.split()
        assert words == (["Bees."] if is_hidden else ["Bees.", "x"])


def style(id_: str, properties: str, kind: str = "paragraph", more: str = "") -> str:
    attributes = f'w:styleId="{id_}" w:type="{kind}"{more}'
    return f"<w:style {attributes}>{properties}</w:style>"


def properties(inside: str) -> str:
    return f"<w:rPr>{inside}</w:rPr>"


WHITE, NAVY = '<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="000080"/>'
P, P_NAVY = "<w:pPr><w:pStyle w:val='P'/></w:pPr>", f"<w:pPr><w:pStyle w:val='P'/>{NAVY}</w:pPr>"
MARK = f"<w:pPr><w:pStyle w:val='P'/>{properties(NAVY)}</w:pPr>"
R = "<w:rStyle w:val='R'/>"
VANISH, VISIBLE = properties("<w:vanish/>"), '<w:vanish w:val="0"/>'
DEFAULTS = "<w:docDefaults><w:rPrDefault>{}</w:rPrDefault></w:docDefaults>"
TABLES = f"<w:tblStylePr>{properties(WHITE)}</w:tblStylePr>"
BASED = "<w:basedOn w:val='{}'/>"
# The styles, the properties of the paragraph and of its run, and whether they hide the text.
STYLED = {
    **{run: ("", "", run, True) for run in HIDING},
    **{run: ("", "", run, False) for run in SHOWN},
    "colour": (style("P", properties(WHITE)), P, "", True),
    "size": (style("P", properties('<w:sz w:val="2"/>')), P, "", True),
    "inherited": (style("P", BASED.format("B")) + style("B", properties(WHITE)), P, "", True),
    "own over inherited": (
        style("P", BASED.format("B") + properties('<w:color w:val="auto"/>'))
        + style("B", properties(WHITE)),
        *(P, "", False),
    ),
    "own ground": (style("P", f"<w:pPr>{NAVY}</w:pPr>{properties(WHITE)}"), P, "", False),
    "ground of text": (style("P", properties(WHITE + NAVY)), P, "", False),
    "ground of the paragraph": (style("P", properties(WHITE)), P_NAVY, "", False),
    "ground of the mark": (style("P", properties(WHITE)), MARK, "", True),
    "run over paragraph": (style("P", properties(WHITE)), P, '<w:color w:val="000000"/>', False),
    "ground of the run": (style("P", properties(WHITE)), P, NAVY, False),
    "character style": (style("R", properties(WHITE), "character"), "", R, True),
    "character style on navy": (
        style("R", properties(WHITE), "character") + style("P", f"<w:pPr>{NAVY}</w:pPr>"),
        *(P, R, False),
    ),
    "linked style": (
        style("P", "<w:link w:val='R'/>" + properties(WHITE))
        + style("R", "<w:link w:val='P'/>" + properties(WHITE), "character"),
        *("", R, True),
    ),
    "vanish": (style("P", VANISH), P, "", True),
    "vanish inherited": (style("P", BASED.format("B")) + style("B", VANISH), P, "", True),
    "vanish of a character style": (style("R", VANISH, "character"), "", R, True),
    "shown over inherited": (
        style("P", BASED.format("B") + properties(VISIBLE)) + style("B", VANISH),
        *(P, "", False),
    ),
    "shown by the run": (style("P", VANISH), P, VISIBLE, False),
    "two that hide": (style("P", VANISH) + style("R", VANISH, "character"), *(P, R, False)),
    "one that hides": (style("P", VANISH) + style("R", "", "character"), *(P, R, True)),
    "default style": (style("N", properties(WHITE), more=' w:default="1"'), "", "", True),
    "not the default style": (style("N", properties(WHITE), more=' w:default="0"'), "", "", False),
    "an unknown style": (style("N", properties(WHITE), more=' w:default="1"'), P, "", True),
    "defaults": (DEFAULTS.format(properties(WHITE)), "", "", True),
    "defaults of a style": (DEFAULTS.format(properties(WHITE)) + style("P", ""), P, "", True),
    "a style over defaults": (
        DEFAULTS.format(properties(WHITE)) + style("P", properties('<w:color w:val="000000"/>')),
        *(P, "", False),
    ),
    "a style of tables": (style("P", TABLES, "table"), P, "", False),
}


@cases("name", STYLED)
def test_properties_and_styles_hide_the_text_that_has_them(tmp_path: Path, name: str) -> None:
    styles, paragraph, run, is_hidden = STYLED[name]
    black = (
        '<w:r><w:rPr><w:vanish w:val="0"/><w:color w:val="000000"/></w:rPr><w:t>Bees.</w:t></w:r>'
    )
    shown = f"<w:p>{black}</w:p>"
    body = f"<w:p>{paragraph}<w:r>{properties(run)}<w:t>x</w:t></w:r></w:p>"
    path = tmp_path / "a.docx"
    path.write_bytes(docx(shown + body + shown, {"styles": styles}))
    for hidden in ("keep", "drop"):
        blocks = gathered(Docx(hidden), path)
        text = "Bees.Bees." if is_hidden and hidden == "drop" else "Bees.xBees."
        assert "".join(joined_text(blocks).split()) == text
        problems = [block.category for block in blocks if isinstance(block, Problem)]
        assert problems == ["hidden-text"] * is_hidden


CELL = (
    f"<w:tbl><w:tr><w:tc><w:p>{{}}<w:r>{properties(WHITE)}<w:t>x</w:t></w:r></w:p></w:tc></w:tr>"
    "</w:tbl>"
)


def test_white_text_in_a_cell_is_hidden_on_its_own_white_ground(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    white = NAVY.replace("000080", "FFFFFF")
    for ground, is_hidden in (("", False), (white, True), (NAVY, False)):
        path.write_bytes(docx(CELL.format(f"<w:pPr>{ground}</w:pPr>")))
        problems = [block for block in gathered(Docx(), path) if isinstance(block, Problem)]
        assert bool(problems) is is_hidden
