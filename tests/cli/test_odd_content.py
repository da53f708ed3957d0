"""Documents in any encoding and packing: read as text, or reported in a line."""

from __future__ import annotations

import gzip
from pathlib import Path

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
