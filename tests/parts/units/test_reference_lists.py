"""Lists of references: where they begin and end, in which languages, and what is none."""

from __future__ import annotations

import pytest

from sdtext.model import Document, Heading
from sdtext.parts.units.reference_lists import references_in

_ENTRIES = "Frisch, K. v.: Aus dem Leben der Bienen. Berlin 1927.\n[2] Seeley, T.: Honeybees."


def lists(text: str, *titles: tuple[int, str]) -> list[str]:
    """The lists in a text, of which these are headings that its format marks."""
    headings = tuple(Heading(level, title, text.index(title)) for level, title in titles)
    result = references_in(Document(text, text, headings=headings))
    return [text[span.start : span.end] for span in result]


@pytest.mark.parametrize("title", [
    *("References", "REFERENCES", "7. References", "VII. Works Cited:", "**Bibliography**"),
    *("Literaturverzeichnis", "Literatur", "Quellen", "Références", "Références bibliographiques"),
    *("Bibliografía", "Referencias", "Referências", "Riferimenti bibliografici", "Literatuur"),
    *("Список литературы", "Βιβλιογραφία", "المراجع", "قائمة المصادر والمراجع", "参考文献"),
    *("七、参考文献", "参 考 文 献", "참고문헌", "Kaynakça", "A. Sources", "# References"),
])  # fmt: skip
def test_a_line_of_its_own_begins_a_list(title: str) -> None:
    text = f"Bees dance.\n\n{title}\n\n{_ENTRIES}\n"
    assert lists(text) == [f"{title}\n\n{_ENTRIES}"]


@pytest.mark.parametrize("ending", [
    *("Appendix A", "8. Appendix", "Acknowledgements", "Anhang", "Chapter 2", "第二章 蜜蜂"),
    *("附录", "About the authors", "Index", "Annexe 1"),
])  # fmt: skip
def test_an_appendix_or_a_chapter_ends_a_list(ending: str) -> None:
    text = f"Bees.\n\nReferences\n\n{_ENTRIES}\n\n{ending}\n\nMore of bees."
    assert lists(text) == [f"References\n\n{_ENTRIES}"]


def test_an_entry_that_begins_as_an_ending_does_is_an_entry() -> None:
    text = f"References\n{_ENTRIES}\nIndex Medicus, Bethesda, 1960.\nChapters, A.: On bees. 1999."
    assert lists(text) == [text]


def test_a_heading_of_markdown_ends_a_list_but_one_of_a_lower_level() -> None:
    text = f"# Bees\n\n## References\n\n{_ENTRIES}\n\n### Books\n\nThree.\n\n## Data\n\nFour."
    assert lists(text) == [text[text.index("## Ref") : text.index("\n\n## Data")]]


@pytest.mark.parametrize("text", [
    "Contents\nIntroduction\nReferences\nAppendix\n\nIntroduction\n\nBees dance since 1927.",
    "References to bees abound.\n\nSmith 1999.",
    "I gave References\n\nSmith 1999.",
    "Sources\n\nThe river springs from the hills, and runs into the sea.",
    f"{'x' * 90} References\n\nSmith 1999.",
    "References",
    "",
])  # fmt: skip
def test_what_only_looks_like_a_heading_begins_no_list(text: str) -> None:
    assert lists(text) == []


def test_a_marked_heading_needs_no_signs_and_its_list_ends_at_one_as_high() -> None:
    text = "Bees\nOf bees.\nReferences\nSmith on bees.\nBooks\nJones.\nAnnex\nMore."
    headings = (1, "Bees"), (1, "References"), (2, "Books"), (1, "Annex")
    assert lists(text, *headings) == ["References\nSmith on bees.\nBooks\nJones."]


def test_each_chapter_may_have_a_list() -> None:
    text = "One\nOf bees.\nReferences\nSmith.\nTwo\nOf wax.\nBibliography\nJones."
    headings = (1, "One"), (2, "References"), (1, "Two"), (2, "Bibliography")
    assert lists(text, *headings) == ["References\nSmith.", "Bibliography\nJones."]


def test_a_chapter_about_literature_is_no_list() -> None:
    text = "Literature\nThat of Rome is rich.\nArt\nThat of 1999 is not."
    assert lists(text, (1, "Literature"), (1, "Art")) == []


@pytest.mark.parametrize("piece", [
    *("References\n", "# References\n", "References\n\n1999\n", "Appendix\n", "x\n", "\n", " "),
    *("[1]", "Literatur 1999\n", "1.1.1. ", "#"),
])  # fmt: skip
def test_no_text_takes_long(piece: str) -> None:
    """Were the time not in proportion to the length, this would take many minutes."""
    text = "a" + piece * (200_000 // len(piece)) + "b"
    headings = tuple(Heading(1 + place % 6, "References", place) for place in range(5000))
    for document in (Document(text, text), Document(text, text, headings=headings)):
        assert all(span.end <= len(text) for span in references_in(document))
