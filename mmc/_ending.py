"""How a command ends when somebody ends it: by a signal, or by no longer reading its output."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress


class Terminated(KeyboardInterrupt):
    """SIGTERM, which ends a command like Ctrl-C: files are closed and other processes ended."""


@contextmanager
def ended_by_sigterm() -> Iterator[None]:
    """Raise `Terminated` in the main thread on SIGTERM; a second one ends the process at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        raise Terminated

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def drop_output() -> None:
    """Let what standard output cannot take go nowhere, so that Python does not fail again at its end."""
    try:
        sys.stdout.flush()
    except OSError:
        with suppress(OSError):  # it is no file of the system
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
