"""Words of Japanese texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

from sdtext.parts.tokenizers.engine_tokenizer import BIGRAM, EngineTokenizer

_FUGASHI = {"fugashi": "fugashi", "unidic-lite": "unidic_lite"}
_ENGINES: Mapping[str, Mapping[str, str]] = {"fugashi": _FUGASHI, BIGRAM: {}}
# Han, Kana of both widths, and the marks of repetition. What is longer than that is cut there.
_RUN = re.compile(
    "[々-〇〡-〩〱-〵〸-〻ぁ-ゖ\u3099-ヿㇰ-ㇿ㐀-䶿一-鿿豈-﫿ｦ-ﾟ\U00020000-\U0003ffff]{1,1000}"
)


@dataclass(frozen=True)
class Japanese(EngineTokenizer):
    """Words by MeCab and UniDic (`fugashi`), or pairs of characters (`bigram`).

    `fugashi` needs the extra `japanese`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`. Each run of Japanese script is segmented on its own, so that a passage has the same
    words wherever it occurs; Unicode's rules apply to the rest.

    >>> Japanese()("東京都に住む人々 in 2024").words
    ['東京', '都', 'に', '住む', '人々', 'in', '2024']
    >>> Japanese(engine="bigram")("東京都に").words
    ['東京', '京都', '都に']
    """

    engine: str = "fugashi"
    name: ClassVar[str] = "japanese"
    engines: ClassVar = _ENGINES
    runs: ClassVar = _RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        """The words of a run of Japanese script by MeCab."""
        return [node.surface for node in _tagger()(run)]


@cache
def _tagger() -> Any:
    import fugashi
    import unidic_lite

    # No settings of this machine, and of the dictionaries there can be always this one.
    return fugashi.GenericTagger(f'-r /dev/null -d "{unidic_lite.DICDIR}"')
