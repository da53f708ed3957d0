"""The text and the headings of a Word file."""

from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, Span
from sdtext.parts.readers.office_open_xml import Docx
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.parts.readers.office import (
    MAIN_TYPE,
    docx,
    entries,
    packed,
    paragraph,
    plainly,
    run,
    strict,
    t,
    text_of,
    word_style,
)
from tests.parts.readers.office import word_style as style
from tests.parts.readers.packages import gathered, joined_text
from tests.support.cases import cases

WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn"]), max_size=8).map(
    lambda text: text.replace("&", "&amp;").replace("<", "&lt;")
)
TEXT = WORDS.map("<w:t xml:space='preserve'>{}</w:t>".format)
MARKS = st.sampled_from([
    "<w:tab/>", "<w:ptab/>", "<w:br/>", "<w:br w:type='page'/>", "<w:cr/>", "<w:noBreakHyphen/>",
    "<w:softHyphen/>", "<w:sym w:font='Symbol' w:char='F061'/>", "<w:footnoteReference w:id='2'/>",
    "<w:instrText> PAGE </w:instrText>", "<w:rPr><w:vanish/></w:rPr>", "<w:drawing/>",
])  # fmt: skip
RUNS = st.lists(TEXT | MARKS, max_size=3).map("".join).map(run)


