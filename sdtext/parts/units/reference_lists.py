"""Lists of references: the text under a heading that names one, in many languages."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby, islice
from operator import itemgetter

from sdtext.model import Heading, Span
from sdtext.parts.units import outermost
from sdtext.parts.units.pages_chapters_paragraphs import LINE, LINE_ENDS
from sdtext.text.document import Document


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


_ENDINGS = """
    appendix; appendices; annex; annexes; supplement; supplementary; acknowledgement;
    acknowledgements; acknowledgment; acknowledgments; about the author; about the authors; index;
    glossary; anhang; anhänge; danksagung; glossar; register; annexe; remerciements; lexique;
    apéndice; apéndices; anexo; anexos; agradecimientos; agradecimentos; apêndice; apêndices;
    appendice; appendici; allegato; allegati; ringraziamenti; bijlage; bijlagen; dankwoord;
    приложение; приложения; додаток; додатки; الملاحق; ملحق; 附录; 附錄; 付録;
    부록; 致谢; 致謝; 謝辞; chapter; kapitel; chapitre; capítulo; capitolo; hoofdstuk; глава; الفصل
"""
_CHINESE_CHAPTER = r"第[\d一-十百]"
_ENDING = re.compile(
    rf"(?:{'|'.join(word.strip() for word in _ENDINGS.split(';'))}|{_CHINESE_CHAPTER}+[章回])"
    r"(?![^\W\d])(?!.*[,;.].*\d{4})",
    re.IGNORECASE,
)
_LONGEST = 80  # characters of a line that is a heading
_BLANK = rf"[^\S{LINE_ENDS}]"
_NUMBER = (
    r"(?:(?:\d{1,2}|[IVXL]{1,5}|[A-H])(?:\.\d{1,2}){0,3}(?:[.):]\s*+|\s++)"
    r"|[一二三四五六七八九十]{1,3}[、.．]\s*+|第[\d一-十]{1,3}[章节節]\s*+)?"
)
_NUMBERING = re.compile(rf"[\s#*_]*{_NUMBER}")
_HASHES = re.compile(r"\s{0,3}(#{1,6})\s")
_ORNAMENTS = "*_#:：.。="  # around a heading
_SIGN = re.compile(
    r"(?<!\d)\d{4}(?!\d)|^\s*[\[［【(]\d{1,3}[\]］】)]|https?:|www\.|\bdoi\b|\bISBN\b",
    re.IGNORECASE,
)
_LOOKED_AT = 8  # lines behind a heading, and of each so many characters
_MOST_OF_LINE = 400


# A superset of the letters in whose place `casefold` puts several letters, or one that has another
# capital, such as ligatures and the long s.
_UNUSUAL = (
    "\u00b5\u00df\u0130\u0131\u0149\u017f\u01f0\u0345\u0390\u03b0\u03c2\u03d0-\u03f5\u0587"
    "\u1c80-\u1c8a\u1e96-\u1e9e\u1f50-\u1fff\u2126-\u212b\ufb00-\ufb17"
)


@cache
def _beginning_of_headings() -> re.Pattern[str]:
    """The beginning of each line that may be a heading; most other lines do not match.

    That is the first three letters of all these titles, in any case, and of endings.
    """
    blanks = f"{_BLANK}{{0,{_LONGEST}}}+"
    begins = [_CHINESE_CHAPTER, f"(?:{LINE.pattern[:-1]}{blanks}){{0,2}}[{_UNUSUAL}]"]
    titles = sorted({*NAMES, *AMBIGUOUS, *_titles(_ENDINGS)})
    for _, group in groupby(titles, itemgetter(0)):
        columns = islice(zip(*group, strict=False), 3)  # of letters, as far as all have one
        cases = (sorted({*letters, *map(str.upper, letters)}) for letters in columns)
        begins.append(blanks.join(f"[{''.join(letters)}]" for letters in cases))
    around = rf"(?:{_BLANK}|[{_ORNAMENTS}]){{0,{_LONGEST}}}+"
    number = _NUMBER.replace(r"\s", _BLANK)
    return re.compile(
        rf"(?<![^{LINE_ENDS}])(?=[^{LINE_ENDS}])"
        rf"(?:{_BLANK}{{0,3}}#|{around}{number}{around}(?:{'|'.join(begins)}))"
    )


def references_in(document: Document) -> Sequence[Span]:
    r"""The lists of references of a document, in order, each from its heading on.

    If the format marks headings, a list ends at the next heading of the same or a higher level.
    Otherwise it begins with a title line followed by lines that resemble references (a year, a
    number in brackets, an address), and ends at a line that begins an appendix, a chapter or the
    like, or at the end of the document.

    >>> text = "Bees dance.\n\n7. References\n\nFrisch, K. v.: Aus dem Leben der Bienen, 1927."
    >>> [text[span.start : span.end][:13] for span in references_in(Document(text, text))]
    ['7. References']
    """
    places = sorted([*_under_headings(document), *_under_lines(document)])
    return outermost(document.text, places)


def _named(title: str) -> tuple[bool, bool]:
    """Whether a title names a list of references, and whether it may name something else."""
    if len(title) > _LONGEST:
        return False, False
    bare = "".join(title[_end_of_numbering(title) :].split()).strip(_ORNAMENTS).casefold()
    whole = "".join(title.split()).strip(_ORNAMENTS).casefold()
    names = {bare, whole}
    return bool(names & (NAMES | AMBIGUOUS)), not names & NAMES


def _end_of_numbering(line: str) -> int:
    match = _NUMBERING.match(line)
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
    match = LINE.match(text, start)
    return match.end() if match else start


def _under_lines(document: Document) -> Iterator[tuple[int, int]]:
    """The ranges of lists whose heading is a line of its own, in order, without nested ones."""
    text, titles, sections = document.text, array("q"), [array("q") for _ in range(6)]
    headings = sorted(heading.offset for heading in document.headings)
    for beginning in _beginning_of_headings().finditer(text):
        start = beginning.start()
        match = LINE.match(text, start, start + _LONGEST + 1)
        if not match or match.end() - start > _LONGEST:
            continue
        line = match[0]
        bare = line[_end_of_numbering(line) :]
        ends_lists = bool(_ENDING.match(line) or _ENDING.match(bare))  # as an appendix does
        if level := _level(line) or int(ends_lists):
            sections[level - 1].append(start)
        if _named(line)[0]:
            titles.append(start)
    last = 0
    for start in titles:
        line = text[start : _line_end(text, start)]
        end = len(text)
        for places in (headings, *sections[: _level(line) or 1]):
            row = bisect_right(places, start)
            end = min([end, *places[row : row + 1]])
        if end > last and _resembles_references(text, start + len(line), end):
            yield start, end
            last = end


def _level(line: str) -> int:
    """The level of a heading as Markdown has it, 0 for other lines."""
    hashes = _HASHES.match(line)
    return len(hashes[1]) if hashes else 0


def _resembles_references(text: str, start: int, end: int) -> bool:
    """Whether one in four of the first lines between two places resembles a reference."""
    seen = signs = 0
    end = min(end, start + _LOOKED_AT * _MOST_OF_LINE)
    while seen < _LOOKED_AT and (line := LINE.search(text, start, end)):
        start = line.end()
        if line[0].strip():
            seen += 1
            signs += bool(_SIGN.search(line[0][:_MOST_OF_LINE]))
    return signs > 0 and 4 * signs >= seen
