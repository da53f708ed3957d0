from pathlib import Path

from sdtext.model import Problem
from sdtext.parts.readers.opendocument import Odt
from tests.parts.readers.office import packed
from tests.parts.readers.packages import flat, gathered, joined_text, open_document, p, style
from tests.support.cases import cases

# The properties of a common or an automatic style of text, by what they do to it.
HIDING = [
    'text:display="none"', 'fo:color="#ffffff"', 'fo:color="#FDFDFD"',
    'fo:color="#000080" fo:background-color="#000082"', 'fo:font-size="1pt"', 'fo:font-size="5%"',
    'fo:font-size=".01in"', 'fo:color="#000000" loext:opacity="0%"',
]  # fmt: skip
SHOWN = [
    'text:display="true"', 'fo:color="#dddddd"', 'fo:color="#ffffff" fo:background-color="#000080"',
    'style:use-window-font-color="true" fo:color="#ffffff" loext:opacity="0%"',
    'fo:font-size="6pt"', 'fo:font-size="."',
]  # fmt: skip


def text(properties: str) -> str:
    return f"<style:text-properties {properties}/>"


def ground(properties: str) -> str:
    return f"<style:paragraph-properties {properties}/>"


def written(
    folder: Path, body: str, automatic: str = "", common: str = "", pages: str = ""
) -> Path:
    """The document as a package; beside it stands "a.fodt", the same in one file."""
    body, path = p("Bees.") + body + p("Bees."), folder / "a.odt"
    path.write_bytes(packed(open_document(body, common=common, own=automatic, others=pages)))
    path.with_suffix(".fodt").write_text(flat(body, common=common, own=automatic + pages))
    return path


def check(path: Path, *, is_hidden: bool, unseen: str = "x") -> None:
    """The document reports the unseen if it is hidden, and only then leaves it out."""
    for each in (path, path.with_suffix(".fodt")):
        for hidden in ("keep", "drop"):
            blocks = gathered(Odt(hidden), each)
            is_there = not is_hidden or hidden == "keep"
            words = "".join(joined_text(blocks).split())
            assert words == f"Bees.{unseen if is_there else ''}Bees."
            problems = [block for block in blocks if isinstance(block, Problem)]
            assert [problem.category for problem in problems] == ["hidden-text"] * is_hidden
            texts = [text for problem in problems for text in problem.texts]
            assert "".join("".join(texts).split()) == (unseen if is_hidden and is_there else "")


X = p('<text:span text:style-name="S">x</text:span>')


@cases("own, is_hidden", [(own, table is HIDING) for table in (HIDING, SHOWN) for own in table])
def test_a_style_decides_wherever_it_stands(tmp_path: Path, own: str, is_hidden: bool) -> None:
    own = text(own)
    check(written(tmp_path, X, style("S", own)), is_hidden=is_hidden)
    common = style("C", own) + style("D", "", parent="C")
    check(written(tmp_path, X, style("S", "", parent="D"), common), is_hidden=is_hidden)
    check(written(tmp_path, X, common=style("S", "", parent="D") + common), is_hidden=is_hidden)
    paragraph = '<text:p text:style-name="P">x</text:p>'
    check(written(tmp_path, paragraph, style("P", own, "paragraph")), is_hidden=is_hidden)
    link = p('<text:a text:style-name="S">x</text:a>')
    check(written(tmp_path, link, style("S", own)), is_hidden=is_hidden)


WHITE = style("S", text('fo:color="#ffffff"'))
# Properties of paragraphs that give white text a ground on which it is seen or is not.
GROUNDS = {
    ground('fo:background-color="#000080"'): False,
    '<style:paragraph-properties><style:background-image draw:name="a"/>'
    "</style:paragraph-properties>": False,
    '<loext:graphic-properties draw:fill="gradient"/>'
    + ground('fo:background-color="transparent"'): False,
    "": True,
    ground('fo:background-color="transparent"'): True,
    ground('fo:background-color="#ffffff"'): True,
    '<loext:graphic-properties draw:fill="solid" draw:fill-color="#ffffff"/>': True,
    ground("").replace("/>", "><style:background-image/></style:paragraph-properties>"): True,
}
PAGES = {
    'fo:background-color="#204060"': False,
    'draw:fill="bitmap" fo:background-color="#ffffff"': False,
    'fo:background-color="#ffffff"': True,
}
SECTION = (
    '<text:section text:style-name="N" {}><text:section>{}</text:section></text:section>'.format
)
FIELDS = {
    '<text:hidden-text text:is-hidden="true">x</text:hidden-text>': True,
    '<text:hidden-text text:is-hidden="true" text:string-value="x"/>': True,
    '<text:hidden-text text:is-hidden="true" text:string-value="x">x</text:hidden-text>': True,
    '<text:hidden-text text:string-value="x">x</text:hidden-text>': False,
    'x<text:hidden-paragraph text:is-hidden="true"/>': True,
    '<text:hidden-paragraph text:is-hidden="true"/>x': True,
    "<text:hidden-paragraph/>x": False,
}
SECTIONS = {
    'text:display="none"': True, 'text:display="condition" text:is-hidden="true"': True,
    'text:display="condition"': False, 'text:display="true"': False,
}  # fmt: skip


def test_grounds_fields_and_sections_hide_text_or_show_it(tmp_path: Path) -> None:
    body = X.replace("<text:p>", '<text:p text:style-name="P">')
    for properties, is_hidden in GROUNDS.items():
        own = style("P", properties, "paragraph") + WHITE
        check(written(tmp_path, body, own), is_hidden=is_hidden)
    for properties, is_hidden in PAGES.items():
        page = f"<style:page-layout-properties {properties}/>"
        layout = f"<style:page-layout>{page}</style:page-layout>"
        check(written(tmp_path, X, WHITE, pages=layout), is_hidden=is_hidden)
    for field, is_hidden in FIELDS.items():
        check(written(tmp_path, p(field)), is_hidden=is_hidden)
    for display, is_hidden in SECTIONS.items():
        shown = style("S", text('text:display="true"'))
        check(written(tmp_path, SECTION(display, X), shown), is_hidden=is_hidden)
