"""The text that a page shows."""

import html
from pathlib import Path

from hypothesis import given

from sdtext.io.decompressed_content import Content
from sdtext.model import Span
from sdtext.parts.readers import MAX_TITLE
from sdtext.parts.readers.markup import Html
from sdtext.parts.units.quotes import quotes_in
from sdtext.reading.options import Reading
from sdtext.reading.read_document import read
from tests.parts.readers.packages import gathered, joined_text, titles
from tests.support.cases import cases
from tests.support.strategies import TEXTS

# HTML Standard, 15.3 (Rendering), "display: block", "table…" and "list-item", and <br>.
BLOCKS = """
address article aside blockquote br caption center dd details dialog dir div dl dt fieldset
figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr legend li listing main menu nav
ol p pre search section summary table ul
""".split()  # noqa: SIM905 (a list of names, not of strings)


def shown(path: Path, body: str | bytes, head: str = "") -> str:
    data = body.encode("utf-8") if isinstance(body, str) else body
    path.write_bytes(f"<html><head>{head}</head><body>".encode() + data + b"</body></html>")
    document = read(path)
    assert document.metadata["reader"] == "html"
    return document.text


@cases("body, text", [
    *((f"<p>one <{tag}>hidden</{tag}>two", "one two\n")
      for tag in ("script", "style", "template", "noscript", "svg")),
    *((f"won<{tag}>der</{tag}>ful", "wonderful\n")
      for tag in ("b", "i", "a", "span", "em", "code", "font", "sup")),
    ("<pre>a  b\n  c</pre>d  \n e", "a  b\n  c\nd e\n"),
    ("a<iframe srcdoc='&lt;p>b &amp;amp; &lt;b>c'></iframe>d", "a\nb & c\nd\n"),
    ("a<svg><title>no</title><text>b <tspan>c</tspan></text><path/></svg>d", "a\nb c\nd\n"),
    ("<svg></text><foreignObject><p>b</foreignObject></svg>d</text>e", "b\nde\n"),
    ("<template><svg><text>no</text></svg></template><text>d</text>", "d\n"),
    ("<b hidden>a<iframe srcdoc='b'></iframe></b>d", "d\na b\n"),
    ("<p>a <object data='b.pdf'>b</object> c", "a b c\n"),
    ("<math><mi>E</mi><mo>=</mo><annotation>no</annotation></math>", "E = \n"),
    ("<p>a<b hidden><math><mi>E</mi></math></b> b", "a b\n"),
    ("<b class=katex-mathml><math><mi>E</mi></math></b><b aria-hidden=true>E</b>", "E\n"),
    ("a<button>b</button>c<input value=d type=Submit>", "a\nb\nc d \n"),
    ("a<input type=hidden value=no><input value=no hidden>b", "ab\n"),
    ("a<div style='display:none' role=search><h3>no</h3><input value=no></div><p>b", "a\nb\n"),
])  # fmt: skip
def test_a_text_is_what_a_page_shows(path: Path, body: str, text: str) -> None:
    assert shown(path, body) == text


@cases("tag", BLOCKS)
def test_a_block_is_a_line_of_its_own(path: Path, tag: str) -> None:
    assert shown(path, f"one<{tag}>two</{tag}>three").split() in (
        ["one", "two", "three"],
        ["one", "twothree"],  # an empty element, such as <br>, that holds nothing
    )
    assert shown(path, f"one<{tag}></{tag}>three").split() == ["one", "three"]


@given(text=TEXTS)
def test_escaped_text_is_shown_with_its_white_space_folded(path: Path, text: str) -> None:
    # What a parser of pages may take for line ends or replace has no one right outcome.
    text = "".join(char for char in text if char.isprintable() or char in " \t\n")
    result = shown(path, f"<p>x{html.escape(text)}x</p>")
    assert result.split() == f"x{text}x".split()
    assert "  " not in result


def test_white_space_is_folded_across_the_tags_of_a_line(path: Path) -> None:
    body = "<p> one <b> two</b> <i> <u> three</u></i>\n four</p>\n <p> five"
    assert [line.strip() for line in shown(path, body).splitlines()] == [
        "one two three four",
        "five",
    ]


@cases("charset, text", [
    ("iso-8859-7", "Το κείμενο"), ("windows-1251", "Все люди"), ("euc-jp", "すべての人間"),
    ("gbk", "人人生而自由"), ("no-such-charset", "plain"),
])  # fmt: skip
@cases(
    "form",
    ['<meta charset="{}">', "<META content='text/html; charset={}' http-equiv=content-type>"],
)
def test_a_declared_charset_is_believed(path: Path, charset: str, text: str, form: str) -> None:
    codec = charset if text != "plain" else "ascii"
    assert shown(path, text.encode(codec), form.format(charset)) == f"{text}\n"


@cases("tag", ["div", "b", "span", "table", "ul", "a"])
@cases("end", ["", "close"])
def test_depth_costs_nothing(path: Path, tag: str, end: str) -> None:
    depth = 100_000
    body = f"<{tag}>" * depth + "deep" + (f"</{tag}>" * depth if end else "")
    assert shown(path, body) == "deep\n"


@cases("begin, is_page", [
    (b"<!DOCTYPE html>", True), (b"\xef\xbb\xbf \n<HTML lang=en>", True),
    ("<html>".encode("utf-16"), True),
    (b'<?xml version="1.0"?>\n<!-- c -->\n<html xmlns="x">', True), (b"<dictionary>", False),
    (b"the <html> tag", False), (b"<heading>", False), (b"", False),
])  # fmt: skip
def test_a_page_is_known_by_its_beginning(path: Path, begin: bytes, is_page: bool) -> None:
    path.write_bytes(begin)
    assert Html.recognises(Content(path)) is is_page


