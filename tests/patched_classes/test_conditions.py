"""Conditions on versions and names, as patches write them."""

from __future__ import annotations

import pytest

from tests.support.patches import Patched, patch_of

HEAD = """
import importlib.metadata
import lib
import packaging.version as pv
from packaging.version import Version, parse
from lib import A
from helper import has_lib

def at_least(version):
    import lib as imported
    return Version(imported.__version__) >= Version(version)

flag = at_least("1.5")
try:
    from lib import B
    has_b = True
except ImportError:
    has_b = False
"""
HELPER = """
def has_lib(version: str) -> bool:
    import packaging.version as pv
    import lib
    return pv.Version(lib.__version__) >= pv.Version(version)
"""


@pytest.mark.parametrize(
    ("condition", "taken"),
    [
        ("True", True),
        ('Version(lib.__version__) >= Version("2.0")', True),
        ('pv.Version(lib.__version__) > pv.Version("2.0")', False),
        ('parse("1.0") <= parse(lib.__version__) < parse("2.1")', True),
        ('Version(importlib.metadata.version("lib")) < Version("2")', False),
        ('at_least("2.0.0")', True),
        ('not at_least("2.1")', True),
        ('has_lib("1.9") and not has_lib("2.1")', True),
        ('has_lib("2.1") or unknown()', None),
        ('has_lib("2.1") and unknown()', False),
        ("flag", True),
        ("has_b", False),
        ('hasattr(lib, "A")', True),
        ('hasattr(lib, "B")', False),
        ('hasattr(A, "f")', True),
        ('hasattr(lib.A, "gone")', False),
        ("True if flag else False", True),
        ("unknown()", None),
        ("lib.asked()", None),
        ('"2.0" in lib.__version__', True),
    ],
)
def test_a_condition_is_evaluated_for_the_version(
    condition: str, taken: bool | None, patched: Patched
) -> None:
    patched.library("class A:\n    def f(self): ...\n")
    patched.write("project/helper.py", HELPER)
    branch = "class patched_A:\n    _PATCHES_ = ['f']\n    _PATCHED_CLASS_ = lib.Gone\n"
    indented = "".join(f"    {line}\n" for line in branch.splitlines())
    other = indented.replace("lib.Gone", "lib.Other")
    text = f"{HEAD}\nif {condition}:\n{indented}else:\n{other}"
    patches = patched.check(text).patches
    targets = {each.target for each in patches}
    both = {"lib.Gone", "lib.Other"}
    assert targets == (both if taken is None else {"lib.Gone" if taken else "lib.Other"})


@pytest.mark.parametrize(
    ("supported", "condition", "dead"),
    [
        ("lib>=2.0", 'has_lib("1.5")', True),
        ("lib>=2.0", 'not has_lib("2.0")', True),
        ("lib>=2.0", 'has_lib("2.0.1")', False),
        ("lib<3", 'has_lib("3.0")', True),
        ("lib<3", 'has_lib("2.9")', False),
        ("lib>=1,<3", 'has_lib("1.0") and not has_lib("3.0")', True),
        ("lib>=1,<3", 'has_lib("1.0") and not has_lib("2.5")', False),
        ("lib==2.0", 'has_lib("1.5")', False),
        ("lib", 'has_lib("1.5")', False),
        ("lib>=2.0", "unknown()", False),
        ("lib>=2.0", 'hasattr(lib, "A")', False),
    ],
)
def test_a_gate_is_dead_where_no_supported_version_decides_it_otherwise(
    supported: str, condition: str, dead: bool, patched: Patched
) -> None:
    patched.library("class A:\n    def f(self): ...\n")
    patched.write("project/helper.py", HELPER)
    patched.write("project/requirements.txt", f"{supported}\n")
    text = f"import lib\nfrom helper import has_lib\nif {condition}:\n    x = 1\n"
    assert patched.kinds(text + patch_of("def f(self): ...")) == ["dead-gate"] * dead
