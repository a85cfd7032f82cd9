"""Which worker of pytest-xdist gets which tests: files that share something expensive stay whole.

Such a file says ``xdist_group``. xdist itself writes that into the names of tests, which pytest 9.2
does not let it change any more; then every worker would build what the tests share.
"""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from xdist.scheduler import LoadScheduling, LoadScopeScheduling

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

GROUPED_FILE = re.compile(r"^pytestmark = .*\bxdist_group\(", re.MULTILINE)


def scheduling(config: pytest.Config, log: Any) -> object:
    """Return what gives out the tests: grouped files, the largest first, then test after test."""
    if config.option.markexpr == "not slow":
        return LoadScheduling(config, log)  # none of these is grouped, and in lots it is faster
    by_file = LoadScopeScheduling(config, log)
    by_file._split_scope = partial(_scope, config.rootpath)
    return by_file


def _scope(root: Path, test: str) -> str:
    path = test.partition("::")[0]
    return path if _is_grouped(root / path) else test


@cache
def _is_grouped(file: Path) -> bool:
    return GROUPED_FILE.search(file.read_text()) is not None
