"""Fingerprints of replaced code: what changes them, and what does not."""

from __future__ import annotations

import ast
import json

import pytest

from rocmlint.errors import ConfigError
from rocmlint.models.patches.lock import fingerprint, parsed
from tests.support.patches import Patched, patch_of

CODE = "def f(self, x: int = 1) -> int:\n    '''Say.'''\n    y: int = x\n    return f'{y}' + 'z'\n"


def print_of(code: str) -> str:
    return fingerprint(ast.parse(code).body[0])


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("Say", "Tell"),
        CODE.replace(": int = 1", "=1").replace(" -> int", ""),
        CODE.replace("y: int", "y"),
        CODE.replace("return", "# a comment\n    return"),
        CODE.replace("'z'", '"z"'),
    ],
)
def test_words_layout_and_annotations_do_not_count(other: str) -> None:
    assert print_of(other) == print_of(CODE)


@pytest.mark.parametrize(
    "other",
    [
        CODE.replace("= x", "= x + 1"),
        CODE.replace("= 1", "= 2"),
        CODE.replace("'z'", "'w'"),
        CODE.replace("{y}", "{y!r}"),
        f"@decorated\n{CODE}",
    ],
)
def test_what_the_code_does_counts(other: str) -> None:
    assert print_of(other) != print_of(CODE)


def test_the_fingerprint_is_the_same_on_every_python() -> None:
    assert print_of("def f(x, *y, z=1.5): return x[1:-1]") == (
        "f1a5deedb1cbbadc199fde7d2e6a2c0cde8ce74ac0db6005292b31197ec66769"
    )


def test_a_change_upstream_is_told_with_both_versions(patched: Patched) -> None:
    patched.library("class A:\n    def f(self, x): return 2\n")
    locked = {"lib.A.f": {"version": "1.0", "sha256": "0" * 64}}
    lock = json.dumps({"version": 1, "targets": locked})
    patched.write("project/rocmlint-export.lock", lock)
    assert patched.told(patch_of("def f(self, x): ...")) == ["`A.f` changed between 1.0 and 2.0"]


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"version": 2}', '{"version": 1, "targets": 1}']
)
def test_what_is_not_a_lock_file_is_refused(text: str) -> None:
    with pytest.raises(ConfigError, match=r"^x\.lock: "):
        parsed(text, "x.lock")
