"""Lists of references: the text under a heading that names one, in many languages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from sdtext.model import Document, Heading, Span
from sdtext.parts.units.trimmed_spans import outermost


def _titles(text: str) -> frozenset[str]:
    return frozenset("".join(line.split()).casefold() for line in text.split(";"))


# In small letters and without white space; our own choice from several languages.
NAMES = _titles("""
    references; reference list; list of references; references cited; references and notes;
    notes and references; bibliography; selected bibliography; works cited; literature cited;
    cited literature; works consulted; bibliographical references; bibliographic references;
    literaturverzeichnis; literaturangaben; quellenverzeichnis; bibliographie; bibliografie;
    quellen- und literaturverzeichnis; literatur- und quellenverzeichnis; zitierte literatur;
    références; références bibliographiques; ouvrages cités; bibliographie sélective; referencias;
    referencias bibliográficas; bibliografía; obras citadas; lista de referencias; referências;
    referências bibliográficas; bibliografia; referències; bibliografia citada; riferimenti;
    riferimenti bibliografici; opere citate; literatuurlijst; literatuurverwijzingen; referenties;
    piśmiennictwo; seznam literatury; použitá literatura; zoznam literatúry; referenser;
    litteraturförteckning; källförteckning; litteraturliste; referanser; referencer; lähteet;
    lähdeluettelo; irodalomjegyzék; hivatkozások; felhasznált irodalom; kaynakça; kaynaklar;
    список литературы; библиография; список использованной литературы; список источников;
    использованная литература; список літератури; список використаних джерел; βιβλιογραφία;
    βιβλιογραφικές αναφορές; المراجع; المصادر; قائمة المراجع; قائمة المصادر; المصادر والمراجع;
    المراجع والمصادر; قائمة المصادر والمراجع; ثبت المصادر والمراجع;
    منابع; فهرست منابع; منابع و مآخذ;
    ביבליוגרפיה; רשימת מקורות; מראי מקום;
    参考文献; 參考文獻; 参考书目; 參考書目; 引用文献; 引用文獻; 参考资料;
    参考資料; 참고문헌; 인용문헌; संदर्भ सूची; संदर्भ; ग्रंथसूची; tài liệu tham khảo; daftar pustaka;
    บรรณานุกรม; เอกสารอ้างอิง
""")
AMBIGUOUS = _titles("""
    literature; sources; literatur; quellen; referenzen; literatuur; bronnen; literatura; fuentes;
    fontes; fonti; litteratur; källor; kilder; kirjallisuus; irodalom; литература; література;
    источники; джерела; αναφορές; πηγές; مراجع; מקורות; 文献; 文獻; 문헌
""")
"""These may be a chapter's title as well: what follows has to look like references."""


_ENDING = re.compile(
    r"(?:appendi(?:x|ces)|annex(?:es)?|supplement(?:ary)?|acknowledge?ments?|about the authors?"
    r"|index|glossary|anhang|anhänge|danksagung|glossar|register|annexes?|remerciements|lexique"
    r"|apéndices?|anexos?|agradecimientos|agradecimentos|apêndices?|appendic[ei]|allegat[oi]"
    r"|ringraziamenti|bijlagen?|dankwoord|приложени[ея]|додат(?:ок|ки)|الملاحق|ملحق|附录|附錄|付録|부록"
    r"|致谢|致謝|謝辞|chapter|kapitel|chapitre|capítulo|capitolo|hoofdstuk|глава|الفصل|第[\d一-十百]+[章回])"
    r"(?![^\W\d])(?!.*[,;.].*\d{4})",
    re.IGNORECASE,
)
_LINE = re.compile("[^\n\r\f\x85\u2028\u2029]+")
_LONGEST = 80  # characters of a line that is a heading
_NUMBERING = re.compile(
    r"[\s#*_]*(?:(?:\d{1,2}|[IVXL]{1,5}|[A-H])(?:\.\d{1,2}){0,3}(?:[.):]\s*|\s+)"
    r"|[一二三四五六七八九十]{1,3}[、.．]\s*|第[\d一-十]{1,3}[章节節]\s*)?"
)
_HASHES = re.compile(r"\s{0,3}(#{1,6})\s")
_SIGN = re.compile(
    r"(?<!\d)\d{4}(?!\d)|^\s*[\[［【(]\d{1,3}[\]］】)]|https?:|www\.|\bdoi\b|\bISBN\b",
    re.IGNORECASE,
)
_LOOKED_AT = 8  # lines behind a heading, and of each so many characters
_MOST_OF_LINE = 400


