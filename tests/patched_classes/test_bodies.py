"""What the body of a patch uses of the library, and of ``self``."""

from __future__ import annotations

import pytest

from tests.support.patches import Patched, patch_of

LIBRARY = """
class Base:
    def setup(self):
        self.register_buffer("weight", 1)
        self.register_buffer(f"{self.kind}_inv_freq", 1)

class A(Base):
    own: int
    def __init__(self): self.set = 1
    def f(self, x): return self.relied_on
    def g(self): ...
    def listed(self): ...

def call(x, *, y=None): ...

class Options:
    def __init__(self, size): ...
"""


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("return self.set, self.own, self.weight, self.g", []),
        ("return self.default_inv_freq", []),
        ("return self.relied_on", []),
        ("return self.__class__", []),
        ("return self.gone", ["attribute-missing"]),
        ("return [self.gone for _ in x]", ["attribute-missing"]),
        ("return getattr(self, 'gone', 1)", []),
        ("return self.gone if hasattr(self, 'gone') else 1", []),
        ("self.gone = 1; return self.gone", []),
        ("return self.helper()", ["method-not-listed"]),
        ("return self.listed()", []),
        ("return lib.call(1)", []),
        ("return lib.call(1, 2)", ["call-mismatch"]),
        ("return lib.call(*x, **x)", []),
        ("return lib.Options()", ["call-mismatch"]),
        ("return lib.gone(1)", ["name-missing"]),
        ("return lib.gone(1) if hasattr(lib, 'gone') else 1", []),
        ("return (lambda lib: lib.gone)(x)", []),
        ("return lib.call.__name__", []),
    ],
)
def test_what_a_method_uses_must_be_there(body: str, kinds: list[str], patched: Patched) -> None:
    patched.library(LIBRARY)
    others = "def helper(self): ...\ndef listed(self): return self.f(1)\n"
    patch = patch_of(f"{others}def f(self, x): {body}", methods='["f", "listed"]')
    assert patched.kinds(patch) == kinds


def test_what_is_tried_first_may_be_missing(patched: Patched) -> None:
    patched.library(LIBRARY)
    body = "try:\n        return lib.gone(x)\n    except AttributeError: ..."
    assert patched.kinds(patch_of(f"def f(self, x):\n    {body}")) == []


def test_an_attribute_that_one_of_two_branches_gets_is_not_reported(patched: Patched) -> None:
    patched.library(LIBRARY)
    body = "if x: y = self.gone\n    else: y = self.set"
    assert patched.kinds(patch_of(f"def f(self, x):\n    {body}")) == []


def test_a_name_that_a_module_imports_and_the_library_lacks_is_reported(patched: Patched) -> None:
    patched.library(LIBRARY)
    found = patched.check("from lib import gone\n" + patch_of("def f(self, x): ...")).problems
    assert [(each.kind, each.place.line) for each in found] == [("name-missing", 1)]


def test_a_branch_of_another_version_is_not_looked_at(patched: Patched) -> None:
    patched.library(LIBRARY)
    gate = 'if Version(lib.__version__) < Version("1.0"): return lib.gone(self.gone)'
    patch = patch_of(f"def f(self, x):\n    {gate}\n    return x")
    assert patched.kinds(f"from packaging.version import Version\n{patch}") == []
