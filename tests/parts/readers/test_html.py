"""The text that a page shows."""

from __future__ import annotations

import html
from html.entities import html5
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sdtext.errors import UnreadableError
from sdtext.io import decompressed_content as content_module
from sdtext.io.decompressed_content import Content
from sdtext.parts.readers.heading_collector import MAX_TITLE
from sdtext.parts.readers.markup import Html
from sdtext.parts.units.quotes import quotes_in
from sdtext.reading.read_document import read
from tests.parts.readers.packages import gathered, joined_text, titles
from tests.strategies import BRISK, TEXTS, THOROUGH

# HTML Standard, 15.3 (Rendering), "display: block", "table…" and "list-item", and <br>.
BLOCKS = """
address article aside blockquote br caption center dd details dialog dir div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
ol p pre search section summary table ul
""".split()  # noqa: SIM905 (a list of names, not of strings)
_TAGS = ["p", "b", "td", "div", "svg", "script", "pre", "h1", "h2"]
TAGS = st.sampled_from([f"<{slash}{tag}>" for tag in _TAGS for slash in ("", "/")])


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One page, written anew for each example."""
    return tmp_path_factory.mktemp("html") / "page.html"


def shown(path: Path, body: str | bytes, head: str = "") -> str:
    """The text of the page with that body."""
    data = body.encode("utf-8") if isinstance(body, str) else body
    path.write_bytes(f"<html><head>{head}</head><body>".encode() + data + b"</body></html>")
    document = read(path)
    assert document.metadata["reader"] == "html"
    return document.text


@pytest.mark.parametrize("tag", ["script", "style", "template", "noscript", "svg", "object"])
def test_what_a_page_does_not_show_is_left_out(path: Path, tag: str) -> None:
    assert shown(path, f"<p>one <{tag}>hidden</{tag}>two") == "one two\n"


def test_the_head_of_a_page_is_left_out(path: Path) -> None:
    assert shown(path, "words", "<title>Title</title><style>p {}</style>") == "words\n"


def test_comments_and_attributes_are_left_out(path: Path) -> None:
    assert shown(path, "<p title='hidden'>one<!-- hidden --> two<img alt='hidden'>") == "one two\n"


@pytest.mark.parametrize("tag", BLOCKS)
def test_a_block_is_a_line_of_its_own(path: Path, tag: str) -> None:
    assert shown(path, f"one<{tag}>two</{tag}>three").split() in (
        ["one", "two", "three"],
        ["one", "twothree"],  # an empty element, such as <br>, that holds nothing
    )
    assert shown(path, f"one<{tag}></{tag}>three").split() == ["one", "three"]


def test_cells_and_rows_are_lines(path: Path) -> None:
    table = "<table><tr><th>a<td>b<tr><td>c</table>"
    assert shown(path, table) == "a\nb\nc\n"


@pytest.mark.parametrize("tag", ["b", "i", "a", "span", "em", "code", "font", "sup"])
def test_a_word_is_not_cut_by_what_stands_within_a_line(path: Path, tag: str) -> None:
    assert shown(path, f"won<{tag}>der</{tag}>ful") == "wonderful\n"


@THOROUGH
@given(text=TEXTS)
def test_escaped_text_is_shown_with_its_white_space_folded(path: Path, text: str) -> None:
    # What a parser of pages may take for line ends or replace has no one right outcome.
    text = "".join(char for char in text if char.isprintable() or char in " \t\n")
    result = shown(path, f"<p>x{html.escape(text)}x</p>")
    assert result.split() == f"x{text}x".split()
    assert "  " not in result


@pytest.mark.parametrize("entity", sorted(html5)[::40])
def test_an_entity_is_its_character(path: Path, entity: str) -> None:
    if not entity.endswith(";"):
        entity += ";"
    assert shown(path, f"<pre>a&{entity}b</pre>") == f"a{html.unescape(f'&{entity}')}b\n"


@BRISK
@given(code=st.integers(0x20, 0xD7FF).filter(lambda code: chr(code).isprintable()))
def test_a_number_is_its_character(path: Path, code: int) -> None:
    assert shown(path, f"<pre>a&#{code};b&#x{code:X};c") == f"a{chr(code)}b{chr(code)}c\n"


@pytest.mark.parametrize("bad", ["&#0;", "&#xD800;", "&#x110000;", "&#99999999999;"])
def test_a_number_that_is_no_character_leaves_the_words_around_it(path: Path, bad: str) -> None:
    result = shown(path, f"one {bad} two").split()
    assert (result[0], result[-1]) == ("one", "two")


def test_white_space_is_folded_across_the_tags_of_a_line(path: Path) -> None:
    body = "<p> one <b> two</b> <i> <u> three</u></i>\n four</p>\n <p> five"
    assert [line.strip() for line in shown(path, body).splitlines()] == [
        "one two three four",
        "five",
    ]


def test_white_space_is_kept_in_preformatted_text_alone(path: Path) -> None:
    assert shown(path, "<pre>a  b\n  c</pre>d  \n e") == "a  b\n  c\nd e\n"


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("iso-8859-7", "Το κείμενο"),
        ("windows-1251", "Все люди"),
        ("euc-jp", "すべての人間"),
        ("gbk", "人人生而自由"),
        ("no-such-charset", "plain"),
    ],
)
@pytest.mark.parametrize(
    "form",
    ['<meta charset="{}">', "<META content='text/html; charset={}' http-equiv=content-type>"],
)
def test_a_declared_charset_is_believed(path: Path, charset: str, text: str, form: str) -> None:
    codec = charset if text != "plain" else "ascii"
    assert shown(path, text.encode(codec), form.format(charset)) == f"{text}\n"


def test_latin_1_is_the_windows_encoding_as_in_every_browser(path: Path) -> None:
    # Encoding Standard, 4.2: the labels iso-8859-1, latin1 and ascii mean windows-1252.
    body = "“Don’t”, naïve".encode("cp1252")
    assert shown(path, body, '<meta charset="iso-8859-1">') == "“Don’t”, naïve\n"


def test_utf_8_is_utf_8_whatever_is_declared(path: Path) -> None:
    assert shown(path, "naïve", '<meta charset="iso-8859-1">') == "naïve\n"


@pytest.mark.parametrize("charset", ["unicode_escape", "raw_unicode_escape", "utf-7", "idna"])
def test_an_odd_charset_does_no_harm(path: Path, charset: str) -> None:
    body = b"caf\xe9 \\ud800 \\q +2AA- \\x3cscript"
    try:
        result = shown(path, body, f'<meta charset="{charset}">')
    except UnreadableError:
        return
    assert result.encode("utf-8").startswith(b"caf")


@pytest.mark.parametrize("tag", ["div", "b", "span", "table", "ul", "a"])
@pytest.mark.parametrize("end", ["", "close"])
def test_depth_costs_nothing(path: Path, tag: str, end: str) -> None:
    depth = 100_000
    body = f"<{tag}>" * depth + "deep" + (f"</{tag}>" * depth if end else "")
    assert shown(path, body) == "deep\n"


@pytest.mark.parametrize("rest", ["<p", "<p title='x", "<!-- x", "<script>x", "&amp", "<", "</"])
def test_a_page_that_breaks_off_is_read_up_to_there(path: Path, rest: str) -> None:
    path.write_text(f"<!DOCTYPE html><html><body><p>one<p>two {rest}")
    assert read(path).text.split()[:2] == ["one", "two"]


@THOROUGH
@given(
    parts=st.lists(TAGS | st.text(max_size=5), max_size=12),
    size=st.integers(1, 20),
)
@example(parts=["<pre>", "a  b"], size=1)
def test_blocks_of_any_size_give_the_same_text(path: Path, parts: list[str], size: int) -> None:
    body = "".join(parts)
    path.write_bytes(f"<html><body>{body}</body></html>".encode())
    whole = gathered(Html(), path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK", size)
        assert gathered(Html(), path) == whole


def test_a_page_above_the_limit_is_refused(path: Path) -> None:
    path.write_text("<html><body>" + "word " * 1000)
    with pytest.raises(UnreadableError, match=r"more than 2,000 bytes"):
        list(Html()(Content(path, 2000)))


@pytest.mark.parametrize(
    ("begin", "is_page"),
    [
        (b"<!DOCTYPE html>", True),
        (b"\xef\xbb\xbf \n<HTML lang=en>", True),
        ("<html>".encode("utf-16"), True),
        (b'<?xml version="1.0"?>\n<!-- c -->\n<html xmlns="x">', True),
        (b"<dictionary>", False),
        (b"the <html> tag", False),
        (b"<heading>", False),
        (b"", False),
    ],
)
def test_a_page_is_known_by_its_beginning(path: Path, begin: bytes, is_page: bool) -> None:
    path.write_bytes(begin)
    assert Html.recognises(Content(path)) is is_page


@pytest.mark.parametrize(
    ("body", "headings"),
    [
        ("".join(f"<h{n}>t{n}</h{n}>" for n in range(1, 8)), [(n, f"t{n}") for n in range(1, 7)]),
        ("<H2 id=a> The\n <i>bees</i><br>and&nbsp;more </H2>", [(2, "The bees and more")]),
        ("<h1>one<h2>two</h2>text</h1>", [(1, "one"), (2, "two")]),
        ("<h1></h1><h2> </h2><h3><img alt='x'></h3>", []),
        ("<h1><script>no</script></h1><svg><h2>no</h2></svg></h3>", []),
        ("<div><h1>open<p>text</div>", [(1, "open")]),
        (f"<h1>{'a' * (MAX_TITLE - 1)}</h1>", [(1, "a" * (MAX_TITLE - 1))]),
        (f"<h1>{'a' * (MAX_TITLE + 1)}</h1>", []),
    ],
)
def test_headings_are_those_that_are_marked(
    path: Path, body: str, headings: list[tuple[int, str]]
) -> None:
    path.write_text(f"<html><body><p>before</p>{body}<p>after</p></body></html>", "utf-8")
    result = gathered(Html(), path)
    assert titles(result) == headings
    assert result[0] == "before\n" or not headings
    # Each stands right before its title.
    for place, (_, title) in zip(range(1, len(result), 2), headings, strict=False):
        assert " ".join(result[place + 1].split()).startswith(title)
    assert joined_text(result).endswith("after\n")


def test_a_heading_that_never_ends_is_not_kept_back(path: Path) -> None:
    path.write_text("<html><body><h1>" + "word " * 500_000)
    blocks = [block for block in Html()(Content(path)) if block]
    assert len(blocks) > 2
    assert titles(blocks) == []
    assert joined_text(blocks).split() == ["word"] * 500_000


@pytest.mark.parametrize("size", [0, 300_000])
def test_quotations_are_those_that_the_page_marks(tmp_path: Path, size: int) -> None:
    """A large page is read in a process of its own."""
    path = tmp_path / "page.html"
    inner = "<p>One.<blockquote><p>Two.</blockquote></blockquote></blockquote>"
    path.write_text(f"<!DOCTYPE html><p>{'a ' * (size // 2)}<blockquote></blockquote>"
                    f"<blockquote>{inner}<p>Three.<blockquote><h2>Four.</h2>Five.")  # fmt: skip
    document = read(path)
    assert [document.text[span.start : span.end] for span in document.quotations] == [
        "One.\nTwo.\n", "Four.\nFive.\n"
    ]  # fmt: skip
    quotes = [document.text[span.start : span.end].split() for span in quotes_in(document)]
    assert quotes == [["One.", "Two."], ["Four.", "Five."]]
    assert [heading.title for heading in document.headings] == ["Four."]
