"""Where control flow depends on a tensor."""

from __future__ import annotations

import textwrap

import pytest

from rocmlint.models.tensors.inference import infer
from rocmlint.models.tensors.loops import looped_over
from tests.support.dependences import HEAD, dependences, found, reaches


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("if x.sum() > 0: x = x + 1", "branch"),
        ("while x.sum() > 0: x = x - 1", "branch"),
        ("y = 1 if x.any() else 2", "branch"),
        ("y = [i for i in range(3) if x[i] > 0]", "branch"),
        ("y = x.any() or x.all()", "branch"),
        ("y = not x.any()", "branch"),
        ("if x.nonzero().numel() == 0: return x", "branch"),
        ("if torch.isnan(x).any(): raise ValueError", "raise"),
        ("assert x.min() >= 0", "assert"),
        ("for row in x.abs(): x = x + row", "loop"),
        ("for i, row in enumerate(zip(x - 2, x)): x = x + i", "loop"),
        ("y = [row for row in x.relu()]", "loop"),
        ("y = x.max().item()", "read"),
        ("y = x.tolist()", "read"),
        ("y = x.detach().cpu().numpy()", "read"),
        ("y = int(x.max())", "read"),
        ("y = max(x[0], x[1])", "read"),
        ("y = torch.equal(x, x)", "read"),
        ("y = elsewhere().item()", "read"),
        ("y = [1, 2][x[0]]", "read"),
        ("y = x.shape[int(x[0])]", "read"),
        ("y = {0: 1}[x[0].item()]", "read"),
    ],
)
def test_a_place_where_python_needs_the_content_of_a_tensor(statement: str, what: str) -> None:
    assert found(statement) == [(what, "live")]


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("if x.any():\n    raise ValueError(f'{x.max().item()}')", "raise"),
        ("if x.any():\n    seen = x.tolist()\n    raise ValueError(seen)", "raise"),
        ("if x.any():\n    logger.warning('%s', x.max().item())\n    x = x + 1", "branch"),
        ("assert x.all(), f'{int(x.max())}'", "assert"),
    ],
)
def test_what_a_message_reads_adds_nothing_to_the_condition_above_it(
    statement: str, what: str
) -> None:
    assert found(statement) == [(what, "live")]


def test_a_message_below_no_condition_is_read_whenever_the_model_runs() -> None:
    assert found("logger.info(f'{int(x.max())}')") == [("read", "live")]


def test_a_loop_over_what_is_read_is_a_read_too() -> None:
    assert found("for n in x.tolist(): y = n") == [("loop", "live"), ("read", "live")]
    assert found("for i in range(int(x.max())): y = i") == [("loop", "live"), ("read", "live")]


@pytest.mark.parametrize(
    "statement",
    [
        "if x is None: x = 1",
        "if x.shape[0] > 1: x = x + 1",
        "if len(x) > 1: x = x + 1",
        "if x.dtype == torch.float16: x = x.float()",
        "if isinstance(x, list): x = x[0]",
        "if self.training: x = x + 1",
        "for i in range(x.shape[0]): x = x + i",
        "for part in x.chunk(2): x = part",
        "for layer in self.layers: x = layer(x)",
        "for weight in torch.linspace(0, 1, 4): x = x * weight",
        "assert x.ndim == 2",
        "if x.device.type == 'cuda': x = x.cpu()",
        "torch._check(x.max().item() < 5)",
        "assert x.max().item() < 5",
        "y = int(x.shape[0])",
        "y = max(x.shape[0], x.shape[1])",
        "if mask is not None and mask.dim() == 2: x = x + mask",
        "parts = {'a': x, 'b': x}\nfor key in parts: y = parts[key] if key in parts else 0",
        "if x.ndim != 2: raise ValueError(f'{x.max().item()}')",
        "assert x.ndim == 2, x.tolist()",
        "assert x.max().item() < 5, f'{x.max().item()}'",
    ],
)
def test_a_place_that_asks_for_no_content(statement: str) -> None:
    assert found(statement) == []


@pytest.mark.parametrize(
    ("iterable", "over"),
    [
        ("x.abs()", "rows"),
        ("zip(x.abs(), x.tolist())", "values"),
        ("enumerate(itertools.groupby(x.tolist()))", "groups"),
        ("zip(x.tolist(), range(x.max().item()))", "count"),
    ],
)
def test_what_a_loop_runs_over(iterable: str, over: str) -> None:
    inference = infer(f"{HEAD}        for each in {iterable}: pass")
    (loop,) = [each for each in inference.dependences if each.what == "loop"]
    assert looped_over(loop.expression, inference.held) == over


@pytest.mark.parametrize(
    ("statement", "spared_by"),
    [
        ("if positions is None: positions = self.count(x)", "positions"),
        ("if positions is None and x.ndim == 2: positions = self.count(x)", "positions"),
        ("positions = positions if positions is not None else self.count(x)", "positions"),
        ("if positions is None or x.ndim == 2: positions = self.count(x)", ""),
        ("if x is None: positions = self.count(x)", ""),
        ("if positions is None: positions = self.count(x)\n            self.count(x)", ""),
    ],
)
def test_a_parameter_that_spares_forward_what_depends(statement: str, spared_by: str) -> None:
    code = f"""
    class Model(nn.Module):
        def forward(self, x: torch.Tensor, positions=None):
            {statement}
            return positions

        def count(self, x):
            return self.inner(x)

        def inner(self, x: torch.Tensor):
            return int(x.max())
    """
    inference = infer("import torch\nfrom torch import nn\n" + textwrap.dedent(code))
    assert [each.spared_by for each in inference.dependences] == [spared_by]


def test_a_private_function_that_is_given_sizes_has_no_tensor_whatever_its_annotation() -> None:
    code = """
    class Model(nn.Module):
        def forward(self, x: torch.Tensor):
            return self._length(x.shape[-1])

        def _length(self, lengths: torch.LongTensor):
            return int((lengths - 1) / 2)
    """
    assert reaches(code) == {}
    assert reaches(code.replace("x.shape[-1]", "x.sum()")) == {"Model._length": "live"}


def test_the_place_is_that_of_the_expression() -> None:
    (only,) = dependences("y = 1\nif (x > 0).all(): y = 2")
    assert (only.line, only.column, only.function) == (8, 12, "Model.forward")


@pytest.mark.parametrize("parameter", ["feats: torch.Tensor", "hidden_states", "x"])
def test_a_parameter_that_only_its_name_or_annotation_calls_a_tensor_may_be_a_list(
    parameter: str,
) -> None:
    name = parameter.partition(":")[0]
    code = f"""
    class Model(nn.Module):
        def forward(self, {parameter}):
            return [each + 1 for each in {name}]
    """
    assert reaches(code) == {}
