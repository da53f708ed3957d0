"""The rows of Parquet files, but for some, in one Parquet file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryDirectory
from typing import BinaryIO

import numpy as np

from sdtext.errors import UnreadableError, reason
from sdtext.model import PartSpec
from sdtext.reading.archive_paths import content_at
from sdtext.reading.options import Reading
from sdtext.reading.sandbox.pool import unpack


def write_rows_without(
    paths: Sequence[Path], places: Mapping[int, frozenset[int]], file: BinaryIO, reading: Reading
) -> None:
    """Write the rows of all files to `file`, but for those at `places` by the number of the file.

    Their columns stay as they are. Another process does it, within the limits of the reading.
    Raises UnreadableError.
    """
    first, *others = (content_at(path, reading.max_bytes, reading.limits) for path in paths)
    with ExitStack() as stack:
        folder = stack.enter_context(_temporary())
        gone = [(number, row) for number, rows in places.items() for row in sorted(rows)]
        np.save(folder / "gone.npy", np.array(gone, np.int64).reshape(-1, 2))
        copies = tuple(str(stack.enter_context(one.local())) for one in others)
        part = PartSpec.of("parquet-rows", gone=str(folder / "gone.npy"), others=copies)
        unpack(part, first, reading.limits, str(folder / "kept"), "jobs")
        with (folder / "kept").open("rb") as kept:
            copyfileobj(kept, file)


@contextmanager
def _temporary() -> Iterator[Path]:
    try:
        folder = TemporaryDirectory(prefix="sdtext-", ignore_cleanup_errors=True)
    except OSError as error:
        raise UnreadableError(f"cannot create a temporary file: {reason(error)}") from error
    with folder as path:
        yield Path(path)
