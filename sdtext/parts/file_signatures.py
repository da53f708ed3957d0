"""Signatures: how the files of each format begin.

Files without a signature of a format are not shown to its class, which is then not even loaded: a
run on plain text loads no other reader. A signature is necessary, not sufficient; `recognises` of
the class decides.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import ClassVar

from sdtext.io.decompressed_content import Content

Signatures = tuple[bytes | re.Pattern[bytes], ...]
"""First bytes of files, or patterns that match at the beginning of their first `LENGTH` bytes."""


class FileFormat(ABC):
    """A format of files, and how to recognise one."""

    called: ClassVar[str]
    """The name of the format in messages, as "PDF file"."""
    signatures: ClassVar[Signatures] = ()
    """The first bytes of such files, or patterns that match at the beginning of the first 1024.

    Only files with one of the signatures are shown to `recognises`. Without signatures, every
    file is, which is slower. Those of the formats of sdtext are in `SIGNATURES`.
    """

    @staticmethod
    @abstractmethod
    def recognises(content: Content) -> bool:
        """Whether the file has this format, by its content and never by its name.

        It reads `content.head`, and more of the file only where it must.
        """


LENGTH = 1024
ZIPPED = b"PK\x03\x04"
COMPOUND = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
TNEF = b"\x78\x9f\x3e\x22"
OUTLOOK_FOLDER = b"!BDN"
# Its version, the date of its last change, numbers of records and bytes, and 20 bytes of zeros.
DBASE = re.compile(
    rb"[\x03\x30-\x32\x83\x8b\xf5].[\x01-\x0c][\x01-\x1f].{8}\x00{2}.{16}\x00{2}[A-Z]", re.DOTALL
)
_MARKUP = re.compile(rb"[\xef\xbb\xbf\xff\xfe\x00\s]*+(?:<|\Z)")  # or blanks only, so far
_RTF = re.compile(rb"(?:\xef\xbb\xbf)?\s*+(?:\{\\rtf|\Z)")
_HEADER_FIELD = re.compile(rb"(?:\xef\xbb\xbf)?[!-9;-~]{1,76}:")
NOTEBOOK = re.compile(
    rb'(?:\xef\xbb\xbf)?\s*+\{\s*+"(?:cells|metadata|nbformat|nbformat_minor|worksheets)"\s*+:'
)
_MAILBOX = re.compile(rb"From (?:[^\n]*\d:\d\d|[^\n]*\Z)")  # a line with a time
_ATTACHED = re.compile(rb"(?:\xef\xbb\xbf)?[\w-]{2,40}:")
# The mark of the format, or behind the name of the first file its mode in octal digits.
_TAR = re.compile(rb".{257}ustar|.{100}[0-7 ]{6,7}[ \x00]{1,2}", re.DOTALL)
# If behind other bytes, not that of the first file in an archive.
_PDF = re.compile(
    rb"%PDF-|(?!PK\x03\x04|7z\xbc\xaf|Rar!|WARC/|" + _TAR.pattern + rb")"
    rb"[^%]*+(?:%(?!PDF-)[^%]*+)*+%PDF-",
    re.DOTALL,
)

SIGNATURES: Mapping[str, Mapping[str, Signatures]] = {
    "readers": {
        "html": (_MARKUP,),
        "pdf": (_PDF,),
        "docx": (ZIPPED,),
        "odt": (ZIPPED, _MARKUP),
        "pptx": (ZIPPED,),
        "xlsx": (ZIPPED,),
        "epub": (ZIPPED,),
        "rtf": (_RTF,),
        "alto": (_MARKUP,),
        "xml": (_MARKUP,),
        "mhtml": (_HEADER_FIELD,),
        "mail": (_HEADER_FIELD,),
        "outlook": (COMPOUND, TNEF),
        "other": (COMPOUND, ZIPPED, OUTLOOK_FOLDER, DBASE),
        "notebook": (NOTEBOOK,),
        "doc": (COMPOUND,),
        "xls": (COMPOUND,),
        "ppt": (COMPOUND,),
        "compound": (COMPOUND,),
        "command": (re.compile(rb"(?!)"),),  # only used if asked for
    },
    "containers": {
        "office": (ZIPPED,),
        "old-office": (COMPOUND,),
        "pdf": (_PDF,),
        "warc": (b"WARC/", b"filedesc://"),
        "wacz": (ZIPPED,),
        "outlook": (COMPOUND, TNEF),
        "zip": (b"PK", b"MZ"),
        "tar": (_TAR,),
        "7z": (b"7z\xbc\xaf\x27\x1c",),
        "mbox": (_MAILBOX,),
        "mail": (_ATTACHED,),
    },
}
