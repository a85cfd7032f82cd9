"""A result of a rewritten statement is a copy in a program: nothing may rest on shared memory."""

from __future__ import annotations

from textwrap import indent

import pytest

from rocmlint.models.control_flow.rewrite import Options, rewrite
from tests.control_flow.test_rewrite import model

CHOICE = "if x.sum() > 0:\n    y = x\nelse:\n    y = x * 2\n"
RETURNS = "if x.sum() > 0:\n    return x\nelse:\n    return x * 2\n"
FRESH = "if x.sum() > 0:\n    y = x + 1\nelse:\n    y = x * 2\n"
PICK = """
def pick(self, t: torch.Tensor):
    if t.sum() > 0:
        t = t * 2
    return t
"""
INIT = """
def __init__(self):
    super().__init__()
    self.register_buffer("slot", torch.ones(4))
    self.linear = nn.Linear(4, 4)
    self.act = nn.ReLU(inplace=True)
    self.layers = nn.ModuleList([nn.Linear(4, 4), nn.ReLU(True)])
"""


def reasons(body: str, *methods: str) -> list[str | None]:
    """Return why each statement is refused; None for one that is rewritten."""
    text = model(body) + "".join(indent(each, "    ") for each in (INIT, *methods))
    return [each.reason for each in rewrite(text, Options(unreached=True)).statements]


WRITES = [
    "y += 1",
    "y.add_(1)",
    "y[:, 0] = 7",
    "y[0] += 5",
    "y[0], n = 5, 1",
    "y.data = y.data * 3",
    "y.view(-1).add_(1)",
    "torch.add(y, 1, out=y)",
    "torch.add(y, 1, **dict(out=y))",
    "torch._foreach_add_([y], 1)",
    "nn.functional.relu(y, True)",
    "nn.functional.relu(y, inplace=True)",
    "nn.init.zeros_(y)",
    "self.act(y)",
    "for layer in self.layers:\n    layer(y)",
    "for t, n in zip([y], [1]):\n    t += n",
    "kept = []\nkept.append(y)\nkept[0].mul_(2)",
    "unknown(y)",
    "self.unknown(y)",
    "f = y.add_\nf(1)",
    "f = lambda: y.add_(1)\nf()",
    "with unknown(y):\n    pass",
    "x.add_(1)",
    "for n in range(3):\n    x[n] = n",
]


@pytest.mark.parametrize("write", WRITES)
def test_a_result_that_may_be_another_tensor_must_not_change_later(write: str) -> None:
    assert reasons(f"{CHOICE}{write}\nreturn x, y") != [None]


@pytest.mark.parametrize(
    "write", ["y += 1", "y.add_(1)", "y[:, 0] = 7", "self.act(y)", "x.add_(1)"]
)
def test_a_new_tensor_may_change_later(write: str) -> None:
    assert reasons(f"{FRESH}{write}\nreturn x, y") == [None]


@pytest.mark.parametrize(
    "given",
    [
        *("x", "x.view(-1)", "x[0]", "x.t()", "x.contiguous()", "x.to(torch.float32)"),
        *("x.detach()", "x.chunk(2)[0]", "x.expand_as(x)", "+x", "(x, x)[0]", "x.data"),
        *("torch.einsum('ij->ij', x)", "torch.broadcast_tensors(x, x)[0]", "{'k': x}['k']"),
        *("nn.functional.dropout(x, 0.5, self.training)", "self.slot", "unknown(x)"),
    ],
)
def test_what_gives_a_view_or_the_tensor_itself_is_no_new_tensor(given: str) -> None:
    code = f"v = {given}\ny = v\nif x.sum() > 0:\n    y = y * 2\n"
    assert reasons(f"{code}y += 1\nreturn x, y") != [None]
    assert reasons(f"{code}return x, y") == [None]


