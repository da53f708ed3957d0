"""Lists of references: where they begin and end, and what they and quotations cost."""

import re
import tracemalloc
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Heading, Span
from sdtext.parts.units import outermost
from sdtext.parts.units.quotes import quotes_in
from sdtext.parts.units.reference_lists import AMBIGUOUS, NAMES, references_in
from sdtext.text.document import Document
from tests.support.cases import cases

_ENTRIES = "Frisch, K. v.: Aus dem Leben der Bienen. Berlin 1927.\n[2] Seeley, T.: Honeybees."


def lists(text: str, *titles: tuple[int, str]) -> list[str]:
    """The lists in a text, of which these are headings that its format marks."""
    headings = tuple(Heading(level, title, text.index(title)) for level, title in titles)
    result = references_in(Document(text, text, headings=headings))
    return [text[span.start : span.end] for span in result]


TITLES = (
    *("References", "REFERENCES", "7. References", "VII. Works Cited:", "**Bibliography**"),
    *("Literaturverzeichnis", "Literatur", "Quellen", "Références", "Références bibliographiques"),
    *("Bibliografía", "Referencias", "Referências", "Riferimenti bibliografici", "Literatuur"),
    *("Список литературы", "Βιβλιογραφία", "المراجع", "قائمة المصادر والمراجع", "参考文献"),
    *("七、参考文献", "参 考 文 献", "참고문헌", "Kaynakça", "A. Sources", "# References"),
)
ENDINGS = (
    *("Appendix A", "8. Appendix", "Acknowledgements", "Anhang", "Chapter 2", "第二章 蜜蜂"),
    *("附录", "About the authors", "Index", "Annexe 1"),
)
INDEXED = f"References\n{_ENTRIES}\nIndex Medicus, Bethesda, 1960.\nChapters, A.: On bees. 1999."
MARKDOWN = f"## References\n\n{_ENTRIES}\n\n### Books\n\nThree."


@cases("text, expected", [
    *((f"Bees dance.\n\n{title}\n\n{_ENTRIES}\n", [f"{title}\n\n{_ENTRIES}"]) for title in TITLES),
    *((f"Bees.\n\nReferences\n\n{_ENTRIES}\n\n{ending}\n\nMore of bees.",
       [f"References\n\n{_ENTRIES}"]) for ending in ENDINGS),
    (INDEXED, [INDEXED]), (f"# Bees\n\n{MARKDOWN}\n\n## Data\n\nFour.", [MARKDOWN]),
    # What only looks like a heading begins no list.
    ("Contents\nIntroduction\nReferences\nAppendix\n\nIntroduction\n\nBees dance since 1927.", []),
    ("References to bees abound.\n\nSmith 1999.", []), ("I gave References\n\nSmith 1999.", []),
    ("Sources\n\nThe river springs from the hills, and runs into the sea.", []),
    (f"{'x' * 90} References\n\nSmith 1999.", []), ("References", []), ("", []),
])  # fmt: skip
def test_a_list_goes_from_its_title_to_an_ending(text: str, expected: list[str]) -> None:
    assert lists(text) == expected


@cases("text, headings, expected", [
    ("Bees\nOf bees.\nReferences\nSmith on bees.\nBooks\nJones.\nAnnex\nMore.",
     [(1, "Bees"), (1, "References"), (2, "Books"), (1, "Annex")],
     ["References\nSmith on bees.\nBooks\nJones."]),
    ("One\nOf bees.\nReferences\nSmith.\nTwo\nOf wax.\nBibliography\nJones.",
     [(1, "One"), (2, "References"), (1, "Two"), (2, "Bibliography")],
     ["References\nSmith.", "Bibliography\nJones."]),
    ("Literature\nThat of Rome is rich.\nArt\nThat of 1999 is not.",
     [(1, "Literature"), (1, "Art")], []),
])  # fmt: skip
def test_a_marked_heading_needs_no_signs_and_its_list_ends_at_one_as_high(
    text: str, headings: list[tuple[int, str]], expected: list[str]
) -> None:
    assert lists(text, *headings) == expected


