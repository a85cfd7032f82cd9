"""What torch remembers of functions that it ran or compiled, and has to forget around a session."""

from __future__ import annotations

import sys
from typing import Any


def forget() -> None:
    """Drop what torch computed with functions that a session replaces; only time is lost.

    Compiled code does not notice that a method of a module's class was replaced (torch 2.13), and
    fake tensors not that a kernel was: before a session both would run the original, and after it
    what was compiled meanwhile would still run the patch.
    """
    fake: Any = sys.modules.get("torch._subclasses.fake_tensor")
    if hasattr(fake, "FakeTensorMode"):
        fake.FakeTensorMode.cache_clear()
    dynamo: Any = sys.modules.get("torch._dynamo")
    if hasattr(dynamo, "reset"):
        dynamo.reset()
