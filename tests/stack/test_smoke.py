"""What ``stack show --smoke`` sees when it imports the packages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.interpreter.ask import Interpreter
from rocmlint.stack.show import read_stack

if TYPE_CHECKING:
    from rocmlint.stack.show import Stack
    from tests.support.stacks import FakeEnvironment, FakeMachine


pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("rocm_7_1")]


def test_smoke_sees_that_torch_is_switched_off_and_why(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.4.1+rocm6.1", "6.1.40091")
    packages.install("transformers", "5.23.0")
    packages.write("transformers/utils/__init__.py", "")
    packages.write("transformers/__init__.py", "__version__ = '5.23.0'\n")
    packages.write(
        "transformers/utils/import_utils.py",
        "import os\n"
        "def is_torch_available():\n"
        "    os.write(2, b'Disabling PyTorch because PyTorch >= 2.6 is required\\n')\n"
        "    return False\n",
    )
    observed = [
        each
        for each in packages.show(here, smoke=True).verdicts
        if each.grade == "observed" and each.judgement == "conflict"
    ]
    assert [(each.package, each.on) for each in observed] == [("transformers", "torch")]
    assert "PyTorch >= 2.6 is required" in observed[0].reason


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise ImportError('libamdhip64.so.7: cannot open')\n", "libamdhip64.so.7"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "was killed by SIGSEGV"),
    ],
)
def test_an_import_that_fails_or_crashes_is_one_conflict_and_the_rest_is_answered(
    packages: FakeEnvironment, here: FakeMachine, code: str, said: str
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("bitsandbytes", "0.50.2")
    packages.write("bitsandbytes/__init__.py", code)
    packages.install("peft", "0.21.2")
    packages.write("peft/__init__.py", "")
    observed = {
        each.package: each
        for each in packages.show(here, smoke=True).verdicts
        if each.grade == "observed"
    }
    assert {name: each.judgement for name, each in observed.items()} == {
        "torch": "fits",
        "bitsandbytes": "conflict",
        "peft": "fits",
    }
    assert said in observed["bitsandbytes"].reason


def test_smoke_compares_the_gpu_with_what_torch_has_code_for(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write(
        "torch/__init__.py",
        "from . import version\n"
        "class cuda:\n"
        "    get_arch_list = staticmethod(lambda: ['gfx90a', 'gfx942'])\n"
        "    device_count = staticmethod(lambda: 2)\n"
        "    class get_device_properties:\n"
        "        def __init__(self, index):\n"
        "            self.name = 'x'\n"
        "            self.gcnArchName = ['gfx942:sramecc+:xnack-', 'gfx1036'][index]\n",
    )
    stack = packages.show(here, smoke=True)
    judged = {each.on: each.judgement for each in stack.verdicts if "code for" in each.requirement}
    assert judged == {"gfx942": "fits", "gfx1036": "note"}
    assert stack.observed is not None
    assert stack.observed.devices == ("gfx942:sramecc+:xnack-", "gfx1036")


def observed(stack: Stack, name: str) -> list[tuple[str, str]]:
    return [
        (each.judgement, each.reason)
        for each in stack.verdicts
        if each.grade == "observed" and each.package == name
    ]


def test_an_import_that_does_not_end_in_time_is_left_open(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("peft", "0.21.2")
    packages.write("peft/__init__.py", "import time\ntime.sleep(600)\n")
    interpreter = Interpreter(str(packages.python), timeout=2)
    stack = read_stack(interpreter, smoke=True, machine=here.machine)
    ((judgement, reason),) = observed(stack, "peft")
    assert (judgement, stack.exit_code) == ("unknown", 3)
    assert "did not answer within 2 s" in reason


def test_an_import_that_prints_without_end_is_one_conflict(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.install("peft", "0.21.2")
    packages.write("peft/__init__.py", "while True:\n    print('y' * 10_000)\n")
    ((judgement, reason),) = observed(packages.show(here, smoke=True), "peft")
    assert judgement == "conflict"
    assert reason == f"import peft fails: {packages.python} printed more than 50,000,000 bytes"


def test_a_torch_that_fails_when_it_is_asked_for_gpus_is_not_said_to_see_none(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write(
        "torch/__init__.py",
        "class cuda:\n"
        "    def get_arch_list():\n"
        "        raise RuntimeError('HIP error: invalid device ordinal')\n",
    )
    stack = packages.show(here, smoke=True)
    assert (
        "unknown",
        "torch cannot list its GPUs: RuntimeError: HIP error: invalid device ordinal",
    ) in observed(stack, "torch")
    assert stack.observed is not None
    assert stack.observed.devices is None


@pytest.mark.parametrize(
    ("package", "action"),
    [
        ("peft==0.21.2", "pip install --force-reinstall --no-deps peft==0.21.2"),
        ("vllm==0.17.1", "install a ROCm build of vllm==0.17.1 with --no-deps"),
        ("flash-attn==2.8.3", "--no-build-isolation --no-cache-dir flash-attn==2.8.3"),
        (
            "torchvision==0.25.0",
            "pip uninstall -y torchvision, then rocmlint stack install-command --rocm 7.1.0",
        ),
    ],
)
def test_what_cannot_be_imported_is_installed_anew_from_where_it_is_for_rocm(
    packages: FakeEnvironment, here: FakeMachine, package: str, action: str
) -> None:
    name, _, version = package.partition("==")
    packages.install(name, version)
    packages.write(f"{name.replace('-', '_')}/__init__.py", "raise ImportError('no symbol')\n")
    (verdict,) = (each for each in packages.show(here, smoke=True).verdicts if each.on != "ROCm")
    assert action in verdict.action


FLASH = """\
import os
if os.getenv("FLASH_ATTENTION_TRITON_AMD_ENABLE", "FALSE") == "TRUE":
    gpu = None
else:
    import flash_attn_2_cuda as gpu
"""


@pytest.mark.parametrize(
    ("code", "compiled", "hip"),
    [
        (FLASH, "", "7.1.25424"),
        (FLASH, "flash_attn_2_cuda.cpython-311-x86_64-linux-gnu.so", "7.1.25424"),
        (FLASH, "", ""),
        ("import flash_attn_2_cuda", "", "7.1.25424"),
    ],
)
def test_flash_attn_without_compiled_code_is_told_its_switch(
    packages: FakeEnvironment, here: FakeMachine, code: str, compiled: str, hip: str
) -> None:
    packages.torch("2.10.0", hip)
    packages.install("flash-attn", "2.7.4.post1")
    packages.write("flash_attn/__init__.py", "from . import interface")
    packages.write("flash_attn/interface.py", code)
    if compiled:
        packages.write(compiled, "")
    found = packages.show(here, smoke=True).verdicts
    (failed,) = [e for e in found if e.package == "flash-attn" and e.grade == "observed"]
    assert failed.judgement == "conflict"
    sets = failed.action == "export FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE"
    assert sets == (code == FLASH and not compiled and bool(hip))
