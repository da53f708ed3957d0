"""Character encodings: byte-order mark, strict UTF-8, declared encoding, then detection.

Detection ranks encodings by chardet's models of languages, on a sample of what is beyond ASCII and
of the text around it. Of those that the models cannot tell apart, the one is chosen whose letters
make the most plausible words. It must decode the file but for a few places. docs/encodings.md has
measurements.
"""

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import Any

from sdtext.errors import NotTextError, OptionError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.text.lazy_patterns import LazyPattern
from sdtext.wording import brief, counted

# UTF-32's mark begins like UTF-16's, so it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = ("utf-16-le", "utf-16-be")  # without a mark
# Python's codecs that are no encodings of files: escapes, host names, a mail format, none at all.
_NOT_FOR_FILES = {
    *("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"),
    *("mbcs", "oem", "raw_unicode_escape", "unicode_escape", "utf_7"),
}
# What letters begin with in encodings of ASCII bytes; those of HZ also end with a sign.
_SHIFTS = {
    "iso2022_jp": re.compile(rb"\x1b\$[@B]"),
    "iso2022_kr": re.compile(rb"\x1b\$\)C"),
    "hz": re.compile(rb"~\{(?:[!-w][!-~])*?(?:[0-w][!-~]){2}(?:[!-w][!-~])*~\}"),
}
_BEGINNING = 1 << 16  # characters that show whether a file is binary
# Control characters that texts do hold: white space, backspace (man pages), escape (colours).
_BINARY = frozenset((*range(0x08), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F))
_AS_NULS = bytes(0 if byte in _BINARY else byte for byte in range(256))
_BINARY_SHARE = 0.02
_HALVES = re.compile("[\ud800-\udfff]")
_REPLACEMENT = "\ufffd"
# Characters beyond ASCII for each damaged place in a file that is still in an encoding. Letters of
# others hardly ever look like UTF-8, but often like those of one that has no rule.
_DAMAGE_OF_UTF_8, _DAMAGE = 5, 25
_HOPELESS = 1000  # damaged places


def check_encoding(name: str) -> str:
    """`name` if it is that of a character encoding; OptionError otherwise."""
    if not _codec(name):
        wanted = "a character encoding such as utf-8, windows-1252, gb18030 or utf-16-le"
        raise OptionError(f"encoding is {brief(name)}; it must be {wanted}")
    return name


def _codec(encoding: str) -> str:
    """The codec of an encoding, by its own name; "" if there is none for files."""
    try:
        codec = codecs.lookup(encoding).name
        "".encode(encoding)
    except (LookupError, UnicodeError, ValueError):
        return ""
    return "" if codec in _NOT_FOR_FILES else codec


@dataclass(frozen=True)
class Encoding:
    """The encoding of a file.

    It is `detected` if its letters alone suggest it, not the user, a byte-order mark, a declaration
    or the rules of UTF-8. `rival` is another encoding that fits about as well, "" if there is none.
    `damaged` is the number of places that are not in the encoding, and are read as U+FFFD.
    It is `named` if the user names it for all files.
    """

    name: str
    detected: bool = False
    rival: str = ""
    damaged: int = 0
    named: bool = False

    @property
    def errors(self) -> str:
        """What decoding does where a file is not in this encoding, as codecs name it."""
        return "replace" if self.damaged else "strict"

    def problems(self, content: Content) -> Iterator[Problem]:
        """A warning if another encoding fits better or about as well, or the file is damaged."""
        faults = []
        if (
            self.named
            and not _codec(self.name).startswith("utf-8")
            and _lost_at_end(content, "utf-8") == 0
            and not all(map(bytes.isascii, content.blocks()))
        ):
            faults.append(
                f"is valid UTF-8, but is read as {self.name}, the encoding that is named; "
                "if letters are wrong, leave that out: UTF-8 is recognised"
            )
        if self.damaged:
            faults.append(
                f"is {self.name} with {counted(self.damaged, 'damaged place')}, read as U+FFFD; "
                "get a new copy from its source, or name another encoding"
            )
        if self.rival:
            faults.append(
                f"was read as {self.name}, and {self.rival} fits about as well; "
                "if letters are wrong, name its encoding"
            )
        for what in faults:
            yield Problem("warning", "encoding", f"{content.name}: {what}", what=what)


