"""The text of a mail, and what is attached to it."""

from email import policy
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers.mail import Mail, attachments, opened
from sdtext.reading import read_document
from sdtext.reading.options import Reading
from tests.support.cases import cases
from tests.support.command import here
from tests.support.strategies import BRISK

HEAD = b"From: Anna <a@example.org>\nTo: b@example.org\nDate: Mon, 2 May 2022 10:00 +0200\n"
MIME = HEAD + b"Subject: Bees\nMIME-Version: 1.0\n"
SHOWN = "From: Anna <a@example.org>\nTo: b@example.org\nDate: Mon, 2 May 2022 10:00 +0200\n"
LINES = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp"]), min_size=1)


def read(path: Path, data: bytes) -> tuple[str, list[Problem]]:
    path.write_bytes(data)
    assert Mail.recognises(Content(path))
    result = list(Mail()(Content(path)))
    problems = [item for item in result if isinstance(item, Problem)]
    return "".join(item for item in result if isinstance(item, str)), problems


def body_of(path: Path, data: bytes) -> str:
    text, problems = read(path, data)
    assert not problems
    return text.partition("\n\n")[2]


def attached(path: Path, data: bytes) -> list[tuple[str, bytes]]:
    path.write_bytes(data)
    return list(attachments(opened(Content(path))[0]))


def parts(kind: str, *inside: bytes) -> bytes:
    """A part of that kind, as multipart/mixed, with parts in it."""
    mark = b"=_%d" % (hash(inside) % 10**9)
    begin = b'Content-Type: %s; boundary="%s"\n\n' % (kind.encode(), mark)
    return begin + b"".join(b"--%s\n%s\n" % (mark, item) for item in inside) + b"--%s--\n" % mark


ALTERNATIVE, MIXED = "multipart/alternative", "multipart/mixed"
ATTACHED = b"Content-Disposition: attachment"


def part(kind: str, text: bytes, *fields: bytes) -> bytes:
    return b"Content-Type: %s\n" % kind.encode() + b"".join(fields) + b"\n" + text + b"\n"


PLAIN = part("text/plain; charset=utf-8", "Größe".encode())
PAGE = part(
    "text/html; charset=utf-8", "<h1>Größe</h1><p>and <b>more</b><script>x</script>".encode()
)
PICTURE = part("image/png", b"iVBORw==", b"Content-Transfer-Encoding: base64\n")


@BRISK
@given(subject=LINES, lines=st.lists(LINES, max_size=5), name=LINES, data=st.binary(max_size=99))
def test_what_python_writes_is_read(
    path: Path, subject: str, lines: list[str], name: str, data: bytes
) -> None:
    message = EmailMessage(policy.default)
    message["From"] = "a@example.org"
    message["Date"] = "Mon, 02 May 2022 10:00:00 +0200"
    message["Subject"] = subject
    text = "".join(line + "\n" for line in lines)
    message.set_content(text, cte="base64")
    message.add_attachment(data, "application", "x-bees", filename="0" + name)
    result = read(path, message.as_bytes())[0]
    assert result.startswith(
        "From: a@example.org\nDate: Mon, 02 May 2022 10:00:00 +0200\nSubject: "
    )
    assert result.split("\n")[2].removeprefix("Subject: ") == subject
    assert result.partition("\n\n")[2] == (text or "\n")
    (got,) = attached(path, message.as_bytes())
    assert got[1] == data
    last = ("0" + name).replace("\\", "/").split("/")[-1]
    assert got[0].replace("\\", "/").split("/")[-1] == (last or "attachment-1.bin")


@cases("value, message", [
    ("Größe".encode(), "Größe"), ("Größe".encode("cp1252"), "Größe"),
    (b"=?utf-8?B?w?=", "=?utf-8?B?w?="), (b"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"),
    (b"=?utf-8?Q?a=0D=0ABcc:_x?=", "a Bcc: x"), (b"=?utf-8*de?Q?a_b?=", "a b"),
    (b"plain =?", "plain =?"),
])  # fmt: skip
def test_a_header_is_read_however_it_is_written(path: Path, value: bytes, message: str) -> None:
    text = read(path, HEAD + b"Room: 4\nSubject: " + value + b"\n\nWords.\n")[0]
    assert text == f"{SHOWN}Subject: {message}\nRoom: 4\n\nWords.\n"  # not as it is sent


