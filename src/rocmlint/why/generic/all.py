"""All generic readers, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.generic import (
    conflict,
    missing_attribute,
    missing_library,
    missing_module,
    missing_name,
    no_distribution,
    requirement,
    shadowed,
    signature,
    undefined_symbol,
)

if TYPE_CHECKING:
    from rocmlint.why.generic.reader import Reader

READERS: tuple[Reader, ...] = (
    shadowed.read,
    missing_name.read,
    missing_attribute.read,
    missing_module.read,
    signature.read,
    requirement.read,
    conflict.read,
    undefined_symbol.read,
    missing_library.read,
    no_distribution.read,
)
