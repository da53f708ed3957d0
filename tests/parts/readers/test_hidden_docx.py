from pathlib import Path

from sdtext.model import Problem, Span
from sdtext.parts.readers.office_open_xml import Docx
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.parts.readers.office import docx
from tests.parts.readers.office import word_style as style
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


def properties(inside: str) -> str:
    return f"<w:rPr>{inside}</w:rPr>"


WHITE, NAVY = '<w:color w:val="FFFFFF"/>', '<w:shd w:val="clear" w:fill="000080"/>'
P, P_NAVY = "<w:pPr><w:pStyle w:val='P'/></w:pPr>", f"<w:pPr><w:pStyle w:val='P'/>{NAVY}</w:pPr>"
MARK = f"<w:pPr><w:pStyle w:val='P'/>{properties(NAVY)}</w:pPr>"
R = "<w:rStyle w:val='R'/>"
VANISH, VISIBLE = properties("<w:vanish/>"), '<w:vanish w:val="0"/>'
WHITE_TEXT = properties(WHITE)
DEFAULTS = f"<w:docDefaults><w:rPrDefault>{WHITE_TEXT}</w:rPrDefault></w:docDefaults>"
TABLES = f"<w:tblStylePr>{properties(WHITE)}</w:tblStylePr>"
BASED = "<w:basedOn w:val='B'/>"
# The styles, the properties of the paragraph and of its run, and whether they hide the text.
STYLED = [
    *(("", "", run, True) for run in HIDING), *(("", "", run, False) for run in SHOWN),
    (style("P", WHITE_TEXT), P, "", True),
    (style("P", properties('<w:sz w:val="2"/>')), P, "", True),
    (style("P", BASED) + style("B", WHITE_TEXT), P, "", True),
    (
        style("P", BASED + properties('<w:color w:val="auto"/>')) + style("B", WHITE_TEXT),
        P,
        "",
        False,
    ),
    (style("P", f"<w:pPr>{NAVY}</w:pPr>{WHITE_TEXT}"), P, "", False),
    (style("P", properties(WHITE + NAVY)), P, "", False),
    (style("P", WHITE_TEXT), P_NAVY, "", False), (style("P", WHITE_TEXT), MARK, "", True),
    (style("P", WHITE_TEXT), P, '<w:color w:val="000000"/>', False),
    (style("P", WHITE_TEXT), P, NAVY, False),
    (style("R", WHITE_TEXT, kind="character"), "", R, True),
    (style("R", WHITE_TEXT, kind="character") + style("P", f"<w:pPr>{NAVY}</w:pPr>"), P, R, False),
    (
        style("P", "<w:link w:val='R'/>" + WHITE_TEXT)
        + style("R", "<w:link w:val='P'/>" + WHITE_TEXT, kind="character"),
        "",
        R,
        True,
    ),
    (style("P", VANISH), P, "", True), (style("P", BASED) + style("B", VANISH), P, "", True),
    (style("R", VANISH, kind="character"), "", R, True),
    (style("P", BASED + properties(VISIBLE)) + style("B", VANISH), P, "", False),
    (style("P", VANISH), P, VISIBLE, False),
    (style("P", VANISH) + style("R", VANISH, kind="character"), *(P, R, False)),
    (style("P", VANISH) + style("R", "", kind="character"), *(P, R, True)),
    (style("N", WHITE_TEXT, more=' w:default="1"'), "", "", True),
    (style("N", WHITE_TEXT, more=' w:default="0"'), "", "", False),
    (style("N", WHITE_TEXT, more=' w:default="1"'), P, "", True), (DEFAULTS, "", "", True),
    (DEFAULTS + style("P", ""), P, "", True),
    (DEFAULTS + style("P", properties('<w:color w:val="000000"/>')), P, "", False),
    (style("P", TABLES, kind="table"), P, "", False),
]  # fmt: skip


@cases("styles, paragraph, run, is_hidden", STYLED)
def test_properties_and_styles_hide_the_text_that_has_them(
    tmp_path: Path, styles: str, paragraph: str, run: str, is_hidden: bool
) -> None:
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
