"""The command that starts the server of the app, which prints its address and ends with Ctrl-C."""

from __future__ import annotations

import argparse
import os
import sys
from importlib.util import find_spec

from mmc._site import find_site


def add_app(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command.

    Parameters
    ----------
    commands : argparse action
        Commands of the parser.
    """
    app = commands.add_parser(
        "app",
        help="open the app; options of “streamlit run” may follow, such as --server.port 8600, and after -- "
        "those of the app: -- --memory 4000",
        prefix_chars="\0",  # nothing is an option here: all that follows is passed on
        add_help=False,
    )
    app.add_argument("options", nargs=argparse.REMAINDER, metavar="OPTION")
    app.set_defaults(run=_app)


def _app(arguments: argparse.Namespace) -> int:
    if find_spec("streamlit") is None:
        raise ImportError("The app needs streamlit, which is not installed: python -m pip install 'mmc[app]'")
    sys.stdout.flush()
    command = [sys.executable, "-m", "streamlit", "run", str(find_site() / "app.py"), *arguments.options]
    os.execv(sys.executable, command)
