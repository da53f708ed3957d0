"""Names of the original sdtext: parts, and sources that stand for a whole chain."""

from collections.abc import Collection, Mapping, Sequence

from sdtext.errors import OptionError
from sdtext.model import PartSpec
from sdtext.wording import brief

_BY_MODE = {"tokens": "words", "lines": "lines"}
ORIGINAL_NAMES: Mapping[str, Mapping[str, str | Mapping[str, str]]] = {
    "tokenizers": {
        "FileTokenizer": _BY_MODE,
        "GzippedFileTokenizer": _BY_MODE,
        "OutsideInFileTokenizer": _BY_MODE,
    },
    "filters": {
        "StripPunctuationTokenizer": "strip-punctuation",
        "RemoveNumericTokensTokenizer": "no-numeric-tokens",
        "RemoveTokensWithNumbersTokenizer": "no-tokens-with-numbers",
        "MaximumLengthTokenizer": "max-length",
        "MinimumLengthTokenizer": "min-length",
        "StopWordRemoverTokenizer": "stop-words",
        "PorterTokenizer": "porter",
    },
    "fingerprints": {"BitVectorFingerprinter": "bitvector"},
    "matchers": {
        "CosineSimilarityFingerprintMatcher": "cosine",
        "ExactFingerprintMatcher": "exact",
    },
}
"""The names of the original sdtext: a part of ours, or one for each word of its option `mode`."""


ORIGINAL_CHAINS: Mapping[str, Mapping[str, str]] = {
    "ArabicFileTokenizer": {"": "arabic"},
    "ChineseFileTokenizer": {"individual": "chinese", "smart": "chinese-words"},
}
"""The recipe with the chain for each word of the option `mode`, which the first of them needs not.

Those of Lucene's ArabicAnalyzer and ChineseAnalyzer; one in place of its SmartChineseAnalyzer,
which stems Latin words, too.
"""


def settled_mode(spec: PartSpec, modes: Collection[str]) -> str:
    """The one of the modes that the option `mode` names, by default the first. OptionError."""
    allowed = ["mode"] if "" not in modes else []
    for option, _ in spec.options:
        if option not in allowed:
            raise unknown_option(spec.name, option, allowed)
    mode = dict(spec.options).get("mode", next(iter(modes)))
    OptionError.unless_in(modes, spec.name, "mode", mode)
    return str(mode)


def unknown_option(part: str, option: str, allowed: Sequence[str]) -> OptionError:
    """The error that a part has no such option."""
    takes = f"it takes {', '.join(allowed)}" if allowed else "it takes none"
    return OptionError(f"{part}: there is no option {brief(option)}; {takes}")
