"""Where and when a verb makes a file: its GUID, the time, this machine; the default name of it."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

from sdtext.wording import shown

if TYPE_CHECKING:
    from sdtext.model import Origin


def name_of(output: str) -> str:
    """The default name of a dictionary that is written to `output`."""
    return shown(Path(output).name.removesuffix(".gz").removesuffix(".xml"))


def origin() -> Origin:
    """A new GUID, the current time and this machine."""
    from sdtext.model import Origin, System

    system = platform.uname()
    return Origin(
        str(uuid4()),
        datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        System(system.system, system.release, system.node, system.machine),
    )
