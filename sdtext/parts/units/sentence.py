"""Sentences, single or grouped to a given length."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated
from unicodedata import category

from sdtext.model import Span
from sdtext.parts.option_values import Within
from sdtext.parts.units import SpanColumns
from sdtext.parts.units.pages_chapters_paragraphs import Paragraph
from sdtext.text.document import Document
from sdtext.text.line_joins import DIRECTIONS, on_one_line


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Words whose full stop does not end a sentence, in small letters and without it: our own choice
# from several languages. Abbreviations of single letters (e.g., U.S., z. B., т. е.) follow from a
# rule, and those that end a sentence as often as not (etc., usw., Inc.) are left out.
ABBREVIATIONS = _words("""
    mr mrs ms messrs dr drs prof rev hon st sr gen col capt cpt lt maj sgt cmdr adm gov sen rep
    pres supt pvt cf ca viz vs eds vol vols chap pp fig approx dept
    hr hrn fr frl dipl ing med phil jur bzw vgl ggf evtl sog inkl exkl zzgl bspw bes ehem geb gest
    kath ev hrsg bd bde kap aufl anm tel nr mio mrd
    mme mmes mlle mgr sra srta dra uds ud profa exmo sig sigg dott avv
    dhr mevr mw bijv resp bl dvs eks np tzw tzn inż św dyr ul al tzv např doç sn
    гг ул пл акад проф тов гр тыс млн млрд рис стр гл ср см напр вул
    κκ βλ σελ αρ δρ καθ
    डॉ प्रो
""")

BEFORE_NUMBERS = _words("""
    no nos art arts sec sect figs eq eqs ex par para ch bk pt app tab abs abb ziff
    jan feb mar apr jun jul aug sep sept oct nov dec okt dez núm num núms cap págs pág
""")
"""Those that are so only before a number, as in No. 5 and Jan. 1."""

AFTER_ORDINALS = _words("""
    januar jänner februar märz april mai juni juli august september oktober november dezember
    jahrhundert jahrhunderts jahrtausend jahrtausends weltkrieg weltkriegs weltkrieges
