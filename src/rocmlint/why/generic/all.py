"""All generic readers, in the order in which they are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.why.generic import (
    compiled_call,
    conflict,
    device_code,
    missing_attribute,
    missing_library,
    missing_module,
    missing_name,
    model_type,
    no_distribution,
    of_python,
    out_of_memory,
    own_symbol,
    remote_code,
    requirement,
    shadowed,
    signature,
    undefined_symbol,
)

if TYPE_CHECKING:
    from rocmlint.why.generic.reader import Reader

READERS: tuple[Reader, ...] = (
    model_type.read,
    shadowed.read,
    missing_name.read,
    missing_attribute.read,
    of_python.read,
    missing_module.read,
    signature.read,
    remote_code.read,
    requirement.read,
    conflict.read,
    undefined_symbol.read,
    own_symbol.read,
    device_code.read,
    missing_library.read,
    no_distribution.read,
    out_of_memory.read,
    compiled_call.read,
)