@cases("piece", [
    *("“", '"', '" ', 'a "b', "> ", ">\n", "„a", "«", "‘a ", "\r\n>"),
    *("References\n", "# References\n", "References\n\n1999\n", "Appendix\n", "x\n", "\n", " "),
    *("[1]", "Literatur 1999\n", "1.1.1. ", "#"),
])  # fmt: skip
def test_no_text_takes_long(piece: str, rounds: Callable[[int], int]) -> None:
    """Were the time not in proportion to the length, this would take many minutes."""
    text = "a" + piece * (rounds(240_000) // len(piece)) + "b"
    headings = tuple(Heading(1 + place % 6, "References", place) for place in range(5000))
    for document in (Document(text, text), Document(text, text, headings=headings)):
        for spans in (references_in(document), quotes_in(document)):
            assert all(span.end <= len(text) for span in spans)


@pytest.mark.deep
@cases("find, piece, share", [
    (references_in, "ab-\n", 0), (references_in, "- b\n", 0), (references_in, "#\n", 0),
    (quotes_in, "> x\n\n", 1), (quotes_in, "a.\n\n", 0), (quotes_in, "“a”\n\n", 1),
])  # fmt: skip
def test_memory_is_a_small_part_of_a_text_of_short_lines(
    find: Callable[[Document], list[Span]], piece: str, share: int
) -> None:
    count = 100_000 // len(piece)
    document = Document(piece * count, piece * count)
    find(document)
    tracemalloc.start()
    spans = find(document)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(spans) == share * count
    assert peak < 6 * len(document.text)


def _every_line(text: str, headings: tuple[Heading, ...]) -> list[tuple[int, int]]:
    """The ranges of lists whose heading is a line of its own, looking at each line in full."""
    lines = [match.span() for match in re.finditer("[^\n\r\f\x85\u2028\u2029]+", text)]
    ends = [(heading.offset, 1) for heading in headings]
    ends += [(start, level) for start, end in lines if (level := _level(text[start:end]))]
    places = []
    for start, end in lines:
        if _is_title(text[start:end]):
            least = _hashes(text[start:end]) or 1
            behind = [place for place, level in ends if place > start and level <= least]
            stop = min([len(text), *behind])
            following = [text[a : min(b, stop)] for a, b in lines if end <= a < stop]
            if _resemble_references([line for line in following if line.strip()][:8]):
                places.append((start, stop))
    return places


def _hashes(line: str) -> int:
    match = re.match(r"\s{0,3}(#{1,6})\s", line)
    return len(match[1]) if match else 0


_NUMBERING = (
    r"[\s#*_]*(?:(?:\d{1,2}|[IVXL]{1,5}|[A-H])(?:\.\d{1,2}){0,3}(?:[.):]\s*|\s+)"
    r"|[一二三四五六七八九十]{1,3}[、.．]\s*|第[\d一-十]{1,3}[章节節]\s*)?"
)


def _without_number(line: str) -> str:
    match = re.match(_NUMBERING, line)
    return line[match.end() :] if match else line


def _level(line: str) -> int:
    """The level of the section that begins at a line, 0 if none."""
    if len(line) > 80:
        return 0
    word = r"(?i:appendix|annex|index|anhang|глава|附录|第[\d一-十百]+[章回]|about the authors?)"
    ending = rf"{word}(?![^\W\d])(?!.*[,;.].*\d{{4}})"
    begins = any(re.match(ending, begin) for begin in (line, _without_number(line)))
    return _hashes(line) or int(begins)


def _is_title(line: str) -> bool:
    bare = (re.sub(r"\s", "", title).strip("*_#:：.。=") for title in (line, _without_number(line)))
    return len(line) <= 80 and bool({*map(str.casefold, bare)} & (NAMES | AMBIGUOUS))


def _resemble_references(lines: list[str]) -> bool:
    sign = r"(?<!\d)\d{4}(?!\d)|^\s*[\[［【(]\d{1,3}[\]］】)]|https?:|www\.|\bdoi\b|\bISBN\b"
    signs = sum(bool(re.search(sign, line[:400], re.IGNORECASE)) for line in lines)
    return signs > 0 and 4 * signs >= len(lines)


_TITLES = ("References", "LITERATUR", "Bibliograﬁa", "参 考 文 献", "ſources", "Πηγές", "文献")
_OTHERS = ("Index", "ındex", "# Bees", "About the authors", "第二章 蜜蜂", "附录", "Глава 2", "ap-")
_ENTRY = ("Frisch 1927.", "[2] Seeley", "Bees dance.", "  ", "Index Medicus, 1960.", "x" * 90)
_AROUND = ("", "", "7. ", "## ", "**", " \t", "A.2) ", "二、", "::", "I ", "1 ", "* 3. ", "x ")
_LINES = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(_AROUND),
        st.sampled_from(_TITLES + _OTHERS + _ENTRY),
        st.sampled_from(("", "", ":", " **", " ", "a")),
        st.sampled_from("\n\n\n\r\f\x85\u2028"),
    ),
)


@given(lines=st.lists(_LINES, max_size=12), places=st.lists(st.integers(0, 99), max_size=2))
def test_lists_are_those_that_every_line_in_full_gives(lines: list[str], places: list[int]) -> None:
    text = "".join(lines)
    headings = tuple(Heading(1, "Bees", min(place, len(text))) for place in places)
    expected = outermost(text, _every_line(text, headings))
    assert references_in(Document(text, text, headings=headings)) == expected


def test_a_title_is_one_in_any_letters_that_are_equal_in_lower_case() -> None:
    """Ligatures and letters with several capitals, at the beginning of each title."""
    letters = [char for char in map(chr, range(0x20000)) if char.casefold() != char]
    for title, place in product(sorted(NAMES), range(3)):
        for letter in letters:
            if title.startswith(letter.casefold(), place):
                written = title[:place] + letter + title[place + len(letter.casefold()) :]
                assert lists(f"{written}\n[1] Bees"), written
