"""The kernels in C, each called by its signature.

Without the library, and with SDTEXT_KERNELS=plain, there are none, and callers use the plain
reference that stands beside each call.
"""

import re
from ctypes import CDLL, Structure, byref, c_double, c_int64, c_uint64, c_void_p, string_at
from sys import byteorder
from typing import Any

from sdtext.kernels.csrc import LIBRARY, WHY_PLAIN

SIGNATURES = {
    "affine_sketches": "u64[values] i64[rows+1] u64[slots] u64[slots] u64 u64 u32[rows,slots]=",
    "are_in": "u32[terms] u32[others] i64 u8[terms]=",
    "band_keys": "u32[rows,slots] u64 u64[rows]=",
    "best_parts": "u32[left] u32[right] i64 i64 i64 i64 i64[four]=",
    "bit_best": "u64[terms,words] u64[words] i64[terms] i64[weighted] i64[terms] u8[bytes] "
    "i64[lanes]= f64[three,lanes] i64 -> i64*2",
    "bit_candidates": "u64[terms,words] u64[words] i64[terms] i64[weighted] i64[terms] "
    "u8[queries,bytes] i64[queries,lanes] i64[queries] -> i64*3",
    "bit_columns": "u8[rows,bytes] i64[places] i64 i64 u64[terms,words]=",
    "character_signs": "u8[bytes] u8[classes]",
    "common": "u64[left] i64[rows+1] u64[right] i64[others+1] i64[pairs] i64[pairs] i64[pairs]=",
    "common_counts": "u64[query] u64[values] i64[rows+1] i64[rows]=",
    "common_terms": "u32[left] u32[right]",
    "fast_similarity_sketches": "u64[values] i64[rows+1] u64[rounds] u32[rows,slots]=",
    "hamming_by_keys": "u8[queries,bytes] u8[codes,bytes] u64[codes] u64[codes] i64[entries+1] "
    "i64[parts,three] i64[groups] u64[masks] i64 i64 i64 i64 -> i64*3",
    "hamming_by_scan": "u8[left,bytes] u8[right,bytes] i64 i64 i64 -> i64*3",
    "instruction_set": "i64",
    "joined_rows": "i32[numbers] i64[rows+1] i32[values] i64[pieces]= -> i32",
    "merged_boxes": "i64[boxes,four]= i64",
    "posting_pairs": "i64[lists] i64[lists] i64[lists] i64[postings] i64 i64 -> i64*2",
    "row_windows": "u64[numbers] i64[rows+1]= i64 u64 u64[numbers]=",
    "sets": "u64[values]= i64[rows+1]=",
    "span_hashes": "u8[bytes] i64[spans] i64[spans] u64 u64[spans]=",
    "span_table": "u64[keys] i64 u32[slots]=",
    "spans": "u8[bytes] i64 i64 u64 u64[keys]= u32[keys]= i64 u32[slots]= i64 i64[pieces] "
    "i64[one]= i64[room]= i32[room]= -> i64*2",
    "translated": "u8[bytes] u8[letters] u8[deleted] i64[pieces]= u8[bytes]=",
    "weight_sums": "u8[rows,bytes] u64[bits] f64[rows]=",
    "window_sums": "u64[numbers] i64 u64 u64 i64 i64[windows] u64[windows]=",
    "window_codes": "i64[terms] i64[documents+1] i64 i64[kinds]=",
    "window_intervals": "i64[terms] i64[documents+1] i64[kinds] i64 i64 i64[blocks+1]= -> u64",
    "window_join": "u64[left] i64[lefts+1] i64[lefts] i64[lefts] "
    "u64[right] i64[rights+1] i64[rights] i64[rights] "
    "i64 i64 i64 i64 i64 i64 i64 i64 i64[one]= -> i64*8",
    "word_hashes": "u8[bytes] i64 u64[codes] i64[pieces]= u64[room]= -> i64*3",
}
"""The parameters of each function, and behind an arrow the rows that it returns beside a number.

`u64[rows,words]` is an array of that type and shape, in C order; with `=` it is written to. For
`u8[bytes]` an object of bytes may be given. C gets the address, and behind it each size that was
not named before. `i64`, `u64` and `f64` are numbers. Each function returns a number, negative for
an error. Rows are `i64*3`: of that type and width, or `i64`; they are allocated by C.
"""

