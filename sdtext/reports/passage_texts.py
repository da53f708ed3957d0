"""Passages as texts: both sides with line numbers, context, and the words that differ."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from unicodedata import east_asian_width

from sdtext.model import Evidence, Span
from sdtext.reports.readable_values import percent
from sdtext.reports.reuse_report import ChapterTitles, ListedPassage, extent
from sdtext.reuse.mark_boilerplate_passages import BOILERPLATE
from sdtext.wording import counted, shown, text_for_terminal

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

TEXT_COLUMNS = ("left_line", "left_text", "right_line", "right_text", "edits")
"""The columns that a row has beside its others where texts are asked for."""

_LINE_END = re.compile(r"\r\n?|\n")
_BREAK = re.compile(r"\r\n?|\n|\f")
_MARKS = (("[-", "-]", "bold red"), ("{+", "+}", "bold green"))
"""How words that differ are marked on each side: before them, behind them, as a style."""
_WORD = re.compile(r"\S|\Z")
_SIDES = ("left", "right")
_ROWS, _GUTTER = 8, 9  # rows at each end of a passage; columns before the text
_NARROWEST, _WIDEST = 20, 120
_FEW_LONG = 20  # lines for each that is too long: it is wrapped alone
_GAP = "     …  (--all prints the whole text)"


class DocumentTexts:
    """The texts of the documents of evidence, with their lines."""

    def __init__(self, evidence: Evidence) -> None:
        self._documents = evidence.documents
        self._line_starts: dict[int, list[int]] = {}

    def __getitem__(self, document: int) -> str:
        """The text of a document, "" where it could not be had."""
        return self._documents[document].text

    def line(self, document: int, offset: int) -> int:
        r"""The number of the line at an offset, from 1; lines end as editors end them.

        >>> from sdtext.model import Examined
        >>> texts = DocumentTexts(Evidence((Examined("a", 2, text="one\r\ntwo"),), (), ()))
        >>> texts.line(0, 4), texts.line(0, 5)
        (1, 2)
        """
        if document not in self._line_starts:
            ends = _LINE_END.finditer(self[document])
            self._line_starts[document] = [0, *(end.end() for end in ends)]
        return bisect_right(self._line_starts[document], offset)

    def words(self, document: int, spans: Sequence[Span]) -> int | None:
        """The number of words in the spans of a document, None where they are not known."""
        counts = self._documents[document].word_counts
        numbers = [counts.within(span) for span in spans] if counts else [None]
        known = [number for number in numbers if number is not None]
        return sum(known) if len(known) == len(numbers) else None

    def fields(self, listed: ListedPassage) -> dict[str, Any]:
        """What a row has in `TEXT_COLUMNS`: None where there is no text."""
        values: dict[str, Any] = dict.fromkeys(TEXT_COLUMNS)
        for name, (document, span, _) in zip(_SIDES, listed.sides, strict=False):
            if text := self[document]:
                values[f"{name}_line"] = self.line(document, span.start)
                values[f"{name}_text"] = text[span.start : span.end]
        if listed.passage:
            values["edits"] = [
                {"kind": edit.kind, **extent(edit.left, "left_"), **extent(edit.right, "right_")}
                for edit in listed.passage.edits
            ]
        return values


def print_passages(
    listed: Iterable[ListedPassage], evidence: Evidence, *, whole: bool = False
) -> Iterator[str]:
    """The passages for people, a block of lines for each, numbered from 1.

    The first of a pair has the documents above it, with the share of each that is in the other.
    Words that differ are coloured on a terminal that has colours, otherwise marked `[-…-]` on the
    left and `{+…+}` on the right. Long passages are shortened in the middle unless `whole`.
    """
    from rich.console import Console

    console = Console(highlight=False)
    coloured = bool(console.color_system) and not console.no_color
    chapters = ChapterTitles(evidence)
    printer = _Printer(console, DocumentTexts(evidence), chapters, whole, coloured)
    pair: tuple[int, int | None] | None = None
    for number, item in enumerate(listed, 1):
        is_first, pair = pair != (item.left, item.right), (item.left, item.right)
        yield printer.block(number, item, has_pair=is_first and item.right is not None)


class _Line(NamedTuple):
    """A part of one line of a text: its number, 0 if it has begun before, and its pieces.

    Of each piece it is known whether the other side differs there.
    """

    number: int
    pieces: Sequence[tuple[str, bool]]


def _lines(text: str, span: Span, edits: Sequence[Span], first: int) -> Iterator[_Line]:
    """The lines in a span, the first of which has the number `first`; blank ones are left out."""
    number, start = first, span.start
    for end in _BREAK.finditer(text, span.start, span.end):
        if pieces := list(_pieces(text, Span(start, end.start()), edits)):
            yield _Line(number, pieces)
        number += end[0] != "\f"  # which no editor takes for the end of a line
        start = end.end()
    if pieces := list(_pieces(text, Span(start, span.end), edits)):
        yield _Line(number, pieces)


def _paragraphs(lines: Sequence[_Line], width: int) -> Iterator[Sequence[_Line]]:
    """Lines that are printed as one: each alone if nearly all fit the width, otherwise paragraphs.

    A line goes on in the next one if it is at least half as long as the longest, and the next one
    follows at once and is not indented.
    """
    from rich.cells import cell_len

    texts = ["".join(piece for piece, _ in line.pieces) for line in lines]
    lengths = list(map(cell_len, texts))
    longest = max(lengths, default=0)
    fits = _FEW_LONG * sum(length > width for length in lengths) <= len(lengths)
    begin = 0
    for place in range(1, len(lines) + 1):
        goes_on = (
            place < len(lines)
            and not fits
            and 2 * lengths[place - 1] >= longest
            and lines[place].number == lines[place - 1].number + 1
            and not texts[place][0].isspace()
        )
        if not goes_on:
            yield lines[begin:place]
            begin = place


def _pieces(text: str, line: Span, edits: Sequence[Span]) -> Iterator[tuple[str, bool]]:
    """The pieces of a line, alternately equal and different; none of a blank line."""
    if not (content := text[line.start : line.end].rstrip()):
        return
    place, line = line.start, Span(line.start, line.start + len(content))
    for edit in edits[bisect_right(edits, line.start, key=lambda edit: edit.end) :]:
        start, end = max(edit.start, place), min(edit.end, line.end)
        if start >= line.end:
            break
        if start < end:
            yield text[place:start], False
            yield text[start:end], True
            place = end
    yield text[place : line.end], False


@dataclass(frozen=True)
class _Printer:
    """Prints passages on a console; in colours if `coloured`, else with marks."""

    console: Console
    texts: DocumentTexts
    chapters: ChapterTitles
    whole: bool
    coloured: bool

    @property
    def width(self) -> int:
        """The width of the text."""
        return max(_NARROWEST, min(self.console.width, _WIDEST) - _GUTTER)

    def block(self, number: int, listed: ListedPassage, *, has_pair: bool) -> str:
        """All lines of a passage, below those of its pair if `has_pair`."""
        row = listed.row
        with self.console.capture() as captured:
            if has_pair:
                left, right = (percent(row[f"{side}_share"]) for side in _SIDES)
                self._print(
                    f"{shown(row['left'])} and {shown(row['right'])}\nshared passages have {left} "
                    f"of the words of the first, {right} of those of the second\n",
                    "bold",
                )
            self._print(f"{number}. {_title(row)}", "bold")
            previous = ""
            for side, (document, span, edits) in enumerate(listed.sides):
                self._print(self._heading(listed, side))
                words = " ".join(self.texts[document][span.start : span.end].split())
                if words and words == previous:
                    self._print(f"{'':{_GUTTER}}the same text")
                elif words:
                    for line in self._side(side, document, span, edits):
                        self._print(line)
                previous = words
            self._print("")
        return captured.get()

    def _print(self, row: str | Text, style: str = "") -> None:
        from rich.text import Text

        text = Text(row, style if self.coloured else "") if isinstance(row, str) else row
        self.console.print(text, soft_wrap=True)

    def _heading(self, listed: ListedPassage, side: int) -> str:
        """The file and the line of a side, and its words; where there is no text, its place.

        Without its gaps a side has fewer words, of all that are printed.
        """
        document, span, _ = listed.sides[side]
        name = shown(listed.row[_SIDES[side]])
        chapter = shown(self.chapters.at(document, span.start)[:100])
        beside = f", {chapter}" if chapter else ""
        every = self.texts.words(document, [span])
        words = self.texts.words(document, listed.corresponding[side])
        if every is not None and words is not None:
            of_all = f"{words:,} of " if words < every else ""
            beside += f"  {of_all}{counted(every, 'word')}"
        if self.texts[document]:
            return f"{name}:{self.texts.line(document, span.start)}{beside}"
        place = f"no text; {span.end - span.start:,} characters at offset {span.start}"
        return f"{name}{beside}  ({place})"

    def _side(self, side: int, document: int, span: Span, edits: Sequence[Span]) -> Iterator[Text]:
        """The text of one side, with a row of context before and behind it.

        It is whole, or shortened to the rows at its ends.
        """
        from rich.text import Text

        text, most = self.texts[document], _ROWS * self.width  # characters; a row has fewer
        before = _BREAK.split(text[max(0, span.start - self.width) : span.start])
        if len(before) == 1:  # cut within a word
            before[-1] = before[-1].partition(" ")[2]
        yield from self._context(document, span.start, before[-1])
        if self.whole or span.end - span.start <= 2 * most:
            rows = list(self._rows(document, span, edits, side))
            head, tail = (rows, []) if self.whole or len(rows) <= 2 * _ROWS + 1 else (rows, rows)
        else:
            head_end, tail_start = _cut(text, span.start + most), _cut(text, span.end - most)
            head = list(self._rows(document, Span(span.start, head_end), edits, side))
            tail = list(self._rows(document, Span(tail_start, span.end), edits, side))
        yield from head[:_ROWS] if tail else head
        if tail:
            yield from [Text(_GAP), *tail[-_ROWS:]]
        after = _BREAK.split(text[span.end : span.end + self.width])
        yield from self._context(document, span.end, after[0])

    def _context(self, document: int, place: int, text: str) -> Iterator[Text]:
        """A row of context, if it has words."""
        from rich.text import Text

        if any(map(str.isalnum, text)):
            number = f"{self.texts.line(document, place):>{_GUTTER - 4}}"
            style = "dim" if self.coloured else ""
            row = Text(f"{number}   {_escaped(text.strip())}", style)
            row.truncate(self.width + _GUTTER)
            yield row

    def _rows(self, document: int, span: Span, edits: Sequence[Span], side: int) -> Iterator[Text]:
        """The lines of a span, wrapped; rows begin with the number of the line they begin in."""
        from rich.text import Text

        text, first = self.texts[document], self.texts.line(document, span.start)
        printed = 0
        for lines in _paragraphs(list(_lines(text, span, edits, first)), self.width):
            content, starts = _joined([self._marked(line, side) for line in lines])
            plain, begin = content.plain, 0
            for row in content.wrap(self.console, self.width, overflow="fold"):
                row.rstrip()
                line = lines[bisect_right(starts, begin) - 1].number
                number = line if line != printed else ""
                gutter = Text(f"{number:>{_GUTTER - 4}} │ ", "dim" if self.coloured else "")
                yield Text.assemble(gutter, row)
                printed = line
                word = _WORD.search(plain, begin + len(row))
                begin = word.start() if word else len(plain)

    def _marked(self, line: _Line, side: int) -> Text:
        """A line in which words that differ are marked."""
        from rich.text import Text

        before, behind, style = _MARKS[side]
        content = Text()
        for piece, differs in line.pieces:
            if not differs or not piece.strip():
                content.append(_escaped(piece))
            elif self.coloured:
                content.append(_escaped(piece), style)
            else:
                content.append(f"{before}{_escaped(piece)}{behind}")
        return content


def _joined(lines: Sequence[Text]) -> tuple[Text, list[int]]:
    """Lines as one, with a blank between words of scripts that have blanks; where each begins."""
    content, starts = lines[0].copy(), [0]
    for line in lines[1:]:
        ends = content.plain[-1:] + line.plain[:1]
        is_wide = all(east_asian_width(sign) in {"W", "F"} for sign in ends)
        content.append("" if is_wide else " ")
        starts.append(len(content))
        content.append_text(line)
    return content, starts


def _title(row: Mapping[str, Any]) -> str:
    """What is known of a passage beside its texts."""
    reason = f"; does not count: {shown(row['excluded'])}" if row["excluded"] else ""
    if row["documents"]:
        stands = f"stands in {row['documents']:,} documents"
        is_boilerplate = row["excluded"] == BOILERPLATE
        return f"{stands} and does not count" if is_boilerplate else f"{stands}{reason}"
    if row["score"] is None:
        return f"no passage; similarity of the metadata {row['metadata']}"
    verbatim = "" if row["verbatim"] is None else f", verbatim {row['verbatim']}"
    return f"score {row['score']}{verbatim}{reason}"


def _escaped(text: str) -> str:
    """A text on one line that controls no terminal."""
    return text_for_terminal(" ".join(_BREAK.split(text)).expandtabs(4))


def _cut(text: str, place: int) -> int:
    """The beginning of a word near a place, if there is one."""
    return text.find(" ", place, place + 40) + 1 or place
