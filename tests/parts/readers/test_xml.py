"""The text of an XML file."""

import html
from html.entities import html5
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io.decompressed_content import Content
from sdtext.model import Problem
from sdtext.parts.readers.markup import Xml
from sdtext.reading.read_document import read
from tests.support.cases import cases

DECLARED = '<?xml version="1.0"?>\n'
WORDS = st.text(st.characters(exclude_categories=["Cs", "Cc", "Cn", "Zs", "Zl", "Zp"]), max_size=8)
LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 20))


def blocks(path: Path, data: str | bytes) -> list[str | Problem]:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    assert Xml.recognises(Content(path))
    return list(Xml()(Content(path)))


def text_of(path: Path, inside: str) -> str:
    result = blocks(path, f"{DECLARED}{inside}")
    assert not [item for item in result if isinstance(item, Problem)]
    return "".join(map(str, result))


@cases("inside, text", [
    ("<p>foo <b>bar</b></p>", "foo bar\n"),
    ("<p>foo <b>bar</b> <i>baz</i>, so</p>", "foo bar baz, so\n"),
    ("<a><p>one</p><p>two</p></a>", "one\ntwo\n"), ("<row><a>1</a><b>2</b></row>", "1\n2\n"),
    ("<p>won<b>der</b><i>ful</i></p>", "wonderful\n"), ("<p><b>W</b>onderful</p>", "Wonderful\n"),
    ("<a>\n  <b> one\n two </b>\n\n\n <b/><b>three</b>\n</a>", "one two\nthree\n"),
    ("<a>one\n \n two\n\n\nthree</a>", "one\ntwo\nthree\n"),
    ("<p>one<lb/>two<lb break='no'/>three<br/></p>", "one\ntwothree\n"),
    ("<p>one<anchor/>two<!-- c --> three<?pi x?> four</p>", "onetwo three four\n"),
    (
        "<p title='hidden'>a &amp; b &lt;c&gt; &#233;<![CDATA[<d> &amp;]]></p>",
        "a & b <c> é<d> &amp;\n",
    ),
    ("<p>caf&eacute; &hellip; &unknown; &#x1F600;</p>", "café … &unknown; 😀\n"),
    ("<x:p xmlns:x='u' x:a='&eacute;'>one<y:b>two</y:b></x:p>", "onetwo\n"), ("<a/>", ""),
    ("<svg><style>p {}</style><text>one</text><text><tspan>two</tspan></text></svg>", "one\ntwo\n"),
    ("<FictionBook><p>one</p><binary>AAAA<x/>AA</binary><p>two</p></FictionBook>", "one\ntwo\n"),
    ("<doc><style>baroque</style><binary>101</binary></doc>", "baroque\n101\n"),
    ("<back><app><title>A</title><p>one</p><p>two</p></app></back>", "A\none\ntwo\n"),
])  # fmt: skip
def test_each_element_is_a_line_but_within_a_sentence(path: Path, inside: str, text: str) -> None:
    assert text_of(path, inside) == text


@given(words=st.lists(WORDS, min_size=1, max_size=8), depth=st.integers(1, 5))
def test_all_words_are_read_in_their_order(path: Path, words: list[str], depth: int) -> None:
    inside = "".join(
        f"<{'e' * (place % depth + 1)}>{html.escape(word)}</{'e' * (place % depth + 1)}>"
        for place, word in enumerate(words)
    )
    file = f"<all>{inside}</all>"
    assert text_of(path, file).split() == [word for word in words if word]
    plain = "".join(ET.fromstring(file).itertext())  # noqa: S314 (our own)
    assert "".join(text_of(path, file).split()) == plain


@cases("entity", sorted(html5)[::40])
def test_an_entity_of_html_is_its_character(path: Path, entity: str) -> None:
    if not entity.endswith(";"):
        entity += ";"
    expected = html.unescape(f"&{entity}")
    assert text_of(path, f"<a>x&{entity}x</a>") == f"x{expected}x\n"


