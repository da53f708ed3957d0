"""Sketches of the smallest hashes of a set, as many as fit into some bytes."""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from sdtext.kernels import bottom_k
from sdtext.kernels.arrays.ragged import Ragged
from sdtext.parts.option_values import Within


@dataclass(frozen=True)
class BottomK:
    """The smallest 20-bit positions of the shingles' hashes, as many as fit into `bytes` bytes.

    Sketches of other `bytes` can be compared: what two have below the lower one of their cuts is
    a sample of both sets, drawn alike. A row has the positions and, at its end, 2**20 + cut.

    >>> [row.tolist() for row in BottomK()(Ragged.of([[3, 7], []]))]
    [[76515, 124213, 2097152], [2097152]]
    """

    bytes: Annotated[int, Within(16, bottom_k.MOST)] = 512
    kind: ClassVar[str] = "bottom-k"

    def __call__(self, shingles: Ragged) -> Ragged:
        return Ragged.of([bottom_k.smallest(row, self.bytes) for row in shingles])
