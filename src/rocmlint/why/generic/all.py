"""All generic readers, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rocmlint.why.generic.reader import Reader

READERS: tuple[Reader, ...] = ()
