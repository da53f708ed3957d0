"""Reader of mails (RFC 5322 and MIME): one message without its attachments."""

import os
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.errors import CloseBoundaryNotFoundDefect as NoEndOfParts
from email.errors import MessageError
from email.generator import BytesGenerator
from email.message import Message
from email.parser import BytesFeedParser
from io import BytesIO
from itertools import takewhile
from quopri import decodestring
from typing import ClassVar, cast

from sdtext.errors import OptionError, PackingError, UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem, QuotationMark
from sdtext.parts.readers import Block, Reader, partly_read
from sdtext.parts.readers.hidden_text import KEEP, HiddenText
from sdtext.parts.readers.markup import page_text
from sdtext.text.encoding import Encoding, check_encoding, decoded, find_encoding
from sdtext.wording import counted

_SHOWN_FIELDS = ("From", "To", "Cc", "Date", "Subject")
_ENDS = 16  # characters: ends of lines that the text of a mail has, and not the mail
_LEAST_FIELDS = 3
_HEAD = 4096  # bytes that are looked at; the last line may be cut in the middle of a name
_BEGUN = frozenset({"from", "received", "message-id", "mime-version"})
_KNOWN_FIELDS = _BEGUN | frozenset(
    """
    return-path delivered-to to cc bcc subject date content-type reply-to sender
    content-transfer-encoding in-reply-to references dkim-signature authentication-results
    """.split()  # noqa: SIM905 (a list of names, not of strings)
)
_SENT_FIELDS = _KNOWN_FIELDS - {"from", "to", "cc", "bcc", "subject", "date", "reply-to", "sender"}
_FIELD = re.compile(rb"([!-9;-~]{1,76}):")
_MAX_VALUE = 1 << 16
# RFC 2047, 2, and the language that RFC 2231, 5, lets stand behind the character set.
_WORD = re.compile(r"=\?([^?*\s]{1,40})(?:\*[^?\s]{0,20})?\?([BbQq])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(\?=)[ \t]+(?==\?)")
_FOLD = re.compile(r"[\r\n\t ]+")
# A subset of each is named where the whole is meant, by old programs without number.
_MEANT = {
    **dict.fromkeys(("us-ascii", "ascii", "iso-8859-1", "latin1"), "cp1252"),
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "ks_c_5601-1987": "cp949",
    "euc-kr": "cp949",
    "shift_jis": "cp932",
    "iso-8859-8-i": "iso-8859-8",
}
_DEPTH = 20
_ENDINGS = {
    "text/plain": "txt",
    "text/markdown": "md",
    "text/calendar": "ics",
    "image/jpeg": "jpg",
    "image/svg+xml": "svg",
    "application/msword": "doc",
    "application/octet-stream": "bin",
    "message/rfc822": "eml",
}
_SIGNATURE = "-- "
_LONGEST_SIGNATURE = 10  # lines, if the blank is missing
# What comes before a mail that is quoted as a whole, as Outlook writes it.
_WHOLE = re.compile(r"[-_]{4,200}+(?: ?\w[^\n_]{2,60} ?-{4,200})?$")
_FROM_FIELD = re.compile(
    r"\*?(?:From|Von|De|Da|Van|Från|Fra|Od|От|Kimden|差出人|发件人|寄件者|보낸 사람|من)\*? ?[:：]"
)
_SUBJECT_FIELD = re.compile(
    r"(?m)^\*?(?:Subject|Betreff|Objet|Asunto|Assunto|Oggetto|Onderwerp|Ämne|Emne|Temat|Předmět|Тема"
    r"|Predmet|Zadeva|Konu|件名|主题|主旨|제목|الموضوع)\*? ?[:：]"
)
_MOST_FIELDS = 50  # lines behind the first
_CLOCK = re.compile(r"[:：] *\w[^\n]{2,60}?\D\d{1,2}:\d\d")  # behind a date or a day
_DATED = re.compile(r"\d:\d\d|\d{4}")
_ANNOUNCES = re.compile(
    r"\d:\d\d|@|\b(?:wrote|writes|said|schrieb|écrit|escribió|escreveu|scritto|schreef|skrev|napisał"
    r"|napsal|написал)|写道|寫道|書きま"
)
_HEADER_END = re.compile(rb"\r?\n\r?\n")
_RELATED = re.compile(rb"^content-type:\s*multipart/related\b", re.IGNORECASE | re.MULTILINE)
_SENT = re.compile(
    rb"^(?:(?:received|message-id|to|cc|return-path):|from:[^\n]*@)", re.IGNORECASE | re.MULTILINE
)
_TAG = re.compile(rb"<(?:style|script)\b[^<]*+|<[^>]*+>", re.IGNORECASE)
_FULLER, _FEW_WORDS = 3, 20  # a form of so many times the words, and more, is another text
_LOCKED = frozenset({"multipart/encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"})
# The package parses on the spot what a mail says of its parts, and meets damage with these.
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, AssertionError, MessageError)


