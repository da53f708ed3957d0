"""Items in texts and records: every form that they stand in, alone and in one file."""

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.term_and_shingle_encoder import Encoder
from sdtext.decontamination import find_items
from sdtext.decontamination.benchmark_items import BenchmarkItem, Contamination, item_of
from sdtext.decontamination.decontaminate import batches_of, benchmark_of, find_contamination
from sdtext.decontamination.find_items import Benchmark, ItemMatch
from sdtext.deduplication.source_documents import sources_in
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.model import Problem
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.reuse.seed_finder import term_hashes
from sdtext.text.document import Document

_WORDS = [
    f"{first}{second}{third}" for first in "bdfgk" for second in "aeiou" for third in "lmnrst"
]
_ITEM = st.lists(st.sampled_from(_WORDS), min_size=8, max_size=40, unique=True)
QUESTION = "How do bees show other bees the way to a distant meadow full of flowers?"


def matches_in(text: str, *questions: str, **item: tuple[str, ...]) -> list[ItemMatch]:
    items = [BenchmarkItem(str(place), (text,), **item) for place, text in enumerate(questions)]
    document = Document.of(text, "page")
    return Benchmark.of(items).find([document.clean], lambda _: document).get(0, [])


def plain(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


@given(words=_ITEM, seed=st.integers(0, 99), form=st.sampled_from(["paragraph", "lines", "inline"]))
def test_an_item_is_found_where_it_stands(words: list[str], seed: int, form: str) -> None:
    around = [word.upper() + "x" for word in Random(seed).choices(_WORDS, k=30)]
    before, after = " ".join(around[:15]), " ".join(around[15:])
    lines = [" ".join(words[at : at + 4]) for at in range(0, len(words), 4)]
    text = {
        "paragraph": f"{before}.\n\n{' '.join(words).capitalize()}?\n\n{after}",
        "lines": f"{before}\n" + "\n".join(lines) + f"\n{after}",
        "inline": f"{before} “{' '.join(words)}” {after}",
    }[form]
    (match,) = matches_in(text, " ".join(words))
    assert (match.share, match.score, match.words) == (1.0, 99, len(words))
    assert plain(text[match.start : match.end]) == words


def test_offsets_are_those_of_the_text_with_disguises() -> None:
    text = "Q\u200buiz: " + QUESTION.replace("bees", "b\u200bees") + " By a dance."
    (match,) = matches_in(text, QUESTION)
    assert text[match.start : match.end] == QUESTION.replace("bees", "b\u200bees")


def test_an_item_that_stands_twice_is_two_matches() -> None:
    text = f"{QUESTION}\n{'Nothing of the kind. ' * 30}\n{QUESTION}"
    spans = [text[match.start : match.end] for match in matches_in(text, QUESTION)]
    assert spans == [QUESTION, QUESTION]


def test_common_phrases_are_no_items() -> None:
    question = "What is it that you have to do with all of this?"
    benchmark = Benchmark.of([BenchmarkItem("1", (question,)), BenchmarkItem("2", ("Too short?",))])
    assert (benchmark.searched, benchmark.common, benchmark.short) == (0, 1, 1)
    assert benchmark.find([question], lambda _: Document.of(question)) == {}


@pytest.mark.parametrize(("text", "answer"), [
    (f"{QUESTION} Easy: BY A DANCE!", "near"), (f"They dance. {QUESTION} Nobody knows.", "absent"),
    (f"{QUESTION} {'no ' * 60} by a dance", "absent"), (f"By a dance. {QUESTION}", "near"),
])  # fmt: skip
def test_an_answer_is_near_or_absent(text: str, answer: str) -> None:
    (match,) = matches_in(text, QUESTION, answers=("by a dance", "with a dance"))
    assert match.answer == answer


def test_equal_hashes_of_other_words_are_no_match() -> None:
    """Were all words to collide, all texts would be candidates, and the same items be found."""

    def colliding(encoder: Encoder, texts: list[str]) -> Ragged:
        rows = of_words(encoder, texts)
        return Ragged(np.zeros_like(rows.values), rows.offsets)

    of_words = term_hashes
    text = "Quiz about the sea and its fish, which are many and live in great depths. "
    expected = matches_in(text * 3 + QUESTION, QUESTION)
    with mock.patch.object(find_items, "term_hashes", colliding):
        assert matches_in(text * 3, QUESTION) == []
        assert matches_in(text * 3 + QUESTION, QUESTION)[0].start == expected[0].start


SIBLINGS = (
    "Which official currency do shops accept in the small mountain country of {}?",
    "A farmer sells {} baskets of ripe apples each week; how many does she sell a month?",
    "How long does it take to prepare and bake a traditional dish made with {} at home?",
)


@pytest.mark.parametrize("template", SIBLINGS)
def test_a_sibling_question_is_marked_by_what_differs(template: str) -> None:
    names = [first + second for first in ("Bor", "Kal", "Ven") for second in ("dia", "mar", "ti")]
    own = [*range(13, 22)] if "baskets" in template else names
    own = [*map(str.lower, names)] if "dish" in template else own
    items = [BenchmarkItem(str(word), (template.format(word),)) for word in own[:5]]
    benchmark = Benchmark.of(items)
    texts = [f"Quiz. {template.format(word)} Think!" for word in own]
    found = benchmark.find(texts, lambda place: Document.of(texts[place], str(place)))
    differing = {
        (match.record, match.item): match.differs for matches in found.values() for match in matches
    }
    assert len(differing) >= 9
    for (record, item), differs in differing.items():
        assert differs == ("" if str(own[int(record)]) == item else item)


FORMS = {
    "Each morning {} buys {} of the fresh {} on the market and gives half of them to a neighbour of"
    " the old house; how many are left in the evening?": ("anna ben carl", "ten six", "figs nuts"),
    "{} ने बाज़ार से शाम को {} ताज़े {} खरीदे और उनमें से आधे अपने पड़ोसियों में बाँट दिए तो बताइए कि अब उसके पास"
    " कुल मिलाकर कितने बचे?": ("रमेश मोहन राजू", "बीस तीस", "केले आम"),
}


@pytest.mark.parametrize("form", FORMS)
def test_any_of_the_words_that_vary_marks_a_sibling(form: str) -> None:
    texts = [form.format(*words) for words in product(*map(str.split, FORMS[form]))]
    items = [BenchmarkItem(text, (text,)) for text in texts]
    found = Benchmark.of(items).find(texts, lambda place: Document.of(texts[place], texts[place]))
    for own, matches in zip(texts, found.values(), strict=True):
        assert {match.item for match in matches if not match.differs} == {own}
        assert len(matches) == len(texts)


_SUM = "Let {} be an equation; what is the sum of the roots of that given here?"
_FRUIT = "小明的妈妈买了{}苹果，每个苹果的价格是{}，请问她花了多少钱？"


@pytest.mark.parametrize(
    ("item", "text", "differs"),
    [
        (QUESTION, QUESTION.replace("the way", "the path"), ""),
        (QUESTION, QUESTION.replace("meadow", "forest"), "meadow"),  # is in the fewest texts
        (_SUM.format("$x^2 + 12x = 0$"), _SUM.format("x² + 12x = 0"), ""),
        (_SUM.format("$x^2 + 2x = 0$"), _SUM.format("$x^3 + 2x = 0$"), "2"),
        (_SUM.format("$1.5 x = 2$"), _SUM.format("$5.1 x = 2$"), "5"),
        (_SUM.format("2 500 or 1,00,000"), _SUM.format("2500 or ١٠٠٬٠٠٠"), ""),
        (_SUM.format("in 1990, 200 men"), _SUM.format("in 1990 200 men"), ""),
        (_FRUIT.format("三个", "１２元"), _FRUIT.format("三个", "12元"), ""),
        (_FRUIT.format("三个", "１２元"), _FRUIT.format("三十个", "13元"), "三 12"),
    ],
)
def test_what_a_passage_lacks_is_named(item: str, text: str, differs: str) -> None:
    others = [" ".join(Random(place).sample(_WORDS, 12)) for place in range(5)]
    items = [BenchmarkItem(str(place), (text,)) for place, text in enumerate([item, *others])]
    sample = [QUESTION.replace("meadow", "field")] * 100
    [match] = Benchmark.of(items, sample).find([text], lambda _: Document.of(text))[0]
    assert match.differs == differs


def test_each_question_of_an_item_is_searched_for_by_itself() -> None:
    passage = " ".join(Random(1).sample(_WORDS, 90))
    rows = {"a": passage, "b": [QUESTION], "c": "Why?", "d": QUESTION, "answer": "dance"}
    item = item_of(rows, Contamination(question_field=("a", "b", "c", "d")), "7")
    assert isinstance(item, BenchmarkItem)
    benchmark = Benchmark.of([item, BenchmarkItem("8", ("?",))])
    assert (benchmark.searched, benchmark.short) == (1, 1)
    for text in (f"Quiz: {QUESTION} A dance.", f"It is said: {passage} A dance."):
        [match] = benchmark.find([text], {0: Document.of(text)}.__getitem__)[0]
        assert (match.item, match.score, match.answer) == ("7", 99, "near")


_QUESTIONS = (
    "How do bees show other bees the way to a distant meadow full of flowers?",
    "Which café of the old harbour sold “honey cakes” to the sailors in winter?",
)
_ITEMS = [BenchmarkItem(f"q{place}", (text,)) for place, text in enumerate(_QUESTIONS)]
_PIECES = [
    *_QUESTIONS,
    _QUESTIONS[0].upper(),
    _QUESTIONS[0].replace("bees", "b\u200bees"),
    _QUESTIONS[0].replace("e", "е"),  # Cyrillic
    _QUESTIONS[1].replace("é", "e\u0301"),
    _QUESTIONS[1].replace(" ", "\t"),
    _QUESTIONS[0][:40],
    " ".join(_QUESTIONS[0].replace(" ", "")),
    *("Nothing of the kind. ", "“Quotes” – ", "\r\n\n", " ", "по этому поводу ", "\0", "\ud800"),
    "Prose without end, " * 700,
]
_TEXTS = st.lists(st.sampled_from(_PIECES), max_size=4).map("".join)
_ROWS = st.one_of(
    _TEXTS.map(lambda text: {"text": text}),
    _TEXTS.map(lambda text: {"id": 7, "text": text, "tags": {"nested": [{"text": "x"}]}}),
    st.sampled_from([{"text": None}, {"text": 3}, {"text": ["a"]}, {"id": 1}, {}, [], "text"]),
)
_LINES = st.one_of(
    st.builds(json.dumps, _ROWS, ensure_ascii=st.booleans()).map(
        lambda line: line.encode("utf-8", "backslashreplace")
    ),
    st.sampled_from(
        [b"", b"  \r", b'{"text": "caf\xe9"}', b'{"text": ', b"\xef\xbb\xbf{}", b"{}x"]
    ),
)


def _text_in(line: bytes) -> str:
    """The text of the record in a line; "" if there is none."""
    try:
        row = json.loads(line.decode("utf-8"))
    except ValueError:
        return ""
    text = row.get("text") if isinstance(row, dict) else None
    if not isinstance(text, str) or not text.strip():
        return ""
    return "".join(
        "\ufffd" if char == "\0" or "\ud800" <= char < "\ue000" else char for char in text
    )


def _one_by_one(
    lines: Sequence[bytes], benchmark: Benchmark
) -> tuple[list[tuple[int, ItemMatch]], int, list[Problem]]:
    """The places and matches, the number of records, and the disguises."""
    matches: list[tuple[int, ItemMatch]] = []
    read = 0
    problems: list[Problem] = []
    for place, line in enumerate(lines, 1):
        if not (text := _text_in(line)):
            continue
        document = Document.of(text, str(place))
        read += 1
        problems += document.problems
        in_text = benchmark.find([document.clean], [document].__getitem__)
        name = str(json.loads(line).get("id", place))
        matches += [(place, replace(match, record=name)) for match in in_text.get(0, [])]
    return matches, read, problems


@given(st.lists(_LINES, min_size=10, max_size=40))
def test_records_together_give_what_each_gives_alone(lines: list[bytes]) -> None:
    lines = [b'{"text": "The first one is well."}', *lines]
    run = Run(problems=[])
    with TemporaryDirectory() as folder:
        path = Path(folder, "pages.jsonl")
        path.write_bytes(b"\n".join(lines))
        sources = sources_in(Inputs([path]), run)
        done, found = find_contamination(sources, _ITEMS, Contamination(), run)
        benchmark = benchmark_of(sources, _ITEMS, Contamination(), Run(problems=[]))
    matches, read, problems = _one_by_one(lines, benchmark)
    assert done.read == read
    spans = found.get(0, {})
    assert [(place, match) for place, some in spans.items() for match in some] == matches
    assert [each for each in run.problems or () if each.category == "disguised"] == problems


def test_short_records_are_searched_in_larger_batches(tmp_path: Path) -> None:
    rows = [{"text": "short"}] * 4100 + [{"text": "x" * 2000}] * 1000
    path = tmp_path / "pages.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    batches = [*batches_of(sources_in(path, Run()), Run())]
    assert [*map(len, batches)] == [2000, 2000, 362, 263, 263, 212]
    assert [int(item.name) for batch in batches for item in batch] == [*range(1, 5101)]
