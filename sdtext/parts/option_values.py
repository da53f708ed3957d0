"""The values that options of parts may have, as the types of their fields state them.

`least: Annotated[int, Within(2)]` is a number of 2 or more, `mode: Annotated[str, MODES]` one of
some texts. The registry refuses others when it builds a part.
"""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Within:
    """Numbers from `least` to `most`; of those `above` and `below` others, these are none.

    >>> 1 in Within(1), 0.0 in Within(above=0, most=1)
    (True, False)
    >>> print(Within(1), Within(0, 9), Within(above=0, most=1), sep="; ")
    1 or more; from 0 to 9; above 0 and at most 1
    """

    least: float = -inf
    most: float = inf
    above: float = -inf
    below: float = inf

    def __contains__(self, number: float) -> bool:
        return self.least <= number <= self.most and self.above < number < self.below

    def __str__(self) -> str:
        if self.most == self.below:
            return f"{self.least} or more"
        if self.least > -inf:
            return f"from {self.least} to {self.most}"
        end = f"at most {self.most}" if self.most < inf else f"below {self.below}"
        return f"above {self.above} and {end}"
