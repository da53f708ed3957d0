"""Character encodings: byte-order mark, strict UTF-8, declared encoding, then detection."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sdtext.errors import OptionError, UnreadableError
from sdtext.io.content import Content

if TYPE_CHECKING:
    from charset_normalizer import CharsetMatch


# UTF-32's mark begins like UTF-16's, so it comes first.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Python's codecs that are no encodings of files: escapes, host names, a mail format, none at all.
_NOT_FOR_FILES = {
    *("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape", "utf-7"),
    *("mbcs", "oem", "raw_unicode_escape", "unicode_escape", "utf_7"),
}
_MARK = re.compile(rb"[ -/]")
_JAPANESE = re.compile(rb"\x1b\$[@B]")  # the shift that ISO-2022-JP begins kanji with
_SAMPLE = 1 << 16
_COMMONEST = "cp1252"
# Control characters that texts do hold: white space, backspace (man pages), escape (colours).
_BINARY = re.compile("[\x00-\x07\x0e-\x1a\x1c-\x1f\x7f\ufffe\uffff]")
_BINARY_SHARE = 0.02
_HALVES = re.compile("[\ud800-\udfff]")


def check_encoding(name: str) -> str:
    """`name` if it is that of a character encoding; OptionError otherwise."""
    try:
        codec = codecs.lookup(name).name
        "".encode(name)
    except (LookupError, UnicodeError, ValueError):
        codec = ""
    if not codec or codec in _NOT_FOR_FILES:
        wanted = "a character encoding such as utf-8, windows-1252, gb18030 or utf-16-le"
        raise OptionError(f"encoding is {name!r}; it must be {wanted}")
    return name


def find_encoding(content: Content, declared: str = "") -> str:
    """The encoding of `content`; `declared` is the one that it declares.

    Raises UnreadableError if it is not text in any known encoding.
    """
    marked = next((name for mark, name in _MARKS if content.head.startswith(mark)), "")
    if marked:
        return marked
    wide = _wide_without_mark(content.head)
    if wide:
        return wide
    shifted = "iso2022_jp" if _JAPANESE.search(content.head) else declared
    if shifted and _is_shifted(shifted) and _decodes(content, shifted):
        return shifted
    if _decodes(content, "utf-8"):
        return "utf-8"
    if declared and _known(declared) and _decodes(content, declared):
        return declared
    return _guess(content)


def decoded(content: Content, encoding: str) -> Iterator[str]:
    """The text of `content` in blocks, without a byte-order mark.

    Raises UnreadableError if it is not in `encoding`.
    """
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for place, block in enumerate(content.blocks()):
            text = decoder.decode(block)
            yield text if place else text.removeprefix("\ufeff")
    except UnicodeError as error:
        raise UnreadableError(
            f"is not {encoding} throughout ({error.__class__.__name__}); "
            "name its encoding with --encoding",
            file=content.name,
        ) from error
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
    sample = text[:_SAMPLE]
    return len(_BINARY.findall(sample)) > _BINARY_SHARE * len(sample)


def _wide_without_mark(head: bytes) -> str:
    """UTF-16 without a mark, known by the zero bytes beside its Latin letters."""
    pairs = len(head) // 2
    even, odd = head[0 : 2 * pairs : 2].count(0), head[1 : 2 * pairs : 2].count(0)
    if odd > max(pairs // 3, 4 * even):
        return "utf-16-le"
    return "utf-16-be" if even > max(pairs // 3, 4 * odd) else ""


def _decodes(content: Content, encoding: str) -> bool:
    """Whether all is in `encoding`; a truncated last character must not be the only evidence."""
    signs, end = False, ""
    try:
        for text in decoded(content, encoding):
            signs, end = signs or not end.isascii(), text
    except UnreadableError as error:
        if isinstance(error.__cause__, UnicodeError):
            return False
        raise
    return end != "\ufffd" or signs


def _known(encoding: str) -> bool:
    try:
        check_encoding(encoding)
    except OptionError:
        return False
    return True


def _is_shifted(encoding: str) -> bool:
    """Whether an encoding uses ASCII bytes only, as those of old mails do."""
    return _known(encoding) and codecs.lookup(encoding).name.startswith(("iso2022", "hz"))


def _guess(content: Content) -> str:
    """The encoding detected by charset-normalizer in the unusual parts of the file."""
    if not is_binary(content.head.decode("latin-1")):
        from charset_normalizer import from_bytes

        guesses = list(from_bytes(_unusual(content.blocks())))
        likely = [guess for guess in guesses if _nearly_as_good(guess, guesses[0])]
        names = [
            name for guess in likely for name in (guess.encoding, *guess.could_be_from_charset)
        ]
        # If several are nearly as good, the most common of them is chosen.
        best = _COMMONEST if _COMMONEST in names else next(iter(names), "")
        if best and _decodes(content, best):
            return best
    raise UnreadableError(
        "is not text in an encoding known here; if it is text, name its encoding with --encoding",
        file=content.name,
    )


def _nearly_as_good(match: CharsetMatch, best: CharsetMatch) -> bool:
    """Whether a match is nearly as good as the best; limits measured on texts in ten languages."""
    return match.chaos <= best.chaos + 0.1 and match.coherence >= best.coherence - 0.02


def _unusual(blocks: Iterable[bytes]) -> bytes:
    """Lines with bytes beyond ASCII, as many as detection needs."""
    sample: list[bytes] = []
    size = 0
    for block in blocks:
        for line in block.splitlines():
            if not line.isascii():
                sample.append(line if len(line) < _SAMPLE else _cut(line[:_SAMPLE]))
                size += len(sample[-1])
                if size > _SAMPLE:
                    return b"\n".join(sample)
    return b"\n".join(sample)


def _cut(line: bytes) -> bytes:
    """The line up to its last blank or mark, which no multi-byte character contains."""
    marks = _MARK.findall(line)
    return line[: line.rfind(marks[-1])] if marks else line