def named_encoding(content: Content, name: str) -> Encoding:
    """The encoding that the user names, with the places of `content` that are not in it."""
    damaged = _damaged_places(content, name, with_ascii=True)
    return Encoding(name, named=True, damaged=damaged or 0)


def find_encoding(content: Content, declared: str = "") -> Encoding:
    """The encoding of `content`; `declared` is the one that it declares.

    Raises UnreadableError if it is not text in any known encoding.
    """
    head = content.head
    name = marked_or_wide(head)
    if name and name not in _WIDE:
        return Encoding(name, damaged=_damaged_places(content, name, with_ascii=True) or 0)
    # If not, it is a font or a program.
    if name and (damaged := _lost_at_end(content, name)) is not None:
        return Encoding(name, damaged=damaged)
    known = declared if declared and _codec(declared) else ""
    # Those that use ASCII bytes only, as old mails do; signs of HZ may be words, too.
    among = (name for name in _SHIFTS if not (known and name == "hz"))
    shifted = next((name for name in among if _SHIFTS[name].search(head)), known)
    codec = codecs.lookup(shifted).name if shifted else ""
    if codec.startswith(("iso2022", "hz")):
        damaged = _damaged_places(content, shifted) or _lost_at_end(content, shifted)
        if damaged is not None:
            return Encoding(shifted, damaged=damaged)
    names = [name for name in dict.fromkeys(("utf-8", known, shifted)) if name]
    for name in names:
        if (damaged := _lost_at_end(content, name)) is not None:
            return Encoding(name, damaged=damaged)
    for name in names:
        if damaged := _damaged_places(content, name):
            return Encoding(name, damaged=damaged)
    return _detected(content)


def _damaged_places(content: Content, encoding: str, *, with_ascii: bool = False) -> int | None:
    """The number of places of `content` that are not in `encoding`; None if they are too many.

    Only characters beyond ASCII show that it is this encoding, unless that is known.
    """
    is_utf_8 = codecs.lookup(encoding).name == "utf-8" and not with_ascii
    least = _DAMAGE_OF_UTF_8 if is_utf_8 else _DAMAGE
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    written = _REPLACEMENT.encode(encoding, "ignore").removeprefix("".encode(encoding))
    good = damaged = 0
    for block in content.blocks():
        try:
            text = decoder.decode(block)
        except UnicodeError:  # it has no way to go on
            return None
        bad = text.count(_REPLACEMENT) - (block.count(written) if written else 0)
        damaged += max(0, bad)
        good += len(text) - bad - (0 if with_ascii else len(text.encode("ascii", "ignore")))
        if damaged > _HOPELESS and damaged * least > good:
            break
    damaged += bool(decoder.decode(b"", final=True))  # it was cut within a character
    return damaged if damaged * least <= good or not damaged else None


def decoded(content: Content, encoding: str, errors: str = "strict") -> Iterator[str]:
    """The text of `content` in blocks, without a byte-order mark.

    Raises UnreadableError if it is not in `encoding`, unless `errors` is "replace".
    """
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    try:
        for place, block in enumerate(content.blocks()):
            text = decoder.decode(block)
            yield text if place else text.removeprefix("\ufeff")
    except UnicodeError as error:
        what = f"is not {encoding} throughout; name another encoding, or none to have it detected"
        raise UnreadableError(what, file=content.name) from error
    try:
        yield decoder.decode(b"", final=True)
    except UnicodeError:
        yield "\ufffd"  # the file was cut in the middle of a character


