"""How patches say what they replace, and what they allow."""

from __future__ import annotations

import pytest

from tests.support.patches import Patched, patch_of

LIBRARY = """
class A:
    def f(self, x, y=None): ...
    def g(self): return self.f(1)

def fn(x): ...
"""
FN_AND_F = ["lib.fn", "lib.A.f"]
CYCLE = "class B(C): ...\nclass C(B): ...\n"


def targets(patched: Patched, text: str) -> list[str]:
    patched.library(LIBRARY)
    return [it.target for each in patched.check(text).patches for it in each.replacements]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (patch_of("def f(self, x, y=None): ..."), ["lib.A.f"]),
        ('def patched_fn(x):\n    """[patch:lib.fn]"""\n', ["lib.fn"]),
        ('def patched_fn(x):\n    """manual patch for function ``lib.fn``."""\n', ["lib.fn"]),
        ('def other_fn(x):\n    """[patch:lib.fn]"""\n', []),
        ('@register_patch("onnx", "lib.fn", "lib.A.f")\ndef p(o): ...\n', ["lib.fn", "lib.A.f"]),
        ('@replaces("lib.fn", "lib.A.f")\ndef p(o): ...\n', ["lib.fn", "lib.A.f"]),
        ('import lib\ndef run():\n    patch_attribute(lib.A, "g", lambda o: o)\n', ["lib.A.g"]),
        (patch_of("def f(self, x, y=None): ...", target='"lib.A"'), ["lib.A.f"]),
        ("import lib\ndef own(x): ...\nPATCHES = [(lib, 'fn', own)]\n", ["lib.fn"]),
        (
            "def own(x): ...\nPATCHES = [('lib.fn', own), ('lib.A', 'f', own)]\n",
            ["lib.fn", "lib.A.f"],
        ),
        ("import lib\ndef own(x): ...\ndef go():\n    yield Patch(lib, 'fn', own)\n", ["lib.fn"]),
        ("def own(x): ...\nPATCHES = [('not a path', own), 3, (own, own)]\n", []),
        ("import lib\ndef patched_x(x): ...\ndef go():\n    lib.fn = patched_x\n", ["lib.fn"]),
    ],
)
def test_each_contract_names_what_is_replaced(
    text: str, expected: list[str], patched: Patched
) -> None:
    assert targets(patched, text) == expected


@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ('since="1.9", before="3"', ["lib.fn"]),
        ('since="2.0", before="2.1"', ["lib.fn"]),
        ('since="2.1", before="3"', []),
        ('since="1.0", before="2.0"', []),
        ("since=SOME, before=OTHER", ["lib.fn"]),
    ],
)
def test_a_builtin_patch_is_read_for_the_versions_that_it_names(
    limits: str, expected: list[str], patched: Patched
) -> None:
    factory = '@replaces("lib.fn")\ndef p(o): ...\n'
    assert targets(patched, f'{factory}BUILTIN = Builtin(library="lib", {limits})\n') == expected


def test_a_method_may_come_from_a_class_that_patches_share(patched: Patched) -> None:
    patched.library(LIBRARY)
    patched.write("project/shared.py", "class Shared:\n    def f(self, x): ...\n")
    patch = patch_of("").replace("class patched_A:", "class patched_A(Shared):")
    assert patched.kinds(f"from shared import Shared\n{patch}") == ["parameter-missing"]


def test_what_patch_and_class_both_inherit_is_not_defined_by_the_patch(patched: Patched) -> None:
    patched.library("class M:\n    def f(self): ...\n\nclass A(M): ...\n")
    patch = patch_of("").replace("class patched_A:", "class patched_A(lib.M):")
    assert patched.kinds(patch) == ["method-undefined"]


@pytest.mark.parametrize(
    ("allows", "kinds", "allowed"),
    [
        ("[]", ["parameter-missing"], []),
        ('["parameter-missing"]', [], ["parameter-missing"]),
        ('["descriptor-kind"]', ["parameter-missing"], []),
        ('["missing"]', ["unknown-allow", "parameter-missing"], []),
    ],
)
def test_a_patch_allows_kinds_by_their_names(
    allows: str, kinds: list[str], allowed: list[str], patched: Patched
) -> None:
    patched.library(LIBRARY)
    checked = patched.check(patch_of("def f(self, x): ...", more=f"_PATCH_ALLOWS_ = {allows}"))
    assert [each.kind for each in checked.problems] == kinds
    assert [each.kind for each in checked.allowed] == allowed


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        (patch_of("", methods="3"), ["contract-unreadable"]),
        (patch_of("", methods='"f"'), ["contract-unreadable"]),
        (patch_of("", methods='["not a name"]'), ["contract-unreadable"]),
        (patch_of("", target="lib.A()", methods="[]"), ["contract-unreadable"]),
        (patch_of("", target="lib.fn", methods="[]"), ["not-a-class"]),
        (patch_of("", target="lib.Gone", methods="[]"), ["class-missing"]),
        (patch_of("", target="None", methods="[]"), []),
        (patch_of("", methods="made()"), []),
        (patch_of("", methods="[name() for name in made]"), []),
        (
            "class B(C): ...\nclass C(B): ...\n" + patch_of("").replace("A:", "A(B):"),
            ["contract-unreadable"],
        ),
    ],
)
def test_what_is_not_a_contract_is_told_in_one_line(
    text: str, kinds: list[str], patched: Patched
) -> None:
    patched.library(LIBRARY)
    assert patched.kinds(text) == kinds


def test_two_patches_of_one_name_are_alternatives(patched: Patched) -> None:
    patched.library(LIBRARY)
    patch = patch_of("def f(self, x, y=None): ...").partition("\n")[2]
    indented = "".join(f"    {line}\n" for line in patch.splitlines())
    assert patched.kinds(f"import lib\nif unknown():\n{indented}else:\n{indented}") == []
