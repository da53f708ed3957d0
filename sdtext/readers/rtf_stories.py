"""The texts that one RTF file holds: each gathered line by line, then told one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from sdtext.model import Heading
from sdtext.readers.encoding import paired
from sdtext.readers.titled import MAX_TITLE


@dataclass
class _Story:
    """Lines that have ended, and pieces of the one that has not."""

    lines: list[str | Heading] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    def end_line(self, level: int = 0) -> None:
        """End the line, that of a heading if there is a level."""
        line = paired("".join(self.pieces))
        self.pieces.clear()
        if level and line.strip() and len(line) <= MAX_TITLE:
            self.lines.append(Heading(level, " ".join(line.split())))
        self.lines.append(line + "\n")


class Stories:
    """The texts of a file: its body, boxes, notes and margins, and the names of its styles."""

    def __init__(self) -> None:
        self._all = {name: _Story() for name in ("body", "box", "note", "margin", "style")}
        self._margins: dict[str, None] = {}

    def add(self, story: str, text: str) -> None:
        """Go on with a line."""
        self._all[story].pieces.append(text)

    def end_line(self, story: str, level: int = 0) -> None:
        """End a line; what stands in boxes beside one of the body follows it."""
        self._all[story].end_line(level)
        if story == "body":
            boxes = self._all["box"]
            self._all["body"].lines += boxes.lines
            boxes.lines.clear()

    def end_begun(self, story: str, level: int = 0) -> None:
        """End a line if there is anything in it."""
        if self._all[story].pieces:
            self.end_line(story, level)

    def end(self, story: str) -> None:
        """End one of the texts of a kind."""
        self.end_begun(story)
        if story == "margin":  # it may be said again for each part of a document
            lines = self._all[story].lines
            self._margins["".join(line for line in lines if isinstance(line, str))] = None
            lines.clear()

    def style_name(self) -> str:
        """The text in the table of styles since the last call: the name of one."""
        style = self._all["style"]
        name = "".join(style.pieces)
        style.pieces.clear()
        return name

    def blocks(self) -> Iterator[str | Heading]:
        """All texts, one behind the other."""
        for story in self._all:
            self.end(story)
        yield from self._all["body"].lines
        yield from self._all["box"].lines
        yield from self._all["note"].lines
        yield from filter(None, self._margins)