def _wrapped(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    tags = ["ins", "del", "moveTo", "moveFrom", "hyperlink", "smartTag", "fldSimple"]
    wrapped = st.tuples(st.sampled_from(tags), inside)
    return wrapped.map(lambda pair: f"<w:{pair[0]}>{pair[1]}</w:{pair[0]}>")


PARAGRAPHS = st.lists(RUNS | _wrapped(RUNS) | _wrapped(_wrapped(RUNS)), max_size=4).map(
    lambda runs: paragraph(*runs)
)


def _tables(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    cells = inside.map("<w:tc><w:tcPr/>{}</w:tc>".format)
    rows = st.lists(cells, max_size=3).map("".join).map("<w:tr>{}</w:tr>".format)
    return st.lists(rows, max_size=3).map("".join).map("<w:tbl><w:tblPr/>{}</w:tbl>".format)


BODIES = st.lists(PARAGRAPHS | _tables(PARAGRAPHS) | _tables(_tables(PARAGRAPHS)), max_size=5).map(
    "".join
)


def paragraph_text(path: Path, *runs: str) -> str:
    return text_of(path, docx(paragraph(*runs)))


@given(body=BODIES)
@example(body=paragraph(run("<w:t>two\nlines</w:t>")))
def test_the_text_is_what_a_plain_reader_finds_in_both_name_spaces(path: Path, body: str) -> None:
    assert text_of(path, docx(body)) == plainly(body)
    parts = entries(body, {"footer": paragraph(t("foot"))})
    assert text_of(path, packed(strict(parts))) == plainly(body) + "foot\n"


@cases("runs, text", [
    (f"<w:pPr><w:tabs><w:tab w:pos='9'/></w:tabs></w:pPr>{t('a')}", "a"),
    ("<w:del><w:r><w:delText>out</w:delText></w:r></w:del>" + t("in"), "in"),
    (f"<w:ruby><w:rt>{t('かん')}</w:rt><w:rubyBase>{t('漢')}</w:rubyBase></w:ruby>", "漢"),
    ("<m:oMath><m:r><m:t>x=1</m:t></m:r></m:oMath>", "x=1"),
    ("<w:sdt><w:sdtContent>" + t("filled in") + "</w:sdtContent></w:sdt>", "filled in"),
    (run("<w:t><![CDATA[<a>]]>&#x62;<!-- no --></w:t>"), "<a>b"),
    (run("<w:t>a\r\nb</w:t>\n <w:t> c</w:t>"), "a b c"),
    (run("stray"), ""),
    ("<w:ddList><w:result w:val='1'/><w:listEntry/><w:listEntry w:val='y'/></w:ddList>", "y"),
    (run("<w:fldChar><w:ddList><w:listEntry w:val='y'/></w:ddList></w:fldChar>") + t("y")
     + run("<w:fldChar w:fldCharType='end'/>") + t("y"), "yy"),
    ("<v:textpath xmlns:v='urn:schemas-microsoft-com:vml' string='art'/>", "\nart"),
    ("<v:textpath xmlns:v='urn:schemas-microsoft-com:vml' on='t'/>", ""),
])  # fmt: skip
def test_what_a_run_says(path: Path, runs: str, text: str) -> None:
    assert paragraph_text(path, runs) == text + "\n"


def test_a_deleted_paragraph_mark_joins_two_paragraphs(path: Path) -> None:
    for change in ("del", "moveFrom"):
        mark = f"<w:pPr><w:rPr><w:{change}/></w:rPr></w:pPr>"
        body = f"<w:p>{mark}{t('one ')}</w:p>{paragraph(t('line'))}{paragraph(t('next'))}"
        assert text_of(path, docx(body)) == "one line\nnext\n"
    inserted = f"<w:p><w:pPr><w:rPr><w:ins/></w:rPr></w:pPr>{t('one')}</w:p>"
    assert text_of(path, docx(inserted + paragraph(t("two")))) == "one\ntwo\n"


def box(text: str) -> str:
    return f"<w:txbxContent>{paragraph(t(text))}</w:txbxContent>"


def alternatives(*inside: str) -> str:
    branches = [f"<mc:Choice Requires='wps'>{each}</mc:Choice>" for each in inside[:-1]]
    fallback = f"<mc:Fallback>{inside[-1]}</mc:Fallback>"
    return run("<mc:AlternateContent>" + "".join(branches) + fallback + "</mc:AlternateContent>")


@cases("inside, text", [
    ((box("box"), box("box")), "box\n"), ((box("one"), box("two"), box("three")), "one\n"),
    (("<wps:other/>", box("box")), "box\n"),
    ((box("outer") + alternatives(box("in"), box("in")), box("x")), "outer\nin\n"),
    ((box("box"), ""), "box\n"), (("", ""), ""),
])  # fmt: skip
def test_a_box_is_read_once_after_its_line(path: Path, inside: tuple[str, ...], text: str) -> None:
    assert paragraph_text(path, t("won"), alternatives(*inside), t("der")) == f"wonder\n{text}"


def test_notes_headers_and_footers_follow_the_body(path: Path) -> None:
    def note(kind: str, text: str, role: str = "") -> str:
        return f"<w:{kind} w:id='1'{role}>{paragraph(t(text))}</w:{kind}>"

    further = {
        "footer1": paragraph(t("footer")),
        "comments": f"<w:comment>{paragraph(t('comment'))}</w:comment>",
        "header2": paragraph(t("header 2")),
        "header1": paragraph(t("header 1")),
        "endnotes": note("endnote", "line", " w:type='separator'") + note("endnote", "endnote"),
        "footnotes": note("footnote", "line", " w:type='continuationSeparator'")
        + note("footnote", "one", " w:type='normal'")
        + note("footnote", "two"),
        "styles": paragraph(t("style")),
    }
    expected = ["body", "one", "two", "endnote", "header 2", "header 1", "footer"]
    assert text_of(path, docx(paragraph(t("body")), further)).splitlines() == expected


@cases("main", ["word/document2.xml", "a/b/main.xml", "word/document.xml"])
@cases("type_", ["wordprocessingml", "docm", "dotm", "default"])
def test_the_main_part_is_found_by_what_the_file_says(path: Path, main: str, type_: str) -> None:
    parts = entries(paragraph(t("body")), {"header": paragraph(t("head"))}, main)
    macro = "application/vnd.ms-word.{}.main+xml"
    types = {
        "docm": macro.format("document.macroEnabled"),
        "dotm": macro.format("template.macroEnabledTemplate"),
    }
    listed = parts["[Content_Types].xml"].replace(MAIN_TYPE, types.get(type_, MAIN_TYPE))
    if type_ == "default":
        listed = listed.replace(f'Override PartName="/{main}"', 'Default Extension="xml"')
    parts["[Content_Types].xml"] = listed
    assert text_of(path, packed(parts)) == "body\nhead\n"


def named(name: str) -> str:
    return f"<w:name w:val='{name}'/>"


def level(value: str) -> str:
    return f"<w:pPr><w:outlineLvl w:val='{value}'/></w:pPr>"


STYLES = "".join([
    word_style("berschrift1", named("heading 1"), level("0")),
    word_style("H2", named("Heading 2")),
    word_style("Own", named("Own"), "<w:basedOn w:val='H2'/>"),
    word_style("Deeper", named("Deeper"), "<w:basedOn w:val='Own'/>", level("8")),
    word_style("TOCHeading", named("TOCHeading"), "<w:basedOn w:val='berschrift1'/>", level("9")),
    word_style("Text", named("Text")),
    word_style("Round", named("Round"), "<w:basedOn w:val='About'/>"),
    word_style("About", named("About"), "<w:basedOn w:val='Round'/>"),
    word_style("Lost", named("Lost"), "<w:basedOn w:val='None'/>"),
    word_style("Title", named("Title")),
])  # fmt: skip


@cases("properties, expected", [
    ("<w:pStyle w:val='berschrift1'/>", 1), ("<w:pStyle w:val='H2'/>", 2),
    ("<w:pStyle w:val='Own'/>", 2), ("<w:pStyle w:val='Deeper'/>", 9),
    ("<w:pStyle w:val='TOCHeading'/>", 0), ("<w:pStyle w:val='Text'/>", 0),
    ("<w:pStyle w:val='Round'/>", 0), ("<w:pStyle w:val='Lost'/>", 0),
    ("<w:pStyle w:val='Title'/>", 0), ("<w:pStyle w:val='Unknown'/>", 0),
    ("<w:outlineLvl w:val='3'/>", 4), ("<w:pStyle w:val='H2'/><w:outlineLvl w:val='9'/>", 0),
    ("<w:pStyle w:val='Text'/><w:outlineLvl w:val='0'/>", 1),
    ("<w:pStyle w:val='Text'/><w:outlineLvl w:val='x'/>", 0), ("<w:outlineLvl w:val='-1'/>", 0),
    ("</w:pPr><w:pStyle w:val='H2'/><w:outlineLvl w:val='0'/><w:pPr>", 0),
    ("<w:pPrChange><w:pPr><w:pStyle w:val='H2'/></w:pPr></w:pPrChange>", 0),
])  # fmt: skip
def test_headings_are_known_by_style_or_outline(path: Path, properties: str, expected: int) -> None:
    body = (
        paragraph(t("text")) + paragraph(t("The  bees"), before=properties) + paragraph(t("text"))
    )
    path.write_bytes(docx(body, {"styles": STYLES}))
    actual = list(Docx()(Content(path)))
    headings = [block for block in actual if isinstance(block, Heading)]
    assert headings == ([Heading(expected, "The bees")] if expected else [])
    assert joined_text(actual) == "text\nThe  bees\ntext\n"
    if expected:
        assert actual[0] == "text\n"
        assert actual[2] == "The  bees\ntext\n"


def test_headings_stand_in_the_body_alone(path: Path) -> None:
    heading = paragraph(t("Head"), before="<w:pStyle w:val='H2'/>")
    boxed = paragraph(t("words"), run(f"<w:txbxContent>{heading}</w:txbxContent>"))
    blank = paragraph(t(" "), before="<w:pStyle w:val='H2'/>")
    body = paragraph(t("One"), before="<w:outlineLvl w:val='0'/>") + boxed + blank
    path.write_bytes(docx(body, {"styles": STYLES, "header": heading}))
    result = [
        (item.level, item.title) for item in Docx()(Content(path)) if isinstance(item, Heading)
    ]
    assert result == [(1, "One"), (2, "Head")]


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
