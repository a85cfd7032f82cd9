"""What ``stack show`` says of real and of made environments."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from packaging.requirements import Requirement
from stacks import FakeEnvironment, FakeMachine

from rocmlint.stack.declared import declared
from rocmlint.stack.guards import guards
from rocmlint.stack.installed import read_environment
from rocmlint.stack.show import Stack, read_stack
from rocmlint.stack.torch_build import read_torch
from rocmlint.verify.interpreter import Interpreter

if TYPE_CHECKING:
    from conftest import Project

    from rocmlint.stack.installed import Environment
    from rocmlint.stack.verdicts import Verdict

SCHEMA = Path(__file__).parent.parent / "docs" / "schema" / "stack.json"
TRANSFORMERS = distribution("transformers")
# What the ROCm wheel of torch 2.4.1 requires: the METADATA on PyPI with ROCm's triton in place of
# CUDA's and without CUDA's libraries.
TORCH_2_4_1 = (
    "filelock",
    "typing-extensions>=4.8.0",
    "sympy",
    "networkx",
    "jinja2",
    "fsspec",
    'pytorch-triton-rocm==3.0.0; platform_system == "Linux" and platform_machine == "x86_64"',
    'opt-einsum>=3.3; extra == "opt-einsum"',
)


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeEnvironment:
    # An interpreter finds packages in the folder where it is started too.
    monkeypatch.chdir(tmp_path)
    return FakeEnvironment(tmp_path / "venv")


def read(packages: FakeEnvironment) -> Environment:
    return read_environment(Interpreter(str(packages.python)))


def show(packages: FakeEnvironment, here: FakeMachine, *, smoke: bool = False) -> Stack:
    return read_stack(Interpreter(str(packages.python)), smoke=smoke, machine=here.machine)


def standing(verdicts: tuple[Verdict, ...]) -> list[tuple[str, str, str]]:
    """Give what does not fit."""
    return [
        (each.package, each.requirement, each.judgement)
        for each in verdicts
        if each.judgement != "fits"
    ]


@pytest.fixture(scope="module")
def old_torch(tmp_path_factory: pytest.TempPathFactory) -> FakeEnvironment:
    """Lay down transformers 5 as it is installed here beside the ROCm wheel of torch 2.4.1."""
    packages = FakeEnvironment(tmp_path_factory.mktemp("old") / "venv")
    packages.torch("2.4.1+rocm6.1", "6.1.40091-a8dbc0c19")
    packages.install("torch", "2.4.1+rocm6.1", TORCH_2_4_1)
    packages.install("pytorch-triton-rocm", "3.0.0")
    for name in ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec"):
        packages.install(name, distribution(name).version)
    folder = f"transformers-{TRANSFORMERS.version}.dist-info"
    packages.write(f"{folder}/METADATA", TRANSFORMERS.read_text("METADATA") or "")
    for each in map(Requirement, TRANSFORMERS.requires or ()):
        if each.marker is None:
            packages.install(each.name, distribution(each.name).version)
    for path in ("utils/import_utils.py", "dependency_versions_check.py"):
        packages.write(f"transformers/{path}", installed_text(path))
    packages.write(
        "transformers/dependency_versions_table.py",
        installed_text("dependency_versions_table.py"),
    )
    packages.write("transformers/__init__.py", "")
    return packages


def is_torch(requirement: Requirement) -> bool:
    return str(requirement.marker) == 'extra == "torch"' and requirement.name == "torch"


def installed_text(path: str) -> str:
    spec = importlib.util.find_spec("transformers")
    assert spec is not None
    assert spec.origin is not None
    return (Path(spec.origin).parent / path).read_text()


def test_pip_check_finds_nothing_where_transformers_does_without_torch(
    old_torch: FakeEnvironment,
) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(old_torch.python), "check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ended.stdout.strip(), ended.returncode) == ("No broken requirements found.", 0)


def test_show_finds_what_the_extra_and_the_code_of_transformers_demand(
    old_torch: FakeEnvironment, project: Project
) -> None:
    ended = project.run("stack", "show", "--python", str(old_torch.python))
    assert ended.returncode == 1
    told = ended.stdout[ended.stdout.index("conflict: ") :].split("\n\n")[0].splitlines()
    assert told[0] == f"conflict: transformers {TRANSFORMERS.version} and torch 2.4.1+rocm6.1"
    (floor,) = (each for each in map(Requirement, TRANSFORMERS.requires or ()) if is_torch(each))
    needs = f"it requires torch{floor.specifier} with its extra 'torch'"
    assert told[1].startswith(f"  declared:   {needs}")
    assert told[2].startswith("  code guard: its code switches PyTorch off at import")
    assert told[3].startswith("  do:         pip install transformers==5.14.1 (keeps torch 2.4.1")
    assert re.search(r"rocmlint stack install-command --rocm \d+\.\d+ --torch 2\.\d+\Z", told[3])


def test_the_json_follows_its_schema(old_torch: FakeEnvironment, project: Project) -> None:
    ended = project.run(
        "stack", "show", "--python", str(old_torch.python), "--output-format", "json"
    )
    document = json.loads(ended.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert (document["verb"], document["exit_code"], ended.returncode) == ("show", 1, 1)
    assert document["torch"]["rocm_release"] == "6.1"
    assert document["packages"]["torch"] == "2.4.1+rocm6.1"
    assert document["torch"]["architectures"] is None


def test_the_environment_of_these_tests_fits() -> None:
    environment = read_environment()
    assert standing((*declared(environment), *guards(environment))) == []


# Requirements


def test_what_is_missing_is_a_conflict(packages: FakeEnvironment) -> None:
    packages.install("accelerate", "1.15.0", ["psutil", "torch>=2.0.0"])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert standing(declared(read(packages))) == [("accelerate", "psutil", "conflict")]


def test_an_extra_named_after_what_is_not_installed_does_not_count(
    packages: FakeEnvironment,
) -> None:
    packages.install("diffusers", "0.42.1", ['torch>=2.6; extra == "torch"'])
    assert declared(read(packages)) == ()


@pytest.mark.parametrize("extra", ["dev", "testing", "quality", "docs", "all", "dev-torch"])
def test_an_extra_for_developers_does_not_count(packages: FakeEnvironment, extra: str) -> None:
    packages.install("transformers", "5.23.0", [f'torch==2.6.0; extra == "{extra}"'])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert declared(read(packages)) == ()


def test_an_extra_of_another_name_is_worth_a_note(packages: FakeEnvironment) -> None:
    packages.install("diffusers", "0.42.1", ['peft>=0.17.0; extra == "training"'])
    packages.install("peft", "0.10.0")
    (verdict,) = declared(read(packages))
    assert (verdict.judgement, verdict.extra) == ("note", "training")


def test_an_extra_that_a_requirement_asks_for_counts(packages: FakeEnvironment) -> None:
    packages.install("huggingface-hub", "2.4.0", ["safetensors[torch]"])
    packages.install("safetensors", "0.8.0", ['numpy>=3; extra == "torch"'])
    packages.install("numpy", "2.4.6")
    assert standing(declared(read(packages))) == [("safetensors", "numpy>=3", "conflict")]


def test_a_marker_for_another_system_does_not_count(packages: FakeEnvironment) -> None:
    packages.install("peft", "0.21.2", ['torch<1; sys_platform == "win32"'])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert declared(read(packages)) == ()


@pytest.mark.parametrize(
    ("torch", "requirement", "judgement"),
    [
        ("2.13.0+rocm7.2", "torch>=2.6", "fits"),
        ("2.13.0+cpu", "torch==2.13.0", "fits"),
        ("2.15.0.dev20261101+rocm7.14", "torch>=2.6", "fits"),
        ("2.15.0.dev20261101+rocm7.14", "torch<3,>=2.4", "fits"),
        ("2.6.0.dev20241101+rocm6.2", "torch>=2.6", "conflict"),
        ("2.9.0a0+git1c57644", "torch>=2.8", "fits"),
        ("2.10.0+rocm7.1", "torch<2.7,>=2.1", "conflict"),
        ("2.10.0+rocm7.1", "torch==2.11.0", "conflict"),
        ("2.10-amd", "torch>=2.6", "unknown"),
    ],
)
def test_local_builds_and_nightlies_are_versions_like_others(
    packages: FakeEnvironment, torch: str, requirement: str, judgement: str
) -> None:
    packages.torch(torch, "7.1.25424")
    packages.install("peft", "0.21.2", [requirement])
    (verdict,) = declared(read(packages))
    assert verdict.judgement == judgement


def test_what_pins_another_torch_is_not_answered_with_another_torch(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("vllm", "0.24.0", ["torch==2.11.0"])
    (verdict,) = declared(read(packages))
    assert verdict.action.startswith("install a ROCm build of vllm==")
    assert "pip install torch" not in verdict.action


def test_a_requirement_that_is_none_leaves_the_others_to_be_judged(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("peft", "0.21.2", ["torch >= = 2", "torch>=1.13.0"])
    judged = {(each.requirement, each.judgement) for each in declared(read(packages))}
    assert judged == {("torch >= = 2", "unknown"), ("torch>=1.13.0", "fits")}


def test_metadata_that_cannot_be_read_leaves_the_others(packages: FakeEnvironment) -> None:
    packages.install("numpy", "2.4.6")
    packages.write("broken-1.0.dist-info/METADATA", "")
    (packages.site / "gone-1.0.dist-info").mkdir()
    environment = read(packages)
    assert [each.name for each in environment.distributions] == ["numpy"]
    assert len(environment.unreadable) == 2


# Guards


def test_the_floor_of_older_transformers_is_found_too(packages: FakeEnvironment) -> None:
    packages.torch("1.10.0+rocm4.2", "4.2.21155")
    packages.install("transformers", "4.40.0")
    packages.write("transformers/__init__.py", "")
    packages.write(
        "transformers/utils/import_utils.py",
        "if _torch_available:\n"
        "    if version.parse(_torch_version) < version.parse('1.11'):\n"
        "        logger.warning(f'Disabling PyTorch because PyTorch >= 1.11 is required')\n",
    )
    assert standing(guards(read(packages))) == [("transformers", "torch>=1.11", "conflict")]


def test_a_minimum_of_diffusers_is_found(packages: FakeEnvironment) -> None:
    packages.install("diffusers", "0.42.1")
    packages.install("peft", "0.10.0")
    packages.write("diffusers/__init__.py", "")
    packages.write("diffusers/utils/constants.py", 'MIN_PEFT_VERSION = "0.17.0"\nN = 3\n')
    assert standing(guards(read(packages))) == [("diffusers", "peft>=0.17.0", "conflict")]


def test_code_that_is_no_python_has_no_guards(packages: FakeEnvironment) -> None:
    packages.install("transformers", "5.23.0")
    packages.install("torch", "2.4.1")
    packages.write("transformers/__init__.py", "")
    packages.write("transformers/utils/import_utils.py", "def is_torch_available(:\n\0")
    packages.write("transformers/dependency_versions_check.py", "pkgs_to_check_at_runtime = x\n")
    assert guards(read(packages)) == ()


# torch


def test_a_rocm_build_is_read_without_importing_it(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/__init__.py", "raise SystemExit('imported')\n")
    torch = read_torch(read(packages))
    assert torch is not None
    assert (torch.version, torch.release, torch.kind) == ("2.10.0+rocm7.1", "2.10", "HIP")
    assert (torch.hip, torch.rocm_release, torch.debug) == ("7.1.25424", "7.1", False)


def test_hip_does_not_stand_for_rocm_from_7_15_on(packages: FakeEnvironment) -> None:
    """ROCm 10.0.0 has HIP 7.15."""
    packages.torch("2.13.0+rocm10.0.0", "7.15.26333")
    torch = read_torch(read(packages))
    assert torch is not None
    assert torch.rocm_release == "10.0"
    packages.write("torch/version.py", "__version__ = '2.13.0a0+git1'\nhip = '7.15.26333'\n")
    packages.install("torch", "2.13.0+rocm10.0.0")
    torch = read_torch(read(packages))
    assert torch is not None
    assert torch.rocm_release == ""


@pytest.mark.parametrize(
    ("version", "requires", "kind"),
    [
        ("2.10.0+rocm7.1", (), "HIP"),
        ("2.10.0+cu128", (), "CUDA"),
        ("2.10.0+cpu", (), "CPU"),
        ("2.10.0", ("nvidia-nccl-cu12==2.27.5",), "CUDA"),
        ("2.10.0", (), "unknown"),
    ],
)
def test_a_torch_without_files_is_told_by_its_metadata(
    packages: FakeEnvironment, version: str, requires: tuple[str, ...], kind: str
) -> None:
    packages.install("torch", version, requires)
    torch = read_torch(read(packages))
    assert torch is not None
    assert (torch.kind, torch.problem) == (
        kind,
        "there is metadata, but no torch package: a half-removed install",
    )


def test_one_torch_over_another_is_told(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/version.py", "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n")
    torch = read_torch(read(packages))
    assert torch is not None
    assert torch.kind == "CUDA"
    assert torch.problem.endswith("one install over another")


# torch and ROCm


@pytest.fixture
def here(tmp_path: Path) -> FakeMachine:
    here = FakeMachine(tmp_path / "machine")
    here.file("/opt/rocm/.info/version", "7.1.0-98\n")
    return here


def test_a_cuda_build_where_rocm_is_is_a_conflict(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.10.0+cu128", cuda="12.8")
    stack = show(packages, here)
    assert stack.exit_code == 1
    assert "is no ROCm build, but ROCm 7.1.0 is here" in stack.verdicts[0].reason
    assert stack.verdicts[0].action == "rocmlint stack install-command --rocm 7.1"


def test_the_build_for_this_rocm_fits(packages: FakeEnvironment, here: FakeMachine) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    stack = show(packages, here)
    assert (stack.exit_code, [each.judgement for each in stack.verdicts]) == (0, ["fits"])


def test_the_build_for_another_rocm_is_a_note_that_says_what_it_means(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    stack = show(packages, here)
    (verdict,) = stack.verdicts
    assert (verdict.judgement, verdict.found) == ("note", "7.1.0")
    assert "what is compiled here for torch" in verdict.reason
    assert [each.version for each in stack.rocm.others] == ["6.4"]


def test_without_another_rocm_the_one_that_torch_brings_is_told(
    packages: FakeEnvironment, tmp_path: Path
) -> None:
    packages.torch("2.13.0+rocm10.0.0", "7.15.26333")
    stack = show(packages, FakeMachine(tmp_path / "bare"))
    assert stack.rocm.version == "10.0.0"
    assert [each.judgement for each in stack.verdicts] == ["note"]


def test_without_torch_nothing_is_answered(packages: FakeEnvironment, here: FakeMachine) -> None:
    packages.install("numpy", "2.4.6")
    stack = show(packages, here)
    assert (stack.exit_code, stack.torch) == (3, None)


# Imports


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
        for each in show(packages, here, smoke=True).verdicts
        if each.grade == "observed" and each.judgement == "conflict"
    ]
    assert [(each.package, each.on) for each in observed] == [("transformers", "torch")]
    assert "PyTorch >= 2.6 is required" in observed[0].reason


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise ImportError('libamdhip64.so.7: cannot open')\n", "libamdhip64.so.7"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "was ended by SIGSEGV"),
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
        for each in show(packages, here, smoke=True).verdicts
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
    stack = show(packages, here, smoke=True)
    judged = {each.on: each.judgement for each in stack.verdicts if "code for" in each.requirement}
    assert judged == {"gfx942": "fits", "gfx1036": "note"}
    assert stack.observed is not None
    assert stack.observed.devices == ("gfx942:sramecc+:xnack-", "gfx1036")


# The command


def test_an_interpreter_that_is_none_is_told_in_a_line(project: Project) -> None:
    ended = project.run("stack", "show", "--python", str(project.root / "nothing"))
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


def test_what_a_package_lacks_is_one_command(packages: FakeEnvironment, project: Project) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("accelerate", "1.15.0", ["psutil", "pyyaml>=5", "torch>=2.0.0"])
    ended = project.run("stack", "show", "--python", str(packages.python))
    assert ended.returncode == 1
    assert (
        "conflict: accelerate 1.15.0 and what is not installed\n"
        "  declared:   it requires psutil, pyyaml>=5\n"
        "  do:         pip install psutil 'pyyaml>=5'\n"
    ) in ended.stdout


def test_a_rocm_that_hangs_or_crashes_is_told_and_the_rest_is_answered(
    project: Project, tmp_path: Path
) -> None:
    here = FakeMachine(tmp_path / "machine")
    here.program("amd-smi", does="kill -SEGV $$")
    here.program("rocminfo", "broken\n", code=1)
    path = os.pathsep.join((str(here.root / "usr" / "bin"), os.environ["PATH"]))
    ended = project.run("stack", "show", PATH=path)
    assert "  ! amd-smi version was ended by SIGSEGV\n" in ended.stdout
    assert "  ! rocminfo failed with exit code 1: broken\n" in ended.stdout
    assert "transformers" in ended.stdout


def document(project: Project, *arguments: str) -> Any:
    return json.loads(project.run("stack", *arguments, "--output-format", "json").stdout)


def test_the_real_environment_of_these_tests_is_shown(project: Project) -> None:
    told = document(project, "show")
    jsonschema.validate(told, json.loads(SCHEMA.read_text()))
    assert told["torch"]["kind"] == "CPU"
    assert not [each for each in told["verdicts"] if each["grade"] == "declared" and each["reason"]]
