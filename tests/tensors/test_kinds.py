"""What expressions hold: asked by node, after statements were followed."""

from __future__ import annotations

import ast
import textwrap

import pytest

from rocmlint.models.tensors.inference import NotPythonError, infer
from rocmlint.models.tensors.value_facts import Kind


def kind_at_return(code: str) -> Kind:
    """Return the kind of what the last `return` of some code gives."""
    inference = infer("import torch\nfrom torch import nn\n" + textwrap.dedent(code))
    values = [
        node.value
        for node in ast.walk(inference.tree)
        if isinstance(node, ast.Return) and node.value is not None
    ]
    return inference.kind_of(max(values, key=lambda each: each.lineno))


@pytest.mark.parametrize(
    ("expression", "kind"),
    [
        ("x", Kind.TENSOR),
        ("x + 1", Kind.TENSOR),
        ("torch.isfinite(x).all()", Kind.TENSOR),
        ("nn.functional.relu(x)[0]", Kind.TENSOR),
        ("x == 0", Kind.TENSOR),
        ("x.item()", Kind.VALUE),
        ("int(x.max())", Kind.VALUE),
        ("not x.any()", Kind.VALUE),
        ("torch.equal(x, x)", Kind.VALUE),
        ("3 in x", Kind.VALUE),
        ("x.tolist()", Kind.VALUES),
        ("x.tolist()[0]", Kind.VALUE),
        ("x.shape[0]", Kind.SHAPE),
        ("x.size(0) > 1", Kind.SHAPE),
        ("len(x)", Kind.SHAPE),
        ("x.dtype == torch.float16", Kind.PYTHON),
        ("x is None", Kind.PYTHON),
        ("isinstance(x, list)", Kind.PYTHON),
        ("torch.is_grad_enabled()", Kind.PYTHON),
        ("x.split(2)", Kind.TENSORS),
        ("[x, x]", Kind.TENSORS),
        ("x.max(-1)[1]", Kind.TENSOR),
        ("x.nonzero(as_tuple=True)", Kind.TENSORS),
        ("x.nonzero(as_tuple=False)", Kind.TENSOR),
        ("x.max(-1)", Kind.TENSORS),
        ("undefined(x)", Kind.UNKNOWN),
        ("x.no_such_method()", Kind.UNKNOWN),
    ],
)
def test_the_kind_of_an_expression_of_a_tensor(expression: str, kind: Kind) -> None:
    assert kind_at_return(f"def f():\n    x = torch.ones(2)\n    return {expression}") is kind


def test_the_shape_of_what_content_decides_is_a_value() -> None:
    assert kind_at_return("def f(x: torch.Tensor):\n    return x.nonzero().numel()") is Kind.VALUE
    assert kind_at_return("def f(x: torch.Tensor):\n    return len(x[x > 0])") is Kind.VALUE
    assert kind_at_return("def f(x: torch.Tensor):\n    return (x > 0).numel()") is Kind.SHAPE


def test_a_join_keeps_what_may_depend_on_a_tensor() -> None:
    code = """
    def f(x: torch.Tensor, flag):
        found = None
        if flag:
            found = x.sum()
        return found
    """
    assert kind_at_return(code) is Kind.TENSOR


def test_what_one_iteration_leaves_is_known_in_the_next() -> None:
    code = """
    def f(xs: list[torch.Tensor]):
        last = 0
        for x in xs:
            seen = last
            last = x
        return seen
    """
    assert kind_at_return(code) is Kind.TENSOR


@pytest.mark.parametrize(
    ("test", "kind"),
    [
        ("x is None", Kind.PYTHON),
        ("x is not None", Kind.TENSOR),
        ("isinstance(x, torch.Tensor)", Kind.TENSOR),
        ("not isinstance(x, torch.Tensor)", Kind.UNKNOWN),
        ("isinstance(x, (int, float))", Kind.PYTHON),
        ("flag and isinstance(x, int)", Kind.PYTHON),
    ],
)
def test_a_condition_tells_what_a_name_holds_below_it(test: str, kind: Kind) -> None:
    code = f"""
    def f(x: torch.Tensor | float | None, flag):
        if {test}:
            return x
    """
    assert kind_at_return(code) is kind


def test_elements_of_a_returned_tuple_are_known_one_by_one() -> None:
    code = """
    def pad(x: torch.Tensor, width: int):
        values = (0, width)
        return nn.functional.pad(x, values), values

    def f(x: torch.Tensor):
        padded, values = pad(x, 3)
        return {}
    """
    assert kind_at_return(code.replace("{}", "values[1] > 0")) is Kind.PYTHON
    assert kind_at_return(code.replace("{}", "padded")) is Kind.TENSOR