@cases("mail, body", [
    (PLAIN, "Größe\n"), (PAGE, "Größe\nand more\n"), (parts(ALTERNATIVE, PLAIN, PAGE), "Größe\n"),
    (parts(ALTERNATIVE, PAGE, PLAIN), "Größe\n"),
    (parts(ALTERNATIVE, part("text/plain", b" "), PAGE), "Größe\nand more\n"),
    (
        parts(ALTERNATIVE, part("text/plain", b""), parts("multipart/related", PAGE, PICTURE)),
        "Größe\nand more\n",
    ),
    (parts(MIXED, PLAIN, PICTURE, PAGE), "Größe\nGröße\nand more\n"),
    (parts(MIXED, parts(ALTERNATIVE, PLAIN, PAGE), PLAIN), "Größe\nGröße\n"),
    (parts(MIXED, PLAIN, part("message/rfc822", MIME + PAGE)), "Größe\n"),
    (
        parts(MIXED, PLAIN, part("text/plain", b"x", b"Content-Disposition: attachment\n")),
        "Größe\n",
    ),
    (parts(MIXED, PLAIN, part("text/csv", b"x,y")), "Größe\n"), (part(MIXED, b"no boundary"), ""),
    (part("text/html", "<meta charset=iso-8859-7><p>Το".encode("iso-8859-7")), "Το\n"),
])  # fmt: skip
def test_the_text_is_what_is_shown_of_the_parts(path: Path, mail: bytes, body: str) -> None:
    lines = [line.rstrip() for line in body_of(path, MIME + mail).splitlines()]
    assert lines == body.splitlines()


@cases("charset, data, body", [
    ("iso-8859-1", "“Größe”".encode("cp1252"), "“Größe”"), ("us-ascii", "Größe".encode(), "Größe"),
    ("gb2312", "镕人人生而自由".encode("gb18030"), "镕人人生而自由"),
    ("iso-2022-jp", "すべての人間".encode("iso-2022-jp"), "すべての人間"),
    ("x-unknown", "Größe und Maße der Häuser".encode("cp1252"), "Größe und Maße der Häuser"),
    ('"utf-8', "Größe".encode(), "Größe"), ("unicode_escape", b"\\x41 \\ud800", "\\x41 \\ud800"),
    ("utf-8", b"a\xffb", "aÿb"),
])  # fmt: skip
def test_characters_are_as_declared(path: Path, charset: str, data: bytes, body: str) -> None:
    assert body_of(path, MIME + part(f"text/plain; charset={charset}", data)) == f"{body}\n"


@cases("encoding, data, body", [
    ("quoted-printable", b"Gr=C3=B6=\n=C3=9Fe=", "Größe"),
    ("QUOTED-PRINTABLE", b"a=zz=3", "a=zz=3"), ("base64", b"R3LDtsOf\nZQ==", "Größe"),
    ("base64", b"R3L*Dts*Of\nZQ", "Größe"), ("base64", b"R3LDtsOfZQ=", "Größe"),
    ("x-uuencode", b"begin 644 a\n#8F5E\n`\nend\n", "bee"), ("no-such", "Größe".encode(), "Größe"),
])  # fmt: skip
def test_damage_of_the_transfer_is_borne(path: Path, encoding: str, data: bytes, body: str) -> None:
    field = f"Content-Transfer-Encoding: {encoding}\n".encode()
    assert body_of(path, MIME + part("text/plain; charset=utf-8", data, field)).rstrip("\n") == body


@cases("kind, data, body", [
    (
        "format=flowed",
        b"one \ntwo\nthree \n\n  four\n-- \nAnna",
        "one two\nthree \n four\n-- \nAnna",
    ),
    ("format=flowed", b"> one \n> two\n>> three \nfour \n", "> one two\n>> three \nfour "),
    ("format=flowed; delsp=yes", "日 \n本".encode(), "日本"),
    ("format=fixed", b"one \ntwo", "one \ntwo"),
])  # fmt: skip
def test_flowing_lines_are_joined(path: Path, kind: str, data: bytes, body: str) -> None:
    result = body_of(path, MIME + part(f"text/plain; charset=utf-8; {kind}", data))
    assert result.rstrip("\n") == body


