"""Filters: one word in, one word out; the empty word drops it."""

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Filter(ABC):
    """The members of a filter, a frozen dataclass whose fields are its options.

    A filter is a pure function, so that a chain can remember its result for each distinct word.
    """

    @abstractmethod
    def __call__(self, word: str) -> str:
        """The filtered word; "" drops it."""

    @property
    def characterwise(self) -> bool:
        """Whether it treats each letter with its marks on its own and keeps white space.

        A chain then filters whole texts at once. A capital sigma is the one exception.
        """
        return False

    @property
    def minds_letters(self) -> bool:
        """Whether it treats a mark by the letter before it.

        Later filters must not remove characters between the two before it has done so.
        """
        return False

    @property
    def keeps_ascii(self) -> bool:
        """Whether every word of ASCII characters stays as it is."""
        return False

    @property
    def libraries(self) -> Sequence[str]:
        """The packages on whose versions the results depend."""
        return ()

    @staticmethod
    def languages() -> Sequence[str]:
        """The languages it knows, where its option `language` may be `auto`."""
        return ()
