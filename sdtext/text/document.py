"""Documents: the text of a file or of a program, and the clean text that terms are made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sdtext.model import Heading, OffsetMap, Problem, Span
from sdtext.text.disguises import problems_of, undisguised
from sdtext.text.normal_form import clean
from sdtext.text.quick_disguise_check import SuspectedText
from sdtext.wording import counted

_WHITE = re.compile(r"\s*")
_MOST_PIECES = 1000


@dataclass(frozen=True)
class Document:
    """The text of one file, or one that a program has in memory (`Document.of`).

    `text` is the decoded or extracted text; `clean` is the same in normal form, without control
    characters; `offset_map` maps offsets in `clean` to offsets in `text` and is None if all are
    equal. `source` is the path of the file, or the name of the document. `metadata` describes how
    the text was read: `reader`, and `encoding` or `engine` if any; `problems` lists what is
    missing. Form feeds separate pages. `headings` and `quotations` are those that the format marks,
    in order; if `line_paragraphs` is true, each line is a paragraph, otherwise blank lines separate
    paragraphs.
    """

    text: str
    clean: str
    offset_map: OffsetMap | None = None
    source: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    headings: tuple[Heading, ...] = ()
    line_paragraphs: bool = False
    quotations: tuple[Span, ...] = ()

    @classmethod
    def of(cls, text: str, name: str = "", *, offsets: bool = True) -> Document:
        """The document of a text that is no file of its own, such as a record, by its name.

        Its clean text is without disguises, in normal form. Wherever a file is taken, such a
        document is, too. Without `offsets` it has no offset map, and takes less time.

        >>> document = Document.of("b\u200be\u200be\u200bs", "7")
        >>> document.clean, document.offset_map.end(4), document.problems[0].category
        ('bees', 7, 'disguised')
        """
        plain = undisguised(text)
        problems = problems_of(plain.undone, name)
        if not offsets:
            return cls(text, plain.clean(), None, name, problems=problems)
        return cls(text, *plain.clean_with_map(), name, problems=problems)

    @property
    def hidden(self) -> Sequence[Span]:
        """The spans of the text that readers of the file do not see, as far as they are known."""
        pieces = [piece for problem in self.problems for piece in problem.texts]
        return hidden_spans(self.text, pieces)

    def __repr__(self) -> str:
        """The name, the length and the beginning of the text.

        >>> Document.of("Bees dance.", "bees.txt")
        <document 'bees.txt' of 11 characters: 'Bees dance.'>
        """
        name = f" {self.source!r}" if self.source else ""
        beginning = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}…"
        return f"<document{name} of {counted(len(self.text), 'character')}: {beginning!r}>"


_SHOWN = 40


def document_of_clean(text: str, name: str) -> Document:
    """The document of a text that is its own clean text, in a third of the constructor's time.

    >>> document_of_clean("Bees dance.", "bees.txt") == Document.of("Bees dance.", "bees.txt")
    True
    """
    document = Document.__new__(Document)
    vars(document).update(text=text, clean=text, source=name, metadata={})
    return document


def are_clean(texts: Sequence[str]) -> bool:
    r"""Whether each text is its own clean text without disguises, as is quickly clear of all.

    >>> are_clean(["Bees dance.", "Why?"]), are_clean(["B\u200bees dance."]), are_clean(["A\tbee"])
    (True, False, False)
    """
    whole = "\n".join(texts)
    scan = SuspectedText(whole)
    return scan.is_clean or (scan.is_plain and clean(whole) == whole)


def hidden_spans(text: str, pieces: Sequence[str]) -> list[Span]:
    """The spans of the pieces of a text that are hidden, in order.

    A piece is where the text has it as often as it is hidden, or right behind the piece before it.
    Any other may stand in text that is seen, and has no span.

    >>> hidden_spans("Bees dance. Do they? So it is.", ["Do they?", "So", "e"])
    [Span(start=12, end=23, title='')]
    """
    known = [stripped for piece in pieces[:_MOST_PIECES] if (stripped := piece.strip())]
    wanted, ranges, behind = Counter(known), set[tuple[int, int]](), -1
    for piece in known:
        if behind >= 0 and text.startswith(piece, behind):
            places = [behind]
        elif text.count(piece) == wanted[piece]:
            places = [place.start() for place in re.finditer(re.escape(piece), text)]
        else:
            places = []
        ranges |= {(place, place + len(piece)) for place in places}
        behind = _next_place(text, places[-1] + len(piece)) if len(places) == 1 else -1
    spans = list[Span]()
    for start, end in sorted(ranges):
        if spans and start <= _next_place(text, spans[-1].end):  # nothing but white space between
            spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
        else:
            spans.append(Span(start, end))
    return spans


def _next_place(text: str, place: int) -> int:
    """The place of the next character that is no white space."""
    match = _WHITE.match(text, place)
    return match.end() if match else place
