"""Entry of `python -m mmc`."""

import sys

from mmc.cli import main

sys.exit(main())
