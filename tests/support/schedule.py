"""Which worker of pytest-xdist gets which tests: files that share something expensive stay whole.

Such a file says ``xdist_group``. xdist itself reads that mark off the names of tests, which pytest
9.2 does not let it change any more; then every worker would build what the tests share.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from xdist.scheduler import LoadScheduling, LoadScopeScheduling

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer

GROUPED_FILE = re.compile(r"^pytestmark = .*\bxdist_group\(", re.MULTILINE)


def scheduling(config: pytest.Config, log: Producer) -> LoadScheduling | LoadScopeScheduling:
    """Return what gives out the tests; without the slow ones none share anything."""
    kind = LoadScheduling if config.option.markexpr == "not slow" else ByFile
    return kind(config, log)


class ByFile(LoadScopeScheduling):
    """Gives out grouped files as a whole, the largest first, and then test after test."""

    @cache  # noqa: B019 - there is one
    def _is_grouped(self, path: str) -> bool:
        text = (self.config.rootpath / path).read_text()
        return GROUPED_FILE.search(text) is not None

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.partition("::")[0]
        return path if self._is_grouped(path) else nodeid
