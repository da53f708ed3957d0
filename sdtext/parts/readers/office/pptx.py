"""Reader of PowerPoint files (PPTX)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from sdtext.errors import counted
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import Archive, opened
from sdtext.model import Problem
from sdtext.parts.readers import Reader
from sdtext.parts.readers.heading_collector import Block
from sdtext.parts.readers.office.ooxml_text import BEGIN, FINISH, Handlers, Story, named, sign
from sdtext.parts.readers.office.package import Kind, elements, link, parsed, related, relations

_KIND = Kind(
    "PowerPoint file",
    "ppt/presentation.xml",
    r"application/vnd\.(openxmlformats-officedocument\.presentationml|ms-powerpoint)"
    r"\.[\w.-]*\bmain\+xml",
)
# ISO/IEC 29500 has two names for each vocabulary: of part 4 (transitional) and part 1 (strict).
_PRESENTATION = (
    "{http://schemas.openxmlformats.org/presentationml/2006/main}",
    "{http://purl.oclc.org/ooxml/presentationml/main}",
)
_DRAWING = (
    "{http://schemas.openxmlformats.org/drawingml/2006/main}",
    "{http://purl.oclc.org/ooxml/drawingml/main}",
)
# What belongs to a slide: the text of its diagrams (SmartArt), and what its speaker notes.
_BESIDE = ("diagramData", "notesSlide")
_TITLES = {"title", "ctrTitle"}
_NUMBER = {"sldNum"}
_ASIDE = {"sldNum", "dt", "ftr", "hdr"}


@dataclass(frozen=True)
class Pptx(Reader):
    r"""The text of a PowerPoint file, a line for each paragraph; each slide is a page.

    Slides, including hidden ones, come in the order of the presentation: shapes and tables in the
    order in which the file lists them, diagrams, then the notes. Headings are the titles of slides.
    Slide numbers, masters, comments and charts are left out.

    >>> from sdtext.io.decompressed_content import Content
    >>> blocks = list(Pptx()(Content("tests/samples/documents/harbour.pptx")))
    >>> blocks[0].title, "".join(block for block in blocks if isinstance(block, str)).count("\f")
    ('The harbour', 2)
    """

    called: ClassVar[str] = _KIND.called
    isolated: ClassVar[bool] = True
    line_paragraphs: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file is a zip archive that seems to hold a presentation."""
        return _KIND.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        with opened(content, self.called) as archive:
            main = _KIND.main(archive)
            parts = {each.id: each.part for each in relations(archive, main)}
            listed = (each for tag, each in elements(archive, main) if tag.endswith("}sldId"))
            slides = dict.fromkeys(map(link, listed))
            for slide in slides:
                if slide in parts:
                    yield from _slide(archive, parts[slide])
                    yield "\f"
            if missing := len(slides.keys() - parts.keys()):
                message = (
                    f"{content.name}: {counted(missing, 'slide')} that it lists cannot be found"
                )
                yield Problem("warning", "partly-read", message)


def _slide(archive: Archive, slide: str) -> Iterator[Block]:
    yield from chain.from_iterable(parsed(archive, slide, _SlideStory(_NUMBER)))
    beside = sorted(related(archive, slide, _BESIDE), key=lambda each: _BESIDE.index(each[0]))
    for _, part in beside:
        yield from chain.from_iterable(parsed(archive, part, _SlideStory(_ASIDE)))


class _SlideStory(Story):
    """Parser target for a slide, its notes or a diagram; `aside` names what is left out."""

    def __init__(self, aside: set[str]) -> None:
        super().__init__(_BEGIN, _FINISH)
        self._aside = aside
        self._depth = 0
        self._shape = 0  # the depth of that which began last

    def start(self, tag: str, attrib: Mapping[str, str]) -> None:
        """A start tag."""
        self._depth += 1
        Story.start(self, tag, attrib)

    def end(self, tag: str) -> None:
        """An end tag."""
        Story.end(self, tag)
        self._depth -= 1

    def begin_shape(self, _: Mapping[str, str]) -> None:
        self._shape = self._depth

    def finish_shape(self) -> None:
        self._shape = 0
        self.text.end_title()

    def begin_placeholder(self, attrib: Mapping[str, str]) -> None:
        """The placeholder of the layout that the shape fills."""
        role = attrib.get("type", "")
        if self._shape and role in self._aside:
            self.left_out = max(1, self._depth - self._shape + 1)
        elif self._shape and role in _TITLES:
            self.text.begin_title(1)

    def begin_field(self, attrib: Mapping[str, str]) -> None:
        if attrib.get("type") == "slidenum":
            self.leave_out()


_BEGIN: Handlers = {
    **BEGIN,
    **named(
        _DRAWING,
        {
            "p": Story.begin_paragraph,
            "t": Story.begin_text,
            "br": sign("\n"),
            "tab": sign("\t"),
            "fld": _SlideStory.begin_field,
            "tabLst": Story.leave_out,  # the places of tabs, not tabs
        },
    ),
    **named(_PRESENTATION, {"sp": _SlideStory.begin_shape, "ph": _SlideStory.begin_placeholder}),
}
_FINISH: Handlers = {
    **FINISH,
    **named(_DRAWING, {"p": Story.finish_paragraph, "t": Story.finish_text}),
    **named(_PRESENTATION, {"sp": _SlideStory.finish_shape}),
}