@pytest.mark.parametrize(
    "code",
    [
        "base = x * 2\ny = base\nif x.sum() > 0:\n    y = y + 1\nbase += 1\nreturn y",
        "base = x * 2\nv = base[0]\nif x.sum() > 0:\n    v = v * 2\nv += 1\nreturn base",
        "if x.sum() > 0:\n    y = z = x * 2\nelse:\n    y = z = x * 3\ny += 1\nreturn z",
        "a, b = x * 1, x * 2\nc = a\nif x.sum() > 0:\n    a, b = b, a\na += 1\nreturn c, b",
        "kept = []\nh = x * 2\nkept.append(h)\nif x.sum() > 0:\n    h = h + 1\nh += 1\nreturn kept",
        "a, b = x.chunk(2)\nif x.sum() > 0:\n    a = a * 2\na += 1\nreturn x",
        "y = self.slot\nif x.sum() > 0:\n    y = y * 2\nself.slot += 1\nreturn y",
        "y = x if x.sum() > 0 else x * 2\ny += 1\nreturn x",
        "(x if x.sum() > 0 else x * 2).add_(1)\nreturn x",
        "y = x\nwhile y.sum() > 3:\n    y = y / 2\ny += 1\nreturn x",
        "y = x\nfor n in range(2):\n    y += n\n    if x.sum() > 3:\n        y = x\nreturn y",
        f"try:\n{indent(RETURNS, '    ')}finally:\n    x.add_(1)",
        f"{CHOICE}self.last = y\nreturn x",
    ],
)
def test_whoever_else_has_the_tensor_counts(code: str) -> None:
    assert "alias-changed-later" in reasons(code)


@pytest.mark.parametrize(
    "code",
    [
        "y = self.pick(x)\ny += 1\nreturn x",
        "y = self.pick(x)\nx.add_(1)\nreturn y",
        "return self.pick(x).add_(1) + x",
        "f = self.pick\ny = [f][0](x)\ny += 1\nreturn x",
    ],
)
def test_callers_count_too(code: str) -> None:
    assert reasons(code, PICK) == ["alias-changed-later"]


@pytest.mark.parametrize(
    "code",
    [
        "y = self.pick(x)\nreturn x + y",
        "y = self.pick(x) * 2\ny += 1\nreturn x + y",
        "y = self.pick(x * 1)\ny += 1\nreturn x + y",
    ],
)
def test_callers_that_change_nothing_shared_do_not(code: str) -> None:
    assert reasons(code, PICK) == [None]


@pytest.mark.parametrize(
    "code",
    [
        "x = self.linear(x)\nif not torch.isfinite(x).all():\n    x = torch.nan_to_num(x)\nx += 1",
        "if x.abs().max() > 9:\n    x = x.clamp(-9, 9)\nx = self.linear(x) + len(x)",
        "y = x.clone()\ny += 1\nif x.sum() > 0:\n    y = y * 2\ny[0] = 9\nx = y",
        "n = 0\nif x.sum() > 0:\n    x = x * 2\nfor _ in range(3):\n    n += 1\nx = x * n",
        "rows = torch.zeros(3)\nif x.sum() > 0:\n    x = x * 2\nout = ()\nout += (x,)\nx = out[0]",
    ],
)
def test_what_can_be_excluded_is_rewritten(code: str) -> None:
    assert reasons(f"{code}\nreturn x") == [None]


CHECK = """
def check(self, t: torch.Tensor):
    if t.min() < 0:
        raise ValueError("negative")
    return t * 2
"""


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    assert x.all()\nexcept AssertionError:\n    x = x + 1",
        "try:\n    for _ in range(2):\n        assert x.all()\nexcept:\n    x = x + 1",
        "try:\n    assert x.all()\nexcept (KeyError, Exception):\n    x = x + 1",
        "try:\n    assert x.all()\nexcept unknown.Error:\n    x = x + 1",
        "try:\n    assert x.all()\nfinally:\n    return x",
        "with contextlib.suppress(AssertionError):\n    assert x.all()",
        "with unknown():\n    assert x.all()",
        "try:\n    x = self.check(x)\nexcept ValueError:\n    x = x + 1",
        "with unknown():\n    x = self.check(x)",
        "try:\n    x = [self.check][0](x)\nexcept ValueError:\n    x = x + 1",
    ],
)
def test_an_error_that_may_be_caught_stays_one(code: str) -> None:
    assert "raise-may-be-caught" in reasons(f"{code}\nreturn x", CHECK)


@pytest.mark.parametrize(
    "code",
    [
        "try:\n    assert x.all()\nexcept KeyError:\n    x = x + 1",
        "try:\n    pass\nexcept AssertionError:\n    assert x.all()",
        "try:\n    pass\nexcept KeyError:\n    pass\nelse:\n    assert x.all()",
        "with torch.no_grad():\n    assert x.all()",
    ],
)
def test_an_error_that_nothing_catches_becomes_a_check(code: str) -> None:
    assert reasons(f"{code}\nreturn x") == [None]
