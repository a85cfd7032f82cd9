"""What the path of a file says about it: its kind, and the package it belongs to."""

from __future__ import annotations

import functools
import os
import re

_KINDS = {
    "test": re.compile(r"(^|/)(tests?|testing|unittests?)/|(^|/)(test_[^/]*|[^/]*_tests?|conftest)\.pyi?$"),
    "benchmark": re.compile(r"(^|/)(bench|benchmarks?)/|(^|/|_)bench(mark(s|ing)?)?(_[^/]*)?\.pyi?$"),
    "example": re.compile(r"(^|/)(examples?|tutorials?|demos?|samples?)/"),
    "script": re.compile(r"(^|/)(scripts?|tools?|bin)/"),
    "docs": re.compile(r"(^|/)docs?/"),
    "setup": re.compile(r"(^|/)setup\.py$"),
}


@functools.lru_cache(maxsize=None)
def kinds(path: str) -> frozenset[str]:
    """Say what kinds of file a path names: test, benchmark, example, script, docs, setup.

    The path is relative to the project, with ``/``: what lies above says nothing about the file.
    """
    return frozenset(kind for kind, pattern in _KINDS.items() if pattern.search(path))


def package_of(path: str) -> tuple[str, str] | None:
    """Give the top-level package of a file and the folder that holds it, or None for a script.

    ``/w/site-packages/torch/cuda/graphs.py`` gives ``("torch", "/w/site-packages")``.
    """
    folder = os.path.dirname(os.path.abspath(path))
    top = None
    while _is_package(folder):
        top = os.path.basename(folder)
        folder = os.path.dirname(folder)
    return None if top is None else (top, folder)


@functools.lru_cache(maxsize=None)
def _is_package(folder: str) -> bool:
    return os.path.isfile(os.path.join(folder, "__init__.py"))
