"""The app as a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]

#: Seconds within which the app must start.
_START = 60.0


class App:
    """The app on a free port of the loopback address, running inside a `with` block."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.server = f"127.0.0.1:{free.getsockname()[1]}"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless", "true"]
        host, port = self.server.split(":")
        self._process = subprocess.Popen(
            [*command, "--server.address", host, "--server.port", port],
            cwd=ROOT,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    @property
    def pid(self) -> int:
        """Identifier of the server's process."""
        return self._process.pid

    def __enter__(self) -> App:
        deadline = time.monotonic() + _START
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                with urllib.request.urlopen(f"http://{self.server}/_stcore/health", timeout=5):
                    return self
            except OSError:
                time.sleep(0.1)
        self.__exit__()
        raise SystemExit(f"The app did not start within {_START:.0f} seconds.")

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(10)
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)  # what the server has left behind
        self._process.wait()
        self._log.close()

    def complaints(self) -> list[str]:
        """Return the lines of the running server's log that name an error."""
        self._log.seek(0)
        lines = self._log.read().decode(errors="replace").splitlines()
        return [line for line in lines if "Error" in line or "Traceback" in line]
