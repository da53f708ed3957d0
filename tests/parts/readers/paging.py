"""What begins pages in OpenDocument and Word files, made of snippets."""

from __future__ import annotations

from tests.parts.readers.office import run

SOFT = "<text:soft-page-break/>"
"""A soft break of OpenDocument."""
HARD = run("<w:br w:type='page'/>")
"""A hard one of Word."""
LAST = run("<w:lastRenderedPageBreak/>")
"""A soft one of Word."""
FORMAT = 'xmlns:fo="urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:1.0"'
STYLES = (
    '<style:style style:name="Breaking" style:family="paragraph"><style:paragraph-properties '
    'fo:break-before="page"/></style:style><style:style style:name="Chapter" '
    'style:family="paragraph" style:parent-style-name="Breaking"/>'
    '<style:style style:name="Wide" style:family="paragraph" style:master-page-name="Landscape"/>'
)
OWN = (
    '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Chapter">'
    '<style:paragraph-properties fo:text-align="end"/></style:style>'
    '<style:style style:name="P2" style:family="paragraph"><style:paragraph-properties '
    'fo:break-after="page"/></style:style>'
    '<style:style style:name="P3" style:family="paragraph" style:parent-style-name="Wide" '
    'style:master-page-name=""/>'
    '<style:style style:name="P4" style:family="paragraph" style:parent-style-name="P4"/>'
    '<style:style style:name="P5" style:family="paragraph" style:parent-style-name="Chapter">'
    '<style:paragraph-properties fo:break-before="auto"/></style:style>'
    '<style:style style:name="P6" style:family="paragraph" style:parent-style-name="Chapter">'
    '<style:paragraph-properties fo:break-after="page"/></style:style>'
    '<style:style style:name="P7" style:family="paragraph" style:parent-style-name="Chapter">'
    '<style:paragraph-properties fo:break-before="page" fo:break-after="page"/></style:style>'
    '<style:style style:name="T1" style:family="table"><style:table-properties '
    'fo:break-before="page"/></style:style>'
    '<style:style style:name="T2" style:family="table"><style:table-properties '
    'fo:break-after="even-page"/></style:style>'
    '<style:style style:name="S1" style:family="text" style:master-page-name="Landscape"/>'
)
LAYOUTS = (
    '<style:page-layout style:name="upright"/><style:page-layout style:name="across">'
    '<style:page-layout-properties fo:page-width="29.7cm" fo:page-height="21cm"/>'
    "</style:page-layout>"
)
MASTERS = (
    '<style:master-page style:name="Standard" style:page-layout-name="upright"/>'
    '<style:master-page style:name="Landscape" style:page-layout-name="across"/>'
)


def section(name: str, inside: str) -> str:
    return f"<office:{name}>{inside}</office:{name}>"


def with_styles(xml: str) -> str:
    """A flat file with the styles of these tests."""
    named = section("styles", STYLES)
    beside = section("automatic-styles", OWN + LAYOUTS) + section("master-styles", MASTERS)
    mime = 'office:mimetype="application/vnd.oasis.opendocument.text" office:version="1.2"'
    masters = "<office:master-styles><style:master-page></style:master-page></office:master-styles>"
    spaced = xml.replace("<office:document ", f"<office:document {mime} {FORMAT} ")
    return spaced.replace(masters, named + beside)


def styled(style: str, *inside: str, tag: str = "p") -> str:
    return f'<text:{tag} text:style-name="{style}">{"".join(inside)}</text:{tag}>'


def table(*cells: str, style: str = "") -> str:
    """A table of one row."""
    row = "".join(f"<table:table-cell>{cell}</table:table-cell>" for cell in cells)
    columns = f'<table:table-column table:number-columns-repeated="{len(cells)}"/>'
    return (
        f'<table:table table:style-name="{style}">{columns}<table:table-row>{row}</table:table-row>'
        "</table:table>"
    )


def word(*pieces: str, before: str = "") -> str:
    """A paragraph with such properties."""
    return f"<w:p><w:pPr>{before}</w:pPr>{''.join(pieces)}</w:p>"
