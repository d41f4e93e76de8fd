"""Files are written whole or not at all."""

import errno
import os
import stat

import pytest

from mmc._files import write_file


def test_a_new_file_has_the_usual_permissions(tmp_path):
    """A file that was not there is as open(…) makes it."""
    (tmp_path / "usual").write_text("", encoding="utf-8")
    write_file(tmp_path / "new", "a\r\nä\n")
    assert (tmp_path / "new").read_bytes() == "a\r\nä\n".encode()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_old_file_keeps_its_permissions(tmp_path):
    """The new content has the permissions of the old, and nothing else is left in the folder."""
    path = tmp_path / "old"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_file(path, "new")
    assert path.read_text(encoding="utf-8") == "new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_the_target_of_a_link_is_replaced(tmp_path):
    """The link stays a link, also one to a file that is not there yet."""
    (tmp_path / "folder").mkdir()
    target, link = tmp_path / "folder" / "target", tmp_path / "link"
    link.symlink_to(target)
    for text in ("first", "second"):
        write_file(link, text)
        assert link.is_symlink()
        assert target.read_text(encoding="utf-8") == text


def test_a_pipe_is_written_directly(tmp_path):
    """What is no regular file is never replaced."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    write_file(os.devnull, "away")
    assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


def test_the_name_of_an_open_file_is_written_directly(tmp_path):
    """/dev/fd/N is the open file, so whoever opened it sees the text."""
    with open(tmp_path / "open", "w+", encoding="utf-8") as file:
        write_file(f"/dev/fd/{file.fileno()}", "through")
        assert file.read() == "through"


@pytest.mark.parametrize("fails", ["fsync", "chmod", "replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_the_old_file(tmp_path, monkeypatch, fails, error):
    """A full disk or an interruption changes nothing, and leaves nothing behind."""
    path = tmp_path / "old"
    path.write_text("old", encoding="utf-8")

    def fail(*args):
        raise error

    monkeypatch.setattr(os, fails, fail)
    with pytest.raises(type(error)):
        write_file(path, "new" * 100_000)
    assert path.read_text(encoding="utf-8") == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_very_long_name_can_be_written(tmp_path):
    """The temporary file has a shorter name, whatever the characters."""
    path = tmp_path / ("ü" * 125)
    write_file(path, "text")
    assert path.read_text(encoding="utf-8") == "text"


def test_a_missing_folder_is_named(tmp_path):
    """The error names the path."""
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_file(tmp_path / "nowhere" / "file", "text")
