"""Where control flow depends on a tensor, and when an export gets there."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from rocmlint.tensors.inference import infer
from rocmlint.tensors.loops import looped_over

if TYPE_CHECKING:
    from rocmlint.tensors.dependence import Dependence

HEAD = """
import torch
from torch import nn

class Model(nn.Module):
    def forward(self, x: torch.Tensor, labels=None, mask: torch.Tensor = None):
"""


def dependences(body: str) -> list[Dependence]:
    """Return those of a `forward` with this body."""
    return list(
        infer(HEAD + textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)).dependences
    )


def found(body: str) -> list[tuple[str, str]]:
    """Return what and when of each."""
    return [(each.what, each.reach) for each in dependences(body)]


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
    ("body", "reach"),
    [
        ("if x.dtype == torch.float16 and not torch.isfinite(x).all(): x = x + 1", "dtype-gated"),
        ("if x.dtype == torch.float16:\n    if x.any(): x = x + 1", "dtype-gated"),
        ("if self.training:\n    if x.any(): x = x + 1", "training"),
        ("drop = self.training and x.any()\nif drop: x = x + 1", "training"),
        ("drop = False\nif self.training: drop = x.any()\nif drop: x = x + 1", "training"),
        ("if labels is not None:\n    if x.any(): x = x + 1", "labels"),
        ("if self.counts and return_loss is True:\n    if x.any(): x = x + 1", "labels"),
        ("if torch.distributed.is_initialized():\n    if x.any(): x = x + 1", "guarded"),
        ("if labels is None: return x\nif x.any(): x = x + 1", "labels"),
        ("if not torch.compiler.is_exporting():\n    if x.any(): x = x + 1", "guarded"),
        ("if torch.compiler.is_compiling(): return x\nif x.any(): x = x + 1", "guarded"),
        ("if not is_torchdynamo_compiling() and x.any(): x = x + 1", "guarded"),
        ("if not (is_compiling() and self.fast) and x.any(): x = x + 1", "guarded"),
        ("if torch.jit.is_tracing():\n    if x.any(): x = x + 1", "guarded"),
        ("if torch.compiler.is_exporting():\n    if x.any(): x = x + 1", "live"),
        ("if self.cache.is_initialized and x.any(): x = x + 1", "live"),
        ("if not self.training:\n    if x.any(): x = x + 1", "live"),
        ("loss = F.mse_loss(x, mask)\nif x.any(): x = x + 1", "labels"),
        ("l1_loss = x.mean()\nif l1_loss.isnan(): x = x + 1", "labels"),
        ("aux_loss = x.mean()\nif aux_loss.isnan(): x = x + 1", "labels"),
        ("loss = None\nif x.any(): x = x + 1", "live"),
        ("if labels is not None: loss = F.mse_loss(x, labels)\nif x.any(): x = x + 1", "live"),
        ("commit_loss = self.quantize(x)\nif x.any(): x = x + 1", "live"),
        ("if self.config.checks or self.training:\n    if x.any(): x = x + 1", "live"),
    ],
)
def test_a_condition_around_it_says_when_it_runs(body: str, reach: str) -> None:
    assert found(body)[-1] == ("branch", reach)


def reaches(code: str) -> dict[str, str]:
    """Return when each function with a dependence runs."""
    inference = infer("import torch\nfrom torch import nn\n" + textwrap.dedent(code))
    return {each.function: each.reach for each in inference.dependences}


def test_a_function_runs_when_its_callers_do() -> None:
    code = """
    def helper(x: torch.Tensor):
        if x.any(): return 1

    def loss_of(x: torch.Tensor):
        if x.any(): return 2

    def nobody_calls(x: torch.Tensor):
        if x.any(): return 3

    class Model(nn.Module):
        def forward(self, x: torch.Tensor, labels=None):
            x = self.inner(x)
            if labels is not None:
                return loss_of(x)
            return x

        def inner(self, x):
            return helper(x)

        def generate(self, x: torch.Tensor):
            if x.any(): return 4
    """
    assert reaches(code) == {
        "helper": "live",
        "loss_of": "labels",
        "nobody_calls": "unreached",
        "Model.generate": "unreached",
    }


def test_a_local_name_is_no_call_of_the_method_that_is_called_so() -> None:
    code = """
    class Model(nn.Module):
        def forward(self, x: torch.Tensor):
            generate = False
            return x if generate else x + 1

        def generate(self, x: torch.Tensor):
            if x.any(): return 4
    """
    assert reaches(code) == {"Model.generate": "unreached"}


@pytest.mark.parametrize(
    "loop",
    [
        "for row, layer in zip(x, self.layers): y = layer(row)",
        "for i, row in enumerate(x): y = self.layers[i](row)",
    ],
)
def test_a_loop_with_a_submodule_for_each_row_has_as_many_iterations(loop: str) -> None:
    code = f"""
    class Model(nn.Module):
        def __init__(self):
            self.layers = nn.ModuleList([nn.Linear(2, 2)])

        def forward(self, x: torch.Tensor):
            x = x.abs()
            {loop}
    """
    assert reaches(code) == {}


def test_a_loop_over_experts_is_bypassed_where_exports_use_another() -> None:
    code = """
    @use_experts_implementation
    class Experts(nn.Module):
        def forward(self, hidden_states, top_k_index: torch.Tensor):
            for expert in (top_k_index > 0).nonzero():
                hidden_states = hidden_states + expert
    """
    assert reaches(code) == {"Experts.forward": "bypassed"}


def test_what_a_function_tells_only_outside_of_exports_is_guarded() -> None:
    code = """
    def is_odd(x: torch.Tensor):
        if x.numel() == 0 or torch.compiler.is_compiling():
            return False
        return not x.isfinite().all()

    class Model(nn.Module):
        def forward(self, x: torch.Tensor):
            if is_odd(x):
                x = x + 1
            return x
    """
    assert reaches(code)["Model.forward"] == "guarded"


def test_a_loss_has_labels() -> None:
    code = """
    class ContrastiveLoss(nn.Module):
        def forward(self, x: torch.Tensor):
            if x.any(): return x
    """
    assert reaches(code) == {"ContrastiveLoss.forward": "labels"}


@pytest.mark.parametrize(
    "statement",
    [
        "loss_dict = {'l1': x.mean().item()}",
        "loss_dict['l1'] = x.mean().item()",
        "metrics.update(l1=x.mean().item())",
        "y = l1_loss.mean().item()",
    ],
)
def test_what_fills_a_dictionary_of_metrics_has_labels(statement: str) -> None:
    assert found(statement) == [("read", "labels")]


@pytest.mark.parametrize("returned", ["loss", "loss, loss_dict", "loss, {'l1': x}"])
def test_a_forward_that_returns_the_loss_has_labels(returned: str) -> None:
    assert found(f"if x.any(): x = x + 1\nreturn {returned}") == [("branch", "labels")]


@pytest.mark.parametrize("returned", ["x, loss", "(loss, x)", "x"])
def test_a_forward_that_returns_more_than_the_loss_may_have_none(returned: str) -> None:
    assert found(f"if x.any(): x = x + 1\nreturn {returned}") == [("branch", "live")]


def test_the_forward_of_an_autograd_function_is_none_of_a_module() -> None:
    code = """
    class Round(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x: torch.Tensor):
            if x.any(): return x
    """
    assert reaches(code) == {"Round.forward": "unreached"}


@pytest.mark.parametrize(
    "bases",
    [
        "(Transform)",
        "(v2.Transform)",
        "(BaseTransform)",
        "(PipelineStage)",
        "(base.DenoisingStage)",
        "(Base)",
        "(ABC, Generic[T])",
        "(AttentionImpl)",
    ],
)
def test_the_forward_of_what_is_no_module_is_not_exported(bases: str) -> None:
    code = f"""
    class Base(ABC):
        pass

    class Part{bases}:
        def forward(self, x: torch.Tensor):
            if x.any(): return x
    """
    assert reaches(code) == {"Part.forward": "unreached"}


@pytest.mark.parametrize(
    "bases",
    ["", "(Base)", "(Elsewhere)", "(SpectralTransform, nn.Module)", "(AttentionImpl, nn.Module)"],
)
def test_what_may_be_a_module_is_taken_for_one(bases: str) -> None:
    code = f"""
    class Base(nn.Module):
        pass

    class Part{bases}:
        def forward(self, x: torch.Tensor):
            if x.any(): return x
    """
    assert reaches(code) == {"Part.forward": "live"}


@pytest.mark.parametrize("read", ["bool(mask.any())", "int(mask.sum())", "mask.max().item()"])
def test_what_was_read_before_forward_runs_is_a_python_value(read: str) -> None:
    code = f"""
    class Model(nn.Module):
        def plan(self, mask: torch.Tensor):
            self.known = {read}

        def forward(self, x: torch.Tensor):
            if self.known: x = x + 1
            return x
    """
    assert "Model.forward" not in reaches(code)
    assert reaches(code.replace("x = x + 1", "self.plan(x)"))["Model.forward"] == "live"


@pytest.mark.parametrize(
    ("call", "found"),
    [
        ("self.attend(x)", {}),
        ("self.attend(x=x)", {}),
        ("self.attend(x, x)", {"Model.attend": "live"}),
        ("self.attend(x, mask=x)", {"Model.attend": "live"}),
        ("self.attend(x, **kwargs)", {"Model.attend": "live"}),
        ("self.attend(*x)", {"Model.attend": "live"}),
        ("elsewhere(self.attend)", {"Model.attend": "live"}),
        ("self.attend(x), getattr(self, 'attend')", {"Model.attend": "live"}),
    ],
)
def test_an_optional_parameter_that_no_call_passes_is_none(
    call: str, found: dict[str, str]
) -> None:
    code = f"""
    class Model(nn.Module):
        def forward(self, x: torch.Tensor, **kwargs):
            return {call}

        def attend(self, x, mask: torch.Tensor | None = None):
            if mask is not None and not mask.all(): x = x + 1
            return x
    """
    assert reaches(code) == found


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
