"""The torch of the child; to mypy it is Any, so that it need not be installed to check types."""

from __future__ import annotations

import importlib
from typing import Any, TypeAlias

torch: Any = importlib.import_module("torch")
Tensor: TypeAlias = Any
