"""A report as one HTML file: its templates, its content security policy, its provenance."""

import json
import os
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import file_digest, sha256
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sdtext._version import __version__
from sdtext.formats.strict_json import json_text
from sdtext.io.output import written
from sdtext.model import Examined, Problem
from sdtext.reading.archive_members import MARK
from sdtext.reading.overwrite_guard import Output, OutputKind
from sdtext.reports.charts import level_of, short
from sdtext.reports.problem_kinds import kinds_of
from sdtext.reports.readable_values import percent
from sdtext.wording import counted, printable

_TEMPLATES = Path(__file__).parent / "templates"
_SEPARATED = re.compile(r"[^-_./]*[-_./]|[^-_./]+")
_GENERATOR = b'<meta name="generator" content="sdtext '
_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; "
    "img-src data:; base-uri 'none'; form-action 'none'"
)

HTML_REPORT = OutputKind("an HTML report of sdtext", lambda head: _GENERATOR in head)
_PART = "#"  # of a container: file.xml#GUID
OF_CONTENT = "BLAKE2b of the content"
"""The digest of what is no file."""


class InputDigest(NamedTuple):
    """An input: its name, its digest, what it was read as, the number of documents in it."""

    name: str
    digest: str
    role: str = ""
    documents: int = 1


@dataclass(frozen=True)
class PageProvenance:
    """How a report came about: what ran, when, with which parameters, on which inputs.

    `created` is a UTC time in ISO 8601, `excluded` what was left out of the shares.
    """

    command: str = ""
    created: str = ""
    parameters: Sequence[tuple[str, str]] = ()
    inputs: Sequence[InputDigest] = ()
    excluded: Sequence[str] = ()


@dataclass(frozen=True)
class ReportPage:
    """A page: its template, which extends `base.html`, and what the template shows.

    `styles` and `scripts` name files that follow `base.css` and `base.js`. The values of `data` are
    escaped, except for `Markup`; `embedded` is what the scripts find as JSON in `#data`.
    """

    template: str
    title: str
    data: dict[str, Any]
    provenance: PageProvenance = PageProvenance()
    problems: Sequence[Problem] = ()
    styles: Sequence[str] = ()
    scripts: Sequence[str] = ()
    embedded: dict[str, Any] = field(default_factory=dict)


def rendered(page: ReportPage) -> str:
    """The HTML of a page; names and texts of strangers are escaped."""
    style = "\n" + "".join(map(_file_of_package, ["base.css", *page.styles]))
    scripts = map(_file_of_package, ["base.js", *page.scripts])
    script = "\n" + "".join(scripts) + 'byId("old").remove();\n'  # nothing before it failed
    style_digest, script_digest = (
        b64encode(sha256(text.encode("utf-8")).digest()).decode("ascii") for text in (style, script)
    )
    values = {
        "title": printable(page.title),
        "problems": page.problems,
        "provenance": page.provenance,
        "embedded": {**page.embedded, "words": json.loads(_file_of_package("words.json"))},
        "version": __version__,
        "style": Markup(style),  # noqa: S704 (a file of this package)
        "script": Markup(script),  # noqa: S704 (as above)
        "policy": _POLICY.format(style=style_digest, script=script_digest),
    }
    return templates().get_template(page.template).render({**page.data, **values})


def write_page(output: Output, page: ReportPage) -> None:
    """Write a page to its file. Raises OutputError."""
    with written(output.path, output.check_replaced) as file:
        file.write(rendered(page).encode("utf-8", "replace"))


@cache
def templates() -> Environment:
    """The templates of pages and charts."""
    environment = Environment(
        loader=PackageLoader("sdtext.reports.html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "counted": counted,
        "kinds": kinds_of,
        "level": lambda share: level_of(min(99, int(100 * share))),
        "name": lambda name: Markup("<wbr>").join(_SEPARATED.findall(printable(name))),
        "percent": percent,
        "printable": printable,
        "short": short,
        "thousands": "{:,}".format,
    }
    environment.policies["json.dumps_function"] = json_text
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":")}
    return environment


@cache
def _file_of_package(name: str) -> str:
    return (_TEMPLATES / name).read_text("utf-8")


def digests_of(paths: Iterable[str | Path], role: str) -> Iterator[InputDigest]:
    """The digest of each file, once; of documents in an archive that of the archive.

    What is no file on the disk, such as the standard input, is left out.

    >>> _ = (folder / "a.txt").write_text("abc")
    >>> [item.digest[:8] for item in digests_of([folder / "a.txt", "-"], "document")]
    ['ba7816bf']
    """
    documents = Counter(filter(None, map(_file, dict.fromkeys(paths))))
    for path, number in documents.items():
        with suppress(OSError), open(path, "rb") as file:  # noqa: PTH123 (kept as it is named)
            yield InputDigest(path, file_digest(file, "sha256").hexdigest(), role, number)


def digests_of_inputs(
    inputs: Sequence[str], documents: Iterable[str], role: str
) -> Iterator[InputDigest]:
    """The digests of the inputs that are files, and of the documents in those that are folders.

    Other documents are records: a file that happens to have the name of one is not read.
    """
    folders = tuple(os.path.join(path, "") for path in inputs if os.path.isdir(path))  # noqa: PTH118, PTH112
    return digests_of([*inputs, *(name for name in documents if name.startswith(folders))], role)


def digests_of_examined(documents: Sequence[Examined], role: str) -> Iterator[InputDigest]:
    """The digests of the files of documents; of records and of texts in memory their own."""
    yield from digests_of((document.name for document in documents), role)
    for document in documents:
        if document.digest and not _file(document.name):
            yield InputDigest(document.name, document.digest, f"{role} ({OF_CONTENT})")


def _file(path: str | Path) -> str | None:
    """The file on the disk that holds the document at `path`."""
    text = str(path)
    places = (text, text.split(MARK, maxsplit=1)[0], text.rpartition(_PART)[0])
    return next((place for place in places if os.path.isfile(place)), None)  # noqa: PTH113 (raises nothing)
