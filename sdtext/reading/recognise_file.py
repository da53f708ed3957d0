"""What the first bytes of a file say: its container, or its reader, or that it has no text."""

from contextlib import suppress

from sdtext.errors import NotTextError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.parts.registry import find, names_for
from sdtext.reading.options import Reading
from sdtext.text.encoding import is_binary, marked_or_wide

PLAIN = "text"
READ_AS_RECORDS = "AddDocuments and Deduplicate read each record if the file itself is named"
"""What messages advise for a file of records."""
_COMMAND = "command"
_RAR = b"Rar!"
_OTHER_KINDS = (
    (b"PK\x05\x06", "an empty zip archive"),
    (_RAR, "a RAR archive, which sdtext does not unpack; unpack it by hand"),
    (b"%!PS", "a PostScript file; convert it to PDF"),
    (b"PAR1", "a file of records (Parquet), which is not read as one document; " + READ_AS_RECORDS),
)
_SURE = 0.3  # the confidence in a signature of three bytes or more


def name_of_reader(content: Content, reading: Reading) -> str:
    """The name of the reader for a file: plain text if no other reader recognises it.

    A reader `command` that is asked for reads every file. Raises UnreadableError for a kind of file
    that has no text.
    """
    if not content.head:
        raise NotTextError("is empty", file=content.name)
    if any(spec.name == _COMMAND for spec in reading.readers):
        return _COMMAND
    if name := _special_reader(content):
        return name
    if container := container_of(content):
        what = f"is a {find('containers', container).called}; name a file in it as"
        raise UnreadableError(f"{what} {content.name}!NAME", file=content.name)
    for begin, kind in _OTHER_KINDS:
        if content.head.startswith(begin):
            error = UnreadableError if begin == _RAR else NotTextError
            raise error(f"is {kind}", file=content.name)
    try:
        is_text = bool(marked_or_wide(content.head)) or not is_binary(content.head.decode("utf-8"))
    except UnicodeDecodeError as error:
        is_text = error.reason == "unexpected end of data"  # the head ends within a character
    if not is_text:
        import puremagic

        head = content.head.rstrip(b"\0\x1a")  # with which DOS fills a block of text
        is_data = b"\0" in head or is_binary(head.decode("latin-1"))
        with suppress(puremagic.PureError):  # without a known magic number it may be text
            for match in puremagic.magic_string(content.head):
                number = match.byte_match.strip(b"\0")
                # Texts in old encodings begin with "Article", "#define" or "***", too.
                is_words = number.isascii() and number.decode().isprintable()
                is_sure = is_data or (match.confidence >= _SURE and not is_words)
                if match.name and is_sure and number and len(match.byte_match) > 1:
                    raise NotTextError(f"is not text ({match.name})", file=content.name)
    return PLAIN


def container_of(content: Content) -> str:
    """The name of the container part for `content`, "" if it is none.

    A file with a reader of its own is none, such as an office file; a mail is both.
    """
    for name in names_for("containers", content.head):
        part = find("containers", name)
        if part.recognises(content):
            return name if part.also_text or not _special_reader(content) else ""
    return ""


def _special_reader(content: Content) -> str:
    """The name of the reader that recognises `content`, "" if only that of plain text is left."""
    special = (name for name in names_for("readers", content.head) if name != PLAIN)
    return next((name for name in special if find("readers", name).recognises(content)), "")