@dataclass(frozen=True)
class Mail(Reader):
    r"""The text of a mail: the headers From, To, Date and Subject, then the body.

    If the body has alternative forms, plain text is preferred to HTML, unless it has far fewer
    words. Attachments, including
    attached mails, are not read here: they are members of the mail, as files are of an archive.
    Hidden text is read and reported as in HTML; `hidden="drop"` leaves it out. With `only_body`
    headers, quoted mails and the signature are left out.

    >>> place = folder / "bees.eml"
    >>> place.write_bytes(b"From: a@b.c\nDate: today\nSubject: =?utf-8?q?=E2=82=AC?=\n\nBees.\n")
    62
    >>> "".join(Mail()(Content(place)))
    'From: a@b.c\nDate: today\nSubject: €\n\nBees.\n'
    """

    hidden: str = KEEP
    only_body: bool = False
    called: ClassVar[str] = "mail"
    isolated: ClassVar[bool] = True

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether the file begins with a mail header: at least three known fields.

        At least one names the sender, identifies the mail, or says that it is MIME. A mailbox
        begins otherwise.
        """
        lines = content.head.removeprefix(b"\xef\xbb\xbf").splitlines()
        names: list[str] = []
        is_header = True
        for line in lines:
            if not line:
                break
            if field := _FIELD.match(line):
                names.append(field[1].decode("ascii").lower())
            elif not names or line[:1] not in (b" ", b"\t"):
                is_header = line is lines[-1] and len(content.head) == _HEAD
                break
        known = {name for name in names if name in _KNOWN_FIELDS or name.startswith("x-")}
        is_mail = is_header and len(known) >= _LEAST_FIELDS and not known.isdisjoint(_BEGUN)
        return is_mail and not Mhtml.recognises(content)

    def __call__(self, content: Content) -> Iterator[Block | Problem]:
        message, limit = opened(content)
        yield from self.text_of(message, content)
        if limit:
            what = f"{limit}; only what stands before that is read"
            yield Problem.at("error", "partly-read", content.name, what)
        elif any(isinstance(it, NoEndOfParts) for part in message.walk() for it in part.defects):
            ends = [block[-1:] for block in content.blocks()]
            if ends[-1] != b"\n":  # programs that leave the last boundary out end the last line
                yield partly_read(content, "is truncated; read up to its end")

    def text_of(self, message: Message, content: Content) -> Iterator[Block | Problem]:
        """The text of the mail that `content` holds."""
        if not self.only_body:
            fields = [(key.lower(), str(value)) for key, value in message.raw_items()]
            for name in _SHOWN_FIELDS:
                values = (_words_of(value) for key, value in fields if key == name.lower())
                yield "".join(f"{name}: {words}\n" for words in values if words)
            if _SENT_FIELDS.isdisjoint(key for key, _ in fields):  # a memo, or a copied mail
                for key, value in message.raw_items():
                    if key.title() not in _SHOWN_FIELDS:
                        yield f"{key}: {_words_of(str(value))}\n"
            yield "\n"
        hidden = HiddenText(self.hidden)
        for part in _parts(message, 0)[0]:
            text, encoding = _decoded_body(part, content)
            yield from encoding.problems(content)
            if part.get_content_type() == "text/html":
                blocks = page_text([text], content, hidden)
                yield from [_unquoted(blocks)] if self.only_body else blocks
            else:
                text = _own_words(text) if self.only_body else text
                yield text if text.endswith("\n") else text + "\n"
        yield from hidden.problems(content.name)
        if _kind(message) in _LOCKED:
            what = (
                "its text is encrypted, or signed in an unsupported form; only its header is read"
            )
            yield Problem.at("warning", "partly-read", content.name, what)


@dataclass(frozen=True)
class Mhtml(Mail):
    """The text of a web page saved as one file (MHTML, RFC 2557), and of the frames in it.

    >>> Mhtml.called
    'saved web page'
    """

    called: ClassVar[str] = "saved web page"

    @staticmethod
    def recognises(content: Content) -> bool:
        """Whether it begins with a header of related parts that was never sent to anybody."""
        header = _HEADER_END.split(content.head.removeprefix(b"\xef\xbb\xbf"), maxsplit=1)[0]
        is_page = _FIELD.match(header) is not None and _RELATED.search(header) is not None
        return is_page and _SENT.search(header) is None

    def text_of(self, message: Message, content: Content) -> Iterator[Block | Problem]:
        """The text of all pages among the parts of `message`."""
        hidden = HiddenText(self.hidden)
        left_out, doubles = 0, set[int]()
        for part in message.walk():
            kind, is_attached = _kind(part), False
            if kind == "multipart/alternative":
                doubles |= set(map(id, part.get_payload()))
            with suppress(*_DAMAGE):
                is_attached = part.get_content_disposition() == "attachment"
            is_plain = kind == "text/plain" and not is_attached and id(part) not in doubles
            if is_plain or kind in ("text/html", "application/xhtml+xml"):
                text, encoding = _decoded_body(part, content)
                yield from encoding.problems(content)
                yield from [text, "\n"] if is_plain else page_text([text], content, hidden)
            else:
                left_out += is_attached
        yield from hidden.problems(content.name)
        if left_out:
            yield partly_read(content, f"{counted(left_out, 'attached file')} left out")


def _own_words(text: str) -> str:
    r"""The text of a body without quoted mails, the line that announces them, and the signature.

    >>> _own_words("Yes.\n\nOn Monday Ann wrote:\n\n> May I?\n-- \nBob")
    'Yes.\n\n'
    """
    own: list[str] = []
    written = text.split("\n")
    lines = [line.strip() for line in written]
    is_quoted = False
    for place, line in enumerate(lines):
        is_short = len(lines) - place < _LONGEST_SIGNATURE
        if line == _SIGNATURE.strip() and (is_short or written[place] == _SIGNATURE):
            break
        if _FROM_FIELD.match(line):
            fields = "\n".join(takewhile(bool, lines[place + 1 : place + _MOST_FIELDS]))
            above = next(filter(None, reversed(own)), "")
            is_whole = _WHOLE.match(above)
            if _SUBJECT_FIELD.search(fields) and (is_whole or _CLOCK.search(fields)):
                del own[len(own) - 1 - own[::-1].index(above) if is_whole else len(own) :]
                break
        if line.startswith(">"):
            while not is_quoted and own and not own[-1]:
                own.pop()
            last = own[-1] if own and not is_quoted else ""
            if last.endswith((":", "：")) and _ANNOUNCES.search(last):
                is_dated = _DATED.search(own.pop())
                before = own[-1] if own and not is_dated else ""
                if _DATED.search(before) and not before.endswith((".", "!", "?")):  # wrapped
                    own.pop()
            is_quoted = True
        else:
            own.append(line)
            is_quoted = is_quoted and not line
    return "\n".join(own) + "\n"


def _unquoted(blocks: Iterable[Block]) -> str:
    """The text of a page without quotations, with the signature cut off."""
    depth, texts = 0, []
    for block in blocks:
        if isinstance(block, QuotationMark):
            depth += 1 if block.opens else -1
        elif isinstance(block, str) and depth <= 0:
            texts.append(block)
    return _own_words("".join(texts))


def opened(content: Content) -> tuple[Message, str]:
    """The mail in `content`, and which limit ends it too early, "" if none does.

    Raises UnreadableError.
    """
    parser, size, limit = BytesFeedParser(), 0, ""
    try:
        try:
            for block in content.blocks():
                allowed = block[: max(0, content.max_bytes - _ENDS - size)]
                parser.feed(allowed if size else allowed.removeprefix(b"\xef\xbb\xbf"))
                size += len(block)
                content.check_size(size)
        except PackingError as error:
            limit = error.what
        return parser.close(), limit
    except RecursionError as error:
        what = "is a mail with parts nested too deep, which only malicious files have"
        raise UnreadableError(what, file=content.name) from error


def attachments(message: Message) -> Iterator[tuple[str, bytes]]:
    """The name and the bytes of each file that is attached to a mail.

    An attachment without a name is called `attachment-N` with the extension of its type; an
    attached mail is `message-N.eml`.
    """
    for place, part in enumerate(_parts(message, 0)[1], 1):
        try:
            given = _words_of(part.get_filename("") or "")
        except _DAMAGE:
            given = ""
        name = os.path.basename(given.replace("\\", "/"))  # noqa: PTH119 (a name from outside)
        if not name.strip(". "):
            kind = _kind(part)
            subtype = kind.partition("/")[2]
            plain = subtype if re.fullmatch(r"[a-z0-9]{1,5}", subtype) else "bin"
            first = "message" if kind == "message/rfc822" else "attachment"
            name = f"{first}-{place}.{_ENDINGS.get(kind, plain)}"
        yield name, _bytes(part)


def _words_of(value: str) -> str:
    r"""Decode the encoded words of a header value; its raw bytes are lone surrogates.

    >>> _words_of("=?iso-8859-1?Q?caf=E9?= =?utf-8?b?4oKs?=\n now")
    'café€ now'
    """
    raw = value[:_MAX_VALUE].encode("utf-8", "surrogateescape")
    line = _BETWEEN.sub(r"\1", _FOLD.sub(" ", best_decoded(raw)[0]))
    return _WORD.sub(_decoded_word, line).strip()


def _decoded_word(match: re.Match[str]) -> str:
    charset, form, text = match.groups()
    written = text.encode("ascii", "replace")
    try:
        if form in "Bb":
            data = b64decode(written + b"=" * (-len(written) % 4))
        else:
            data = decodestring(written, header=True)
    except Error:
        return match[0]
    return _FOLD.sub(" ", best_decoded(data, charset)[0])


def best_decoded(
    data: bytes, charset: str = "", content: Content | None = None
) -> tuple[str, Encoding]:
    r"""Decode `data`: as declared, as UTF-8, or as detected; never fails.

    >>> best_decoded(b"caf\xe9")[0], best_decoded("café".encode(), "us-ascii")[0]
    ('café', 'café')
    """
    name = charset.strip().strip("\"'").lower()
    try:
        meant = check_encoding(_MEANT.get(name, name))
    except OptionError:
        meant = ""
    whole = Content("", called=content.name if content else "", data=data)
    try:
        encoding = find_encoding(whole, meant)
        return "".join(decoded(whole, encoding.name, encoding.errors)), encoding
    except UnreadableError:
        encoding = Encoding(meant or "cp1252")
        return data.decode(encoding.name, "replace"), encoding


def _decoded_body(part: Message, content: Content) -> tuple[str, Encoding]:
    """The text of a part, with its lines joined where the mail says how, and its encoding."""
    text, encoding = best_decoded(_bytes(part), _parameter(part, "charset"), content)
    text = text.replace("\r\n", "\n")
    if _kind(part) == "text/plain" and _parameter(part, "format").lower() == "flowed":
        return _unwrapped(text, drops=_parameter(part, "delsp").lower() == "yes"), encoding
    return text, encoding


def _parts(part: Message, depth: int) -> tuple[list[Message], list[Message]]:
    if depth < _DEPTH and part.is_multipart() and part.get_content_maintype() == "multipart":
        each = [_parts(cast("Message", child), depth + 1) for child in part.get_payload()]
        texts = [text for text, _ in each]
        if _kind(part) == "multipart/alternative":
            # The plain form, unless it only points to another; else the last: the best comes last.
            filled = [text for text in texts if _words(text)]
            plain = [text for text in filled if all(_kind(one) == "text/plain" for one in text)]
            is_stub = plain and _words(filled[-1]) > _FULLER * _words(plain[0]) + _FEW_WORDS
            texts = filled[-1:] if is_stub else plain[:1] or filled[-1:]
        attached = [one for _, others in each for one in others]
        return [one for text in texts for one in text], attached
    is_text = _kind(part) in ("text/plain", "text/html") and not part.is_multipart()
    with suppress(*_DAMAGE):
        is_text = is_text and part.get_content_disposition() != "attachment"
    return ([part], []) if is_text else ([], [part])


def _words(parts: Iterable[Message]) -> int:
    """The number of words of some parts, without tags and styles."""
    return sum(len(_TAG.sub(b" ", _bytes(part)).split()) for part in parts)


def _kind(part: Message) -> str:
    try:
        return part.get_content_type()
    except _DAMAGE:
        return "text/plain"


def _parameter(part: Message, name: str) -> str:
    """A parameter of a part's type, "" where there is none that can be read."""
    try:
        value = part.get_param(name, "")
    except _DAMAGE:
        return ""
    return str(value[2] if isinstance(value, tuple) else value)


