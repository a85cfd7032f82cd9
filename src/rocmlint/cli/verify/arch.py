"""The GPU that is named with ``--arch``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.config.option import did_you_mean
from rocmlint.errors import ConfigError
from rocmlint.gpus.target import DEVICES, check_device, parse_target

if TYPE_CHECKING:
    from rocmlint.gpus.target import Target


def gpu(name: str) -> Target:
    """Read a target, such as gfx942:xnack-. Raises ConfigError for what no GPU can have."""
    try:
        target = parse_target(name)
        check_device(target)
    except ValueError as error:
        processor = name.strip().partition(":")[0]
        is_word = processor not in DEVICES and "-" not in processor
        message = f"--arch {error}{did_you_mean(processor, DEVICES) if is_word else ''}"
        raise ConfigError(message) from error
    return target
