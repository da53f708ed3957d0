"""Quotations: which marks belong together, in which languages, and what is none."""

from hypothesis import given
from hypothesis import strategies as st

from sdtext.parts.units.quotes import MOST, quotes_in
from sdtext.text.document import Document
from tests.support.cases import cases

_MARKS = "“”„«»‹›「」『』\"‘’‚'"


def quotes(text: str) -> list[str]:
    return [text[span.start : span.end] for span in quotes_in(Document(text, text))]


@cases("text, expected", [
    ("He said, “Go on.” Then", ["“Go on.”"]),
    ('He said "go on". Then "stop".', ['"go on"', '"stop"']),
    ("Er sagte „Guten Tag“ und »Nein«.", ["„Guten Tag“", "»Nein«"]),
    ("Il dit : « Bonjour à tous » et partit.", ["« Bonjour à tous »"]),
    ("”Hej”, sade han. ”Då.”", ["”Hej”", "”Då.”"]),
    ("»Hei», hän sanoi.", ["»Hei»"]),
    ("He said „Ala ma kota” wczoraj", ["„Ala ma kota”"]),
    ("قال «مرحبا بكم» ثم", ["«مرحبا بكم»"]),
    ("他说：“我们走吧。”然后走了。", ["“我们走吧。”"]),
    ("彼は「『はい』と言え」と言った。", ["「『はい』と言え」"]),
    ("“말”이라고 했다", ["“말”"]),
    ("She said, “He told me ‘go’ at once.” Then.", ["“He told me ‘go’ at once.”"]),
    ("A note: “text”12 follows.", ["“text”"]),
    ("He: “One.\n\n“Two “a”.\n\n“Three.” Then “four”.",
     ["“One.\n\n“Two “a”.\n\n“Three.”", "“four”"]),
    ('"One.\n\n"Two."\n\n"Three."', ['"One.\n\n"Two."', '"Three."']),
    ("「一。\n\n「二。」と言った。", ["「一。\n\n「二。」"]),
    ("He said “one.\n\nTwo “three”.\n\n“Four.”", ["“three”", "“Four.”"]),
    ("> quoted\n> more\n\nnot\n > again", ["> quoted\n> more", "> again"]),
    ('He said "hello. Then "goodbye" followed.', ['"goodbye"']),
    ("“Lost. Then “kept” came.", ["“kept”"]),
    (f"“{'a' * (MOST - 2)}”", [f"“{'a' * (MOST - 2)}”"]), (f"“{'a' * MOST}”", []),
])  # fmt: skip
def test_what_stands_between_marks_is_a_quotation(text: str, expected: list[str]) -> None:
    assert quotes(text) == expected


@cases("text", [
    "It’s the people’s choice, isn’t it? The dogs’ tails, ’tis said, rock ’n’ roll",
    "It's the people's choice, isn't it? The dogs' tails, 'tis said, rock 'n' roll",
    "‘Tis the season; it’s the dogs’ day in the ‘90s, the owners’ too",
    "5'10\" tall, a 12\" disc and a 6\" nail", "Home » Products » Page", 'צה"ל הודיע, רמטכ"ל',
    "他看《红楼梦》和〈家〉。", "A “mark that is lost",
    "“One paragraph.\n\nAnother.”", "x > y and y > z", '""',
])  # fmt: skip
def test_other_uses_of_marks_are_no_quotations(text: str) -> None:
    assert quotes(text) == []


@given(text=st.text(st.sampled_from(f"{_MARKS}ab ,.\n>国1"), max_size=60))
def test_quotations_are_in_order_within_a_paragraph_and_begin_and_end_with_marks(text: str) -> None:
    spans = quotes_in(Document(text, text))
    places = [place for span in spans for place in (span.start, span.end)]
    assert places == sorted(places)
    for span in spans:
        held = text[span.start : span.end]
        assert held == held.strip() != ""
        if ">" not in held:
            assert held[0] in _MARKS
            assert held[-1] in _MARKS
            assert "\n\n" not in held
