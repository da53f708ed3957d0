"""Documents in files, records and memory give the same documents, sizes and digests."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.model import Problem
from sdtext.reading.inputs import ReadInput, read_batch
from sdtext.reading.options import Reading
from sdtext.reading.records.record import InputDocument
from sdtext.text.document import Document
from tests.support.strategies import BRISK

TEXTS = st.text("abc é\u0301\n", max_size=30).map("Bees dance. {}".format)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("texts")


@BRISK
@given(texts=st.lists(TEXTS, max_size=3), offsets=st.booleans())
def test_all_forms_of_input_are_read_alike(folder: Path, texts: list[str], offsets: bool) -> None:
    problems: list[Problem] = []

    def read(items: list[InputDocument]) -> list[ReadInput]:
        return [*read_batch(items, Reading(), problems, offsets=offsets, digests=True)]

    files, records, held = [], [], []
    for place, text in enumerate(texts):
        name, path = f"{place}.txt", folder / f"{place}.txt"
        path.write_text(text, "utf-8")
        files.append(InputDocument("", name, path))
        records.append(InputDocument("", name, text=text))
        held.append(InputDocument("", name, document=Document.of(text, name)))
    expected = [(Document.of(text).clean, len(text.encode())) for text in texts]
    digests = [row.digest for row in read(files)]
    for items in (files, records, held):
        rows = read([*items, InputDocument("", "none", folder / "none.txt")])
        assert [(row.document.clean, row.size) for row in rows] == expected
        assert [row.digest for row in rows] == digests
        assert Path(problems.pop().path).name == "none.txt"
        known = [item._replace(digest=row.digest) for item, row in zip(items, rows, strict=True)]
        assert all(row.is_unchanged and not row.document.text for row in read(known))
    assert problems == []
