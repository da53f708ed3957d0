"""Passages as texts: both sides with line numbers, and the words that differ."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from rich.console import Console
from rich.text import Text

from sdtext.model import Evidence, Span
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import (
    SIDES,
    Chapters,
    DocumentTexts,
    ListedPassage,
    title_at,
    titled_chapters,
)
from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE
from sdtext.wording import counted, shown, text_for_terminal

_BREAK = re.compile(r"\r\n?|\n|\f")
_PARAGRAPH = re.compile(r"(?:\r\n?|\n)\s*(?:\r\n?|\n)|\f")
_MARKS = (("[-", "-]", "bold red"), ("{+", "+}", "bold green"), ("[~", "~]", "blue"))
"""How words are marked that differ, on each side, and moved ones: before, behind, as a style."""
Marks = Sequence[tuple[Span, bool]]
_ROWS, _GUTTER = 8, 9  # rows at each end of a passage; columns before the text
_NARROWEST, _WIDEST = 20, 120
_GAP = "     …  (--all prints the whole text)"


def print_passages(
    listed: Iterable[ListedPassage], evidence: Evidence, *, whole: bool = False
) -> Iterator[str]:
    """The passages for people, a block of lines for each, numbered from 1.

    Words that differ are coloured on a terminal that has colours, otherwise marked `[-…-]` on the
    left and `{+…+}` on the right, those that moved `[~…~]`. Long passages are shortened in the
    middle unless `whole`.
    """
    console = Console(highlight=False)
    if console.no_color:  # nor any other style
        console = Console(highlight=False, color_system=None)
    printer = _Printer(console, DocumentTexts(evidence), titled_chapters(evidence), whole)
    pair: list[str] = []
    for number, item in enumerate(listed, 1):
        before, pair = pair, [item.row[side] for side in SIDES]
        with console.capture() as captured:
            for row in printer.block(number, item, has_pair=None not in pair and pair != before):
                console.print(row, soft_wrap=True)
        yield captured.get()


@dataclass(frozen=True)
class _Printer:
    """Makes the rows of passages, in colours if the console has colours, else with marks."""

    console: Console
    texts: DocumentTexts
    chapters: Chapters
    whole: bool

    def block(self, number: int, listed: ListedPassage, *, has_pair: bool) -> Iterator[Text]:
        """All lines of a passage, below those of its pair if `has_pair`."""
        row = listed.row
        if has_pair:
            left, right = (percent(row[f"{side}_share"]) for side in SIDES)
            shares = f"{left} of the words of the first, {right} of those of the second"
            pair = f"{shown(row['left'])} and {shown(row['right'])}\n"
            yield Text(f"{pair}shared passages have {shares}\n", "bold")
        yield Text(f"{number}. {_title(row)}", "bold")
        previous = ""
        for side, (document, span) in enumerate(listed.sides):
            edits = [
                (getattr(edit, SIDES[side]), edit.kind == "moved")
                for edit in (listed.passage.edits if listed.passage else ())
            ]
            edits.sort(key=lambda mark: mark[0].start)
            yield Text(self._heading(listed, side))
            words = " ".join(self.texts.documents[document].text[span.start : span.end].split())
            if words and words == previous:
                yield Text(f"{'':{_GUTTER}}the same text")
            elif words:
                yield from self._side(side, document, span, edits)
            previous = words
        yield Text()

    def _heading(self, listed: ListedPassage, side: int) -> str:
        """The file and the line of a side, and its words; where there is no text, its place."""
        document, span = listed.sides[side]
        name = shown(listed.row[SIDES[side]])
        chapter = shown(title_at(self.chapters, document, span.start)[:100])
        beside = f", {chapter}" if chapter else ""
        every = self.texts.words(document, [span])
        spans = listed.passage.corresponding[side] if listed.passage else [span]
        words = self.texts.words(document, spans)
        if every and words is not None:
            of_all = f"{words:,} of " if words < every else ""  # without its gaps
            beside += f"  {of_all}{counted(every, 'word')}"
        if self.texts.documents[document].text:
            return f"{name}:{self.texts.line(document, span.start)}{beside}"
        place = f"no text; {span.end - span.start:,} characters at offset {span.start}"
        return f"{name}{beside}  ({place})"

    def _side(self, side: int, document: int, span: Span, edits: Marks) -> Iterator[Text]:
        """The text of one side, whole or shortened to the rows at its ends."""
        width = max(_NARROWEST, min(self.console.width, _WIDEST) - _GUTTER)
        text = self.texts.documents[document].text
        most = _ROWS * width  # characters; a row has fewer
        if self.whole or span.end - span.start <= 2 * most:
            head = tail = [*self._rows(side, document, span, edits, width)]
            if self.whole or len(head) <= 2 * _ROWS + 1:
                yield from head
                return
        else:
            ends = (
                Span(span.start, _cut(text, span.start + most)),
                Span(_cut(text, span.end - most), span.end),
            )
            head, tail = ([*self._rows(side, document, end, edits, width)] for end in ends)
        yield from (*head[:_ROWS], Text(_GAP), *tail[-_ROWS:])

    def _rows(
        self, side: int, document: int, span: Span, edits: Marks, width: int
    ) -> Iterator[Text]:
        """The lines of a span, or its paragraphs where a line is too long, with line numbers."""
        text = self.texts.documents[document].text
        lines = _BREAK.split(text[span.start : span.end])
        separator = _PARAGRAPH if max(map(len, lines)) > width else _BREAK
        breaks = [end.end() for end in separator.finditer(text, span.start, span.end)]
        for start, next_start in pairwise([span.start, *breaks, span.end]):
            end = place = start
            end += len(text[start:next_start].rstrip())
            line = Text()
            for edit, is_moved in edits[bisect_right(edits, start, key=lambda edit: edit[0].end) :]:
                if edit.start >= end:
                    break
                first, last = max(edit.start, place), min(edit.end, end)
                line.append(_escaped(text[place:first]))
                before, behind, style = _MARKS[2 if is_moved else side]
                words = _escaped(text[first:last])
                is_coloured = self.console.color_system or not words.strip()
                line.append(words if is_coloured else before + words + behind, style)
                place = last
            line.append(_escaped(text[place:end]))
            number = str(self.texts.line(document, start))
            for row in line.wrap(self.console, width, overflow="fold") if end > start else ():
                row.rstrip()
                yield Text.assemble((f"{number:>{_GUTTER - 4}} │ ", "dim"), row)
                number = ""


def _title(row: Mapping[str, Any]) -> str:
    """What is known of a passage beside its texts."""
    reason = f"; does not count: {shown(row['excluded'])}" if row["excluded"] else ""
    if row["documents"]:
        reason = " and does not count" if row["excluded"] == BOILERPLATE else reason
        return f"stands in {row['documents']:,} documents{reason}"
    if row["score"] is None:
        return f"no passage; similarity of the metadata {row['metadata']}"
    verbatim = "" if row["verbatim"] is None else f", verbatim {row['verbatim']}"
    weak = ", weak" if row["weak"] else ""
    return f"score {row['score']}{verbatim}{weak}{reason}"


def _escaped(text: str) -> str:
    """A text on one line that controls no terminal."""
    return text_for_terminal(" ".join(_BREAK.split(text)).expandtabs(4))


def _cut(text: str, place: int) -> int:
    """The beginning of a word near a place, if there is one."""
    return text.find(" ", place, place + 40) + 1 or place
