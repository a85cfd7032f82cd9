"""Torch's own names: what is said of them, what excuses them, and what their fixes keep."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rocmlint.api import lint_paths
from rocmlint.change.fix import apply_fixes
from rocmlint.config.configuration import Configuration
from rocmlint.lint.linter import Linter
from rocmlint.published.deprecated import deprecated_names
from rocmlint.rules.dependencies._names.published_names import lacking
from rocmlint.rules.dependencies._names.uses import DULL_IMPORTS
from rocmlint.rules.dependencies._torch.successors import SUCCESSORS
from tests.support.repositories import write

if TYPE_CHECKING:
    from rocmlint.findings import Finding

pytestmark = pytest.mark.usefixtures("in_repository")
CODES = ["ROC204", "ROC213", "ROC216", "ROC218"]

LOOKED_AT_ELSEWHERE = {"torch.set_default_tensor_type"}


def lint(text: str, name: str = "job.py") -> list[Finding]:
    path = write(name, text).absolute()
    settings = Configuration({"select": CODES}).settings_for(str(path.parent))
    return list(Linter(settings).lint_text(str(path), text).findings)


def fixed(text: str, *, unsafe: bool = False) -> str:
    return apply_fixes(text, lint(text), unsafe=unsafe)[0]


def in_torch(line: str) -> str:
    return f"import torch\n\n{line}\n"


# Deprecated


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("torch.cuda.amp.autocast()", 'torch.amp.autocast("cuda")'),
        ("torch.cuda.amp.autocast(False)", 'torch.amp.autocast("cuda", enabled=False)'),
        ("torch.cpu.amp.autocast(dtype=d)", 'torch.amp.autocast("cpu", dtype=d)'),
        ("torch.cuda.amp.GradScaler(2.0)", 'torch.amp.GradScaler("cuda", init_scale=2.0)'),
        (
            "torch.cuda.amp.custom_fwd(f, cast_inputs=d)",
            'torch.amp.custom_fwd(f, cast_inputs=d, device_type="cuda")',
        ),
        ("torch.qr(a)", "torch.linalg.qr(a)"),
        ("torch.qr(a, False)", 'torch.linalg.qr(a, mode="complete")'),
        ("torch.chain_matmul(a, b, c)", "torch.linalg.multi_dot([a, b, c])"),
    ],
)
def test_a_fix_calls_what_does_the_same_with_the_same_arguments(old: str, new: str) -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    assert fixed(in_torch(old)) == in_torch(new)


@pytest.mark.parametrize(
    "call",
    [
        "torch.cuda.amp.autocast(*given)",
        "torch.qr(a, some=flag)",
        "torch.chain_matmul(*matrices)",
        "torch.cuda.amp.autocast(\n    True,  # on\n    *rest,\n)",
    ],
)
def test_a_call_whose_arguments_are_not_certain_is_reported_and_stays(call: str) -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    (finding,) = lint(in_torch(call))
    assert finding.code == "ROC213"
    assert finding.fix is None


def test_a_fix_writes_torch_as_the_file_calls_it() -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    text = "import torch as th\n\nth.qr(a)\n"
    assert fixed(text) == "import torch as th\n\nth.linalg.qr(a)\n"


def test_an_imported_name_is_one_finding_at_its_import_and_its_calls_are_rewritten() -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    text = (
        "from torch.cuda.amp import autocast, common\n\n\n"
        "@autocast()\ndef a():\n    with autocast(enabled=False):\n        pass\n"
    )
    (finding,) = lint(text)
    assert (finding.line, finding.column) == (1, 28)
    assert fixed(text) == (
        "from torch.cuda.amp import common\nfrom torch.amp import autocast\n\n\n"
        '@autocast("cuda")\ndef a():\n    with autocast("cuda", enabled=False):\n        pass\n'
    )


def test_an_import_that_another_module_takes_the_name_from_is_no_safe_fix() -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    text = "from torch.cuda.amp import autocast\n\nwith autocast():\n    pass\n"
    (alone,) = lint(text)
    write("other.py", "from job import autocast\n")
    (shared,) = lint(text)
    assert alone.fix is not None
    assert shared.fix is not None
    assert (alone.fix.safe, shared.fix.safe) == (True, False)


def test_a_name_is_one_finding_a_file_whose_fix_covers_all_its_calls() -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    text = "a = torch.qr(x)\nb = torch.qr(y)\n\n\ndef c(z):\n    return torch.qr(z)"
    (finding,) = lint(in_torch(text))
    assert finding.line == 3
    assert finding.help.endswith("The same holds for 2 more places.")
    assert fixed(in_torch(text)) == in_torch(text).replace("torch.qr", "torch.linalg.qr")


def test_a_scaler_whose_class_is_asked_for_is_no_safe_fix() -> None:
    write("requirements.txt", "torch>=2.7,<2.8\n")
    write("requirements.txt", "torch>=2.7,<2.8\n")
    text = "scaler = torch.cuda.amp.GradScaler()\nprint(isinstance(scaler, GradScaler))"
    (finding,) = lint(in_torch(text))
    assert finding.fix is not None
    assert not finding.fix.safe


@pytest.mark.parametrize(
    ("requirement", "codes"),
    [
        ("torch==2.3.1", []),  # it does not warn yet
        ("torch>=2.0", []),  # 2.0 has no other
        ("torch>=2.3", []),
        ("torch>=2.4", ["ROC213"]),
        ("torch>=2.1,<2.4", []),
        ("torch", []),
        ("torch<3", []),
        ("numpy", []),
    ],
)
def test_the_torch_that_may_be_installed_decides(requirement: str, codes: list[str]) -> None:
    write("requirements.txt", f"{requirement}\n")
    assert [each.code for each in lint(in_torch("torch.cuda.amp.GradScaler()"))] == codes


@pytest.mark.parametrize(
    ("requirement", "codes"),
    [
        ("torch>=2.4", []),
        ("torch", []),
        ("torch>=2.13", ["ROC213"]),
        ("torch==2.13.0", ["ROC213"]),
        ("torch==2.10.0", []),
    ],
)
def test_a_deprecation_that_an_allowed_torch_does_not_know_is_left_alone(
    requirement: str, codes: list[str]
) -> None:
    """Real code: ROCm/mori, ROCm/TransformerEngine, which keep the old name for older releases."""
    write("requirements.txt", f"{requirement}\n")
    text = "import torch.distributed as dist\n\ndist.all_gather_into_tensor(a, b)\n"  # since 2.13
    assert [each.code for each in lint(text)] == codes


def test_the_release_in_which_a_name_goes_is_told_and_from_then_on_it_is_removed() -> None:
    call = in_torch("torch.cholesky(a)")
    write("requirements.txt", "torch>=2.12,<2.14\n")
    (deprecated,) = lint(call)
    write("requirements.txt", "torch==2.14.1\n")
    (removed,) = lint(call)
    assert (deprecated.code, deprecated.severity) == ("ROC213", "note")
    assert deprecated.message.endswith("and will be removed in 2.14")
    assert (removed.code, removed.severity) == ("ROC204", "error")
    assert removed.message == "Calls to `torch.cholesky` have raised an exception since torch 2.14"


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    torch.symeig(a)\nexcept RuntimeError:\n    pass",
        "if hasattr(torch, 'symeig'):\n    torch.symeig(a)",
        "solver.symeig(a)",
        "def symeig(a):\n    return torch.linalg.eigh(a)\n\n\nsymeig(a)",
    ],
)
def test_code_that_is_ready_and_other_functions_are_left_alone(text: str) -> None:
    assert lint(in_torch(text)) == []


def test_a_handler_that_calls_the_same_function_again_is_no_way_without_it() -> None:
    write("requirements.txt", "torch>=2.0\n")
    begun = "import torch\n\ntry:\n    x = torch.solve(b, a)\nexcept RuntimeError:\n"
    assert [each.line for each in lint(f"{begun}    x = torch.solve(b, a + eps)\n")] == [4, 6]
    assert not lint(f"{begun}    x = torch.linalg.solve(a, b)\n")


def test_a_test_runs_by_its_name_whatever_calls_it_besides() -> None:
    write("requirements.txt", "torch>=2.0\n")
    (finding,) = lint(
        "import unittest\n\nimport torch\n\n\nclass TestSolve(unittest.TestCase):\n"
        "    def test_solve(self, cuda=False):\n        x = torch.solve(b, a)\n\n"
        "    def test_on_gpu(self):\n        if torch.cuda.is_available():\n"
        "            self.test_solve(cuda=True)\n",
        "tests/test_solve.py",
    )
    assert finding.line == 8


def test_every_successor_is_looked_for() -> None:
    """Each line of the table is found in a file that holds nothing but a call of it."""
    write("requirements.txt", "torch>=2.12,<2.14\n")
    for dotted, successor in SUCCESSORS.items():
        assert successor.new != dotted
        module = dotted.rpartition(".")[0]
        (finding, *_) = lint(f"import {module}\n\n{dotted}(a, b)\n")
        assert finding.code in {"ROC213", "ROC204"}, dotted


def test_every_deprecated_function_is_looked_for_however_it_is_imported() -> None:
    write("requirements.txt", "torch==2.13.0\n")
    for dotted in sorted(set(deprecated_names()) - SUCCESSORS.keys()):
        module, _, name = dotted.rpartition(".")
        called, imported = (
            [each.code for each in lint(text)]
            for text in (
                f"import {module}\n\n{dotted}(a, b)\n",
                f"from {module} import {name}\n\n{name}(a, b)\n",
            )
        )
        assert called == imported, dotted
        assert called in (["ROC204"], ["ROC213"]) or dotted in LOOKED_AT_ELSEWHERE, dotted


@pytest.mark.parametrize(
    "text",
    [
        "import torch as th\n\nth.range(1, 3)\n",
        "import torch\n\nth = torch\nth.range(1, 3)\n",
        "import torch\n\nx = torch .svd(y)\n",
        "from torch import nn\n\nnn.UpsamplingNearest2d(2)\n",
        "import torch.nn as tnn\n\ntnn.UpsamplingNearest2d(2)\n",
        "from torch.nn import utils as u\n\nu.weight_norm(layer)\n",
        "from torch.nn.utils import (\n    a,\n    weight_norm as norm,\n)\n\nnorm(b)\n",
        "import functorch as f\n\nf.make_functional(model)\n",
        "import numpy as np; import torch\n\nif True: torch.svd(x)\n",
    ],
)
def test_a_deprecated_function_is_found_by_each_name_that_a_file_gives_it(text: str) -> None:
    write("requirements.txt", "torch==2.13.0\n")
    assert [each.code for each in lint(text)] == ["ROC213"]


# torchvision


def test_what_only_the_program_knows_is_no_finding() -> None:
    text = "from torchvision.models import resnet50\n\nresnet50(pretrained=flag)\n"
    assert lint(text) == []


def test_weights_by_position_are_named() -> None:
    write("requirements.txt", "torchvision>=0.20\n")
    text = "from torchvision import models\n\nmodels.resnet18(True)\n"
    assert fixed(text).endswith('models.resnet18(weights="IMAGENET1K_V1")\n')


def test_weights_that_depend_on_other_arguments_are_no_finding() -> None:
    text = "from torchvision.models.quantization import resnet50\n\nresnet50(pretrained=True)\n"
    assert lint(text) == []


# torch.load


@pytest.mark.parametrize(
    ("use", "what"),
    [
        ("model.eval()", "a whole model"),
        ("model(batch)", "a whole model"),
        ("model['ema'].state_dict()", 'a module or optimizer in `"ema"`'),
        ("model['args'].lr", 'an object in `"args"`'),
    ],
)
def test_a_load_is_judged_by_what_becomes_of_it(use: str, what: str) -> None:
    write("requirements.txt", "torch==2.7.1\n")
    (finding,) = lint(in_torch(f"model = torch.load(path)\n{use}"))
    assert finding.message == f"Since torch 2.6, `torch.load` refuses {what} by default"
    assert finding.severity == "error"
    assert "weights_only=False" in fixed(in_torch(f"model = torch.load(path)\n{use}"), unsafe=True)


@pytest.mark.parametrize(
    "use",
    [
        "net.load_state_dict(model)",
        "model['args'].get('lr')",
        "model['weight'].shape",
        "model = Net(model)\nmodel.eval()",
        "torch.serialization.add_safe_globals([Net])\nmodel.eval()",
        "def train(model):\n    return model",
    ],
)
def test_a_load_of_which_tensors_are_enough_is_left_alone(use: str) -> None:
    assert lint(in_torch(f"model = torch.load(path)\n{use}")) == []


@pytest.mark.parametrize(
    ("requirement", "severity"),
    [("torch<2.6", []), ("torch>=2.4", ["warning"]), ("torch>=2.6", ["error"])],
)
def test_a_load_fails_with_a_torch_that_has_the_new_default(
    requirement: str, severity: list[str]
) -> None:
    write("requirements.txt", f"{requirement}\n")
    found = lint(in_torch("model = torch.load(path)\nmodel.eval()"))
    assert [each.severity for each in found] == severity


def test_a_project_that_changes_the_function_is_left_alone() -> None:
    Path("compat.py").write_text("import torch\n\ntorch.load = load_all\n")
    assert lint(in_torch("model = torch.load(path)\nmodel.eval()")) == []


# Removed


def test_without_a_declared_torch_only_what_is_gone_in_each_of_today_is_told() -> None:
    assert lint(in_torch("torch.cholesky(a)")) == []  # there until 2.13
    (finding,) = lint(in_torch("torch.symeig(a)"))
    assert (finding.code, finding.severity) == ("ROC204", "warning")


def test_without_a_declared_torch_a_function_is_told_once_a_project() -> None:
    write("a.py", in_torch("torch.symeig(a)\ntorch.symeig(b)\ntorch.lstsq(a, b)"))
    write("b.py", in_torch("torch.symeig(c)"))
    found = lint_paths(["."], options={"select": ["ROC204"]})
    assert [(each.path, each.line) for each in found] == [("a.py", 3), ("a.py", 5)]
    write("requirements.txt", "torch==2.7.1\n")
    assert len(lint_paths(["."], options={"select": ["ROC204"]})) == 4


# Modules


@pytest.mark.parametrize(
    ("module", "codes"),
    [("torch._six", ["ROC204"]), ("torch.distributed._tensor.device_mesh", [])],
)
def test_a_module_that_its_package_may_put_into_sys_modules_is_not_called_gone(
    module: str, codes: list[str]
) -> None:
    write("requirements.txt", "torch==2.7.0\n")
    assert [each.code for each in lint(f"from {module} import name\n")] == codes


def test_every_torch_has_what_the_imports_name_that_are_not_looked_at() -> None:
    dull = re.compile(DULL_IMPORTS)
    for module in ("torch.nn", "torch.nn.functional"):
        assert dull.fullmatch(f"import {module} as name\n")
        assert not lacking(module)
    assert not dull.match("import torch.nn as nn, torch.foreach\n")
    assert not dull.match("import torch.nn.attention\n")
