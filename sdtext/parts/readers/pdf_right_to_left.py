"""The logical order of lines with right-to-left letters on PDF pages, by where the glyphs stand.

PDF draws glyphs in any order, and PDFium puts them into a logical order by guesses: words that are
drawn from left to right come out reversed, marks and full stops at the ends of lines, and blanks
within words. Here the glyphs of a line are sorted in its direction, runs of the other direction are
turned back, brackets are mirrored (UAX #9), and blanks stand where they are drawn, or else where
there is room for one. The letters of one glyph, a ligature, come in either order; their shapes
beside one another tell which.
"""

import re
import unicodedata
from bisect import bisect, bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from math import inf

Span = tuple[int, int]
Point = tuple[float, float]


@dataclass(frozen=True)
class _Characters:
    """Characters of a page in columns, to which others are added behind those of the text."""

    chars: list[str]
    places: list[int]
    """In the text."""
    x: list[float]
    y: list[float]
    rights: list[float]
    marks: frozenset[str]

    def add(self, char: str, before: int, x: float = 0) -> int:
        """The number of a new character at `x`; it stands before another."""
        self.chars.append(char)
        self.places.append(self.places[before])
        self.x.append(x)
        return len(self.x) - 1

    def text(self, numbers: Iterable[int]) -> str:
        return "".join(map(self.chars.__getitem__, numbers))


_RUN = re.compile("[\u0620-\u08ff]{2,}")
# No digits, and no comma.
_LETTERS = "\u0590-\u060b\u060d-\u065f\u066e-\u06ef\u06fa-\u08ff\ufb1d-\ufdff\ufe70-\ufefc"
_LETTER = re.compile(f"[{_LETTERS}]")
_OTHER_LETTER = re.compile(rf"[^\W\d_{_LETTERS}]")
_WITHIN_LEFT_TO_RIGHT = re.compile(rf"[{_LETTERS}](?:[\W\d_{_LETTERS}]*[{_LETTERS}])?")
_NUMBER = re.compile(r"\d+(?:[.,:/+\u066b\u066c-]\d+)*")
# Numbers in Arabic digits stand in no run from left to right with letters.
_OUTSIDE = _LETTERS + "\u0660-\u0669\u06f0-\u06f9"
# Read from the right, such a run has a sign before its word, and a list has it behind.
_LISTED = r"(?:(?<=\d)\.|[:,;!?\u060c\u061b\u061f])\s"
_WITHIN_RIGHT_TO_LEFT = re.compile(
    rf"[^\W_{_OUTSIDE}](?:(?:(?!{_LISTED})[^{_OUTSIDE}])*[^\W_{_OUTSIDE}])?"
    rf"|(?![{_LETTERS}]){_NUMBER.pattern}"
)
_PAIRS = {"(": ")", "[": "]", "{": "}", "«": "»", "‹": "›"}
_MIRRORED = str.maketrans({**_PAIRS, **{closing: opening for opening, closing in _PAIRS.items()}})
_BRACKET = re.compile(r"[()\[\]{}«»‹›]")
_BEHIND_BLANK = re.compile(rf"(?<!\S){_BRACKET.pattern}(?=\S)")
_BEFORE_BLANK = re.compile(rf"(?<=\S){_BRACKET.pattern}(?=[.:,;!?\u060c\u061b\u061f]*(?!\S))")
_LINE = re.compile(r"[^\r\n]+")
# For a blank where PDFium has one and has none, and in a line with drawn ones; sizes of the font.
_ROOM, _MORE_ROOM, _MOST_ROOM = 0.1, 0.2, 0.5
_APART = 0.7  # sizes of the font between lines; marks, and letters with marks, are nearer to theirs
_SLOPE = 2  # sizes of the font that the letters of a line are above one another at most


def has_right_to_left(text: str) -> bool:
    """Whether a text has letters that are written from right to left."""
    return not text.isascii() and _LETTER.search(text) is not None