def _bytes(part: Message) -> bytes:
    """The content of a part; a mail or a delivery report as a whole, as it was sent."""
    if part.is_multipart():
        return b"\n".join(_sent(cast("Message", child)) for child in part.get_payload())
    try:
        data = part.get_payload(decode=True)
    except _DAMAGE:  # it cannot be decoded: the text as it was sent
        data = _sent(part)
    return data if isinstance(data, bytes) else b""


def _sent(message: Message) -> bytes:
    file = BytesIO()
    try:
        _AsSent(file, mangle_from_=False).flatten(message)
    except (*_DAMAGE, RecursionError):
        pass  # what was written is as much as can be had
    return file.getvalue()


class _AsSent(BytesGenerator):
    """Generator that writes headers unchanged, even damaged ones."""

    def _write_headers(self, msg: Message) -> None:
        for name, value in msg.raw_items():
            self.write(f"{name}: {value}\n")
        self.write("\n")


def _unwrapped(text: str, *, drops: bool) -> str:
    """The text with lines that end in a blank joined to the next (RFC 3676, format=flowed)."""
    lines: list[str] = []
    depth, flows = 0, False
    for written in text.split("\n"):
        quoted = len(written) - len(written.lstrip(">"))
        line = written[quoted:].removeprefix(" ")
        if flows and quoted == depth and line != _SIGNATURE:
            lines[-1] = (lines[-1][:-1] if drops else lines[-1]) + line
        else:
            lines.append(">" * quoted + (" " if quoted else "") + line)
        depth, flows = quoted, line.endswith(" ") and line != _SIGNATURE
    return "\n".join(lines)
