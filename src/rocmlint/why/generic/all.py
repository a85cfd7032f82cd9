"""All generic readers, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.generic import out_of_memory

if TYPE_CHECKING:
    from rocmlint.why.generic.reader import Reader

READERS: tuple[Reader, ...] = (out_of_memory.read,)