def test_what_is_attached_has_a_name(path: Path) -> None:
    named = ATTACHED + b'; filename="%s"\n'
    inner = MIME + PLAIN
    mail = parts(
        MIXED,
        PLAIN,
        PICTURE,
        part("text/plain", b"one", named % b"=?utf-8?Q?Gr=C3=B6=C3=9Fe.txt?="),
        part(
            "text/plain",
            b"two",
            b"Content-Disposition: attachment; filename*=utf-8''%E2%82%AC.txt\n",
        ),
        part("text/plain", b"three", named % rb"..\..\c:/etc/passwd"),
        part("message/rfc822", inner),
        part("application/vnd.odd-and-long", b"four"),
        part("text/plain", b"five", named % b".."),
    )
    result = attached(path, MIME + mail)
    assert [(name, data.strip()) for name, data in result] == [
        ("attachment-1.png", b"\x89PNG"), ("Größe.txt", b"one"), ("€.txt", b"two"),
        ("passwd", b"three"), ("message-5.eml", inner.strip()), ("attachment-6.bin", b"four"),
        ("attachment-7.txt", b"five"),
    ]  # fmt: skip


@cases("end, is_truncated", [(b"", True), (b"\n", False), (b"\r\n", False), (b"\n--x--", False)])
def test_a_mail_of_several_parts_that_ends_within_a_line_is_truncated(
    path: Path, end: bytes, is_truncated: bool
) -> None:
    mail = b'Content-Type: multipart/mixed; boundary="x"\n\npreamble\n--x\n\nunfinished'
    text, problems = read(path, MIME + mail + end)
    assert text.endswith("\n\nunfinished\n")
    assert ["is truncated" in problem.message for problem in problems] == [True] * is_truncated


def test_of_an_encrypted_mail_the_header_is_read(path: Path) -> None:
    mail = parts("multipart/encrypted", part("application/pgp-encrypted", b"Version: 1"))
    text, (problem,) = read(path, MIME + mail)
    assert text == SHOWN + "Subject: Bees\n\n"
    assert problem.message.startswith(f"{path}: its text is encrypted")


@cases("depth", [19, 25, 90, 5000])
def test_parts_in_one_another_do_no_harm(path: Path, depth: int) -> None:
    form = b"Content-Type: multipart/mixed; boundary=m%d\n\n--m%d\n"
    mail = MIME + b"".join(form % (place, place) for place in range(depth)) + b"\nwords\n"
    if depth > 90:
        with pytest.raises(UnreadableError, match="parts nested too deep"):
            read(path, mail)
        return
    assert ("words" in read(path, mail)[0]) == (depth <= 20)
    assert bool(attached(path, mail)) == (depth > 20)


@cases("begin, is_mail", [
    (HEAD + b"\nwords", True), (HEAD.replace(b"\n", b"\r\n") + b"\r\nwords", True),
    (b"\xef\xbb\xbf" + HEAD, True),
    (b"Received: from x\n\tby y; date\nX-Spam: no\nDELIVERED-TO: x\n", True),
    (b"Subject: a draft\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=b\n", True),
    (b"Message-ID: <x>\nDate: d\nSubject: s\n" + b"X-Long: " + b"x" * 5000, True),
    (HEAD + b"X-Y: " + b"y" * 3950 + b"\n" + b"no name " * 50, True),
    (b"From a@b Mon May\n" + HEAD, False), (b"Subject: x\nDate: d\nTo: me\n\nwords", False),
    (b"Subject: words\n\nFrom: a\nTo: b\nDate: c\n", False),
    (b"From: a\nTo: b\n\nDate: c\n", False), (b"From: a\nTo: b\nwords\nDate: c\n\n", False),
    (b"Dear Anna,\nFrom: a\nTo: b\nDate: c\n", False), (b"\n" + HEAD, False),
    (b" folded\n" + HEAD, False),
    (b"HTTP/1.1 200 OK\nDate: d\nContent-Type: text/html\nX-A: b\n\n", False), (b"", False),
])  # fmt: skip
def test_a_mail_is_known_by_its_header(path: Path, begin: bytes, is_mail: bool) -> None:
    path.write_bytes(begin)
    assert Mail.recognises(Content(path)) is is_mail


