"""What several tests of ``verify`` share: device code, a trace, a job, a patched environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.hip_objects import COMPRESSED, Compiler

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    return Compiler(tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="session")
def plain(compiler: Compiler) -> Path:
    return compiler.library("plain.so", "gfx942", "gfx90a:xnack+")


@pytest.fixture(scope="session")
def library(compiler: Compiler) -> Path:
    return compiler.library("a.so", "gfx942", "gfx90a:xnack+", flags=COMPRESSED)


@pytest.fixture(scope="session")
def loose(compiler: Compiler) -> Path:
    return compiler.loose("a.co", "gfx942")
