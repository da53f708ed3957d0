"""OpenDocument files, presentations, workbooks and books made of snippets, and what they say."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Heading, Problem, QuotationMark
from sdtext.parts.registry import PARTS, find
from tests.parts.readers.office import opc, packed, relationships

OPEN = "application/vnd.oasis.opendocument."
_OPEN_NAMES = {
    **{name: name for name in ("office", "style", "text", "table", "presentation", "form")},
    "draw": "drawing", "svg": "svg-compatible", "fo": "xsl-fo-compatible",
}  # fmt: skip
_OFFICE = "http://schemas.openxmlformats.org/"
_TYPES = "application/vnd.openxmlformats-officedocument."
DOCUMENTS = Path(__file__).parents[2] / "samples" / "documents"
# What `blocks_of` yields.
Blocks = list[Any]


def open_document(
    body: str,
    kind: str = "text",
    margins: str = "",
    *,
    common: str = "",
    own: str = "",
    others: str = "",
) -> dict[str, str]:
    """The entries of an OpenDocument file with that body, and with such headers and footers.

    `common` styles have names, those of the body are its `own`, and headers have `others`.
    """
    entry = f'<manifest:file-entry manifest:media-type="{OPEN}{kind}" manifest:full-path="/"/>'
    space = "urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"
    styles = _section("styles", common) + _section("automatic-styles", others)
    return {
        "mimetype": OPEN + kind,
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{space}">{entry}'
        "</manifest:manifest>",
        "content.xml": _open_xml(
            "document-content", _section("automatic-styles", own) + _body(body, kind)
        ),
        "styles.xml": _open_xml("document-styles", styles + _master(margins)),
    }


def flat(
    body: str, kind: str = "text", margins: str = "", *, common: str = "", own: str = ""
) -> str:
    styles = _section("styles", common) + _section("automatic-styles", own)
    return _open_xml("document", styles + _master(margins) + _body(body, kind))


def _open_xml(root: str, inside: str) -> str:
    space = "urn:oasis:names:tc:opendocument:xmlns:{}:1.0".format
    spaces = "".join(f' xmlns:{prefix}="{space(name)}"' for prefix, name in _OPEN_NAMES.items())
    spaces += ' xmlns:loext="urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0"'
    head = f"<office:{root}{spaces}>"
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}{inside}</office:{root}>'


def _section(name: str, styles: str) -> str:
    return f"<office:{name}>{styles}</office:{name}>" if styles else ""


def _body(body: str, kind: str) -> str:
    return f"<office:body><office:{kind}>{body}</office:{kind}></office:body>"


def _master(margins: str) -> str:
    page = f"<style:master-page>{margins}</style:master-page>"
    return f"<office:master-styles>{page}</office:master-styles>"


def style(name: str, inside: str, family: str = "text", parent: str = "", more: str = "") -> str:
    """A style of OpenDocument, `more` of whose attributes may be named."""
    inherits = f' style:parent-style-name="{parent}"' if parent else ""
    head = f'style:style style:name="{name}" style:family="{family}"{inherits}{more}'
    return f"<{head}>{inside}</style:style>"


def p(*inside: str) -> str:
    return f"<text:p>{''.join(inside)}</text:p>"


def slide(*shapes: str) -> str:
    spaces = f'xmlns:p="{_OFFICE}presentationml/2006/main" xmlns:a="{_OFFICE}drawingml/2006/main"'
    spaces += f' xmlns:m="{_OFFICE}officeDocument/2006/math"'
    spaces += f' xmlns:mc="{_OFFICE}markup-compatibility/2006"'
    return f"<p:sld {spaces}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:sld>"


def shape(*paragraphs: str, place: str = "") -> str:
    """A shape with a paragraph for each text, in a place of the layout if one is named."""
    role = f"<p:nvSpPr><p:nvPr><p:ph type='{place}'/></p:nvPr></p:nvSpPr>" if place else ""
    texts = "".join(f"<a:p><a:r><a:t>{text}</a:t></a:r></a:p>" for text in paragraphs)
    return f"<p:sp>{role}<p:txBody>{texts}</p:txBody></p:sp>"


def presentation(slides: Sequence[str], beside: Mapping[str, str] | None = None) -> dict[str, str]:
    """The entries of a PowerPoint file with those slides, in an order that is not their names'.

    `beside` has parts of the first slide by their kind, as "notesSlide".
    """
    names = [f"slides/slide{len(slides) - place}.xml" for place in range(len(slides))]
    # Beside the slides, what they refer to has keys as well: r0, r1, …
    keys = {name: key for key, name in enumerate(sorted(names))}
    listed = "".join(
        f'<p:sldId id="{300 - key}" r:id="r{key}"/>' for key in (keys[name] for name in names)
    )
    spaces = f'xmlns:p="{_OFFICE}presentationml/2006/main" xmlns:r="{_OFFICE}officeDocument/2006/'
    parts = {
        **opc("ppt/presentation.xml", f"{_TYPES}presentationml.presentation.main+xml"),
        "ppt/presentation.xml": f'<p:presentation {spaces}relationships"><p:sldIdLst>{listed}'
        "</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relationships(dict.fromkeys(sorted(names), "slide")),
        **{f"ppt/{name}": text for name, text in zip(names, slides, strict=True)},
    }
    if beside:
        folder, _, first = names[0].rpartition("/")
        targets = {f"../beside/{kind}.xml": kind for kind in beside}
        parts[f"ppt/{folder}/_rels/{first}.rels"] = relationships(targets)
        parts.update({f"ppt/beside/{kind}.xml": text for kind, text in beside.items()})
    return parts


def workbook(sheets: Mapping[str, str], strings: Sequence[str] = ()) -> dict[str, str]:
    """The entries of an Excel workbook: rows by the name of the sheet, and the shared strings."""
    space = f'xmlns="{_OFFICE}spreadsheetml/2006/main"'
    links = f'xmlns:r="{_OFFICE}officeDocument/2006/relationships"'
    targets = {f"sheet{len(sheets) - place}.xml": name for place, name in enumerate(sheets)}
    kinds = {**dict.fromkeys(targets, "worksheet"), "strings.xml": "sharedStrings"}
    listed = "".join(
        f'<sheet name="{name}" sheetId="{9 - key}" r:id="r{key}"/>'
        for key, name in enumerate(targets.values())
    )
    shared = "".join(f"<si>{text}</si>" for text in strings)
    return {
        **opc("xl/workbook.xml", f"{_TYPES}spreadsheetml.sheet.main+xml"),
        "xl/workbook.xml": f"<workbook {space} {links}><sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relationships(kinds),
        "xl/strings.xml": f"<sst {space}>{shared}</sst>",
        **{
            f"xl/{target}": f"<worksheet {space}><sheetData>{sheets[name]}</sheetData></worksheet>"
            for target, name in targets.items()
        },
    }


def row(*cells: str) -> str:
    inside = "".join(f'<c t="inlineStr"><is><t>{text}</t></is></c>' for text in cells)
    return f"<row>{inside}</row>"


def book(pages: Mapping[str, str], order: Iterable[str] | None = None) -> dict[str, str]:
    """The entries of an EPUB book with those pages by name, read in that order of names."""
    items = "".join(
        f'<item id="i{place}" href="{name}" media-type="application/xhtml+xml"/>'
        for place, name in enumerate(pages)
    )
    places = {name: place for place, name in enumerate(pages)}
    spine = "".join(f'<itemref idref="i{places.get(name, name)}"/>' for name in order or pages)
    container = "urn:oasis:names:tc:opendocument:xmlns:container"
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": f'<container xmlns="{container}"><rootfiles><rootfile full-path='
        '"OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "OEBPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}'
        f"</manifest><spine>{spine}</spine></package>",
        **{f"OEBPS/{name}": page(inside) for name, inside in pages.items()},
    }


def page(inside: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
        '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd">\n<html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head><title>none</title><style>p</style></head><body>{inside}</body></html>"
    )


def recognised(path: Path, data: bytes) -> list[str]:
    """The names of the readers of office files that take the file for theirs."""
    path.write_bytes(data)
    names = [name for name in PARTS["readers"] if name in ("docx", "odt", "pptx", "xlsx", "epub")]
    return [name for name in names if find("readers", name).recognises(Content(path))]


def blocks_of(reader: Any, path: Path, entries: Mapping[str, str | bytes]) -> Blocks:
    """What the reader, which recognises the file, yields: each stretch of text as a whole."""
    path.write_bytes(packed(entries))
    return blocks_at(reader, path)


def blocks_at(reader: Any, path: Path) -> Blocks:
    """The same of a file that is there."""
    assert reader.recognises(Content(path))
    return gathered(reader, path)


def gathered(reader: Any, path: Path) -> Blocks:
    """The same, whether or not the reader recognises the file."""
    result: Blocks = []
    for block in reader(Content(path)):
        assert isinstance(block, str | Heading | QuotationMark | Problem)
        if isinstance(block, str) and result and isinstance(result[-1], str):
            result[-1] += block
        else:
            result.append(block)
    return result


def joined_text(blocks: Blocks) -> str:
    return "".join(block for block in blocks if isinstance(block, str))


def titles(blocks: Blocks) -> list[tuple[int, str]]:
    return [(block.level, block.title) for block in blocks if isinstance(block, Heading)]


def refused(reader: Any, path: Path, data: bytes) -> str:
    """Why the file, which is recognised, is refused: one printable line that names it."""
    path.write_bytes(data)
    assert reader.recognises(Content(path))
    with pytest.raises(UnreadableError) as caught:
        list(reader(Content(path)))
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert message.isprintable()
    return message.removeprefix(f"{path}: ")
