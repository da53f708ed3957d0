"""The terms of a text with the white space that stands between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sdtext.analysis.chain import Chain
from sdtext.kernels.terms.tokens import WHITE_SPACE
from sdtext.model import Document

# Clean texts hold no others of the control characters.
_LINE_ENDS = "\n\r\u2028\u2029"


def spaced(chain: Chain, pieces: Iterable[str]) -> Iterator[list[str]]:
    r"""The terms of pieces of a clean text and the white space between; "" before a line's end.

    White space is marked by `WHITE_SPACE` in front.

    >>> from sdtext.model import PartSpec, RecipeSpec
    >>> list(spaced(Chain(RecipeSpec(PartSpec("words"))), ["to  be"]))
    [['to', '\n  ', 'be']]
    """
    gap, begun = "", False
    for piece in pieces:
        found: list[str] = []
        end = 0
        tokens = chain.tokens(Document(piece, piece))
        for term, start, stop in zip(tokens.words, tokens.starts, tokens.ends, strict=True):
            gap += _white_in(piece[end:start])
            if gap and begun:
                found += [""] * any(char in _LINE_ENDS for char in gap)
                found.append(WHITE_SPACE + gap)
            found.append(term)
            gap, end, begun = "", stop, True
        gap += _white_in(piece[end:])
        yield found


def _white_in(text: str) -> str:
    return "".join(char for char in text if char.isspace())