""")
"""What German writes with a capital letter behind an ordinal number: am 3. Oktober."""


# Which sign ends a sentence is Unicode's property Sentence_Terminal, of scripts in use. These end
# one wherever they stand; most of their scripts have no capital letters.
_ALWAYS = "։؝؞؟۔܀܁܂߹।॥။።፧፨᙮។៕᠃᠉᥄᥅᭚᭛᭞᭟᱾᱿꓿꘎꘏꛳꛷꧈꧉꩝꩞꩟꯫。︒︕︖﹒﹖﹗！．？｡"
# These end one before white space and a beginning. The semicolon does behind a Greek letter.
_OFTEN = ".!?…‼‽⁇⁈⁉⸮;\u037e"
_MARK = f"[{_ALWAYS}{_OFTEN}]"
_EITHER = "“‘«‹"  # quotes that close in some languages, and open in others
_CLOSING = (
    rf"(?:[\"')\]}}”’»›*_」』】〉》〕）］｝〟{DIRECTIONS}]"
    rf"|[{_EITHER}](?=\s|\Z)"
    r"|\s{1,2}»(?!\w)"  # as in French
    r"|[\[(]\d{1,3}[\])])"  # a note
)
_OPENING = re.compile(rf"[{DIRECTIONS}\s\"'(\[{{{_EITHER}”’»›„‚¿¡*_#•–—―\-「『【〈《〔（［｛〝]*+")
_END = re.compile(rf"({_MARK}{_MARK}*+)(?<![^Ͱ-Ͽἀ-῿];){_CLOSING}*+(\s*+)")
# Behind these the sentence goes on; behind a quotation 。」 also with the Japanese particle と.
_GOING_ON = frozenset(f"{_ALWAYS}{_OFTEN},:)]}}%&/、，；：・）］｝」』】〉》〕،؛՝၊")
_QUOTED = re.compile("[」』]と")
_LAST_WORD = re.compile(r"[^\s.,;:()\[\]{}\"'“”‘’«»„/‐–—-]*\Z")
_WORD = re.compile(r"\w{1,16}")
_NUMBERING = re.compile(r"(?:\A|[:;]\s+)[(\[]?(?:\d[\d.]{0,8}|[IVXLC]{1,8})\Z")
_LONGEST_WORD = 16  # longer ones are no abbreviations
_BEFORE_WHITE = re.compile(r".*(?=\s)", re.DOTALL)
_WHITE = re.compile(r"\s+")


@dataclass(frozen=True)
class Sentence:
    r"""Sentences, within paragraphs; with `length`, joined to about that many characters.

    A sentence ends with the full stop, question or exclamation mark of its script. In scripts with
    capital letters, white space must follow, and no lowercase letter after it; a full stop after a
    single letter, a common abbreviation or a numbering does not end a sentence.

    With `length`, in characters other than points and accents, neighbours in a paragraph are
    joined, up to the end of the sentence that is nearest to it. A sentence of more than twice the
    length is cut at the white space that is nearest to it, or anywhere if there is none: no unit is
    longer than that.

    >>> text = "Dr. J. Smith paid $3.50. “Too much!” he said. 他走了。真的？"
    >>> for span in Sentence()(Document(text, text)):
    ...     print(text[span.start : span.end])
    Dr. J. Smith paid $3.50.
    “Too much!” he said.
    他走了。
    真的？
    >>> [(span.start, span.end) for span in Sentence(length=40)(Document(text, text))]
    [(0, 45), (46, 53)]
    """

    length: Annotated[int, Within(0)] = 0

    def __call__(self, document: Document) -> Sequence[Span]:
        return SpanColumns(self._places(document))

    def _places(self, document: Document) -> Iterator[tuple[int, int]]:
        for paragraph in Paragraph().each(document):
            if not self.length:
                yield from _sentences(document.text, paragraph)
                continue
            # Line ends must not count, each format has others; nor optional marks of a spelling.
            text, offset_map = on_one_line(document.text[paragraph.start : paragraph.end])
            first = paragraph.start
            sentences = _sentences(text, Span(0, len(text)))
            for start, end in _gathered(text, sentences, self.length):
                if offset_map:
                    yield first + offset_map.start(start), first + offset_map.end(end)
                else:
                    yield first + start, first + end


def _sentences(text: str, paragraph: Span) -> Iterator[tuple[int, int]]:
    start = paragraph.start
    for match in _END.finditer(text, start, paragraph.end):
        # White space and opening signs behind the end, perhaps none.
        follows = _OPENING.match(text, match.end(), paragraph.end).end()  # type: ignore[union-attr]
        if follows < paragraph.end and _is_end(text, start, match, follows):
            yield start, match.start(2)
            start = match.end()
    yield start, paragraph.end


def _is_end(text: str, start: int, match: re.Match[str], follows: int) -> bool:
    """Whether the sentence that began at `start` ends with the marks `found`."""
    marks, white, following = match[1], match[2], text[follows]
    if following in _GOING_ON or _QUOTED.match(text, match.start(2) - 1):
        return False
    if marks[-1] in _ALWAYS:
        return not (marks == "．" and following.isdigit())
    if not white and (marks[-1] == "…" or not "\u3040" <= following <= "\u9fff"):
        return False  # without white space between, a letter of Chinese or Japanese must follow
    # Georgian's letters count as small ones, but no sentence there begins with a capital.
    if following.islower() and following.title() != following:
        return False
    return marks != "." or not _is_abbreviation(text, start, match.start(), follows)


def _is_abbreviation(text: str, start: int, stop: int, follows: int) -> bool:
    """Whether the full stop at `stop` belongs to the word or number before it."""
    before = text[max(start, stop - _LONGEST_WORD) : stop]
    match = _LAST_WORD.search(before)
    word = match[0].casefold() if match else ""
    if (len(word) == 1 and word.isalpha()) or word in ABBREVIATIONS or _NUMBERING.search(before):
        return True
    if text[follows].isdigit() and word in BEFORE_NUMBERS:
        return True
    next_word = _WORD.match(text, follows)
    is_ordinal = word.isdigit() and len(word) <= 2
    return is_ordinal and next_word is not None and next_word[0].casefold() in AFTER_ORDINALS


def _gathered(
    text: str, sentences: Iterable[tuple[int, int]], length: int
) -> Iterator[tuple[int, int]]:
    """The sentences of a paragraph in units of about `length`."""
    start = held = -1
    for first, end in sentences:
        if held >= 0 and end - start - length >= start + length - held:
            yield start, held
            held = -1
        start, held = (first if held < 0 else start), end
        while held - start > 2 * length:
            cut, next_start = _cut(text, start, length)
            yield start, cut
            start = next_start
        if held - start >= length:  # the next end is farther from it
            yield start, held
            held = -1
    if held >= 0:
        yield start, held


def _cut(text: str, start: int, length: int) -> tuple[int, int]:
    """The offset at which to cut a unit from `start` within a longer sentence."""
    target, last = start + length, start + 2 * length
    before = _BEFORE_WHITE.match(text, start + 1, target + 1)
    behind = _WHITE.search(text, target, last + 1)
    places = [before.end()] if before else []
    places += [behind.start()] if behind else []
    if not places:
        cut = target
        while cut < last and category(text[cut]).startswith("M"):
            cut += 1  # a mark stays with its letter
        return cut, cut
    nearest = min(places, key=lambda place: abs(place - target))
    white = _WHITE.match(text, nearest)
    return start + len(text[start:nearest].rstrip()), white.end() if white else nearest
