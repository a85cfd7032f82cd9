"""What several tests of stack use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.package_index import PackageIndex, serving

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def index() -> Iterator[PackageIndex]:
    """Serve an index without packages."""
    with serving() as found:
        yield found
