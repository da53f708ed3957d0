"""One file: its reader, its text and its clean text in pieces."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.analysis.tokenizer_chain import Chain
from sdtext.errors import UnreadableError
from sdtext.io import decompressed_content as content_module
from sdtext.io.decompressed_content import Content
from sdtext.model import RecipeSpec
from sdtext.parts.readers.plain_text import PlainText
from sdtext.reading.options import Reading
from sdtext.reading.read_document import Source, read
from sdtext.text.cut_text import cut_at
from sdtext.text.disguises import undisguised
from sdtext.text.normal_form import clean
from tests.parts.readers.office import docx, packed, paragraph, run, t
from tests.support.strategies import blocks, recipes


@given(cut=blocks(), boundaries=st.sampled_from(["\n", " \n"]))
def test_pieces_are_cut_behind_boundaries_and_come_at_once(cut: list[str], boundaries: str) -> None:
    taken: list[str] = []

    def noted() -> Iterator[str]:
        for block in cut:
            taken.append(block)
            yield block

    pieces: list[str] = []
    for piece in cut_at(noted(), boundaries):
        pieces.append(piece)
        held = "".join(taken[:-1])[sum(map(len, pieces)) :]
        assert not set(held) & set(boundaries)
    assert "".join(pieces) == "".join(cut)
    assert all(pieces)
    assert all(piece[-1] in boundaries for piece in pieces[:-1])


@given(
    lines=st.lists(st.sampled_from(["Bees dance, and all know: it is warm.", "a,b", "", "[a](b)"])),
    odd=st.text("\ufeff\r\n\0\t\x1a\x85\xad\xe9\u0301\u0430\u200b\u2028\u3042\ufffd\uffff")
    | st.text(),
    times=st.integers(1, 60),
)
def test_a_kept_text_is_what_each_step_leaves(lines: list[str], odd: str, times: int) -> None:
    data = "\n".join([*lines, odd * times, *lines]).encode("utf-8", "surrogatepass")
    content = Content("", called="a.txt", data=data)
    kept = PlainText().kept_text(content)
    if kept is not None:
        assert kept == "".join(map(str, PlainText()(content))) == clean(kept)
        assert undisguised(kept)[:3] == (kept, None, ())


@pytest.mark.parametrize("form", ["NFC", "NFKC"])
@given(cut=blocks(), boundaries=st.sampled_from(["\n", " \n"]))
def test_clean_pieces_are_the_clean_text(form: str, cut: list[str], boundaries: str) -> None:
    pieces = [clean(piece, form) for piece in cut_at(cut, boundaries)]
    assert "".join(pieces) == clean("".join(cut), form)


@given(recipe=recipes(), cut=blocks(), size=st.integers(1, 40))
def test_a_file_gives_the_same_terms_in_pieces_and_as_a_whole(
    path: Path, recipe: RecipeSpec, cut: list[str], size: int
) -> None:
    # It begins with plain words, lest it is taken for binary data.
    path.write_bytes(("Plain words " * 4 + "".join(cut)).encode("utf-8"))
    chain, reading = Chain(recipe), Reading(encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(content_module, "BLOCK", size)
        pieces = Source(path, reading).clean_pieces(chain.tokenizer.boundaries)
        result = chain.distinct(pieces)
        document = read(path, reading=reading)
    assert result == set(chain.tokens(document).words)
    assert document.clean == clean(undisguised(document.text).text)


def test_what_holds_no_text_is_reported_by_what_it_is(path: Path) -> None:
    once = gzip.compress(b"plain words " * 99, mtime=0)
    for reported, *every in (
        ("is empty", b"", gzip.compress(b"", mtime=0)),
        ("holds no text", b"\xef\xbb\xbf", b" \n\t \r\n", b"<html><body><script>x</script></body>"),
        # What is packed twice is unpacked once.
        ("not text", bytes(range(256)) * 4, gzip.compress(once, mtime=0)),
        ("is binary data, not text", b"words and \x00\x01\x02\x03"),
        ("PDF file", b"%PDF-1.7\n", gzip.compress(b"%PDF-1.7\n", mtime=0)),
        ("a RAR archive", b"Rar!\x1a\x07...."),
        ("not text", b"\x89PNG\r\n\x1a\n....", b"P6\n1 1\n255\n" + b"\xff" * 99),
        (r"not text \(", b"RIFF\x24\x80\x00\x00WAVEfmt ", b"AT&TFORM\x00\x00\x01\x01DJVU",
             b"\0\1\0\0\0\x0e\xff\xff\0" + b"GDEF" * 9),
        # An archive's entries are not opened as files.
        ("a zip archive", b"PK\x03\x04....", packed({"in.zip": packed({"a.txt": "plain words"})}),
         packed({"word/in.docx": docx(paragraph(run(t("words"))))})),
    ):  # fmt: skip
        for data in every:
            path.write_bytes(data)
            with pytest.raises(UnreadableError, match=reported) as caught:
                read(path)
            assert str(caught.value).startswith(f"{path}: ")
            with pytest.raises(UnreadableError, match=reported):
                list(Source(path).clean_pieces(" \n"))


@pytest.mark.parametrize(
    "begin", [b"BMW", b"MZ", b"II*", b"[a]", b"GIF89a", b"P6", b"Article", b"***", b"(a"]
)
def test_a_text_is_read_whatever_it_begins_with(path: Path, begin: bytes) -> None:
    """Magic numbers of letters, or a NUL byte, do not make a text a picture."""
    for text in (
        b" gr\xfcne W\xf6rter.\0",
        b" and words \xc3\xbc",
        b" words\0" + b" and more" * 20,
    ):
        path.write_bytes(begin + text)
        assert read(path).text.startswith(begin.decode())
