"""Reader of Outlook mails: MSG (MS-OXMSG) by python-oxmsg, TNEF (MS-OXTNEF) by tnefparse."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.message import Message
from email.mime.application import MIMEApplication
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.parser import HeaderParser
from importlib.util import find_spec
from io import BytesIO
from typing import Any, ClassVar

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.io.zip_reader import damage
from sdtext.model import Problem
from sdtext.parts.file_signatures import COMPOUND, TNEF
from sdtext.parts.readers import Block
from sdtext.parts.readers.legacy_office import root_names
from sdtext.parts.readers.mail import Mail, best_decoded

_PROPERTIES = "__properties_version1.0"
# Numbers of properties (MS-OXPROPS).
_SUBJECT, _SENT, _HEADERS, _BODY, _RTF, _PAGE = 0x37, 0x39, 0x7D, 0x1000, 0x1009, 0x1013
_SENDER, _SENDER_MAIL, _SENDER_SMTP, _NAME, _MAIL = 0xC1A, 0xC1F, 0x5D01, 0x3001, 0x3003
_FILE, _FILE_NAME, _SHORT_NAME = 0x3701, 0x3707, 0x3704
_INNER = "_3701000D"  # the end of the name of the storage of an attached mail


@dataclass(frozen=True)
class Outlook(Mail):
    """The text of an Outlook mail (MSG, or TNEF as in winmail.dat), as that of a mail.

    >>> Outlook(only_body=True)
    Outlook(hidden='keep', only_body=True)
    """

    called: ClassVar[str] = "Outlook mail"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins as TNEF does, or is a compound file with the properties of a mail."""
        return content.head.startswith(TNEF) or _PROPERTIES in root_names(content)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        yield from self.text_of(outlook_opened(content), content)


def can_open(content: Content) -> bool:
    """Whether the package is installed that opens an Outlook mail of this form."""
    return find_spec("oxmsg" if content.head.startswith(COMPOUND) else "tnefparse") is not None


def outlook_opened(content: Content) -> Message:
    """The Outlook mail in `content`, as any other mail. Raises UnreadableError."""
    is_msg = content.head.startswith(COMPOUND)
    if not can_open(content):
        kind = "MSG" if is_msg else "TNEF, winmail.dat"
        what = f"is an Outlook mail ({kind}), which needs more: pip install 'sdtext[formats]'"
        raise UnreadableError(what, file=content.name)
    try:
        data = content.whole()
        if not is_msg:
            return _from_tnef(data)
        from olefile import OleFileIO
        from oxmsg.storage import Storage

        with OleFileIO(BytesIO(data)) as file:
            return _from_storage(Storage.from_ole(file), 32)
    except (MemoryError, UnreadableError):
        raise
    except Exception as error:  # the packages check little of what a file says
        raise damage(content, Outlook.called, type(error).__name__) from error


def _from_storage(storage: Any, offset: int) -> Message:
    """The mail in a storage, whose properties begin at `offset` of their stream."""
    from oxmsg.properties import Properties

    properties = Properties(storage, offset)
    text = properties.str_prop_value
    headers = HeaderParser().parsestr(text(_HEADERS) or "")
    people = (Properties(each, 8).str_prop_value for each in storage.iter_recipient_storages())
    fields = {
        "From": headers["From"] or _person(text(_SENDER), text(_SENDER_SMTP) or text(_SENDER_MAIL)),
        "To": headers["To"] or ", ".join(_person(each(_NAME), each(_MAIL)) for each in people),
        "Cc": headers["Cc"],
        "Date": headers["Date"] or properties.date_prop_value(_SENT),
        "Subject": text(_SUBJECT),
    }
    files: list[tuple[Any, Any]] = []
    for attached in storage.iter_attachment_storages():
        about = Properties(attached, 8)
        inner = next((each for each in attached.storages if each.name.endswith(_INNER)), None)
        name = about.str_prop_value(_FILE_NAME) or about.str_prop_value(_SHORT_NAME)
        if inner:
            files.append((f"{name or 'message'}.eml", _from_storage(inner, 24).as_bytes()))
        else:
            files.append((name, about.binary_prop_value(_FILE)))
    page = properties.binary_prop_value(_PAGE)
    known = page.decode(properties.body_encoding, "replace") if page else text(_PAGE)
    return _mail(fields, text(_BODY), known, files, properties.binary_prop_value(_RTF))


def _person(name: str | None, address: str | None) -> str:
    return f"{name or ''} <{address}>".strip() if address else name or ""


def _from_tnef(data: bytes) -> Message:
    import tnefparse

    mail = tnefparse.TNEF(data, do_checksum=False)
    subjects = (each.data for each in mail.msgprops if each.name == mail.ATTSUBJECT)
    files = [(each.long_filename(), each.data) for each in mail.attachments]
    plain, page = (
        best_decoded(form, mail.codepage or "")[0] if isinstance(form, bytes) else form
        for form in (mail.body, mail.htmlbody)
    )
    return _mail(
        {"Subject": next(subjects, None)},
        plain,
        page,
        files,
        mail._rtfbody,  # noqa: SLF001 (the public one needs a package by another name)
    )


def _mail(
    fields: dict[str, Any], plain: Any, page: Any, files: list[tuple[Any, Any]], rtf: Any
) -> Message:
    """A mail with these header fields, forms of its body, and attached files with their names.

    A body in RTF alone is attached, too.
    """
    message = MIMEMultipart()
    for name, value in fields.items():
        if value:
            message[name] = " ".join(str(value).split())
    body = MIMEMultipart("alternative")
    for kind, text in (("plain", plain), ("html", page)):
        if text:
            body.attach(MIMEText(text.rstrip("\0"), kind, "utf-8"))
    message.attach(body)
    if rtf and not (plain or page):
        with suppress(ImportError):
            from compressed_rtf import decompress

            body = rtf  # which is reported as no text, if it is damaged
            with suppress(Exception):  # all its errors
                body = decompress(rtf + b"\0")  # tnefparse drops a last zero
            files = [("body.rtf", body), *files]
    for name, data in files:
        part = MIMEApplication(data or b"")
        part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", name or ""))
        message.attach(part)
    return message
