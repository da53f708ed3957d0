"""Records of many kinds in one file: searched together, they give what each gives by itself."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from sdtext.decontamination.benchmark_items import BenchmarkItem, Contamination
from sdtext.decontamination.find_contamination import batches_of, benchmark_of, find_contamination
from sdtext.decontamination.find_items import Benchmark, ItemMatch
from sdtext.deduplication.source_documents import sources_in
from sdtext.model import Problem
from sdtext.reading.inputs import Inputs
from sdtext.reading.parallel_run import Run
from sdtext.text.document import Document

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
    assert [*map(len, batches)] == [2000, 2000, 500, 500, 100]
    assert [int(item.name) for batch in batches for item in batch] == [*range(1, 5101)]
