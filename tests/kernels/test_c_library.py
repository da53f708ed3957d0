"""The library in C is called with what its signatures say, and with nothing else."""

import re

import numpy as np
import pytest

from sdtext.kernels.c_library import KERNELS, SIGNATURES
from sdtext.kernels.csrc import SOURCES, WHY_PLAIN
from tests.support.command import run_python

VALUES, OFFSETS = np.array([1, 2, 5], np.uint64), np.array([0, 1, 3])


def test_each_signature_has_a_function_and_each_function_a_signature() -> None:
    sources = "".join(path.read_text("utf-8") for path in SOURCES.glob("*.c"))
    assert {*re.findall(r"EXPORT \w+ sdtext_(\w+)", sources)} == {*SIGNATURES, "free"}
    assert not WHY_PLAIN
    assert KERNELS.keys() == SIGNATURES.keys()


def test_arrays_of_another_type_shape_size_or_layout_are_refused() -> None:
    kernel = KERNELS["common_counts"]
    counts = np.empty(2, np.int64)
    assert not kernel(VALUES, VALUES, OFFSETS, counts)
    assert counts.tolist() == [1, 2]
    locked = np.empty(2, np.int64)
    locked.flags.writeable = False
    for wrong in (
        (VALUES.astype(np.int64), VALUES, OFFSETS, counts),
        (VALUES[::2], VALUES, OFFSETS, counts),
        (VALUES[None], VALUES, OFFSETS, counts),
        (VALUES, VALUES, OFFSETS, locked),
    ):
        with pytest.raises(TypeError):
            kernel(*wrong)
    for values, offsets, into in (
        (VALUES, OFFSETS, counts[:1]),
        (VALUES[:2], OFFSETS, counts),
        (VALUES, OFFSETS[::-1].copy(), counts),
    ):
        with pytest.raises(ValueError, match=r"rows is|belong"):
            kernel(VALUES, values, offsets, into)


def test_a_variable_of_the_environment_asks_for_plain_references() -> None:
    code = "from sdtext.kernels.c_library import KERNELS, WHY_PLAIN; print(KERNELS, WHY_PLAIN)"
    assert run_python(code, SDTEXT_KERNELS="plain").stdout.startswith("{} plain")
