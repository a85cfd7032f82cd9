"""When an export gets to a dependence: live, or guarded, gated, in training, with labels."""

from __future__ import annotations

import pytest

from tests.support.dependences import found, reaches


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
