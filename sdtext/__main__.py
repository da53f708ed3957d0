"""The command `sdtext`, also as `python -m sdtext`: the signals and the streams of its process.

Nothing but this file is loaded before Ctrl-C is handled: an import that is interrupted ends in a
traceback, or in the error that a library makes of the interruption. What comes before, the start of
Python itself and the script of the command, handles it as Python does.
"""

from __future__ import annotations

import _thread
import gc
import io
import os
import sys
from time import monotonic

TYPE_CHECKING = False  # without the module typing, which takes time to load
if TYPE_CHECKING:
    import signal
    from collections.abc import Callable, Sequence

    from _typeshed import ReadableBuffer
else:
    import _signal as signal  # all that is needed of it; the rest takes time to load

_INTERRUPTED = 130  # as `sdtext.cli.main.INTERRUPTED`
_CLEAN_SECONDS = 5
_NEW_OBJECTS = 200_000  # between two searches for garbage; 700 in Python


def _end_at_once(*_: object) -> None:
    """End the process while it has done nothing yet, and has nothing to clean up."""
    _report()
    os._exit(_INTERRUPTED)


def _report() -> None:
    try:  # noqa: SIM105 (contextlib takes time to load)
        os.write(2, b"sdtext: interrupted\n")  # sys.stderr may be in use
    except OSError:
        pass


# Not where it is ignored, as in the background.
if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _end_at_once)


def run() -> None:
    """The entry point of the command `sdtext`."""
    from sdtext.cli.main import main

    try:
        _run(main)
    except (KeyboardInterrupt, RuntimeError) as error:  # before the verb began, or after its end
        # Python 3.11 wraps what is raised in __set_name__, while a module is loaded.
        if KeyboardInterrupt not in (type(error), type(error.__cause__)):
            raise
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        _report()
        sys.exit(_INTERRUPTED)


_interrupted: list[float] = []


def _interrupt(*_: object) -> None:
    """Raise KeyboardInterrupt, but not while the work of the last one may still be cleaned up."""
    now = monotonic()
    if not _interrupted or now - _interrupted[-1] > _CLEAN_SECONDS:
        _interrupted.append(now)
        raise KeyboardInterrupt


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """Raise KeyboardInterrupt anew where it came in a callback, in which Python drops it."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    _interrupted.clear()
    _thread.start_new_thread(signal.raise_signal, (signal.SIGTERM,))  # once this has returned


def _run(main: Callable[[Sequence[str]], int]) -> None:
    """Run the verb of the command line, with streams and signals that it can rely on."""
    _open_closed_streams()
    _write_whole_results()
    signals = [getattr(signal, name, None) for name in ("SIGTERM", "SIGHUP")]
    ends = [number for number in signals if number is not None]  # Windows has no SIGHUP
    ends.append(signal.SIGINT)
    for number in ends:  # clean up as after Ctrl-C
        if signal.getsignal(number) is not signal.SIG_IGN:  # as under nohup
            signal.signal(number, _interrupt)
    sys.unraisablehook = _interrupt_again
    # In a short run CPU time goes into waiting threads of NumPy, and into looking for garbage.
    os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")
    gc.set_threshold(_NEW_OBJECTS)  # modules and results are kept, and only look like garbage
    code = main(sys.argv[1:])
    for number in ends:  # all is done but the end of Python itself
        signal.signal(number, signal.SIG_IGN)
    gc.freeze()  # or Python looks through all modules for garbage before it ends
    sys.exit(code)


def _open_closed_streams() -> None:
    """Replace streams that were closed before the start: empty, failing, silent."""
    # A file that is open for reading only fails when a result is written to it, as it should.
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115 (until the end)
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w", encoding="utf-8")  # noqa: PTH123, SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115


class _WholeWriter(io.BufferedWriter):
    """Writes at once, and all of it: a file without a buffer drops what a full disk leaves over."""

    def write(self, data: ReadableBuffer) -> int:
        written = super().write(data)
        self.flush()
        return written


def _write_whole_results() -> None:
    """Let an unbuffered standard output (PYTHONUNBUFFERED, python -u) fail on a full disk."""
    # io.RawIOBase.write may write a part, and who calls it is to write the rest; nobody does.
    out = sys.stdout
    if isinstance(out, io.TextIOWrapper) and isinstance(out.buffer, io.RawIOBase):
        whole = _WholeWriter(out.buffer)
        sys.stdout = io.TextIOWrapper(whole, out.encoding, out.errors, write_through=True)


if __name__ == "__main__":
    run()