@cases("body, headings", [
    ("".join(f"<h{n}>t{n}</h{n}>" for n in range(1, 8)), [(n, f"t{n}") for n in range(1, 7)]),
    ("<H2 id=a> The\n <i>bees</i><br>and&nbsp;more </H2>", [(2, "The bees and more")]),
    ("<h1>one<h2>two</h2>text</h1>", [(1, "one"), (2, "two")]),
    ("<h1></h1><h2> </h2><h3><img alt='x'></h3>", []),
    ("<h1><script>no</script></h1><svg><h2>no</h2></svg></h3>", []),
    ("<div><h1>open<p>text</div>", [(1, "open")]),
    (f"<h1>{'a' * (MAX_TITLE - 1)}</h1>", [(1, "a" * (MAX_TITLE - 1))]),
    (f"<h1>{'a' * (MAX_TITLE + 1)}</h1>", []),
])  # fmt: skip
def test_headings_are_marked_ones(path: Path, body: str, headings: list[tuple[int, str]]) -> None:
    path.write_text(f"<html><body><p>before</p>{body}<p>after</p></body></html>", "utf-8")
    result = gathered(Html(), path)
    assert titles(result) == headings
    assert result[0] == "before\n" or not headings
    # Each stands right before its title.
    for place, (_, title) in zip(range(1, len(result), 2), headings, strict=False):
        assert " ".join(result[place + 1].split()).startswith(title)
    assert joined_text(result).endswith("after\n")


@cases("size", [0, 300_000])
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


# Properties of a stretch of text, and stretches as a whole, that hide it or do not.
HIDING = [f'<b style="{style}">x</b>' for style in (
    "DISPLAY : none !important", "visibility:hidden", "font-size:0px", "font-size: 0.1px",
    "opacity:0", "color: transparent", "color: rgba(0, 0, 0, 0)",
    "background: #123456; color:#123456", "color:#FFF", "color:#fefefe", "color: Ivory",
    "color:rgb(252, 252, 252)", "background:#000080;color:rgb(0,0,130)", "color:#00000000",
    "color:#0000", "opacity:0.01", "color:rgba(0,0,0,1%)", "font-size:1pt", "font-size:.05em",
    "height:0;overflow:hidden", "max-height:0px; overflow: hidden", "width:0;overflow:clip",
    "text-indent:-9999px", "text-indent: -999em", "margin-left:-10000px",
    "position:absolute;clip:rect(0 0 0 0)", "position:absolute;clip:rect(1px,1px,1px,1px)",
    "clip-path: inset(50%)", "clip-path:circle(0)", "position:absolute;left:-9999px",
    "position:fixed; top:-1000px", "transform:translateX(-9999px)", "transform: scale(0)",
    "position:absolute;width:1px;height:1px;overflow:hidden",
)] + [
    "<b hidden>x</b>", '<i style="background:#fff"><b style="color:white">x</b></i>',
    '<i bgcolor="White"><font color="#ffffff">x</font></i>', '<b class="pale">x</b>',
    '<font color="White">x</font>', '<b class="a no">x</b>', '<b id="gone">x</b>', "<u>x</u>",
    '<i style="background:none"><b style="color:white">x</b></i>', '<b class="sr-only">x</b>',
    "<b hidden>x<i>x<br>x</i>x</b>",
]  # fmt: skip
SHOWN = [f'<b style="{style}">x</b>' for style in (
    "display:inline; color:#123456", "background:navy; color:white",
    "font-size: 10px; opacity: 0.5", "color:#ddd", "color:yellow", "color:rgba(0,0,0,0.5)",
    "color:#0000ff80", "color:no-colour; background:#fff", "font-size:80%", "font-size:",
    "height:0", "height:90px;width:100%;overflow:hidden", "text-indent:-2em; margin-left:-20px",
    "left:-9999px", "position:absolute;left:-20px", "clip:rect(0,0,0,0)",
    "position:absolute;clip:rect(auto,auto,auto,auto)",
    "clip-path:inset(5%); transform:translateX(-10px) scale(0.5)",
)] + [
    '<i style="background:navy"><b style="color:white">x</b></i>',
    '<i bgcolor="navy"><b class="pale">x</b></i>',
    '<i background="sky.gif"><b style="color:white">x</b></i>', '<b class="printed nothing">x</b>',
]  # fmt: skip
SHEET = """<head><style>/* .a { display: none } */ .no, p.none { display: none; }
@media print { .printed { display: none } }
#gone { visibility: hidden } u { font-size: 0 } div .nothing { display: none }
.sr-only { position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0) }
body { background: white } .pale { color: white }</style></head>"""


def written(folder: Path, body: str) -> Path:
    path = folder / "page.html"
    path.write_text(f"<html>{SHEET}<body><p>Bees d{body}ance.</p><p>Well.</p></body></html>")
    return path


@cases("body", HIDING)
def test_hidden_text_parts_no_words_and_can_be_left_out(tmp_path: Path, body: str) -> None:
    path = written(tmp_path, body)
    document, dropped = read(path), read(path, reading=Reading(hidden="drop"))
    assert document.text.startswith("Bees dance.\nx")
    assert document.text.endswith("\nWell.\n")
    assert dropped.text == "Bees dance.\nWell.\n"
    for each in (document, dropped):
        assert [problem.category for problem in each.problems] == ["hidden-text"]
    unseen = document.text.removeprefix("Bees dance.\n").removesuffix("\nWell.\n")
    assert document.hidden == [Span(12, 12 + len(unseen))]


@cases("body", SHOWN)
def test_text_that_is_shown_stays_in_its_place(tmp_path: Path, body: str) -> None:
    document = read(written(tmp_path, body))
    assert document.text == "Bees dxance.\nWell.\n"
    assert not document.problems
