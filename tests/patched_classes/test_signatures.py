"""What a patch takes, compared with what callers of the original pass."""

from __future__ import annotations

import ast

import pytest

from rocmlint.models.patches.signatures import Signature, problem_of_call
from tests.support.patches import Patched, patch_of


@pytest.mark.parametrize(
    ("original", "own", "kinds"),
    [
        ("x, y=1", "x, y=1", []),
        ("x, y=1", "x", ["parameter-missing"]),
        ("x, y=1", "x, y", ["parameter-required"]),
        ("x", "x, y", ["parameter-required"]),
        ("x", "x, y=None", ["parameter-extra"]),
        ("x, **kwargs", "x, y=None, **kwargs", []),
        ("x, y=1", "x, y=2", ["default-changed"]),
        ("x, y=2", "x, y=2.0", []),
        ("x, y=None", "x, y={}", ["default-changed"]),
        ("x, y='a}'", "x, y='{0.z}'", ["default-changed"]),
        ("x, y='eager'", 'x, y="eager"', []),
        ("x, y=torch.float32", "x, y=float32", []),
        ("x, y=None", "x, **kwargs", ["parameter-swallowed"]),
        ("x, y=None", "*args, **kwargs", ["parameter-swallowed", "parameter-swallowed"]),
        ("x, y=1, z=1", "x, z=1, y=1", ["parameter-moved"]),
        ("x, y=1", "x, *, y=1", []),
        ("x, *, y", "x, y", []),
        ("x, /", "y, /", ["parameter-renamed"]),
        ("x", "y", ["parameter-renamed"]),
        ("x, y", "x, z", ["parameter-missing", "parameter-required"]),
    ],
)
def test_each_difference_has_its_kind(
    original: str, own: str, kinds: list[str], patched: Patched
) -> None:
    patched.library(f"class A:\n    def f(self, {original}): ...\n")
    assert patched.kinds(patch_of(f"def f(self, {own}): return 1")) == kinds


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("return kwargs.get('y')", []),
        ("return kwargs.pop('y', None)", []),
        ("return kwargs['y']", []),
        ("return 'y' in kwargs", []),
        ("return kwargs.get('z')", ["parameter-swallowed"]),
        ("return len(kwargs)", ["parameter-swallowed"]),
        ("return call(x, **kwargs)", ["parameter-forwarded"]),
        ("return call(x, kwargs)", ["parameter-forwarded"]),
        ("return {name: it for name, it in kwargs.items()}", ["parameter-forwarded"]),
        ("return {**kwargs}", ["parameter-forwarded"]),
    ],
)
def test_a_parameter_in_kwargs_is_swallowed_unless_it_is_read_or_passed_on(
    body: str, kinds: list[str], patched: Patched
) -> None:
    patched.library("class A:\n    def f(self, x, y=None): ...\n")
    assert patched.kinds(patch_of(f"def f(self, x, **kwargs): {body}")) == kinds


def test_another_order_counts_where_the_library_calls_by_position(patched: Patched) -> None:
    calls = "class B:\n    def __init__(self): self.a = A()\n    def g(self): self.a(1, 2, 3)\n"
    patched.library(f"class A:\n    def forward(self, x, y=1, z=1): ...\n{calls}")
    patch = patch_of("def forward(self, x, z=1, y=1): ...", methods='["forward"]')
    assert patched.kinds(patch) == ["parameter-order"]


def test_the_first_parameter_of_a_static_method_is_compared_too(patched: Patched) -> None:
    patched.library("class A:\n    @staticmethod\n    def f(x, y): ...\n")
    assert patched.kinds(patch_of("@staticmethod\ndef f(x, z): ...")) == [
        "parameter-missing",
        "parameter-required",
    ]


def test_a_factory_may_call_a_parameter_as_one_of_its_targets_does(patched: Patched) -> None:
    patched.library("def split(x, size): ...\ndef split_many(x, sections): ...\n")
    decorator = '@register_patch("onnx", "lib.split", "lib.split_many")\n'
    factory = "def _patch(original):\n    def patch(x, size): ...\n    return patch\n"
    found = patched.check(decorator + factory).problems
    assert [(each.kind, each.place.line) for each in found] == [("parameter-missing", 1)]


def test_a_parameter_that_all_targets_of_a_factory_have_is_missing_in_each(
    patched: Patched,
) -> None:
    patched.library("def one(x, size): ...\ndef two(x, size): ...\n")
    decorator = '@replaces("lib.one", "lib.two")\n'
    factory = "def _patch(original):\n    def patch(x): ...\n    return patch\n"
    found = patched.check(decorator + factory).problems
    assert [each.kind for each in found] == ["parameter-missing", "parameter-missing"]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("f(1)", ""),
        ("f()", "misses `x`"),
        ("f(1, 2, 3)", "gives 3 positional arguments, and 2 are taken"),
        ("f(1, x=2)", "gives `x` twice"),
        ("f(1, w=2)", "gives `w`, which is not a parameter"),
        ("f(1, z=2)", ""),
        ("f(*given)", ""),
        ("f(**given)", ""),
        ("f(**given, w=1)", "gives `w`, which is not a parameter"),
    ],
)
def test_a_call_binds_as_in_python(call: str, problem: str) -> None:
    definition = ast.parse("def f(x, y=1, *, z=None): ...").body[0]
    assert isinstance(definition, ast.FunctionDef)
    expression = ast.parse(call, mode="eval").body
    assert isinstance(expression, ast.Call)
    assert problem_of_call(expression, Signature.of(definition)) == problem
