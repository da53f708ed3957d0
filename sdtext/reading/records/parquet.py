"""The rows of a Parquet file, which another process makes JSON lines of."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import replace
from importlib.util import find_spec
from tempfile import mkstemp

from sdtext.errors import OptionError, UnreadableError, reason
from sdtext.io.byte_ranges import ByteRange, SharedFile
from sdtext.io.content import Content
from sdtext.model import PartSpec
from sdtext.reading.records.lines import Note
from sdtext.reading.records.record import Fields
from sdtext.reading.sandbox.pool import ProcessLimits, unpack


def rows_of(content: Content, fields: Fields, limits: ProcessLimits, note: Note) -> Content:
    """The rows as JSON lines, of `max_bytes` at the most. Raises UnreadableError.

    They stand in a file without a name, which is gone when nobody refers to it. OptionError where
    there are no columns as `fields` names them, and where pyarrow is not installed.
    """
    if find_spec("pyarrow") is None:
        raise OptionError(
            f"{content.name}: Parquet is read by pyarrow, which is not installed; "
            "pip install 'sdtext[parquet]'"
        )
    try:
        descriptor, into = mkstemp(prefix="sdtext-")
    except OSError as error:
        raise UnreadableError(f"{content.name}: cannot be unpacked: {reason(error)}") from error
    store = SharedFile(descriptor)
    try:
        part = PartSpec.of("parquet", text=fields.text, id=fields.id)
        found = unpack(part, content, limits, into, "tables")
    finally:
        with suppress(OSError):
            os.unlink(into)  # noqa: PTH108 (it is a name, not a path to go on from)
    for problem in found.problems:
        note(replace(problem, path=str(content.path)))
    stored = ByteRange(store, 0, store.size)
    return replace(content, called=content.name, stored=stored)
