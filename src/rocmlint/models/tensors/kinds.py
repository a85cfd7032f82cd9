"""What an expression holds, as far as tensors are concerned."""

from __future__ import annotations

from enum import Enum


class Kind(Enum):
    """What an expression holds."""

    TENSOR = "tensor"
    """A tensor, so that Python has to wait for its content to branch on it."""
    VALUE = "value"
    """A Python value that was read from a tensor: ``mask.sum().item()``."""
    SHAPE = "shape"
    """A size, a rank or a shape: symbolic during an export, but no content of a tensor."""
    PYTHON = "python"
    """A value that no tensor decides: a constant, a setting, a module, a dtype, a string."""
    TENSORS = "tensors"
    """A list, tuple or dictionary of tensors."""
    VALUES = "values"
    """A list or tuple of values that were read from a tensor: ``grid.tolist()``."""
    UNKNOWN = "unknown"
    """Anything: nothing in the file says which."""

    @property
    def depends_on_data(self) -> bool:
        """Whether the truth of such a value depends on the content of a tensor."""
        return self in {Kind.TENSOR, Kind.VALUE}
