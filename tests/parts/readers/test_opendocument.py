"""OpenDocument files: how they are known, and the text of each kind."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Problem
from sdtext.parts.readers.opendocument import Odt
from tests.parts.readers.office import packed
from tests.parts.readers.packages import (
    OPEN,
    blocks_at,
    blocks_of,
    flat,
    gathered,
    joined_text,
    open_document,
    p,
    recognised,
    refused,
    style,
    titles,
)
from tests.support.cases import cases
from tests.support.strategies import BRISK

WORD = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=5)
# What stands in a paragraph, and what it says.
PIECES = (
    WORD.map(lambda word: (word, word))
    | WORD.map(lambda word: (f"<text:span>{word}</text:span>", word))
    | WORD.map(lambda word: (f"<text:a><text:span>{word}</text:span></text:a>", word))
    | st.integers(1, 9).map(lambda count: (f'<text:s text:c="{count}"/>', " " * count))
    | WORD.map(lambda word: (f"<office:annotation>{p(word)}</office:annotation>", ""))
    | WORD.map(
        lambda word: (f"<text:ruby>{word}<text:ruby-text>no</text:ruby-text></text:ruby>", word)
    )
    | st.sampled_from(
        [
            ("<text:s/>", " "),
            ("<text:tab/>", "\t"),
            ("<text:line-break/>", "\n"),
            ("&amp;", "&"),
            ("<text:bookmark/>", ""),
        ]
    )
)
PARAGRAPHS = st.lists(PIECES, max_size=6).map(
    lambda pieces: (p(*(xml for xml, _ in pieces)), "".join(text for _, text in pieces) + "\n")
)
Part = tuple[str, str]


def _wrapped(around: str) -> st.SearchStrategy[Part]:
    before, after = around.split("…")
    return st.lists(PARAGRAPHS, max_size=3).map(
        lambda parts: (
            before + "".join(xml for xml, _ in parts) + after,
            "".join(text for _, text in parts),
        )
    )


BODIES = st.lists(
    PARAGRAPHS
    | _wrapped("<text:list><text:list-item>…</text:list-item></text:list>")
    | _wrapped(
        "<table:table><table:table-row><table:table-cell>…</table:table-cell></table:table-row>"
        "</table:table>"
    )
    | _wrapped("<text:section>…</text:section>")
    | _wrapped("<draw:frame><draw:text-box>…</draw:text-box></draw:frame>"),
    max_size=5,
).map(lambda parts: ("".join(xml for xml, _ in parts), "".join(text for _, text in parts)))


def text_of(path: Path, body: str, kind: str = "text") -> str:
    return joined_text(blocks_of(Odt(), path, open_document(body, kind)))


@BRISK
@given(body=BODIES)
def test_one_xml_file_says_the_same(path: Path, body: Part) -> None:
    margins = f"<style:header>{p('head')}</style:header>"
    zipped = blocks_of(Odt(), path, open_document(body[0], margins=margins))
    path.write_text(flat(body[0], margins=margins), "utf-8")
    assert blocks_at(Odt(), path) == zipped
    assert zipped[0] == body[1] + "head\n"


@cases("inside, text", [
    ("  two \n\t words ", "two words "), ("a <text:span> b</text:span>", "a b"),
    ("a<text:span> </text:span>b", "a b"), ("a <text:s text:c='2'/>b", "a   b"),
    ("<text:s text:c='4000000000'/>", " "), ("<text:s text:c='99'/>", " " * 80),
    ("<text:s text:c='-5'/>a", "a"), ("<text:s text:c='٣'/>a", " a"),
    ("<text:change-start/>in<text:change-end/>", "in"),
    ("<text:page-number>3</text:page-number>", "3"), ("<![CDATA[<a>]]>&#x62;<!-- no -->", "<a>b"),
    ("<draw:frame><svg:title>picture</svg:title><draw:image/></draw:frame>", ""),
    ("<draw:frame><draw:object><text:p>box</text:p></draw:object></draw:frame>", "\nbox"),
    ("<draw:image><office:binary-data>QUJD</office:binary-data></draw:image>", ""),
])  # fmt: skip
def test_what_a_paragraph_says(path: Path, inside: str, text: str) -> None:
    # A number of blanks that is none is one blank.
    text = " a" if "-5" in inside else text
    assert text_of(path, p(inside)) == text + "\n"


CHANGES = (
    "<text:tracked-changes><text:changed-region text:id='c1'>"
    f"<text:deletion>{p('deleted')}</text:deletion></text:changed-region></text:tracked-changes>"
)
NOTE = (
    "<text:note><text:note-citation>1</text:note-citation>"
    f"<text:note-body>{p('first')}{p('second')}</text:note-body></text:note>"
)
BOX = f"<draw:frame><draw:text-box>\n{p('boxed', NOTE)}\n</draw:text-box></draw:frame>"
FORMS = (
    "<office:forms><form:form><form:text form:id='a' form:value='x' form:current-value='typed'/>"
    "<form:checkbox form:id='b' form:label='agree'/><form:listbox form:id='c'><form:option"
    " form:label='one'/><form:option form:label='two' form:current-selected='true'/></form:listbox>"
    "</form:form></office:forms>"
)
CONTROLS = "".join(f"<draw:control draw:control='{each}'/>" for each in "abcd")
SHAPE = f"<draw:g><draw:custom-shape>{p('shape')}</draw:custom-shape></draw:g>"


@cases("body, text", [
    (CHANGES + p("kept <text:change-start/>inserted<text:change-end/> text"),
     "kept inserted text\n"),
    (p("a <f:fieldmark xmlns:f='urn:openoffice:names:experimental:ooo-ms-interop:xmlns:field:1.0'>"
       "<f:param f:name='Dropdown_ListEntry' f:value='b'/><f:param f:name='Dropdown_ListEntry' "
       "f:value='c'/><f:param f:name='Dropdown_Selected' f:value='1'/></f:fieldmark> d"),
     "a c d\n"),
    # As LibreOffice writes single files.
    (CHANGES + p("kept<text:change-start text:change-id='c1'/> deleted") + p("too"
     "<text:change-end text:change-id='c1'/> text"), "kept\ntext\n"),
    (p("won", NOTE, "der"), "wonder\nfirst\nsecond\n"),
    (p("won", BOX, "der"), "wonder\nfirst\nsecond\nboxed\n"),
    (p("won", SHAPE, "der") + p("next"), "wonder\nshape\nnext\n"),
    (SHAPE + p("next"), "shape\nnext\n"),
    (FORMS + p("won", CONTROLS, "der"), "wonder\ntyped\nagree\ntwo\n"),
])  # fmt: skip
def test_notes_and_boxes_follow_their_paragraph_and_deletions_are_left_out(
    path: Path, body: str, text: str
) -> None:
    assert text_of(path, body) == text


def test_headings_have_their_level(path: Path) -> None:
    levels = ["1", "3", "10", "", "0", "-1", "x", "9999", "²"]
    body = "".join(
        f'<text:h text:outline-level="{level}">The {place}. <text:span>title</text:span></text:h>'
        for place, level in enumerate(levels)
    )
    result = blocks_of(Odt(), path, open_document(body + "<text:h/>" + p("text")))
    assert titles(result) == [
        (level, f"The {place}. title") for place, level in enumerate([1, 3, 10, 1, 1, 1, 1, 1, 1])
    ]
    assert joined_text(result).startswith("The 0. title\nThe 1. title\n")
    # Each stands right before its title.
    assert result[1] == "The 0. title\n"


def test_headers_and_footers_of_a_text_come_last(path: Path) -> None:
    margins = (
        f"<style:header>{p('head')}</style:header>"
        f"<style:header-left style:display='false'>{p('off')}</style:header-left>"
        f"<style:footer-first>{p('foot')}</style:footer-first>"
    )
    assert (
        joined_text(blocks_of(Odt(), path, open_document(p("a"), "text", margins)))
        == "a\nhead\nfoot\n"
    )
    sheets = open_document("<table:table/>", "spreadsheet", margins)
    assert joined_text(blocks_of(Odt(), path, sheets)) == "\f"
    assert joined_text(blocks_of(Odt(), path, open_document("", "presentation", margins))) == ""


def frame(role: str, *texts: str) -> str:
    inside = "".join(map(p, texts))
    attribute = f' presentation:class="{role}"' if role else ""
    return f"<draw:frame{attribute}><draw:text-box>{inside}</draw:text-box></draw:frame>"


def test_each_slide_is_a_page_and_its_title_a_heading(path: Path) -> None:
    notes = (
        frame("notes", "say this")
        + frame("page-number", "<text:page-number>1</text:page-number>")
        + frame("header", "no")
    )
    body = (
        f"<draw:page>{frame('', 'before')}{frame('title', 'The', 'bees')}{frame('outline', 'one')}"
        f"<presentation:notes><draw:page-thumbnail/>{notes}</presentation:notes></draw:page>"
        f"<draw:page>{frame('title')}{frame('', 'untitled')}</draw:page>"
    )
    result = blocks_of(Odt(), path, open_document(body, "presentation"))
    assert titles(result) == [(1, "The bees")]
    assert result[0] == "before\n"
    assert joined_text(result) == "before\nThe\nbees\none\nsay this\n\funtitled\n\f"


def cell(*texts: str, kind: str = "table-cell") -> str:
    return f"<table:{kind}>{''.join(map(p, texts))}</table:{kind}>"


def rows(*lines: str) -> str:
    return "".join(f"<table:table-row>{line}</table:table-row>" for line in lines)


def test_each_sheet_is_a_page_and_each_row_a_line(path: Path) -> None:
    inner = f"<table:table table:name='no'>{rows(cell('in'), cell('ner'))}</table:table>"
    note = f"<office:annotation>{p('no')}</office:annotation>"
    first = rows(
        cell("a") + cell() + cell("two", "lines") + cell("b", kind="covered-table-cell"),
        cell(),
        f"<table:table-cell>{note}{p('c <text:tab/> d')}{inner}</table:table-cell>",
    )
    box = f"<table:shapes>{frame('', 'boxed')}</table:shapes>"
    body = (
        f"<table:content-validations><table:help-message>{p('no')}</table:help-message>"
        "</table:content-validations>"
        f'<table:table table:name="One  sheet">{box}{first}</table:table>'
        f'<table:table table:name="Two">{rows(cell("e") + cell("f"))}</table:table>'
    )
    result = blocks_of(Odt(), path, open_document(body, "spreadsheet"))
    assert titles(result) == [(1, "One sheet"), (1, "Two")]
    assert joined_text(result) == "boxed\na\ttwo lines\tb\nc d in ner\n\fe\tf\n\f"


@cases("type_", ["text", "text-template", "text-master", "presentation", "spreadsheet", "graphics"])
def test_files_of_all_kinds_are_recognised(path: Path, type_: str) -> None:
    entries = open_document(p("a"))
    entries["mimetype"] = f"{OPEN}{type_}\n"
    assert recognised(path, packed(entries)) == ["odt"]
    # The type may stand anywhere in the archive.
    assert recognised(path, packed(dict(reversed(entries.items())))) == ["odt"]
    del entries["mimetype"]
    assert recognised(path, packed(entries)) == ["odt"]


@cases("type_", ["base", "chart", "formula", "image", "textile"])
def test_files_of_other_kinds_are_not(path: Path, type_: str) -> None:
    assert recognised(path, packed({**open_document(p("a")), "mimetype": OPEN + type_})) == []


@cases("begin", [b"\xef\xbb\xbf", b"\n", b"<!-- saved -->\n"])
def test_one_xml_file_is_recognised_by_its_first_tag(path: Path, begin: bytes) -> None:
    data = flat(p("a")).encode("utf-8")
    without = data.split(b"?>\n")[1]
    assert recognised(path, data) == ["odt"]
    assert recognised(path, begin + without) == ["odt"]
    for place in (b"<office:", b"</office:", b"xmlns:office="):
        data = data.replace(place, place.replace(b"office", b"o"))
    assert recognised(path, data) == ["odt"]
    assert recognised(path, data.replace(b"<o:document ", b"<o:document-styles ")) == []
    assert recognised(path, b"<document xmlns='urn:x'/>") == []


def test_an_encrypted_file_is_named_as_such(path: Path) -> None:
    entries: dict[str, str | bytes] = dict(open_document(p("a")))
    data = '<manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/>'
    manifest = str(entries["META-INF/manifest.xml"])
    entries["META-INF/manifest.xml"] = manifest.replace(
        "</manifest:manifest>", data + "</manifest:file-entry></manifest:manifest>"
    )
    # Only a part that is not read is encrypted, as a library of macros may be.
    assert joined_text(blocks_of(Odt(), path, entries)) == "a\n"
    entries["content.xml"] = bytes(range(256))
    assert refused(Odt(), path, packed(entries)) == (
        "is encrypted with a password; save it without one"
    )
    whole = {"mimetype": OPEN + "text", "encrypted-package": "\x01"}
    assert "is encrypted with a password" in refused(Odt(), path, packed(whole))


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
