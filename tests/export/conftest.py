"""A library to patch: a module of its own for each test."""

from __future__ import annotations

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
