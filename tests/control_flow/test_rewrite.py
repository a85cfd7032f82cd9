"""What becomes of statements that depend on tensors, and of everything else in their file."""

from __future__ import annotations

import ast
from textwrap import dedent, indent
from typing import TYPE_CHECKING

import pytest

from rocmlint.models.control_flow.flow import joined
from rocmlint.models.control_flow.refusals import Refusal
from rocmlint.models.control_flow.rewrite import Options, rewrite

if TYPE_CHECKING:
    from rocmlint.models.control_flow.flow import Binding
    from rocmlint.models.control_flow.rewrite import Rewritten

HEAD = '''"""A model."""

from __future__ import annotations

import torch
from torch import nn

from .layers import Norm


class Layer(nn.Module):
    def forward(self, x: torch.Tensor, mask: torch.Tensor | None = None, flag: bool = False):
'''


def refusals(done: Rewritten) -> list[Refusal | None]:
    """Return why each statement is refused; None for one that is rewritten."""
    said = [each.detail or "" for each in done.statements]
    return [next((it for it in Refusal if each.startswith(it.says)), None) for each in said]


def model(body: str) -> str:
    return HEAD + indent(dedent(body).strip("\n"), "        ") + "\n"


def body_of(text: str) -> str:
    """Return what stands in ``forward``."""
    return dedent(text.partition("flag: bool = False):\n")[2]).strip()


def rewritten(body: str, options: Options | None = None) -> str:
    return body_of(rewrite(model(body), options).text)


CLAMP = """
    x = torch.relu(x)  # before
    if x.isinf().any():  # too large
        # Leave some room.
        limit = 100
        x = x.clamp(
            max=limit,   # a comment
        )

    return x
"""


def test_a_branch_becomes_a_function_with_its_comments() -> None:
    assert (
        rewritten(CLAMP)
        == dedent(
            """
        x = torch.relu(x)  # before

        def then_1(x):
            # too large
            # Leave some room.
            limit = 100
            x = x.clamp(
                max=limit,   # a comment
            )
            return x

        def else_1(x):
            return x

        x = rocmlint.export.cond(x.isinf().any(), then_1, else_1, (x,))

        return x
        """
        ).strip()
    )


def test_the_import_stands_once_above_relative_ones() -> None:
    text = rewrite(model(CLAMP + "\n" + CLAMP)).text
    assert text.count("import rocmlint.export\n") == 1
    assert "from torch import nn\nimport rocmlint.export\n\nfrom .layers import Norm\n" in text


def test_what_python_decides_stays_an_if() -> None:
    text = rewritten("if mask is not None and not (mask == 1).all():\n    x = x * mask\nreturn x")
    assert text.endswith(
        "if mask is not None:\n"
        "    x = rocmlint.export.cond(torch.logical_not((mask == 1).all()), then_1, else_1, (x,))\n"
        "return x"
    )


@pytest.mark.parametrize(
    ("test", "lines"),
    [
        ("(x > 0).any()", ["x = rocmlint.export.cond((x > 0).any(), then_1, else_1, (x,))"]),
        ("bool((x > 0).any())", ["x = rocmlint.export.cond((x > 0).any(), then_1, else_1, (x,))"]),
        ("1 in x", ["x = rocmlint.export.cond((x == 1).any(), then_1, else_1, (x,))"]),
        ("not x", ["x = rocmlint.export.cond(x, else_1, then_1, (x,))"]),
        (
            "flag or (x > 0).any()",
            [
                "if flag:",
                "    x = then_1(x)",
                "else:",
                "    x = rocmlint.export.cond((x > 0).any(), then_1, else_1, (x,))",
            ],
        ),
        (
            "not (flag or x.any())",
            [
                "if not flag:",
                "    x = rocmlint.export.cond(torch.logical_not(x.any()), then_1, else_1, (x,))",
            ],
        ),
        (
            "x.isinf().any() or x.isnan().any()",
            [
                "x = rocmlint.export.cond(",
                "    torch.logical_or(x.isinf().any(), x.isnan().any()),",
                "    then_1,",
                "    else_1,",
                "    (x,),",
                ")",
            ],
        ),
    ],
)
def test_a_predicate_is_split(test: str, lines: list[str]) -> None:
    text = rewritten(f"if {test}:\n    x = x + 1\nreturn x")
    assert text.split("return x\n\n")[-1].split("\nreturn")[0].split("\n") == lines


def test_elif_is_decided_in_a_function() -> None:
    text = rewritten(
        """
        if x.sum() > 1:
            y = x
        elif flag:
            y = x + 1
        elif x.sum() > 0: y = x + 2
        else:
            y = x + 3
        return y
        """
    )
    assert text.endswith("y = rocmlint.export.cond(x.sum() > 1, then_1, else_1)\nreturn y")
    assert "def else_1():\n    if flag:\n        return then_2()\n    return rocmlint" in text
    assert "def then_3():\n    y = x + 2\n    return y\n" in text


def test_branches_on_one_line_are_expanded() -> None:
    text = rewritten("if x.any(): y = x; z = x + 1\nelse: y = z = x * 2  # both\nreturn y, z")
    assert text.startswith("def then_1():\n    y = x\n    z = x + 1\n    return y, z\n\n")
    assert "def else_1():\n    # both\n    y = z = x * 2\n    return y, z\n\n" in text


