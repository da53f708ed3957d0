"""Sizes with units, outputs that are streams, and signals to end."""

from __future__ import annotations

import gzip
import os
import signal
from contextlib import suppress
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sdtext.cli.options.values import SIZE
from tests.support.command import done, here, shell
from tests.support.interruption import begins_to_work, interrupted, needs_proc

from .conftest import Shelf


def test_sizes_have_units(shelf: Shelf) -> None:
    done(*shelf.line("Doctor TEXT --max-bytes 1GB"))
    Path("a.txt.gz").write_bytes(gzip.compress(shelf.document.read_bytes()))
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1KB").code == 3
    assert here("Doctor", "a.txt.gz", "--max-bytes", "1MB").code == 0


@given(st.text(max_size=8))
def test_any_text_is_a_value_or_a_usage_error(text: str) -> None:
    with suppress(click.BadParameter):
        assert SIZE.convert(text, None, None) is not None


def test_an_output_may_be_the_standard_output(shelf: Shelf) -> None:
    command = shelf.line("ExtractText -i TEXT -o")
    outcome = shell('"$@" > out', *command, "/dev/stdout")
    assert outcome.code == 0, outcome.err
    assert Path("out").read_bytes() == done(*command, "-").out


@needs_proc
@pytest.mark.parametrize("kind", [signal.SIGTERM, signal.SIGHUP])
def test_a_request_to_end_leaves_nothing_behind(
    shelf: Shelf, much: Path, kind: signal.Signals
) -> None:
    command = ["CreateDictionary", "-p", much, "-c", shelf.recipe, "--jobs", "2", "-o", "d.xml"]
    outcome = interrupted(begins_to_work, *command, kind=kind)
    assert outcome.code == 130, outcome.err
    assert outcome.errors == ["sdtext CreateDictionary: interrupted"]
    assert os.listdir() == []  # noqa: PTH208


@needs_proc
def test_a_request_to_end_leaves_no_collection_behind(much: Path) -> None:
    command = ["AddDocuments", "x.sdx", much, "-c", "deduplicate", "--jobs", "2"]
    outcome = interrupted(begins_to_work, *command, kind=signal.SIGTERM)
    assert outcome.code == 130, outcome.err
    assert outcome.err == "sdtext AddDocuments: interrupted\n"
    assert os.listdir() == []  # noqa: PTH208
