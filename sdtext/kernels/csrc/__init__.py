"""The sources in C, and beside them the library that is made of them when sdtext is installed."""

import os
import sys
from hashlib import sha256
from pathlib import Path

SOURCES = Path(__file__).parent

_DIGEST = sha256(b"".join(path.read_bytes() for path in sorted(SOURCES.glob("*.[ch]"))))
_SUFFIX = {"win32": "dll", "darwin": "dylib"}.get(sys.platform, "so")
LIBRARY = SOURCES / f"kernels-{_DIGEST.hexdigest()[:16]}.{_SUFFIX}"
"""Its name depends on the sources, so that an outdated library is never used."""

IS_PLAIN = os.environ.get("SDTEXT_KERNELS") == "plain"
"""Whether the plain references are asked for."""

WHY_PLAIN = ""
"""Why they are used, "" if they are not."""
if IS_PLAIN or not LIBRARY.exists():
    WHY_PLAIN = "SDTEXT_KERNELS=plain" if IS_PLAIN else "no library in C, install sdtext again"
    WHY_PLAIN = f"plain, many times slower ({WHY_PLAIN})"
