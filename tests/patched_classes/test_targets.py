"""Where a name leads: re-exports, bases and conditions, without importing anything."""

from __future__ import annotations

import pytest

from tests.support.patches import Patched

MODULE = """
from lib.base import Base
from .base import Base as Renamed
from .stars import *
import lib.base as base

class Own(Base):
    def own(self): ...

class Left(Base):
    def shared(self): ...

class Right(Base):
    def shared(self): ...
    def right(self): ...

class Both(Left, Right): ...

class Foreign(elsewhere.Base): ...

class Round(Trip): ...
class Trip(Round): ...

Alias = Own
"""
BASE = "class Base:\n    def inherited(self): ...\n    def shared(self): ...\n"


@pytest.mark.parametrize(
    ("dotted", "found"),
    [
        ("lib.module.Own", "lib.module.Own"),
        ("lib.module.Base", "lib.base.Base"),
        ("lib.module.Renamed", "lib.base.Base"),
        ("lib.module.base.Base", "lib.base.Base"),
        ("lib.module.Alias.own", "lib.module.Own.own"),
        ("lib.module.Starred", "lib.stars.Starred"),
        ("lib.module.Own.inherited", "lib.base.Base.inherited"),
        ("lib.module.Both.shared", "lib.module.Left.shared"),
        ("lib.module.Both.right", "lib.module.Right.right"),
        ("lib.Lazy", "lib.lazy.Lazy"),
        ("lib.module.Gone", "missing"),
        ("lib.module.Own.gone", "missing"),
        ("lib.gone.Own", "missing"),
        ("lib.module.Foreign.anything", "unknown"),
        ("lib.module.Round.anything", "unknown"),
        ("lib.open.anything", "unknown"),
        ("lib.native.fast.Own", "unknown"),
        ("lib.broken.Own", "unknown"),
        ("elsewhere.Own", "unknown"),
    ],
)
def test_a_name_is_followed_to_its_definition(dotted: str, found: str, patched: Patched) -> None:
    lazy = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .lazy import Lazy\n"
    library = patched.library(
        lazy + "else:\n    sys.modules[__name__] = _LazyModule(__name__)\n",
        module=MODULE,
        base=BASE,
        stars="class Starred: ...\n",
        lazy="class Lazy: ...\n",
        open="def __getattr__(name):\n    return anything[name]\n",
        broken="def (:\n",
    )
    patched.write("site/lib/native/__init__.py", "")
    patched.write("site/lib/native/fast.cpython-312-x86_64-linux-gnu.so", "")
    answer = library.find(dotted)
    assert (answer.dotted if answer.status == "found" else answer.status) == found


def test_a_function_of_the_name_of_its_module_is_found(patched: Patched) -> None:
    library = patched.library("from .cond import cond\n", cond="def cond(x): ...\n")
    assert library.find("lib.cond").is_function


def test_the_first_folder_that_has_a_package_has_all_of_it(patched: Patched) -> None:
    library = patched.library("", old="class A: ...\n")
    patched.write("newer/lib/__init__.py", "")
    folders = (str(patched.root / "newer"), str(patched.site))
    newer = type(library)(folders, library.sources.view)
    assert newer.find("lib.old.A").status == "missing"


def test_a_class_that_only_some_condition_defines_is_compared_with_care(patched: Patched) -> None:
    library = patched.library("if asked():\n    def f(x): ...\nelse:\n    def f(y): ...\n")
    assert library.find("lib.f").several


def test_a_decorator_may_add_members_to_a_class(patched: Patched) -> None:
    library = patched.library("@adding\nclass A: ...\n\n@auto_docstring\nclass B: ...\n")
    assert library.find("lib.A.added").status == "unknown"
    assert library.find("lib.B.added").status == "missing"


def test_what_a_dataclass_makes_is_not_read_from_its_bases(patched: Patched) -> None:
    base = "class Base:\n    def __init__(self, *values): ...\n\n"
    library = patched.library(f"{base}@dataclass\nclass A(Base):\n    size: int\n")
    assert library.find("lib.A.__init__").status == "unknown"