@cases("doctype", [
    '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]>',
    '<!DOCTYPE a SYSTEM "a.dtd" [<!ENTITY f SYSTEM "/etc/passwd">]>',
    f'<!DOCTYPE a [<!ENTITY l0 "ha">{LAUGHS}<!ENTITY f "&l19;">]>',
    f'<!DOCTYPE a [<!ENTITY f "{"ha" * 10_000}">]>',
    '<!DOCTYPE a [<!ENTITY % p SYSTEM "file:///etc/passwd">%p;<!ENTITY f "x">]>',
    "<!DOCTYPE a [<!ENTITY % p \"<!ENTITY f 'x'>\">%p;]>", "<!DOCTYPE a []>",
])  # fmt: skip
def test_a_document_type_with_declarations_is_refused(path: Path, doctype: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        blocks(path, f"{DECLARED}{doctype}<a>{'&f;' * 100}</a>")
    assert str(caught.value).startswith(f"{path}: has a document type with declarations of its own")
    assert str(caught.value).isprintable()


@cases("standalone", ["", " standalone='yes'", " standalone='no'"])
@cases("system", ["file:///etc/passwd", "http://127.0.0.1:1/x.dtd", "{here}"])
def test_a_document_type_with_a_file_is_ignored(path: Path, standalone: str, system: str) -> None:
    declares = path.with_suffix(".dtd")
    declares.write_text('<!ENTITY f "loaded"><!ENTITY eacute "loaded">')
    system = system.format(here=declares)
    file = (
        f"<?xml version='1.0'{standalone}?><!DOCTYPE a SYSTEM '{system}'><a>x&f;y caf&eacute;</a>"
    )
    assert blocks(path, file)[0] == "x&f;y café\n"


@cases("closed", [True, False])
def test_elements_in_one_another_without_end_are_refused(path: Path, closed: bool) -> None:
    with pytest.raises(UnreadableError, match="elements over 10000 deep"):
        blocks(path, DECLARED + "<a>" * 200_000 + "</a>" * 200_000 * closed)


@cases("bad", ["<b>", "</b>", "<", "&", "&#0;", "\x01", "<b x=1/>", "]]>", "</a><a>", "<?xml?>"])
def test_of_damaged_xml_the_beginning_is_read(path: Path, bad: str) -> None:
    *texts, last = blocks(path, f"{DECLARED}<a>\n<p>one</p>\n{bad} <p>two</p></a>")
    assert "".join(map(str, texts)).startswith("one\n")
    assert isinstance(last, Problem)
    assert last.message.startswith(f"{path}: is a damaged XML file (")
    assert "line 4), read up to there" in last.message


@cases("codec, declared", [
    ("iso-8859-7", "iso-8859-7"), ("windows-1253", "WINDOWS-1253"), ("utf-16", "utf-16"),
    ("utf-16-le", "utf-16"), ("utf-8-sig", "utf-8"), ("utf-32", "utf-32"), ("utf-8", "iso-8859-1"),
    ("utf-8", "no-such"),
])  # fmt: skip
def test_the_encoding_is_as_marked_or_declared(path: Path, codec: str, declared: str) -> None:
    file = f"<?xml version='1.0' encoding='{declared}'?><a>Το κείμενο είναι εδώ</a>"
    assert "".join(map(str, blocks(path, file.encode(codec)))) == "Το κείμενο είναι εδώ\n"


@cases("begin, is_xml", [
    (DECLARED + "<dictionary/>", True), ("\ufeff" + DECLARED, True),
    ("<!-- c -->\n<!DOCTYPE book SYSTEM 'x'>", True),
    ("<svg width='1' xmlns='http://www.w3.org/2000/svg'>", True), ("<x:feed\n xmlns:x='u'>", True),
    ("<a>words</a>", False), ("<div align='center'>\n\n# Title\n\n</div>", False),
    ("# Title\n\n<svg xmlns='x'>", False), ("<!-- comment -->\n# Title", False),
    ("<https://example.org> says xmlns='x'", False), ("---\ntitle: <?xml\n---\n", False),
    ("<?php echo 1;", False), ("", False),
])  # fmt: skip
def test_a_file_is_known_by_its_beginning(path: Path, begin: str, is_xml: bool) -> None:
    path.write_text(begin)
    assert Xml.recognises(Content(path)) is is_xml
    path.write_bytes(begin.encode("utf-16"))
    assert Xml.recognises(Content(path)) is is_xml


@cases(
    "begin",
    ["# Title", "<div align='center'>", "<!-- x -->", "<p>", "<svg width='1'>", "> <a>", "<br/>"],
)
def test_markdown_is_plain_text(path: Path, begin: str) -> None:
    text = f"{begin}\n\nSome *words* in <b>bold</b>, `<?xml version='1.0'?>` and <https://x.org>\n"
    path.write_text(text)
    document = read(path)
    assert document.metadata["reader"] == "text"
    assert document.text == text
