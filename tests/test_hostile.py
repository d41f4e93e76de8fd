"""The command that gives the library hostile files and addresses: nothing is found, and would be."""

import pytest

from benchmarks import hostile
from mmc.experiment import Experiment


def test_files_and_addresses_do_no_harm(capsys):
    """Some files, and some addresses of each page, open or are refused by name."""
    assert hostile.main(["--files", "200", "--addresses", "1", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert "files: 200 in" in out
    assert out.count(" 0 bad") == 1 + len(hostile.PAGES)


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (TypeError("unexpected"), "TypeError: unexpected"),
        (ValueError(""), "ValueError: "),
        (UnicodeDecodeError("utf-8", b"", 0, 1, "a reason"), "UnicodeDecodeError"),
    ],
)
def test_what_is_bad_is_counted_and_printed(error, named, monkeypatch, capsys):
    """Another exception than a named refusal ends the command with code 1."""

    def fail(text):
        raise error

    monkeypatch.setattr(Experiment, "from_json", fail)
    assert hostile.main(["--files", "3", "--addresses", "0"]) == 1
    out = capsys.readouterr().out
    assert f"bad: files: {named}" in out
    assert "0 fine, 0 said, 3 bad" in out


@pytest.mark.parametrize("shown", ["Traceback", str(hostile.ROOT / "app.py"), "Something went wrong"])
def test_what_a_page_may_not_show_is_found(shown, monkeypatch, capsys):
    """A page that shows a stack trace, a path or an unexpected error is bad."""
    import streamlit as st

    monkeypatch.setattr("mmc.ui.stored_tables", lambda: st.caption(shown) and st.stop())
    monkeypatch.setattr(hostile, "PAGES", ("pages/6_Papers.py",))
    assert hostile.main(["--files", "0", "--addresses", "1"]) == 1
    assert "bad: pages/6_Papers.py: shows" in capsys.readouterr().out
