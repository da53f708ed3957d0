"""The rows of a comparison as Digital Forensics XML, which forensic programs exchange.

Source: dfxml.xsd 2.0.0-beta.0 of the DFXML working group, which allows elements of another
namespace at the end of a fileobject.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import file_digest
from typing import Any

from sdtext._version import __version__
from sdtext.formats import NAMESPACE
from sdtext.formats.hardened_xml import closed, element, escaped_text, opened
from sdtext.formats.strict_json import cell_text
from sdtext.search.compare import path_of_row

_NAMESPACE = "http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML"
_VERSION = "2.0.0-beta.0"


def dfxml_lines(
    columns: Sequence[str], rows: Iterable[Mapping[str, Any]], folders: Sequence[str]
) -> Iterator[str]:
    """A fileobject for each path of the rows, in their order, with a `<hit>` for each row.

    What is a file now has its size and SHA-256. Elements of a hit are the other columns.
    Characters that XML excludes are percent-encoded, as in evidence.
    """
    hits: dict[str, list[str]] = {}
    for row in rows:
        hit = hits.setdefault(row["path"], [])
        hit.append(opened("hit", xmlns=NAMESPACE))
        named = ((name, cell_text(row[name])) for name in columns if name != "path")
        hit.extend(element(name, escaped_text(text)) for name, text in named if text)
        hit.append(closed("hit"))
    yield opened("dfxml", xmlns=_NAMESPACE, version=_VERSION)
    yield element("metadata")
    yield opened("creator") + element("program", "sdtext") + element("version", __version__)
    yield closed("creator") + opened("source")
    yield from (element("image_filename", escaped_text(folder)) for folder in folders)
    yield closed("source")
    for path, lines in hits.items():
        yield opened("fileobject") + element("filename", escaped_text(path))
        place = path_of_row(path, folders)
        if os.path.isfile(place):  # noqa: PTH113 (Path.is_file raises for some names)
            with suppress(OSError), open(place, "rb") as file:  # noqa: PTH123 (as above)
                yield element("filesize", str(os.fstat(file.fileno()).st_size))
                yield element("hashdigest", file_digest(file, "sha256").hexdigest(), type="sha256")
        yield from lines
        yield closed("fileobject")
    yield closed("dfxml")
