"""What is refused, with which reason: nothing is rewritten that may then do something else."""

from __future__ import annotations

import pytest

from rocmlint.models.control_flow.refusals import MEANINGS, Refusal
from rocmlint.models.control_flow.rewrite import rewrite
from tests.control_flow.test_rewrite import model

T = "x.any()"
REFUSED = {
    "alias-changed-later": f"y = x\nif {T}:\n    y = x + 1\ny += 1",
    "attribute-mutation": f"if {T}:\n    self.kept = x",
    "captures-unbacked-scalar": f"n = x.max().item()\nif {T}:\n    x = x + n",
    "compares-values": f"n = x.max().item()\nif n > 1 or {T}:\n    x = x + 1",
    "dtype-mismatch": f"if {T}:\n    x = x.half()\nelse:\n    x = x.float()",
    "dtype-unknown": f"if {T}:\n    x = x.half()",
    "early-return": f"if {T}:\n    return x + 1",
    "in-place-operation": f"if {T}:\n    x += 1",
    "jump-in-branch": f"for _ in range(2):\n    if {T}:\n        break",
    "mixed-and-or": f"if {T} and flag:\n    x = x + 1",
    "name-unbound-on-other-path": f"if {T}:\n    y = x\nx = y",
    "nested-function": f"if {T}:\n    def f(): return x\n    x = f()",
    "nested-statement-refused": f"if {T}:\n    x = x + 1\n    y = x.all() or x.any()",
    "none-on-one-path": f"y = None\nif {T}:\n    y = x + 1\nx = y",
    "no-output": f"if {T}:\n    y = x + 1",
    "output-not-a-tensor": f"if {T}:\n    y = [x]\nelse:\n    y = [x, x]\nx = y",
    "perhaps-not-a-tensor": f"if x or {T}:\n    x = x + 1",
    "python-scalar-output": f"n = 1\nif {T}:\n    n = 2\nx = x + n",
    "raise-may-be-caught": f"try:\n    assert {T}\nexcept AssertionError:\n    x = x + 1",
    "raise-in-branch": f"if {T}:\n    x = x + 1\n    raise ValueError('no')",
    "scope-of-names": f"if {T}:\n    x = x + 1\nprint(locals())",
    "shape-mismatch": f"if {T}:\n    x = torch.zeros(2)\nelse:\n    x = torch.zeros(3)",
    "side-effect": f"if {T}:\n    x = x + 1\n    print(x)",
    "size-depends-on-content": f"if {T}:\n    x = x[x > 0]",
    "skipped-test-may-fail": f"if {T} and x.max() > 1:\n    x = x + 1",
    "subscript-assignment": f"if {T}:\n    x[0] = 1",
    "super-in-branch": f"if {T}:\n    x = super().forward(x)",
    "unsupported-exception": f"if {T}:\n    raise ValueError('no', 1)",
    "unsupported-loop": "for row in x.nonzero():\n    print(row)",
    "unsupported-statement": f"if {T}:\n    with torch.no_grad():\n        x = x + 1",
    "walrus": f"if {T}:\n    x = (y := x) + 1",
    "not-exported": f"if torch.compiler.is_exporting():\n    pass\nelse:\n    assert {T}",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_a_statement_is_refused_with_its_reason(reason: str) -> None:
    text = model(f"{REFUSED[reason]}\nreturn x")
    done = rewrite(text)
    assert reason in {each.refusal.value for each in done.statements if each.refusal}
    if reason != "nested-statement-refused":
        assert done.text == text


def test_each_reason_is_explained() -> None:
    assert set(MEANINGS) == set(Refusal)
    others = {"filtered", "name-taken"}
    assert {each.value for each in Refusal} == set(REFUSED) | others


def test_a_name_that_means_something_else_is_not_used() -> None:
    done = rewrite(model("rocmlint = 1\nif x.any():\n    x = x + rocmlint\nreturn x"))
    assert [each.refusal and each.refusal.value for each in done.statements] == ["name-taken"]


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
    assert [each.detail for each in done.statements] == ["its blanks are unusual"]
    assert done.text == text