def test_an_iterator_over_rows_gives_tensors() -> None:
    code = """
    def f(image_grid_thw: torch.Tensor, kind: int):
        grids = {1: iter(image_grid_thw) if image_grid_thw is not None else None, 2: None}
        grid = next(grids[kind])
        return grid[1]
    """
    assert kind_at_return(code) is Kind.TENSOR


def test_a_list_that_gets_tensors_holds_tensors() -> None:
    code = """
    def f(x: torch.Tensor):
        found = []
        for _ in range(2):
            found.append(x)
        return found[0]
    """
    assert kind_at_return(code) is Kind.TENSOR


@pytest.mark.parametrize(
    ("attribute", "kind"),
    [
        ("scale", Kind.TENSOR),
        ("weight", Kind.TENSOR),
        ("linear(x)", Kind.TENSOR),
        ("rates[0]", Kind.PYTHON),
        ("config.use_cache", Kind.PYTHON),
        ("training", Kind.PYTHON),
        ("size", Kind.PYTHON),
        ("blocks[0](x)", Kind.TENSOR),
        ("doubled(x)", Kind.TENSOR),
        ("elsewhere", Kind.UNKNOWN),
    ],
)
def test_attributes_and_submodules_of_a_module(attribute: str, kind: Kind) -> None:
    code = f"""
    class Block(nn.Module):
        def forward(self, hidden_states):
            return hidden_states * 2

    class Model(nn.Module):
        def __init__(self, config):
            super().__init__()
            self.config = config
            self.size = 3
            self.rates = [each.item() for each in torch.linspace(0, 1, 3)]
            self.linear = nn.Linear(2, 2)
            self.weight = nn.Parameter(torch.ones(2))
            self.blocks = nn.ModuleList([Block() for _ in range(2)])
            self.register_buffer("scale", torch.ones(2))

        def doubled(self, x):
            return x * 2

        def forward(self, x):
            return self.{attribute}
    """
    assert kind_at_return(code) is kind


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        ("hidden_states", Kind.TENSOR),
        ("attention_mask", Kind.TENSOR),
        ("attention_mask: torch.Tensor | None = None", Kind.TENSOR),
        ("inputs: 'Optional[torch.LongTensor]' = None", Kind.TENSOR),
        ("sizes: list[torch.Tensor]", Kind.TENSORS),
        ("output_attentions: torch.Tensor", Kind.PYTHON),
        ("use_cache", Kind.PYTHON),
        ("flag: torch.Tensor = False", Kind.PYTHON),
        ("config", Kind.PYTHON),
        ("whatever", Kind.UNKNOWN),
    ],
)
def test_what_parameters_hold(parameter: str, kind: Kind) -> None:
    name = parameter.partition(":")[0]
    assert kind_at_return(f"def f({parameter}):\n    return {name}") is kind


def test_a_parameter_of_which_a_method_is_called_that_no_tensor_has_is_none() -> None:
    code = """
    def f(past_key_values: torch.Tensor):
        length = past_key_values.get_seq_length()
        return past_key_values
    """
    assert kind_at_return(code) is Kind.UNKNOWN


def test_a_helper_is_told_what_its_calls_pass() -> None:
    code = """
    def g(x: torch.Tensor):
        return f(x.sum())

    def f(total):
        return total
    """
    assert kind_at_return(code) is Kind.TENSOR


def test_a_helper_that_gets_this_and_that_may_hold_anything() -> None:
    code = """
    def g(x: torch.Tensor, flag: bool):
        return f(x, 1.0), f(flag, True)

    def f(value, default):
        return value
    """
    assert kind_at_return(code) is Kind.UNKNOWN


@pytest.mark.parametrize("text", ["def f(:\n", "x = '\0'"])
def test_what_is_not_python_is_refused(text: str) -> None:
    with pytest.raises(NotPythonError):
        infer(text)


def test_code_that_is_nested_too_deeply_is_refused() -> None:
    with pytest.raises(NotPythonError):
        infer("x = " + "+".join(["a"] * 50_000))


def test_every_form_of_statement_is_followed() -> None:
    code = """
    async def f(x: torch.Tensor, *xs, flag=1, **others):
        async with lock as held:
            del held
        try:
            y: int = 1
        except* ValueError as error:
            raise
        finally:
            pass
        match flag:
            case [first, *_] if first:
                y = x
            case _:
                pass
        while (n := flag):
            flag -= 1
            continue
        else:
            y = x
        async for each in xs:
            break
        y = [i async for i in xs if i], {**others}, {i for i in xs}, {1: 2}, lambda z: z, f"{y!r}"
        return x
    """
    import sys  # noqa: PLC0415

    if sys.version_info < (3, 11):
        code = code.replace("except*", "except")
    assert kind_at_return(code) is Kind.TENSOR
