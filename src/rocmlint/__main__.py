"""``python -m rocmlint``."""

from __future__ import annotations

import sys

from rocmlint.cli.main import main

sys.exit(main())
