"""Notebooks as Jupyter writes them, with code in which ROC501 finds something."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import HealthCheck, settings

WAIT = "for batch in loader:\n    optimizer.step()\n    torch.cuda.synchronize()"
"""ROC501 in its last line, with a fix."""
TRAINING = ["import torch\n", "for batch in loader:\n", "    optimizer.step()\n"]
SYNC = "    torch.cuda.synchronize()"


def cell(source: object, kind: str = "code", **more: object) -> dict[str, object]:
    """Make a cell as notebooks have it."""
    made: dict[str, object] = {"cell_type": kind, "metadata": {}, "source": source, **more}
    return ({"execution_count": None, "outputs": []} if kind == "code" else {}) | made


def notebook(*cells: object, metadata: object = None) -> dict[str, object]:
    """Make a notebook; text stands for a cell with this code."""
    made = [cell(each) if isinstance(each, str) else each for each in cells]
    about = {} if metadata is None else metadata
    return {"cells": made, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def dumped(content: object, **style: Any) -> str:
    """Write JSON as Jupyter does."""
    return json.dumps(content, **{"indent": 1, "ensure_ascii": False, **style}) + "\n"


slow = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
