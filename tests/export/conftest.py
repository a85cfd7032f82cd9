"""A library to patch, a module of its own for each test, and a heap that is quickly searched."""

from __future__ import annotations

import gc
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Protocol

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator


class Modules(Protocol):
    """Makes a module of code, which can be imported as long as the test runs."""

    def __call__(self, name: str, code: str) -> ModuleType: ...


@pytest.fixture
def module() -> Iterator[Modules]:
    made: list[str] = []

    def make(name: str, code: str) -> ModuleType:
        each = ModuleType(name)
        made.append(name)
        sys.modules[name] = each
        exec(compile(code, f"{name}.py", "exec"), vars(each))  # noqa: S102
        return each

    yield make
    for name in made:
        sys.modules.pop(name, None)


@pytest.fixture
def own_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let sessions search only the objects that the test makes: no other refers to its library.

    A session searches the whole heap several times, and with all tests of the suite loaded that
    takes seconds.
    """
    gc.collect()
    gc.freeze()
    monkeypatch.setattr(gc, "unfreeze", lambda: None)
