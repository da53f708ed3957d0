"""The command `sdtext`, also as `python -m sdtext`.

Nothing but this file is loaded before Ctrl-C is handled: an import that is interrupted ends in a
traceback, or in the error that a library makes of the interruption.
"""

import os
import signal
import sys
from contextlib import suppress

_INTERRUPTED = 130  # as `sdtext.cli.main.INTERRUPTED`


def run() -> None:
    """The entry point of the command `sdtext`."""
    # Not where it is ignored, as in the background.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end_at_once)
    from sdtext.cli.main import run as run_verb

    try:
        run_verb()
    except KeyboardInterrupt:  # before the verb began, or after it was done
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _report()
        sys.exit(_INTERRUPTED)


def _end_at_once(*_: object) -> None:
    """End the process while it has done nothing yet, and has nothing to clean up."""
    _report()
    os._exit(_INTERRUPTED)


def _report() -> None:
    with suppress(OSError):
        os.write(2, b"sdtext: interrupted\n")  # sys.stderr may be in use


if __name__ == "__main__":
    run()
