"""What the text shows of dtypes and shapes: different is refused, unknown is not different."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.models.control_flow.dtypes import Dtypes
from rocmlint.models.control_flow.refusals import Refusal
from rocmlint.models.control_flow.rewrite import rewrite
from tests.control_flow.test_rewrite import model, refusals

if TYPE_CHECKING:
    import ast

TEST = "if x.sum() > 0:\n    y = {}\nelse:\n    y = {}"


def reasons(code: str) -> list[Refusal | None]:
    """Return why each statement is refused; None for one that is rewritten."""
    return refusals(rewrite(model(f"{code}\nreturn x")))


@pytest.mark.parametrize(
    ("one", "other", "reason"),
    [
        ("x.softmax(-1)", "x.argmax(-1)", Refusal.DTYPE_MISMATCH),
        ("x.half()", "x.float()", Refusal.DTYPE_MISMATCH),
        ("(x > 0)", "x.softmax(-1)", Refusal.DTYPE_MISMATCH),
        ("x.amax(-1)", "x.argmax(-1)", Refusal.DTYPE_UNKNOWN),
        ("x", "x.half()", Refusal.DTYPE_UNKNOWN),
        ("torch.zeros(2)", "torch.zeros(3)", Refusal.SHAPE_MISMATCH),
        ("x.sum()", "torch.zeros(3)", Refusal.SHAPE_MISMATCH),
        ("x", "x.unsqueeze(0)", Refusal.SHAPE_MISMATCH),
        ("x[x > 0]", "x", Refusal.SIZE_DEPENDS),
        ("x[x > 0].sum()", "x.sum()", Refusal.SIZE_DEPENDS),
        ("x.nonzero()", "x.long()", Refusal.SIZE_DEPENDS),
        ("x.softmax(-1)", "x.sigmoid()", None),
        ("(x > 0)", "torch.isnan(x)", None),
        ("x.sum()", "torch.tensor(0.0)", None),
        ("x * 0.5", "x", None),
    ],
)
def test_what_two_paths_give_is_compared_as_far_as_the_text_shows_it(
    one: str, other: str, reason: Refusal | None
) -> None:
    assert reasons(f"{TEST.format(one, other)}\nx = y") == [reason]


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("n = x.argmax(-1)\nif x.any():\n    n = n / 2\nx = x + n", Refusal.DTYPE_MISMATCH),
        ("m = x > 0\nif m.any():\n    x = x[m]", Refusal.SIZE_DEPENDS),
        ("m = x > 0\nif m.any():\n    x = x[:, m]", Refusal.SIZE_DEPENDS),
        ("if x in (1, 2):\n    x = x * 2", Refusal.COMPARES_VALUES),
        (
            "k = x.item()\nif k == 0:\n    x = x * 2\nelif k == 1:\n    x = x * 3",
            Refusal.CAPTURES_NUMBER,
        ),
        (
            "if x.any():\n    x = x * 2\nelif x.add_(1).any():\n    x = x * 3",
            Refusal.IN_PLACE_OPERATION,
        ),
        ("if x.any():\n    x = nn.ReLU(inplace=True)(x)", Refusal.IN_PLACE_OPERATION),
        ("k = 0\nif x.any():\n    k += 1\nx = x + k", Refusal.PYTHON_SCALAR),
        ("x = torch.stack([r if r.any() else r * 2 for r in x])", Refusal.UNSUPPORTED_LOOP),
    ],
)
def test_what_a_program_cannot_do_is_refused(code: str, reason: Refusal) -> None:
    assert reason in reasons(code)


@pytest.mark.parametrize(
    "code",
    [
        "done = torch.zeros(3, dtype=torch.bool)\nwhile not done.all():\n    done = done | (x < 1)",
        "n = torch.tensor(0)\ny = x.sum()\nwhile y > 1:\n    y = y / 2\n    n = n + 1\nx = n + y",
        "norm = x.norm()\nif torch.isfinite(norm) and norm > 1e-6:\n    x = x / norm",
        "if x.norm() > 1 and x.sum() > 0:\n    x = x / 2",
        "y = x.clone()\ny += 1\nif x.any():\n    y = y * 2\nx = y",
    ],
)
def test_what_is_not_shown_to_differ_or_fail_is_rewritten(code: str) -> None:
    assert reasons(code) == [None]


@pytest.mark.parametrize(
    "test",
    ["x.any() and x.max() > 1", "torch.isfinite(x).all() and x > 1", "x > 1 and mask > 1"],
)
def test_a_part_that_python_may_skip_and_that_may_fail_is_still_refused(test: str) -> None:
    assert reasons(f"if {test}:\n    x = x * 2") != [None]


def test_each_expression_of_a_long_chain_is_looked_at_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[ast.expr] = []
    of = Dtypes._of

    def counted(self: Dtypes, node: ast.expr) -> str | None:
        looked.append(node)
        return of(self, node)

    monkeypatch.setattr(Dtypes, "_of", counted)
    counts = []
    for lines in (10, 20, 40):
        looked.clear()
        chain = "a = a + b\nb = a + b\n" * lines
        rewrite(model(f"a, b = x, x * 2\n{chain}if a.any():\n    a = b * a\nreturn a"))
        counts.append(len(looked))
    assert counts[2] < 3 * counts[1] < 9 * counts[0]