def test_if_and_else_that_return_become_one_return() -> None:
    text = rewritten("if x.any():\n    return x + 1, x\nelse:\n    return x, x\n")
    assert text.endswith("return rocmlint.export.cond(x.any(), then_1, else_1)")


def test_names_of_functions_are_free() -> None:
    text = rewritten("then_1 = x\nif x.any():\n    x = x + then_1\nreturn x")
    assert "def then_2(x):" in text


@pytest.mark.parametrize(
    ("code", "after"),
    [
        (
            'if x.min() < 0:\n    raise ValueError("negative")',
            'rocmlint.export.raise_if(x.min() < 0, ValueError, "negative")',
        ),
        (
            'if not (x > 0).all():\n    message = f"{x}"\n    raise ValueError(message)',
            'rocmlint.export.raise_unless((x > 0).all(), ValueError, lambda: f"{x}")',
        ),
        (
            "assert (x > 0).all(), 'no'  # sure",
            "rocmlint.export.raise_unless((x > 0).all(), AssertionError, 'no')  # sure",
        ),
        (
            "if flag and x.any(): raise IndexError",
            "if flag:\n    rocmlint.export.raise_if(x.any(), IndexError)",
        ),
    ],
)
def test_raise_and_assert_become_checks(code: str, after: str) -> None:
    assert rewritten(f"{code}\nreturn x") == f"{after}\nreturn x"


def test_plain_torch_is_what_torch_has() -> None:
    options = Options(plain_torch=True)
    code = (
        'if x.min() < 0:\n    raise ValueError("negative")\nx = x + 1\nif x.any():\n    x = x * 2\n'
    )
    text = rewritten(code + "return x", options)
    assert 'torch._check_value(torch.logical_not(x.min() < 0).item(), lambda: "negative")' in text
    assert "return x.clone()" in text
    assert "x = torch.cond(x.any(), then_1, else_1, (x,))" in text


def test_a_loop_over_tensors_becomes_while_loop() -> None:
    text = rewritten("y = x.sum()\nwhile y < 9:\n    half = y / 2\n    y = y + half\nreturn y")
    assert text.endswith("(y,) = rocmlint.export.while_loop(test_1, body_1, (y,))\nreturn y")


def test_stacked_rows_become_map_rows() -> None:
    text = rewritten("return torch.stack([row * 2 for row in x.nonzero()])")
    assert text == "return rocmlint.export.map_rows(lambda row: row * 2, x.nonzero())"


def test_a_conditional_expression_becomes_cond() -> None:
    text = rewritten("return x * 2 if x.any() else x + 1")
    assert text == "return rocmlint.export.cond(x.any(), lambda: x * 2, lambda: x + 1)"


def test_nested_statements_are_rewritten_together() -> None:
    text = rewritten("if x.any():\n    if x.sum() > 1:\n        x = x + 1\n    x = x * 2\nreturn x")
    assert text.count("rocmlint.export.cond(") == 2


def test_other_characters_keep_their_places() -> None:
    text = rewritten('y = "äöü𝄞"; z = x\nif ((x > 0).any()): z = x * len("𝄞") # é\nreturn z, y')
    assert 'y = "äöü𝄞"; z = x\n' in text
    assert '# é\n    z = x * len("𝄞")\n    return z\n' in text


def test_a_file_without_tensors_stays_as_it_is() -> None:
    text = "import os\nif os.name:\n\tx = 1\n"
    assert rewrite(text).text == text


def test_only_the_named_function_changes() -> None:
    text = model(CLAMP) + "\n    def other(self, x: torch.Tensor):\n        assert x.any()\n"
    done = rewrite(text, Options(only=["Layer.other"]))
    assert done.functions == ("Layer.other",)
    assert indent(body_of(model(CLAMP)), "        ") in done.text


def test_filter_node_keeps_a_statement() -> None:
    done = rewrite(model(CLAMP), Options(filter_node=lambda node: not isinstance(node, ast.If)))
    assert refusals(done) == [Refusal.FILTERED]


def test_texts_can_be_changed_before_and_after() -> None:
    options = Options(
        pre_rewriter=lambda text: text.replace("100", "200"),
        post_rewriter=lambda text: text.replace("then_1", "too_large"),
    )
    text = rewrite(model(CLAMP), options).text
    assert "limit = 200" in text
    assert "def too_large(x):" in text


def test_each_line_knows_where_it_was() -> None:
    done = rewrite(model(CLAMP))
    before, after = done.before.split("\n"), done.text.split("\n")
    kept = [number for number, line in enumerate(after) if "room" in line or "before" in line]
    assert [before[done.origins[each] - 1].strip() for each in kept] == [
        after[each].strip() for each in kept
    ]


def test_the_operands_are_in_the_order_of_the_text_in_each_run() -> None:
    names = [f"name_{number}" for number in range(20)]
    nothing: frozenset[Binding] = frozenset()
    values = dict.fromkeys(names, nothing)
    assert [*(joined(values, values) or ())] == names
