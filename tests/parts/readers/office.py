"""Word files made of snippets of WordprocessingML, and what they say, read by a plain reader."""

import re
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.office_open_xml import Docx

LETTER = Path(__file__).parents[2] / "samples" / "documents" / "letter.docx"
_SPACES = {
    "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
    "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
    "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
    "v": "urn:schemas-microsoft-com:vml",
}
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/"
_RELATED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml."
MAIN_TYPE = f"{_TYPE}document.main+xml"


def packed(entries: Mapping[str, str | bytes], method: int = ZIP_DEFLATED) -> bytes:
    """A zip archive of those entries, the same at any time and on any machine."""
    file = BytesIO()
    with ZipFile(file, "w", method) as archive:
        for name, data in entries.items():
            entry = ZipInfo(name)
            # As the formats that have such an entry want it.
            entry.compress_type = ZIP_STORED if name == "mimetype" else method
            archive.writestr(entry, data)
    return file.getvalue()


def story(root: str, inside: str) -> str:
    """A part with text, whose outermost element is `root`."""
    spaces = "".join(f' xmlns:{prefix}="{name}"' for prefix, name in _SPACES.items())
    declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
    return f"{declared}<w:{root}{spaces}>{inside}</w:{root}>"


def relationships(targets: Mapping[str, str]) -> str:
    """The part that says of what kind each target is."""
    rows = "".join(
        f'<Relationship Id="r{count}" Type="{_RELATED}{kind}" Target="{target}"/>'
        for count, (target, kind) in enumerate(targets.items())
    )
    return f'<Relationships xmlns="{_PACKAGE}relationships">{rows}</Relationships>'


def opc(main: str, kind: str) -> dict[str, str]:
    """What every package of Office Open XML begins with, whose main part is of that type."""
    types = f'<Override PartName="/{main}" ContentType="{kind}"/>'
    return {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}content-types">{types}</Types>',
        "_rels/.rels": relationships({main: "officeDocument"}),
    }


def strict(parts: Mapping[str, str]) -> dict[str, str]:
    """The same package in the name spaces of the strict form."""
    transitional = r"http://schemas\.openxmlformats\.org/(\w+ml|officeDocument)/2006"
    return {
        name: re.sub(transitional, r"http://purl.oclc.org/ooxml/\1", part)
        for name, part in parts.items()
    }


def entries(
    body: str, further: Mapping[str, str] | None = None, main: str = "word/document.xml"
) -> dict[str, str]:
    """The parts of a Word file with that body, and with further parts such as "footnotes"."""
    folder, _, name = main.rpartition("/")
    kinds = {kind + ".xml": kind.rstrip("0123456789") for kind in further or {}}
    parts = {
        **opc(main, MAIN_TYPE),
        main: story("document", f"<w:body>{body}</w:body>"),
        f"{folder}/_rels/{name}.rels": relationships(kinds),
    }
    for kind, inside in (further or {}).items():
        root = {"header": "hdr", "footer": "ftr"}.get(kinds[kind + ".xml"], kind)
        parts[f"{folder}/{kind}.xml"] = story(root, inside)
    return parts


def docx(body: str, further: Mapping[str, str] | None = None) -> bytes:
    return packed(entries(body, further))


def paragraph(*runs: str, before: str = "<w:jc w:val='both'/>") -> str:
    """A paragraph with such properties."""
    return f"<w:p><w:pPr>{before}</w:pPr>{''.join(runs)}</w:p>"


def word_style(name: str, *inside: str, kind: str = "paragraph", more: str = "") -> str:
    attributes = f"w:type='{kind}' w:styleId='{name}'{more}"
    return f"<w:style {attributes}>{''.join(inside)}</w:style>"


def run(inside: str) -> str:
    return f"<w:r><w:rPr><w:b/></w:rPr>{inside}</w:r>"


def t(text: str) -> str:
    return run(f"<w:t>{text}</w:t>")


def text_of(path: Path, data: bytes) -> str:
    path.write_bytes(data)
    assert Docx.recognises(Content(path))
    return "".join(block for block in Docx()(Content(path)) if isinstance(block, str))


def plainly(body: str) -> str:
    """What a body says, read from the whole tree: slow and short."""
    return _text_of(ET.fromstring(story("body", body)))  # noqa: S314 (our own)


_SAID = {"tab": "\t", "ptab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_SILENT = {"tabs", "del", "moveFrom", "instrText", "Fallback", "rt", "pPrChange"}


def _text_of(element: ET.Element) -> str:
    name = element.tag.rpartition("}")[2]
    if name in _SILENT:
        return ""
    if name == "t":
        return (element.text or "").replace("\n", " ")
    own = _SAID.get(name, "")
    if name == "br" and "page" in element.attrib.values():
        own = "\f"
    output = own + "".join(map(_text_of, element))
    return output + "\n" if name == "p" else output


def changed(data: bytes, record: bytes, offset: int, value: bytes) -> bytes:
    """The archive with another value at an offset of its last record of that kind."""
    place = data.rindex(record) + offset
    return data[:place] + value + data[place + len(value) :]
