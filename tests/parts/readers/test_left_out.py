"""What a reader of a document sees is in its text; what is left out by intention is not."""

from __future__ import annotations

from pathlib import Path

from sdtext.reading.read_document import read
from tests.support.cases import cases

RUBY = "<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</ruby>です"
TEI = "<TEI xmlns='http://www.tei-c.org/ns/1.0'><p>{}</p></TEI>"
ALTO = """<alto xmlns="http://www.loc.gov/standards/alto/ns-v3#"><Layout>{}</Layout></alto>"""
PAGE = """<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15">
<Page><TextRegion>{}</TextRegion></Page></PcGts>"""


def words(path: Path, data: str | bytes) -> list[str]:
    """The words that are read from a file with this content."""
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read(path).clean.split()


def line(*words: str) -> str:
    """A line of PAGE, with its words and once more as a whole."""
    of = "<{0}><TextEquiv><Unicode>{1}</Unicode></TextEquiv></{0}>"
    whole = f"<TextEquiv><Unicode>{' '.join(words)}</Unicode></TextEquiv>"
    return f"<TextLine>{''.join(of.format('Word', word) for word in words)}{whole}</TextLine>"


@cases(
    "data, expected",
    [
        (f"<html><p>{RUBY}", "漢字です"),
        ("<html><ruby><rb>漢<rt>かん<rb>字<rt>じ</ruby>です", "漢字です"),
        (TEI.format(RUBY.replace("</ruby>", "</rt></ruby>")), "漢字です"),
        (
            TEI.format(
                "so <choice><sic>teh</sic><corr>the</corr></choice> "
                "<choice><reg>old</reg><orig>olde</orig></choice>, "
                "<choice><abbr>Dr</abbr><expan>Doctor</expan></choice> <sic>sayd</sic>"
            ),
            "so the old, Doctor sayd",
        ),
        (
            ALTO.format(
                "<Page><TextBlock><TextLine><String CONTENT='Two'/><SP/><String CONTENT='har'"
                " SUBS_TYPE='HypPart1' SUBS_CONTENT='harbours'/><HYP CONTENT='-'/></TextLine>"
                "<TextLine><String CONTENT='bours' SUBS_TYPE='HypPart2' SUBS_CONTENT='harbours'/>"
                "<SP/><String CONTENT='in'/></TextLine></TextBlock></Page>"
                "<Page><TextBlock><TextLine><String CONTENT='vain'/></TextLine></TextBlock></Page>"
            ),
            "Two harbours in vain",
        ),
        (
            PAGE.format(line("Two", "har¬") + line("bours", "in") + line("vain")),
            "Two harbours in vain",
        ),
        (
            PAGE.format("<TextEquiv index='1'><Unicode>One</Unicode></TextEquiv>").replace(
                "</TextRegion>",
                "<TextEquiv index='0'><Unicode>Two</Unicode></TextEquiv></TextRegion>",
            ),
            "Two",
        ),
    ],
)
def test_markup_and_recognised_pages(tmp_path: Path, data: str, expected: str) -> None:
    assert words(tmp_path / "a.xml", "<?xml version='1.0'?>" * (data[1] != "h") + data) == (
        expected.split()
    )