_NO_MEMORY = -2
_ENDS = "<" if byteorder == "little" else ">"
_TYPES = {"u8": "|u1", "i32": f"{_ENDS}i4", "u32": f"{_ENDS}u4"}
_TYPES |= {"i64": f"{_ENDS}i8", "u64": f"{_ENDS}u8", "f64": f"{_ENDS}f8"}


class _Array(Structure):
    """Rows that C allocated."""

    _fields_ = (("data", c_void_p), ("count", c_int64))


class Kernel:
    """A function of the library, called with arrays and numbers.

    Raises TypeError for an array of another type or layout, ValueError for one of another size.
    """

    def __init__(self, library: CDLL, name: str) -> None:
        given, _, rows = SIGNATURES[name].partition(" -> ")
        kind, _, width = rows.partition("*")
        self._rows = (_TYPES[kind], int(width or 1)) if rows else None
        self._function, self._free = library[f"sdtext_{name}"], library.sdtext_free
        self._function.restype = c_int64
        types: list[Any] = []
        self._parameters: list[tuple[str, list[tuple[str, int]], bool]] = []
        named = set[str]()
        for kind, sizes, written in re.findall(r"(\w+)(?:\[(.+?)\](=?))?", given):
            shape = [
                (size, int(more or 0)) for size, more in re.findall(r"(\w+)(?:\+(\d))?", sizes)
            ]
            new = {size for size, _ in shape} - named
            named |= new
            types += [c_void_p, *[c_int64] * len(new)] if shape else [_NUMBERS[kind]]
            self._parameters.append((_TYPES[kind], shape, bool(written)))
        self._function.argtypes = [*types, c_void_p] if rows else types

    def __call__(self, *arguments: Any) -> Any:
        """The number that C returns, with the rows if there are any."""
        passed: list[Any] = []
        sizes: dict[str, int] = {}
        for (kind, shape, is_written), given in zip(self._parameters, arguments, strict=True):
            if not shape:
                passed.append(given)
                continue
            address, lengths = _located(given, kind, len(shape), is_written=is_written)
            passed.append(address)
            for (name, more), size in zip(shape, lengths, strict=True):
                if name not in sizes:
                    sizes[name] = size - more
                    passed.append(size - more)
                elif size - more != sizes[name]:
                    raise ValueError(f"{name} is {size - more}, not {sizes[name]}")
        rows = _Array()
        if self._rows:
            passed.append(byref(rows))
        try:
            number = self._function(*passed)
            if number == _NO_MEMORY:
                raise MemoryError
            if number < 0:
                raise ValueError("arrays do not belong together")
            if not self._rows:
                return number
            import numpy as np  # where arrays are given it is loaded, else not

            kind, width = self._rows
            size = rows.count * width * int(kind[-1])
            values = np.frombuffer(bytearray(string_at(rows.data, size) if size else b""), kind)
        finally:
            self._free(byref(rows))
        return number, values if width == 1 else values.reshape(-1, width)


def _located(
    given: Any, kind: str, dimensions: int, *, is_written: bool
) -> tuple[Any, tuple[int, ...]]:
    """The address of an array, and its shape."""
    if isinstance(given, bytes) and (kind, dimensions, is_written) == ("|u1", 1, False):
        return given, (len(given),)
    array = given.__array_interface__  # in a third of the time of given.ctypes
    if array["typestr"] != kind or array["strides"] or len(array["shape"]) != dimensions:
        raise TypeError(
            f"{given.dtype} of the shape {given.shape}, not {kind} of {dimensions} axes"
        )
    address, is_read_only = array["data"]
    if is_written and is_read_only:
        raise TypeError("an array that is written to is read-only")
    return address, array["shape"]


_NUMBERS = {"i64": c_int64, "u64": c_uint64, "f64": c_double}
_LIBRARY = None if WHY_PLAIN else CDLL(str(LIBRARY))
KERNELS = {name: Kernel(_LIBRARY, name) for name in SIGNATURES} if _LIBRARY else {}
"""The kernels by name; none where the plain references are used."""
