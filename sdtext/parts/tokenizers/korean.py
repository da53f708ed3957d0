"""Words of Korean texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any, ClassVar

from sdtext.parts.tokenizers.engine_tokenizer import BIGRAM, EngineTokenizer

_ENGINES: Mapping[str, Mapping[str, str]] = {"kiwi": {"kiwipiepy": "kiwipiepy"}, BIGRAM: {}}
# Syllables and single letters. What is longer than that is cut there.
_RUN = re.compile("[가-힣ㄱ-ㆎᄀ-ᇿꥠ-ꥼힰ-ퟻ]{1,60}")


@dataclass(frozen=True)
class Korean(EngineTokenizer):
    """Morphemes by Kiwi (`kiwi`), which separates particles, or pairs of syllables (`bigram`).

    `kiwi` needs the extra `korean`; `bigram` needs nothing and equals `chinese` with the mode
    `bigram`. Morphemes that share a syllable stay together. Each run of Hangul is segmented on its
    own, so that a passage has the same words wherever it occurs; Unicode's rules apply to the
    rest.

    >>> Korean()("학교에서 공부를 했다").words
    ['학교', '에서', '공부', '를', '했', '다']
    >>> Korean(engine="bigram")("학교에서").words
    ['학교', '교에', '에서']
    """

    engine: str = "kiwi"
    name: ClassVar[str] = "korean"
    engines: ClassVar = _ENGINES
    runs: ClassVar = _RUN

    @staticmethod
    def words_of(run: str) -> Iterable[str]:
        """The morphemes of a run; those that overlap as one."""
        places, reached = [0], 0
        for token in _kiwi().tokenize(run):
            if token.start >= reached > 0:
                places.append(reached)
            reached = max(reached, token.start + token.len)
        return [run[start:end] for start, end in pairwise([*places, len(run)])]


@cache
def _kiwi() -> Any:
    from kiwipiepy import Kiwi

    return Kiwi(num_workers=1)