def in_logical_order(
    text: str,
    points: Sequence[Point],
    rights: Sequence[float],
    size: Callable[[int], float],
    blanks: Sequence[Point] = (),
) -> tuple[str, list[int]]:
    """`text` with such lines in logical order; for each of its characters the place before.

    `points` are the origins of the glyphs of its characters, `rights` their right edges, and `size`
    gives the size of the font of the character at a place. `blanks` are the origins of drawn blanks
    that the text leaves out.
    """
    page = _Characters(
        list(text),
        list(range(len(text))),
        [x for x, _ in points],
        [y for _, y in points],
        list(rights),
        frozenset(char for char in set(text) if unicodedata.category(char) == "Mn"),
    )
    lines = [*_lines(text, page.y)]
    ordered: list[int] = []
    done = 0
    backwards = _is_right_to_left(text)
    for begin, end in _whole_lines(text, lines, page, size):
        letter = _LETTER.search(text, begin, end)
        high = size(letter.start()) if letter else 0.0
        heights = [page.y[place] for place in range(begin, end) if not text[place].isspace()]
        if letter and max(heights) - min(heights) <= _SLOPE * high:
            ordered += range(done, begin)
            height = Counter(heights).most_common(1)[0][0]
            drawn = [x for x, y in blanks if abs(y - height) < high / 2]
            if 0 < begin == done:
                ordered += [page.add(char, begin) for char in "\r\n"]
            page.chars[begin:end] = text[begin:end].replace("\ufffe", "-")
            ordered += _logical(page, begin, end, high, drawn, backwards=backwards)
            done = end
    ordered += range(done, len(text))
    order = [page.places[number] for number in ordered]
    joined = page.text(ordered)
    return in_reading_order(joined, [points[place] for place in order]), order


def _lines(text: str, y: Sequence[float]) -> Iterator[Span]:
    """The ranges of lines; PDFium joins two with a hyphen between, which is on one of them."""
    for match in _LINE.finditer(text):
        start, stop = match.span()
        for place in range(start, stop):
            if text[place] == "\ufffe":
                is_first = y[place] == y[min(place + 1, stop - 1)]
                middle = place if is_first else place + 1
                if start < middle < stop:
                    yield start, middle
                    start = middle
        yield start, stop


