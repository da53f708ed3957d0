"""The normal form of a text, with an offset map to the text as it was read.

It is in Unicode's stream-safe text format (UAX #15, section 13): no more than 30 marks in a row. To
normalize a run of combining marks takes time quadratic in its length. No language has more than a
handful on one letter, so longer runs are divided by U+034F, the combining grapheme joiner, which
nothing is reordered across.
"""

import re
from array import array
from collections.abc import Iterable, Iterator
from functools import cache
from unicodedata import combining, is_normalized, normalize

from sdtext.model import OffsetMap
from sdtext.text.lazy_patterns import LazyPattern

Change = tuple[int, int, str]

# Every control character but line ends becomes a blank, every character that ends a line
# becomes a line end: one for one, so that offsets do not change. The same for what XML excludes,
# and for Kangxi radicals, which stand for ideographs in text that was copied from PDF files.
_LINE_ENDS = "\v\f\x1c\x1d\x1e\x85"
_CONTROLS = [chr(code) for code in (*range(0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF)]
_TABLE = str.maketrans(
    {char: "\n" if char in _LINE_ENDS else " " for char in _CONTROLS if char not in "\n\r"}
)
_TABLE |= {code: normalize("NFKC", chr(code)) for code in (0x2E9F, 0x2EF3, *range(0x2F00, 0x2FD6))}
_REPLACED = re.compile(f"[{re.escape(''.join(map(chr, _TABLE)))}]")
# Latin to Arabic, Georgian, Latin and Greek with marks, punctuation, kana: the ranges in which
# stable characters are searched. All ideographs are stable.
_SEARCHED = (
    (0x20, 0x300), (0x370, 0x700), (0x10A0, 0x1100), (0x1E00, 0x2070), (0x3000, 0x3100), (10, 11),
)  # fmt: skip
_IDEOGRAPHS = "\u3400-\u4dbf\u4e00-\u9fff"
# A carriage return, and what Unicode says is put in front (Grapheme_Cluster_Break=Prepend).
IN_FRONT = (
    "\r\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u0d4e\U000110bd\U000110cd\U000111c2\U000111c3"
    "\U000113d1\U0001193f\U00011941\U00011a84-\U00011a89\U00011d46\U00011f02"
)
_LONGEST_KNOWN = 32  # characters
_MOST_KNOWN = 1 << 15
MOST_MARKS = 30
JOINER = "\u034f"

# They have combining class 0, but decompose to marks alone.
_LATE_MARKS = "\u0f73\u0f75\u0f81\uff9e\uff9f"
_LEAST = 14  # marks that can be more than 30: one is two at most, and a letter brings up to three
_BMP = range(0x300, 0x10000)
_CLUSTER = LazyPattern(r"\X", "regex")


def clean(text: str, form: str = "NFC") -> str:
    r"""`text` in normal form `form` (NFC or NFKC) without control characters.

    >>> clean("cafe\u0301\tbar\x00")
    'café bar '
    """
    if not text.isascii() and not is_normalized(form, text):  # type: ignore[arg-type]
        text = normalize(form, stream_safe(text, form)[0])  # type: ignore[arg-type]
    return _without_controls(text)


def clean_with_map(
    text: str, form: str = "NFC", to_original: OffsetMap | None = None
) -> tuple[str, OffsetMap | None]:
    r"""The result of `clean` and its offset map, None if all offsets are equal.

    Offsets are those of the text that `to_original` leads to, if there is one.

    >>> cleaned, offset_map = clean_with_map("cafe\u0301 bar")
    >>> cleaned, offset_map.start(5), offset_map.end(8)
    ('café bar', 6, 9)
    """
    if text.isascii() or is_normalized(form, text):  # type: ignore[arg-type]
        return _without_controls(text), to_original
    text, to_text = stream_safe(text, form)
    to_text = to_text.followed_by(to_original) if to_text else to_original
    cleaned, to_safe = with_changes(text, changes(text, form))
    return _without_controls(cleaned), to_safe.followed_by(to_text) if to_safe else to_text


def with_changes(text: str, changes: Iterable[Change]) -> tuple[str, OffsetMap | None]:
    """`text` with the changes, which are in order and apart, and its offset map, None without any.

    >>> changed, offset_map = with_changes("one two", [(0, 3, "1")])
    >>> changed, offset_map.end(1), offset_map.start(2)
    ('1 two', 3, 4)
    """
    pieces: list[str] = []
    starts, text_starts, fused = array("q", (0,)), array("q", (0,)), bytearray(1)
    place = length = 0
    for start, stop, piece in changes:
        pieces += (text[place:start], piece)
        length += start - place
        starts.append(length)
        length += len(piece)
        starts.append(length)
        text_starts.extend((start, stop))
        fused += b"\1\0"
        place = stop
    if not pieces:
        return text, None
    pieces.append(text[place:])
    return "".join(pieces), OffsetMap(starts, text_starts, fused)


def _without_controls(text: str) -> str:
    if text.isascii():
        return text.translate(_TABLE)  # which is slow beyond ASCII
    return _REPLACED.sub(lambda match: _TABLE[ord(match[0])], text)


def changes(text: str, form: str) -> Iterator[Change]:
    """What `plain_changes` yields, in a fraction of the time: most characters are skipped.

    A text has few distinct spots that may change, and each is processed once.
    """
    known: dict[str, tuple[Change, ...]] = {}
    for match in _spots(form).finditer(text):
        spot = match[0]
        if (spot_changes := known.get(spot)) is None:
            spot_changes = tuple(plain_changes(spot, form))
            if len(spot) <= _LONGEST_KNOWN and len(known) < _MOST_KNOWN:
                known[spot] = spot_changes
        place = match.start()
        for start, end, piece in spot_changes:
            yield place + start, place + end, piece


def plain_changes(text: str, form: str) -> Iterator[Change]:
    """Start, end and replacement of each minimal range that normalization changes."""
    for begin, end in _changed(text, form):
        yield begin, end, normalize(form, text[begin:end])  # type: ignore[arg-type]


def _changed(text: str, form: str) -> Iterator[tuple[int, int]]:
    begin = end = 0
    for start, stop in _clusters(text):
        piece = text[start:stop]
        if start == end and not _apart(text[begin:end], piece, form):
            end = stop
            continue
        if end > begin and not is_normalized(form, text[begin:end]):  # type: ignore[arg-type]
            yield begin, end
        begin, end = start, stop
    if not is_normalized(form, text[begin:end]):  # type: ignore[arg-type]
        yield begin, end


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """The grapheme clusters; a blank is separate from marks on it."""
    for match in _CLUSTER.finditer(text):
        start, end = match.span()
        if end - start > 1 and text[start].isspace():
            yield start, start + 1
            start += 1
        yield start, end


def _apart(left: str, right: str, form: str) -> bool:
    """Whether two adjacent texts are normalized independently of each other."""
    if right.isascii():
        return True
    apart = normalize(form, left) + normalize(form, right)  # type: ignore[arg-type]
    return apart == normalize(form, left + right)  # type: ignore[arg-type]


def stable(form: str) -> str:
    """Characters of living scripts that are a cluster each and between which no text changes.

    They are in normal form, do not combine with a preceding character, and marks after one do not
    affect what precedes it. Not all such characters are listed, which only costs time.
    """
    import regex

    some = "".join(chr(code) for begin, end in _SEARCHED for code in range(begin, end))
    alone = regex.findall(r"(?V1)[[\p{GCB=Other}\n]--\p{Extended_Pictographic}]", some)
    return "".join(
        char
        for char in alone
        if not combining(char) and is_normalized(form, char)  # type: ignore[arg-type]
    )


@cache
def _spots(form: str) -> re.Pattern[str]:
    """A pattern of spots that may change: unstable characters and the stable one before them.

    What forms a cluster with the next character (a carriage return, a prepended sign) includes it.
    """
    stable_one = f"[{re.escape(stable(form))}{_IDEOGRAPHS}]"
    return re.compile(
        f"{stable_one}?(?:[^{stable_one[1:-1]}{IN_FRONT}]|[{IN_FRONT}]{stable_one}?)++"
    )


def stream_safe(text: str, form: str) -> tuple[str, OffsetMap | None]:
    r"""`text` with U+034F after each 30 marks of a run that normal form `form` would reorder.

    And its offset map, None if nothing is inserted.

    >>> len(stream_safe("a" + "\u0301\u0316" * 40, "NFC")[0])
    83
    """
    return with_changes(text, ((place, place, JOINER) for place in _cuts(text, form)))


def _cuts(text: str, form: str) -> Iterator[int]:
    """The places in the text at which runs of marks are divided."""
    for match in _long_runs().finditer(text):
        start, end = max(0, match.start() - 1), match.end()  # with the letter that bears them
        if not is_normalized(form, text[start:end]):  # type: ignore[arg-type]
            yield from _cuts_in(text[start:end], start)


def _cuts_in(run: str, start: int) -> Iterator[int]:
    """The places after each 30 marks of a run, which begins at `start`."""
    classes: dict[str, list[int]] = {}
    count = 0
    for place, char in enumerate(run, start):
        if (known := classes.get(char)) is None:
            classes[char] = known = [*map(combining, normalize("NFKD", char))]
        if not all(known):  # a letter, perhaps with marks of its own
            count = [*reversed(known)].index(0)
            continue
        if count + len(known) > MOST_MARKS:
            yield place
            count = 0
        count += len(known)


@cache
def _long_runs() -> re.Pattern[str]:
    """A pattern of runs that may hold more marks than the format allows.

    Beyond the Basic Multilingual Plane it takes every character for a mark, which is faster.
    """
    marks = "".join(chr(code) for code in _BMP if combining(chr(code)))
    mark = f"[{marks}{_LATE_MARKS}\U00010000-\U0010ffff]"
    # The first is written by itself, since a search skips to it then.
    return re.compile(f"{mark}{mark}{{{_LEAST - 1},}}+")
