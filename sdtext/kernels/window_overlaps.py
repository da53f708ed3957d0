"""What blocks of terms have in common, exactly: pairs with too little hold no windows that are near."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sdtext.kernels.ragged import Ragged
from sdtext.kernels.window_blocks import Blocks, bags

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from sdtext.kernels.window_blocks import Numbers
    from sdtext.kernels.window_work import Work

    Pairs = tuple[Numbers, Numbers]

_AT_ONCE = 1 << 20  # codes


@dataclass(frozen=True, eq=False)
class Common:
    """The blocks of both sides as sets of codes, and which codes the block has that is asked."""

    left: Ragged
    right: Ragged
    asked: NDArray[np.bool_]

    @classmethod
    def of(cls, left: Blocks, right: Blocks) -> Common:
        """The blocks of documents; both sides may be the same."""
        import numpy as np

        sides = [left] if left is right else [left, right]
        made, codes = bags(sides, left.stride + left.w - 1)
        return cls(made[0].rows, made[-1].rows, np.zeros(codes, bool))

    def enough(self, pairs: Iterable[Pairs], least: int, work: Work) -> Iterator[Pairs]:
        """Those of the pairs with at least `least` codes in common; each has one left block."""
        import numpy as np

        width = max(1, int(self.right.lengths.max(initial=1)))
        for left, right in pairs:
            if not len(right):
                continue
            work.spend(len(right) * width)
            codes = self.left[int(left[0])]
            self.asked[codes] = True
            parts = range(0, len(right), max(1, _AT_ONCE // width))
            size = max(1, _AT_ONCE // width)
            counts = np.concatenate([self._counts(right[at : at + size]) for at in parts])
            self.asked[codes] = False
            kept = counts >= least
            yield left[kept], right[kept]

    def _counts(self, blocks: Numbers) -> Numbers:
        """How many of the codes asked for each of the blocks has."""
        import numpy as np

        rows = self.right.taken(blocks)
        before = np.zeros(len(rows.values) + 1, np.int64)
        np.cumsum(self.asked[rows.values], out=before[1:])
        return before[rows.offsets[1:]] - before[rows.offsets[:-1]]