def _whole_lines(
    text: str, lines: Sequence[Span], page: _Characters, size: Callable[[int], float]
) -> Iterator[Span]:
    """The ranges of lines; adjacent ones are one if they are nearest to the same baseline.

    PDFium divides a line where marks, or letters with marks, stand higher or lower.
    """
    columns: list[list[tuple[Span, float, float]]] = []
    before = -inf
    for start, stop in lines:
        ((height, _),) = Counter(page.y[start:stop]).most_common(1)
        # What PDFium adds, such as blanks, has no size of its own.
        high = max(size(start), size((start + stop) // 2))
        if height > before + _SLOPE * high:
            columns.append([])
        columns[-1].append(((start, stop), height, high))
        before = height
    begin = end = -1
    before, joins, backwards = inf, False, _is_right_to_left(text)
    for column in columns:
        baselines = _baselines(column)
        for (start, stop), height, _ in column:
            nearest = min(_around(baselines, height), key=lambda other: abs(height - other))
            line = text[start:stop]
            joined = _is_right_to_left(line) or (backwards and has_right_to_left(line))
            if not (joined and joins and nearest == before):
                if end > 0:
                    yield begin, end
                begin, before = start, nearest
            end, joins = stop, joined
    if end > 0:
        yield begin, end


def _baselines(column: Iterable[tuple[Span, float, float]]) -> list[float]:
    """The heights at which most letters stand, with the height of a line between them."""
    letters: Counter[tuple[float, float]] = Counter()
    for (start, stop), height, high in column:
        letters[height, high] += stop - start
    baselines: list[float] = []
    for (height, high), _ in letters.most_common():
        if all(abs(height - other) > _APART * high for other in _around(baselines, height)):
            insort(baselines, height)
    return baselines


def _around(heights: list[float], height: float) -> list[float]:
    place = bisect(heights, height)
    return heights[max(0, place - 1) : place + 1]


def _is_right_to_left(line: str) -> bool:
    return len(_LETTER.findall(line)) >= len(_OTHER_LETTER.findall(line))


def _logical(
    page: _Characters, begin: int, end: int, size: float, drawn: list[float], *, backwards: bool
) -> list[int]:
    """The characters of a line in logical order; `backwards` is the direction of the page."""
    ordered = _with_blanks(page, begin, end, size, drawn)
    text = page.text(ordered)
    first = next(filter(str.isalpha, text), "")
    if not (_is_right_to_left(text) or (backwards and has_right_to_left(first))):
        ordered = _left_to_right(page, ordered)
        for run in _WITHIN_LEFT_TO_RIGHT.finditer(page.text(ordered)):
            start, stop = run.span()
            ordered[start:stop] = sorted(ordered[start:stop], key=page.x.__getitem__, reverse=True)
            for number in _NUMBER.finditer(page.text(ordered), start, stop):
                start, stop = number.span()
                ordered[start:stop] = _left_to_right(page, ordered[start:stop])
        return ordered
    _mirror(page, ordered)
    _pair_brackets(page, ordered)
    text = page.text(ordered)
    for run in _WITHIN_RIGHT_TO_LEFT.finditer(text):
        spans = [_with_brackets(text, *run.span())]
        if not _OTHER_LETTER.search(run[0]):
            spans = [number.span() for number in _NUMBER.finditer(text, *run.span())]
        for start, stop in spans:
            _mirror(page, ordered[start:stop])
            ordered[start:stop] = _left_to_right(page, ordered[start:stop])
    return ordered


def _pair_brackets(page: _Characters, ordered: Sequence[int]) -> None:
    """Turn the brackets of a line where not all have partners, by the blanks beside them.

    A font has one text for a glyph, which is an opening bracket in one direction, and in the other
    direction a closing one. Brackets within words open and close in turn.
    """
    text = page.text(ordered)
    opened = set[str]()
    for bracket in _BRACKET.finditer(text) if _unpaired(text) else ():
        kind = min(bracket[0], bracket[0].translate(_MIRRORED))
        is_opening = _BEHIND_BLANK.match(text, bracket.start()) is not None
        if not is_opening and not _BEFORE_BLANK.match(text, bracket.start()):
            is_opening = kind not in opened
        opened = opened | {kind} if is_opening else opened - {kind}
        if is_opening != (bracket[0] in _PAIRS):
            _mirror(page, [ordered[bracket.start()]])


def _unpaired(text: str) -> list[int]:
    """The places of the brackets that have no partner in a line."""
    opened: list[int] = []
    for bracket in _BRACKET.finditer(text):
        if opened and _PAIRS.get(text[opened[-1]]) == bracket[0]:
            opened.pop()
        else:
            opened.append(bracket.start())
    return opened


def _with_brackets(text: str, start: int, stop: int) -> Span:
    """A run from left to right, with the bracket beside it whose partner is in it (UAX #9, N0)."""
    alone = [text[start + place] for place in _unpaired(text[start:stop])]
    if [text[start - 1 : start]] == [key for key in _PAIRS if [_PAIRS[key]] == alone]:
        return start - 1, stop
    return start, stop + (len(alone) == 1 and _PAIRS.get(alone[0]) == text[stop : stop + 1])


def _left_to_right(page: _Characters, run: Iterable[int]) -> list[int]:
    """A run by the places of its glyphs; the letters of one glyph as in the text, then marks."""
    x, marks, chars, places = page.x, page.marks, page.chars, page.places
    return sorted(run, key=lambda number: (x[number], chars[number] in marks, places[number]))


def _mirror(page: _Characters, numbers: Iterable[int]) -> None:
    for number in numbers:
        page.chars[number] = page.chars[number].translate(_MIRRORED)


def _with_blanks(
    page: _Characters, begin: int, end: int, size: float, drawn: list[float]
) -> list[int]:
    """A line from right to left, with the blanks that are drawn, or else where there is room."""
    starts, ends, glyphs = _glyphs(page, begin, end)
    if not glyphs:
        return [*range(begin, end)]
    drawn += [  # those that PDFium adds have no width
        page.x[number]
        for number in range(begin, end)
        if page.chars[number] == " " and page.rights[number] > page.x[number]
    ]
    blanks = list[int]()
    for x in sorted(drawn):
        place = bisect(starts, x + _ROOM * size)
        if 0 < place < len(starts) and starts[place] - ends[place - 1] > _ROOM * size:
            starts.insert(place, x)
            ends.insert(place, x)
            glyphs.insert(place, [page.add(" ", glyphs[place][0], x)])
            blanks.append(place)
    room = [start - before for start, before in zip(starts[1:], ends, strict=False)]
    for gap in (gap for place in blanks for gap in (place - 1, place) if gap in range(len(room))):
        room[gap] = 0
    known = set()
    for number in range(begin, end):
        if page.chars[number].isspace():  # at the origin of a glyph, a blank is on either side
            blank = page.x[number]
            first, last = bisect_left(starts, blank) - 1, bisect(starts, blank)
            gaps = range(max(first, 0), min(last, len(room)))
            known.add(max(gaps, key=room.__getitem__, default=-1))
    are_drawn = 3 * len(blanks) > len(known)
    ordered = glyphs[-1]
    for gap in range(len(room) - 1, -1, -1):
        beside = glyphs[gap] + glyphs[gap + 1]  # marks make their letters wider or narrower
        least = _ROOM if gap in known else _MORE_ROOM
        if are_drawn and not (gap in known and page.marks.isdisjoint(page.text(beside))):
            least = _MOST_ROOM
        if room[gap] > least * size:
            ordered.append(page.add(" ", glyphs[gap][0], (starts[gap] + starts[gap + 1]) / 2))
        ordered += glyphs[gap]
    return ordered


def _glyphs(
    page: _Characters, begin: int, end: int
) -> tuple[list[float], list[float], list[list[int]]]:
    """The origins, the right edges and the characters of the glyphs of a line, left to right.

    Marks stand behind the letters that they are on.
    """
    x, rights = page.x, page.rights
    seen = [number for number in range(begin, end) if not page.chars[number].isspace()]
    letters = [number for number in seen if page.chars[number] not in page.marks]
    letters.sort(key=rights.__getitem__, reverse=True)
    letters.sort(key=x.__getitem__)
    glyphs: list[list[int]] = []
    starts: list[float] = []
    ends: list[float] = []
    for number in letters:
        if starts and starts[-1] == x[number]:
            glyphs[-1].append(number)
        else:
            glyphs.append([number])
            starts.append(x[number])
            ends.append(rights[number])
    for number in seen if glyphs and len(seen) > len(letters) else ():
        if page.chars[number] not in page.marks:
            continue
        glyph = bisect(starts, x[number]) - 1
        if glyph >= 0 and starts[glyph] == x[number]:
            ends[glyph] = max(ends[glyph], rights[number])
        else:
            glyph = max(0, bisect(starts, (x[number] + rights[number]) / 2) - 1)
        glyphs[glyph].append(number)
        x[number] = starts[glyph]
    return starts, ends, glyphs


def in_reading_order(text: str, glyphs: Sequence[object]) -> str:
    r"""`text`, given with the glyph of each letter, with those of each ligature in reading order.

    Letters that could be joined in either order are reversed where the other ligatures of the
    text are.

    >>> in_reading_order("ا" + "أل" + "رض", [1, 2, 2, 3, 4])
    'الأرض'
    """
    spans = _ligatures(text, glyphs)
    # Those of several letters, not of one with its marks.
    ligatures = [(start, stop) for start, stop in spans if len(_bases(text[start:stop])) > 1]
    verdicts = [_is_reversed(text[start:stop]) for start, stop in ligatures]
    mostly = verdicts.count(True) > verdicts.count(False)
    letters = list(text)
    for (start, stop), verdict in zip(ligatures, verdicts, strict=True):
        if mostly if verdict is None else verdict:
            letters[start:stop] = reversed(letters[start:stop])
    return "".join(letters)


def _ligatures(text: str, glyphs: Sequence[object]) -> Iterator[tuple[int, int]]:
    """The half-open ranges of Arabic characters that are one glyph each."""
    runs = (range(*match.span()) for match in _RUN.finditer(text))
    letters = [*chain.from_iterable(runs)]
    start = stop = -1
    for first, last in pairwise(letters):
        if glyphs[first] != glyphs[last] or last > first + 1:
            continue
        if last > stop:
            yield start, stop
            start = first
        stop = last + 1
    yield start, stop


def _is_reversed(letters: str) -> bool | None:
    """Whether these letters of a ligature are in the wrong order; None if they do not tell."""
    backwards = letters[::-1]
    bases = "".join(_bases(letters))
    if bases in _phrases() or bases[::-1] in _phrases():
        return bases not in _phrases()
    right, reverse = _joined(letters), _joined(backwards)
    return None if right == reverse else reverse


def _joined(letters: str) -> bool:
    """Whether every letter but the last joins the next; marks do not count."""
    import regex  # knows the joining types of Unicode (ArabicShaping.txt)

    joins = r"[\p{Joining_Type=Dual_Joining}\p{Joining_Type=Join_Causing}]*"
    return regex.fullmatch(joins, "".join(_bases(letters)[:-1])) is not None


def _bases(letters: str) -> list[str]:
    return [letter for letter in letters if unicodedata.category(letter) != "Mn"]


@cache
def _phrases() -> frozenset[str]:
    """The words and phrases that Unicode has as one character; fonts also have one of "lillah"."""
    phrases = (unicodedata.normalize("NFKC", chr(code)) for code in range(0xFDF0, 0xFDFC))
    return frozenset({*phrases, "\u0644\u0644\u0647"})