def paired(text: str) -> str:
    """The text with surrogate pairs joined to characters beyond U+FFFF.

    >>> paired("a" + chr(0xD83D) + chr(0xDE00) + "b")
    'a😀b'
    """
    if not _HALVES.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def is_binary(text: str) -> bool:
    r"""Whether a text begins with so many control characters that it is binary data.

    >>> is_binary("plain words"), is_binary("\x01\x02 words")
    (False, True)
    """
    sample = text[:_BEGINNING].rstrip("\x1a\0")  # with which DOS fills a block
    if not sample:
        return text != ""
    data = sample.encode("utf-8", "surrogatepass")
    count = data.translate(_AS_NULS).count(b"\0")
    if b"\xef" in data:  # the first byte of both
        count += sample.count("\ufffe") + sample.count("\uffff")
    return count > _BINARY_SHARE * len(sample)


def marked_or_wide(head: bytes) -> str:
    """The encoding of a byte-order mark, or UTF-16 by zero bytes beside Latin letters; else ""."""
    if marked := next((name for mark, name in _MARKS if head.startswith(mark)), ""):
        return marked
    if b"\0" not in head:
        return ""
    pairs = len(head) // 2
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > max(pairs // 3, 4 * even):
        return _WIDE[0]
    return _WIDE[1] if even > max(pairs // 3, 4 * odd) else ""


def _lost_at_end(content: Content, encoding: str) -> int | None:
    """1 if `content` ends within a character, 0 if all is in `encoding`; None otherwise.

    A truncated last character must not be the only evidence.
    """
    signs, end = False, ""
    try:
        for text in decoded(content, encoding):
            signs, end = signs or not end.isascii(), text
    except UnreadableError as error:
        if isinstance(error.__cause__, UnicodeError):
            return None
        raise
    if end != "\ufffd":
        return 0
    return 1 if signs else None


# Encodings that are detected, by how common their texts are. All but one group are supersets of
# ASCII: a text that is mostly ASCII cannot be in another, such as UTF-16.
_COMMON = (
    *("cp1252", "cp1250", "cp1251", "gb18030", "cp932", "cp949", "big5hkscs", "euc_jis_2004"),
    *("cp1254", "cp1253", "cp1255", "cp1256", "cp1257", "cp874", "cp1258", "koi8-r", "koi8-u"),
    *("iso8859-2", "iso8859-5", "iso8859-7", "iso8859-15", "iso8859-8", "iso8859-6"),
    "iso8859-13",
)
# Of MS-DOS and the old Macintosh, and those of few texts.
_RARE = (
    *("cp850", "cp852", "cp866", "mac-roman", "cp737", "cp857", "cp862", "cp775", "cp1125"),
    *("mac-latin2", "mac-cyrillic", "mac-greek", "mac-turkish", "iso8859-3", "iso8859-4", "johab"),
    *("cp855", "kz1048", "ptcp154", "cp869", "koi8-t", "cp860", "cp863"),
)
_SUPERSETS_OF_ASCII = (*_COMMON, *_RARE)
_EBCDIC = ("cp500", "cp037", "cp1140", "cp273", "cp1026", "cp875", "cp424")
_EBCDIC_BLANK = b"\x40"
_EBCDIC_BLANKS, _EBCDIC_LETTERS = 0.08, 0.5  # the least share of each in a text

_SAMPLE = 1 << 14  # bytes; chardet's models look at no more
_PARTS = 32  # of a block, each of which gives about `_PIECE` bytes to the sample
_PIECE = _SAMPLE // _PARTS
_MOST_PIECES = 2048
_SHORT = 64  # bytes; so few say too little for a rare encoding
_AROUND = 100  # bytes on each side of one beyond ASCII
_NON_ASCII = re.compile(rb"[\x80-\xff]")
# Between multi-byte characters, none of which contains one of these.
_BOUNDARY = re.compile(rb"[\n -/]")
_CONTROLS = bytes(set(range(32)) - {0x09, 0x0A, 0x0D})
_BLANKED = bytes.maketrans(_CONTROLS, b" " * len(_CONTROLS))
# Confidences that differ by less are equal, or nearly; measured as docs/encodings.md says.
_EQUAL, _EQUAL_WITHIN, _EQUAL_WITHIN_SHORT = 0.999, 0.0001, 0.01
_NEAR, _NEAR_WITHIN = 0.99, 0.001
_SIMILAR = 0.9


@dataclass(frozen=True)
class _Candidate:
    """An encoding that `sample` may be in."""

    name: str
    confidence: float
    sample: bytes

    @cached_property
    def text(self) -> str:
        """The sample in this encoding, without a truncated last character."""
        return codecs.getincrementaldecoder(self.name)("replace").decode(self.sample)

    @cached_property
    def oddities(self) -> int:
        """The number of characters that stand as in no word of any language."""
        words = {word for word in self.text.split() if not word.isascii()}
        return len(_ODDITIES.findall("\n".join(words)))

    @property
    def order(self) -> tuple[int, int]:
        """The place among candidates of equal confidence."""
        return self.oddities, _order(self.name)


def _detected(content: Content) -> Encoding:
    """The encoding that detection finds best among those that `content` is in."""
    is_data = is_binary(content.head.decode("latin-1"))
    if not is_data:
        candidates = _candidates(_sample(content.blocks()))
        for place, best in enumerate(candidates):
            if (damaged := _damaged_in(content, best)) is not None:
                rivals = (
                    other.name
                    for other in candidates[place + 1 :]
                    if _rivals(best, other) and _damaged_in(content, other) is not None
                )
                rival = next(rivals, "")
                return Encoding(best.name, detected=True, rival=rival, damaged=damaged)
    error = NotTextError if is_data else UnreadableError
    what = "is not text in an encoding known here; if it is text, name its encoding"
    raise error(what, file=content.name)


def _damaged_in(content: Content, candidate: _Candidate) -> int | None:
    """As `_damaged_places`, but any text may lack the end of its last character."""
    damaged = _lost_at_end(content, candidate.name)
    return _damaged_places(content, candidate.name) if damaged is None else damaged


def _candidates(sample: bytes) -> Sequence[_Candidate]:
    """The encodings that `sample` may be in, but for a few places, best first."""
    if is_ebcdic := _is_ebcdic(sample):
        among: tuple[str, ...] = _EBCDIC
    else:
        sample = sample.translate(_BLANKED)  # texts with control characters are binary to chardet
        among = _COMMON if len(sample) < _SHORT else _SUPERSETS_OF_ASCII
    scores = {among[0]: 0.0, **_confidences(sample, among)}
    candidates = [_Candidate(*score, sample) for score in scores.items()]
    if not is_ebcdic:  # it knows no encoding that a single place is not in
        candidates += (
            _Candidate(name, _confidences(whole, (name,)).get(name, 0.0), sample)
            for name in among
            if not scores.get(name) and (whole := _without_damage(sample, name))
        )
    candidates.sort(key=attrgetter("confidence"), reverse=True)
    best = candidates[0].confidence
    within = _EQUAL_WITHIN_SHORT if len(sample) < _SHORT else _EQUAL_WITHIN
    number = sum(item.confidence >= _EQUAL * best - within for item in candidates)
    equal = sorted(candidates[:number], key=attrgetter("order"))
    # Of two that give the same text, the more common may have characters of its own elsewhere.
    similar = (item for item in candidates if item.confidence >= _SIMILAR * best)
    same_text = (item for item in similar if item.text == equal[0].text)
    first = min(same_text, key=attrgetter("order"), default=equal[0])
    return [first, *(item for item in [*equal, *candidates[number:]] if item is not first)]


def _confidences(sample: bytes, among: Sequence[str]) -> dict[str, float]:
    """How well a sample fits each of some encodings, 0 to 1, by chardet's models."""
    import chardet

    matches: Iterable[Any] = chardet.detect_all(
        b"\n" + sample,  # it takes the first bytes of pictures for binary
        ignore_threshold=True,
        compat_names=False,
        include_encodings=among,
        no_match_encoding=among[0],
    )
    return {match["encoding"]: match["confidence"] for match in matches if match["encoding"]}


def _without_damage(sample: bytes, encoding: str) -> bytes:
    """A sample without the places that are not in an encoding; empty if they are none or many."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(sample)
    damaged = text.count(_REPLACEMENT)
    good = len(text) - len(text.encode("ascii", "ignore")) - damaged
    if not 0 < damaged * _DAMAGE <= good:
        return b""
    return text.replace(_REPLACEMENT, "").encode(encoding, "ignore")


def _rivals(best: _Candidate, other: _Candidate) -> bool:
    """Whether `other` fits about as well as `best` and gives another text."""
    return (
        other.confidence >= _NEAR * best.confidence - _NEAR_WITHIN
        and (_order(other.name) < len(_COMMON) or _order(best.name) >= len(_COMMON))
        and other.text != best.text
        and other.oddities <= best.oddities
    )


def _order(name: str) -> int:
    return _SUPERSETS_OF_ASCII.index(name) if name in _SUPERSETS_OF_ASCII else 0


# Characters as words of no language have them.
_ODDITIES = LazyPattern(
    r"""(?xV1)
    \p{Ll}[\p{Lu}--[A-Z]]  # a capital within a word
    |\p{Latin}[\p{Greek}\p{Cyrillic}\p{Hebrew}\p{Arabic}\p{Thai}]
    |[\p{Greek}\p{Cyrillic}\p{Hebrew}\p{Arabic}\p{Thai}]\p{Latin}
    # punctuation or a symbol within a word
    |(?<=\p{L})[[\p{P}\p{S}\p{N}]--[\x00-\x7f’·\xad–—…‑\u2010\u2212\u30fb]](?=\p{L})
    |\p{L}[\p{S}\p{No}ªº†‡•‰‹¿¡--[\x00-\x7f®™©°]]
    |[\p{S}§¶--[\x00-\x7f€£©°§]](?=\p{Ll})
    |[\x80-\x9f]  # control characters
    """,
    "regex",
)


def _is_ebcdic(sample: bytes) -> bool:
    """Whether blanks and letters are where EBCDIC has them, and none are where ASCII has them."""
    ascii_blanks = sample.count(b" ") + sample.count(b"\n")
    blanks = sample.count(_EBCDIC_BLANK)
    beyond = len(sample) - len(sample.translate(None, bytes(range(128, 256))))
    return (
        not ascii_blanks
        and blanks > _EBCDIC_BLANKS * len(sample)
        and beyond > _EBCDIC_LETTERS * len(sample)
    )


def _sample(blocks: Iterable[bytes]) -> bytes:
    """Bytes beyond ASCII with the text around, of all parts of a file, about `_SAMPLE` of them."""
    pieces: list[bytes] = []
    rest, step = b"", 1
    for place, block in enumerate(blocks):
        rest = b""
        if place % step == 0 and not block.isascii():
            *closed, rest = _pieces(block, 0 if place == 0 else _boundary(block, 0))
            pieces += closed
        if len(pieces) > _MOST_PIECES:
            pieces, step = pieces[::2], 2 * step
    every = max(1, sum(map(len, pieces)) // _SAMPLE)
    return b"".join(pieces[::every]) + rest[:_SAMPLE]


def _pieces(block: bytes, end: int) -> Iterator[bytes]:
    """Pieces of a block around bytes beyond ASCII, as many from each part; then what is left over.

    They lie between boundaries of characters, of which `end` is the first. The last piece, which
    may be empty, reaches to the end of the block.
    """
    width = max(_PIECE, len(block) // _PARTS)
    place, part, taken = end, -1, 0
    while match := _NON_ASCII.search(block, place):
        if match.start() // width != part:
            part, taken = match.start() // width, 0
        before = max(end, match.start() - _AROUND)
        start = max(end, block.rfind(b"\n", end, before) + 1, block.rfind(b" ", end, before) + 1)
        end = _boundary(block, max(start, match.start()) + _AROUND)
        if end == len(block):
            yield block[start:]
            return
        if end - start <= width:
            yield block[start:end]
            taken += end - start
        place = end if taken < _PIECE else max(end, (part + 1) * width)
    yield b""


def _boundary(block: bytes, place: int) -> int:
    """The end of the first boundary between characters at `place` or after it."""
    match = _BOUNDARY.search(block, place)
    return match.end() if match else len(block)
