"""Documents in any encoding and packing: read as text, or reported in a line."""

from __future__ import annotations

import codecs
import gzip
from encodings.aliases import aliases
from pathlib import Path

import pytest

from tests.support.command import check_partly, check_refused, done, here, parsed, prose

from .conftest import Shelf


def test_an_encoding_named_wrongly_costs_one_line_and_the_rest_is_done(shelf: Shelf) -> None:
    Path("old.txt").write_bytes(b"caf\xe9 " * 99)
    outcome = here(
        "CreateDictionary",
        *("-o", "d.xml", "-p", "old.txt", "-p", shelf.texts, "-c", shelf.recipe),
        *("--encoding", "utf-8"),
    )
    check_partly(outcome, 3, "old.txt")
    assert parsed("d.xml").findtext("{*}documents") == "30"


def _text_encodings() -> list[str]:
    names = sorted(set(aliases.values()) - {"mbcs", "oem"})
    return [name for name in names if codecs.lookup(name)._is_text_encoding]


@pytest.mark.filterwarnings("ignore:invalid escape sequence:DeprecationWarning")
@pytest.mark.parametrize("encoding", _text_encodings())
@pytest.mark.parametrize(
    "content",
    [b"plain +2AA- words \\ud800 \\x00 end ", b"xn-- ~{!!~} \xe9\xa4 \x81\x30\x81\x30 end "],
)
def test_any_encoding_python_knows_makes_a_dictionary_that_loads_or_one_line(
    encoding: str, content: bytes
) -> None:
    Path("words.toml").write_text('tokenizer = "words"\n', "utf-8")
    Path("any.txt").write_bytes(content)
    result = here(
        "CreateDictionary", "-o", "d.xml", "-p", "any.txt", "-c", "words.toml",
        "--encoding", encoding,
    )  # fmt: skip
    if result.code == 0:
        done("ShowDictionaryTokens", "-d", "d.xml")
    else:
        assert result.code in (2, 3)  # an encoding that makes no sound text may be refused, too
        assert 1 <= len(result.errors) <= 4


def test_a_decompression_bomb_is_one_line(shelf: Shelf) -> None:
    Path("bomb.gz").write_bytes(gzip.compress(b"bees " * (4 << 20)))
    check_refused(here("ExtractText", "-i", "bomb.gz"), 3, "bomb.gz")
    Path("large.gz").write_bytes(gzip.compress(prose(1, 5000).encode()))
    refused = here("Doctor", "large.gz", "--max-bytes", "1000")
    assert (refused.code, refused.text.count("large.gz")) == (3, 1)
    Path("large.txt").write_text(prose(1, 5000))
    done("Doctor", "large.txt", "--max-bytes", "1000")
    outcome = here(
        "CreateDictionary", "-o", "d.xml", "-p", ".", "-p", shelf.texts, "-c", shelf.recipe
    )
    check_partly(outcome, 3, "bomb.gz")
