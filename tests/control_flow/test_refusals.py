"""What is refused, with which reason: nothing is rewritten that may then do something else."""

from __future__ import annotations

import pytest

from rocmlint.models.control_flow.refusals import KINDS, Refusal
from rocmlint.models.control_flow.rewrite import rewrite
from tests.control_flow.test_rewrite import model, refusals

T = "x.any()"
REFUSED = {
    Refusal.ALIAS_CHANGED_LATER: f"y = x\nif {T}:\n    y = x + 1\ny += 1",
    Refusal.ATTRIBUTE_MUTATION: f"if {T}:\n    self.kept = x",
    Refusal.CAPTURES_NUMBER: f"n = x.max().item()\nif {T}:\n    x = x + n",
    Refusal.COMPARES_VALUES: f"n = x.max().item()\nif n > 1 or {T}:\n    x = x + 1",
    Refusal.DTYPE_MISMATCH: f"if {T}:\n    x = x.half()\nelse:\n    x = x.float()",
    Refusal.DTYPE_UNKNOWN: f"if {T}:\n    x = x.half()",
    Refusal.EARLY_RETURN: f"if {T}:\n    return x + 1",
    Refusal.IN_PLACE_OPERATION: f"if {T}:\n    x += 1",
    Refusal.JUMP_IN_BRANCH: f"for _ in range(2):\n    if {T}:\n        break",
    Refusal.MIXED_AND_OR: f"if {T} and flag:\n    x = x + 1",
    Refusal.NAME_UNBOUND: f"if {T}:\n    y = x\nx = y",
    Refusal.NESTED_FUNCTION: f"if {T}:\n    def f(): return x\n    x = f()",
    Refusal.NESTED_STATEMENT: f"if {T}:\n    x = x + 1\n    y = x.all() or x.any()",
    Refusal.NONE_ON_ONE_PATH: f"y = None\nif {T}:\n    y = x + 1\nx = y",
    Refusal.NO_OUTPUT: f"if {T}:\n    y = x + 1",
    Refusal.NOT_A_TENSOR: f"if {T}:\n    y = [x]\nelse:\n    y = [x, x]\nx = y",
    Refusal.MAYBE_NO_TENSOR: f"if x or {T}:\n    x = x + 1",
    Refusal.PYTHON_SCALAR: f"n = 1\nif {T}:\n    n = 2\nx = x + n",
    Refusal.RAISE_CAUGHT: f"try:\n    assert {T}\nexcept AssertionError:\n    x = x + 1",
    Refusal.RAISE_IN_BRANCH: f"if {T}:\n    x = x + 1\n    raise ValueError('no')",
    Refusal.SCOPE_OF_NAMES: f"if {T}:\n    x = x + 1\nprint(locals())",
    Refusal.SHAPE_MISMATCH: f"if {T}:\n    x = torch.zeros(2)\nelse:\n    x = torch.zeros(3)",
    Refusal.SIDE_EFFECT: f"if {T}:\n    x = x + 1\n    print(x)",
    Refusal.SIZE_DEPENDS: f"if {T}:\n    x = x[x > 0]",
    Refusal.SKIPPED_TEST: f"if {T} and x.max() > 1:\n    x = x + 1",
    Refusal.SUBSCRIPT_ASSIGNMENT: f"if {T}:\n    x[0] = 1",
    Refusal.SUPER_IN_BRANCH: f"if {T}:\n    x = super().forward(x)",
    Refusal.UNSUPPORTED_EXCEPTION: f"if {T}:\n    raise ValueError('no', 1)",
    Refusal.UNSUPPORTED_LOOP: "for row in x.nonzero():\n    print(row)",
    Refusal.UNSUPPORTED_STATEMENT: f"if {T}:\n    with torch.no_grad():\n        x = x + 1",
    Refusal.WALRUS: f"if {T}:\n    x = (y := x) + 1",
    Refusal.NOT_EXPORTED: f"if torch.compiler.is_exporting():\n    pass\nelse:\n    assert {T}",
}


@pytest.mark.parametrize("reason", REFUSED, ids=lambda each: each.name)
def test_a_statement_is_refused_with_its_reason(reason: Refusal) -> None:
    text = model(f"{REFUSED[reason]}\nreturn x")
    done = rewrite(text)
    assert reason in refusals(done)
    if reason is not Refusal.NESTED_STATEMENT:
        assert done.text == text


def test_each_reason_is_tried_and_each_kind_explained() -> None:
    assert set(Refusal) == {*REFUSED, Refusal.FILTERED, Refusal.NAME_TAKEN}
    assert {each.kind for each in Refusal} == set(KINDS)


def test_a_name_that_means_something_else_is_not_used() -> None:
    done = rewrite(model("rocmlint = 1\nif x.any():\n    x = x + rocmlint\nreturn x"))
    assert refusals(done) == [Refusal.NAME_TAKEN]


@pytest.mark.parametrize(
    "code",
    [
        # Another closure sees the name.
        "f = lambda: x\nif x.any():\n    x = x + 1\n    x = x + f()",
        # A generator runs later.
        "rows = (x + n for n in range(2))\nif x.any():\n    x = sum(rows)",
        # Whether a tensor is None is decided on another path.
        "if x.any():\n    mask = x\nx = mask",
        "try:\n    y = x + 1\nfinally:\n    pass\nif x.any():\n    y = None\nx = y",
        "if x.any():\n    x, *y = x, x\nelse:\n    y = x\nx = y",
        "if x.any():\n    for y in range(3):\n        x = x + y\nelse:\n    y = x\nx = y",
        "if x.any():\n    y = x\nelif (n := 3) > 2:\n    y = x + n\nelse:\n    y = x\nx = y",
        "x = f'{x if x.any() else mask}'",
        "f = lambda: x if x.any() else x + 1",
        "@torch.jit.script\ndef f(x: torch.Tensor):\n    assert x.any()\n    return x",
        "del x\nif x.any():\n    x = x + 1",
        "for n in range(3):\n    pass\nif x.any():\n    n = n + 1\nx = x + n",
        # `y.any()` fails where `y` is a number, which Python may never ask.
        "y = x * 2\nif flag:\n    y = 1\nif x.all() and y.any():\n    x = x + 1",
        "y = x * 2\nfor _ in x:\n    if x.all() and y.any():\n        x = x + 1\n    y = None",
        "if x.any():\n    y = x\nelif flag:\n    y = x\n    return y\nelse:\n    y = x\nx = y",
    ],
)
def test_what_is_not_sure_stays_as_it_is(code: str) -> None:
    text = model(f"{code}\nreturn x")
    assert rewrite(text).text == text


def test_a_block_with_unusual_blanks_stays_as_it_is() -> None:
    text = model("if x.any(): \\\nx = x + 1\nreturn x").replace("        x = x + 1", "  x = x + 1")
    done = rewrite(text)
    assert refusals(done) == [Refusal.UNSUPPORTED_STATEMENT]
    assert done.text == text
