"""Terms under a key: without it nobody can read a term, or tell whether a word is one."""

import hmac
import re
from dataclasses import dataclass
from functools import cached_property

from sdtext.errors import MismatchError, OptionError, UnreadableError
from sdtext.io.key_files import read_key
from sdtext.parts.filters import Filter
from sdtext.parts.filters.stemmers import optional_module

KEYED = "keyed"
"""The name of the part."""

_DIGEST = 16  # bytes
_CHECKED = b"sdtext/1/check"


@dataclass(frozen=True)
class Keyed(Filter):
    """Replace a word by 32 digits, its HMAC-SHA-256 under a key; `KeyDictionary` sets the option.

    The key of the terms is derived from that of the environment (SDTEXT_KEY) by HKDF-SHA-256 with
    a salt, the 32 digits of `id` before the hyphen; the others show whether it is the right one.
    The package is in the extra `keys`.

    >>> key = term_key(bytes(32), "00" * 16)
    >>> keyed_term("union", key)
    '685dd70ac850d8cda3b1e949b80c82eb'
    >>> Keyed(id=f"{'00' * 16}-{check_of(key)}")("")
    ''
    """

    id: str

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{32}-[0-9a-f]{16}", self.id):
            raise OptionError.of(KEYED, "id", self.id, "32 and 16 hexadecimal digits")

    def __call__(self, word: str) -> str:
        return keyed_term(word, self._key) if word else ""

    @cached_property
    def _key(self) -> bytes:
        """The key of the terms. MismatchError, which ends a run, for none or another one."""
        salt, _, check = self.id.partition("-")
        try:
            key = term_key(read_key("dictionary"), salt)
        except (OptionError, UnreadableError) as error:
            what = f"its terms are keyed, and fingerprints need the key: {error}"
            raise MismatchError(what, place="dictionary") from error
        if not hmac.compare_digest(check_of(key), check):
            what = (
                "its terms are under another key than that of SDTEXT_KEY; use the key of its maker"
            )
            raise MismatchError(what, place="dictionary")
        return key


def keyed_term(word: str, key: bytes) -> str:
    """The first 16 bytes of the HMAC-SHA-256 of a word in UTF-8, in hexadecimal."""
    return hmac.digest(key, word.encode("utf-8", "surrogatepass"), "sha256")[:_DIGEST].hex()


def check_of(key: bytes) -> str:
    """The check value of the key of terms: what anyone may see of it."""
    return hmac.digest(key, _CHECKED, "sha256")[:8].hex()


def term_key(secret: bytes, salt: str) -> bytes:
    """The key of the terms of one dictionary, derived from a secret key by HKDF (RFC 5869)."""
    return derived(secret, bytes.fromhex(salt), b"sdtext/1/term", 32)


def derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    """HKDF-SHA-256. OptionError without the package cryptography."""
    sha256 = optional_module(KEYED, "keys", "cryptography.hazmat.primitives.hashes").SHA256()
    hkdf = optional_module(KEYED, "keys", "cryptography.hazmat.primitives.kdf.hkdf").HKDF
    key: bytes = hkdf(sha256, length, salt, info).derive(secret)
    return key