@given(plain=st.integers(1, 60), marked=st.integers(1, 400))
@BRISK
def test_a_plain_form_of_another_text_gives_way_to_the_page(
    path: Path, plain: int, marked: int
) -> None:
    message = EmailMessage(policy=policy.default)
    message["From"], message["To"], message["Date"] = "a@example.org", "b@example.org", "today"
    message["Message-ID"] = "<1@example.org>"
    message.set_content("stub " * plain)
    style = "<style>p { color: red; margin: 0 }</style>"
    message.add_alternative(f"<html>{style}<p>{'<b>word</b> ' * marked}</p></html>", "html")
    words = body_of(path, message.as_bytes()).split()
    assert set(words) == {"word" if marked > 3 * plain + 20 else "stub"}


@cases("body, words", [
    (b"Yes.\n\nOn Monday Ann wrote:\n> May I?\n>> No?\n\nBees.\n-- \nBob\n", "Yes. Bees."),
    (b"Yes: no.\n--\nBob\n> x\n", "Yes: no."),
    (b"<p>Yes.</p><blockquote><p>May I?</p></blockquote><p>-- <br>Bob</p>", "Yes."),
    (b"Yes.\r\n\r\n-----Original Message-----\r\nFrom: Ann\r\nSubject: Bees\r\nMay I?\r\n", "Yes."),
    (b"Yes.\n\n________________________________\nVon: Ann\nAn: Bo\nBetreff: B\n\nMay I?\n", "Yes."),
    (b"Yes.\n\nFrom: Ann\nSent: Monday 10:00\nTo: Bob\nSubject: Bees\n\nMay I?\n", "Yes."),
    (b"Yes.\n\nOd: Ann\nKdy: 1. 5. 10:00\nKomu: " + b"B,\n" * 20 + b"Predmet: B\n\nNo.\n", "Yes."),
    (b"Yes.\n\nOn Monday, 10:00, Ann\n<a@b.c> wrote:\n> May I?\n", "Yes."),
    (b"From: Ann\nTo: Bob\nNo.", "From: Ann To: Bob No."),
    (b"From: A\nTo: B\nAt: May 4, 10:28\n\nRun.", "From: A To: B At: May 4, 10:28 Run."),
    (b"----\nFrom: 10:28\nWhat: Bees\nIt says:\n> No.", "---- From: 10:28 What: Bees It says:"),
    (b"One.\n--\n" + b"Two.\n" * 12, "One. --" + " Two." * 12),
    (b"I came in 2015.\nAnn said:\n> No.\n", "I came in 2015."),
    (b"One\n----\nTwo\n----------\nthree -- four\n", "One ---- Two ---------- three -- four"),
])  # fmt: skip
def test_a_body_alone_has_no_quotation_or_signature(path: Path, body: bytes, words: str) -> None:
    kind = b"Content-Type: text/html\n" if body.startswith(b"<") else b""
    path.write_bytes(MIME + kind + b"\n" + body)
    assert "".join(map(str, Mail(only_body=True)(Content(path)))).split() == words.split()


def test_a_recipe_compares_mails_by_their_bodies(tmp_path: Path) -> None:
    recipe = tmp_path / "mails.toml"
    recipe.write_text(
        Path("configs/deduplicate.toml").read_text("utf-8")
        + '\nreader = { name = "mail", only_body = true }\n'
    )
    for place, head in enumerate((HEAD, HEAD.replace(b"Anna", b"Anne").replace(b"b@", b"c@"))):
        body = b"Subject: Bees\n\nBees dance in their hives on coming home.\n-- \n%d\n" % place
        (tmp_path / f"{place}.eml").write_bytes(head + body)
    collection = tmp_path / "mails.sdx"
    assert here("AddDocuments", collection, tmp_path, "-c", recipe).code == 0
    pairs = here("FindPairs", collection, "-s", 10, "--format", "jsonl")
    assert pairs.json["score"] == 99


def test_a_mail_at_a_limit_gives_what_stands_before_it(path: Path) -> None:
    header = b"From: Anna\nTo: Ben\nSubject: Bees\nDate: Mon, 2 Mar 2020 10:00:00 +0000\n\n"
    path.write_bytes(header + b"The bees dance in the hive.\n" * 1000)
    document = read_document.read(path, reading=Reading(max_bytes=2000))
    assert document.text.count("bees dance") > 50
    (problem,) = document.problems
    assert (problem.severity, problem.category) == ("error", "partly-read")
