"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

#: Names of open files, which stay open under their names.
_STREAMS = ("/dev/fd/", "/dev/std", "/proc/")


def write_file(path: str | Path, content: str | bytes) -> None:
    """Write a file, so that at every moment it holds its old or its new content.

    It is written to a new file in the same folder, which then takes the place of the old one and keeps its
    permissions. A link keeps its name, and its target is replaced. What is no regular file, as a pipe
    or /dev/stdout, and a file in a folder that takes no new files are written directly.

    Parameters
    ----------
    path : str or Path
        Where the content goes.
    content : str or bytes
        Text, which is written as UTF-8 with its line ends as they are, or bytes.

    Raises
    ------
    OSError
        If the file cannot be written. The old file is whole, and no temporary file stays behind.
    """
    if isinstance(content, str):
        content = content.encode()
    try:
        old = os.stat(path)
    except FileNotFoundError:
        old = None
    target = Path(os.path.realpath(path))
    if not _replaceable(path, target, old):
        with open(path, "wb") as file:
            file.write(content)
        return
    beside = target.with_name(f".{target.name[:40]}.{secrets.token_hex(4)}.part")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        if old is not None:
            with suppress(OSError):  # only root can give a file away
                os.chown(beside, old.st_uid, old.st_gid)
            os.chmod(beside, stat.S_IMODE(old.st_mode))
        os.replace(beside, target)
    except BaseException:  # an interruption as well
        with suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(target.parent)


def append_line(descriptor: int, line: str) -> None:
    """Append one line to a file and wait until it is on the disk.

    Parameters
    ----------
    descriptor : int
        Descriptor of a file that was opened for appending.
    line : str
        Line without its end.

    Raises
    ------
    OSError
        If the line cannot be written.
    """
    content = f"{line}\n".encode()
    while content:
        content = content[os.write(descriptor, content) :]
    os.fsync(descriptor)


def _replaceable(path: str | Path, target: Path, old: os.stat_result | None) -> bool:
    """Return whether a new file can take the place of the old one."""
    if any(str(name).startswith(_STREAMS) for name in (os.path.abspath(path), target)):
        return False
    if old is None:
        return True
    return stat.S_ISREG(old.st_mode) and os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)


def _sync_folder(folder: Path) -> None:
    """Wait until the new name is on the disk, where folders can be opened."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
