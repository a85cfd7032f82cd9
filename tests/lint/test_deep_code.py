"""Chains of hundreds of operators in one statement: read by every rule, or refused at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.config.settings import Settings
from rocmlint.lint.linter import Linter
from rocmlint.source.python import Source
from rocmlint.syntax.unparsable import UnparsableError

if TYPE_CHECKING:
    from collections.abc import Callable

CHAINS: dict[str, Callable[[int], str]] = {
    "sum": lambda n: "+".join(["a"] * n),
    "names": lambda n: "a" + ".b" * n,
    "not": lambda n: "not " * n + "a",
    "conditions": lambda n: "a if b else " * n + "a",
    "items": lambda n: "a" + "[0]" * n,
    "calls": lambda n: "a" + "()" * n,
    "methods": lambda n: "a" + ".b()" * (n // 2),
    "and": lambda n: " and ".join(["a"] * n),
    "strings": lambda n: "'a' " * n,
    "joined strings": lambda n: "+".join(["'pip install torch'"] * n),
}
CODE = """\
import os, torch
from PIL import ImageOps
def load(image, model):
    other = {0}
    ImageOps.exif_transpose(image)
    os.system({0})
    torch.autocast('cuda', {0})
    model.to({0}, dtype=torch.float16, attn_implementation='flash_attention_2')
    return image
"""


@pytest.mark.slow
@pytest.mark.parametrize("chain", CHAINS)
def test_rules_look_at_chains_as_long_as_any_is_parsed(chain: str) -> None:
    linter = Linter(Settings(preview=True, select=("ALL",)))
    for length in (300, 600, 950):
        analysis = linter.lint("a.py", CODE.format(CHAINS[chain](length)).encode())
        assert not analysis.problems
        assert "ROC602" in {each.code for each in analysis.findings}


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain_that_is_too_long_is_refused_also_where_it_is_broken(chain: str) -> None:
    for broken in ("", " a a"):
        code = f"def f():\n    x = {CHAINS[chain](20_000)}{broken}\n"
        with pytest.raises(UnparsableError):
            _ = Source("a.py", code).pieces.whole