def references_in(document: Document) -> list[Span]:
    r"""The lists of references of a document, in order, each from its heading on.

    If the format marks headings, a list ends at the next heading of the same or a higher level.
    Otherwise it begins with a title line followed by lines that resemble references (a year, a
    number in brackets, an address), and ends at a line that begins an appendix, a chapter or the
    like, or at the end of the document.

    >>> text = "Bees dance.\n\n7. References\n\nFrisch, K. v.: Aus dem Leben der Bienen, 1927."
    >>> [text[span.start : span.end][:13] for span in references_in(Document(text, text))]
    ['7. References']
    """
    places = [*_under_headings(document), *_under_lines(document)]
    return outermost(document.text, places)


def _named(title: str) -> tuple[bool, bool]:
    """Whether a title names a list of references, and whether it may name something else."""
    if len(title) > _LONGEST:
        return False, False
    bare = "".join(title[_end_of(_NUMBERING, title) :].split()).strip("*_#:：.。=").casefold()
    whole = "".join(title.split()).strip("*_#:：.。=").casefold()
    names = {bare, whole}
    return bool(names & (NAMES | AMBIGUOUS)), not names & NAMES


def _end_of(pattern: re.Pattern[str], text: str) -> int:
    match = pattern.match(text)
    return match.end() if match else 0


def _under_headings(document: Document) -> Iterator[tuple[int, int]]:
    """The ranges of lists under headings that the format marks."""
    text = document.text
    headings = sorted(document.headings, key=lambda heading: heading.offset)
    for heading, end in zip(headings, _ends(headings, len(text)), strict=True):
        is_one, ambiguous = _named(heading.title)
        start = min(max(heading.offset, 0), len(text))
        if is_one and (not ambiguous or _resembles_references(text, _line_end(text, start), end)):
            yield start, max(start, end)


def _ends(headings: Sequence[Heading], last: int) -> list[int]:
    """For each heading the start of the next one of the same or a higher level."""
    ends, open_ones = [last] * len(headings), list[int]()
    for place, heading in enumerate(headings):
        while open_ones and headings[open_ones[-1]].level >= heading.level:
            ends[open_ones.pop()] = min(heading.offset, last)
        open_ones.append(place)
    return ends


def _line_end(text: str, start: int) -> int:
    match = _LINE.match(text, start)
    return match.end() if match else start


def _under_lines(document: Document) -> Iterator[tuple[int, int]]:
    """The ranges of lists whose heading is a line of its own."""
    text, ends = document.text, _Ends()
    for heading in document.headings:
        ends.add(heading.offset, 1)
    lines = [line for line in _LINE.finditer(text) if line.end() - line.start() <= _LONGEST]
    for line in lines:
        if (level := _level(line[0])) or _begins_another(line[0]):
            ends.add(line.start(), level or 1)
    for line in lines:
        if _named(line[0])[0]:
            end = ends.behind(line.start(), _level(line[0]) or 1, len(text))
            if _resembles_references(text, line.end(), end):
                yield line.start(), end


def _level(line: str) -> int:
    """The level of a heading as Markdown has it, 0 for other lines."""
    hashes = _HASHES.match(line)
    return len(hashes[1]) if hashes else 0


def _begins_another(line: str) -> bool:
    """Whether a line begins a section that follows lists of references."""
    return any(_ENDING.match(line, place) for place in {0, _end_of(_NUMBERING, line)})


class _Ends:
    """Ends of lists, by the level of the section that begins there."""

    def __init__(self) -> None:
        self._places: list[list[int]] = [[] for _ in range(6)]

    def add(self, place: int, level: int) -> None:
        self._places[level - 1].append(place)

    def behind(self, start: int, level: int, last: int) -> int:
        """The first end behind `start` of that level or a higher one, else `last`."""
        ends = [last]
        for places in self._places[:level]:
            row = bisect_right(places, start)
            ends += places[row : row + 1]
        return min(ends)


def _resembles_references(text: str, start: int, end: int) -> bool:
    """Whether one in four of the first lines between two places resembles a reference."""
    seen = signs = 0
    end = min(end, start + _LOOKED_AT * _MOST_OF_LINE)
    while seen < _LOOKED_AT and (line := _LINE.search(text, start, end)):
        start = line.end()
        if line[0].strip():
            seen += 1
            signs += bool(_SIGN.search(line[0][:_MOST_OF_LINE]))
    return signs > 0 and 4 * signs >= seen
