"""``stack install-command`` as ``stack show`` advises it: run there, it prints what cures."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from rocmlint.stack.advice.torch_command import Surroundings, for_rocm, meeting, one_index
from rocmlint.stack.installed.distributions import Distribution
from tests.support.stacks import FakeEnvironment, FakeMachine, amd_smi

if TYPE_CHECKING:
    from rocmlint.stack.verdicts import Verdict
    from tests.support.project import Project

ISA = "HSA Agents\n  Name:                    amdgcn-amd-amdhsa--{}\n"
"""A line of rocminfo for each GPU."""
ADVISED = re.compile(r"rocmlint (stack install-command(?: --[a-z-]+(?: [\w.]+)?)*)")
NIGHTLY = "10.2.0a20261120"


class Case(NamedTuple):
    name: str
    packages: dict[str, tuple[str, ...]]
    """Each package with its version, and what it requires."""
    gpus: tuple[str, ...]
    flags: str
    """What the first command has that is advised."""
    first: str = ""
    """What the action says before it."""
    torch: tuple[str, str] = ("", "")
    """Its version and its HIP; none for a build for CUDA."""
    host: str = ""


def sdk(version: str, gpu: str) -> dict[str, tuple[str, ...]]:
    names = ("rocm", "rocm-sdk-core", "rocm-sdk-libraries", f"rocm-sdk-device-{gpu}")
    return dict.fromkeys(names, (version,))


OF_AMD = {
    **sdk("7.14.1", "gfx1151"),
    "amd-torch-device-gfx1151": ("2.12.0+rocm7.14.1",),
    "torchvision": ("0.27.0+rocm7.14.1", "torch==2.12.0+rocm7.14.1"),
    "torchaudio": ("2.11.0+rocm7.14.1",),
}
TRIO = "--rocm 7.14.1 --torch 2.12.0 --torchvision --torchaudio"

CASES = [
    Case(
        "torch of PyPI over AMD's, whose companions are left",
        OF_AMD,
        ("gfx1151",),
        TRIO,
        torch=("2.12.0", ""),
    ),
    Case(
        "torch of PyTorch's over AMD's, whose companions are left",
        OF_AMD,
        ("gfx1151",),
        TRIO,
        torch=("2.14.1+rocm7.14", "7.14.60850"),
    ),
    Case(
        "torch and torchvision of PyPI",
        {"torchvision": ("0.25.0", "torch==2.10.0")},
        ("gfx1100",),
        "--rocm 7.1.1 --torch 2.10.0 --torchvision",
        torch=("2.10.0", ""),
        host="7.1.1",
    ),
    Case(
        "companions that a package requires beside a torch that stays",
        {"vllm": ("0.31.0", "torch==2.11.0", "torchvision==0.26.0", "torchaudio==2.11.0")},
        ("gfx942",),
        "--rocm 7.2 --torch 2.11.0 --torchvision --torchaudio",
        torch=("2.11.0+rocm7.2", "7.2.53211"),
        host="7.2.4",
    ),
    Case(
        "a torchvision of another nightly build",
        {"torchvision": ("0.31.0.dev20261101+rocm10.0", "torch==2.16.0.dev20261101")},
        ("gfx950",),
        "--rocm 10.0 --nightly --torchvision",
        "pip uninstall -y torch torchvision, then ",
        torch=("2.16.0.dev20261115+rocm10.0", "7.15.26333"),
        host="10.0.0",
    ),
    Case(
        "torch of PyPI over a nightly build of AMD's",
        sdk(NIGHTLY, "gfx950"),
        ("gfx950",),
        "--nightly --source amd",
        "pip uninstall -y torch, then ",
        torch=("2.10.0", ""),
    ),
    Case(
        "a later torch for a GPU that PyTorch has no wheels for",
        {"rocm-sdk-core": ("7.13.0",), "trl": ("1.20.0", "torch>=2.12")},
        ("gfx1152",),
        "--rocm 10.1.0 --torch 2.14",
        torch=("2.11.0+rocm7.13.0", "7.13.60000"),
    ),
    Case(
        "a later torch of AMD's for the ROCm that is here",
        {"rocm-sdk-core": ("10.0.0",), "trl": ("1.20.0", "torch>=2.12")},
        ("gfx942",),
        "--rocm 10.0.0 --torch 2.13",
        torch=("2.11.0+rocm10.0.0", "7.15.26333"),
    ),
    Case(
        "a GPU in the processor beside one that torch has code for",
        {},
        ("gfx1100", "gfx1036"),
        "--gpu gfx1100 --gpu gfx1036",
        torch=("2.10.0+rocm7.1", "7.1.25424"),
        host="7.1.0",
    ),
    Case(
        "torch for an older ROCm than the one that is here",
        {"torchvision": ("0.24.1+rocm6.4", "torch==2.9.1")},
        ("gfx1100",),
        "--rocm 7.1.0 --torchvision",
        "to use the installed ROCm: ",
        torch=("2.9.1+rocm6.4", "6.4.43484"),
        host="7.1.0",
    ),
    Case(
        "torch of PyPI beside a ROCm that has no wheels yet",
        {},
        ("gfx942",),
        "--rocm 10.1.0",
        torch=("2.14.1", ""),
        host="10.3.0",
    ),
]
EVERY = pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])


def advised(packages: FakeEnvironment, here: FakeMachine, case: Case) -> list[Verdict]:
    """Return what does not fit and has the command in what to do."""
    if case.torch[0]:
        packages.torch(*case.torch, cuda="" if case.torch[1] else "12.8")
    for name, (version, *requires) in case.packages.items():
        packages.install(name, version, requires)
    here.program("rocminfo", "".join(map(ISA.format, case.gpus)))
    if case.host:
        here.program("amd-smi", amd_smi(case.host))
    return [each for each in packages.show(here).verdicts if ADVISED.search(each.action)]


@EVERY
def test_the_command_is_for_what_stays(
    packages: FakeEnvironment, here: FakeMachine, case: Case
) -> None:
    told = {each.action for each in advised(packages, here, case)}
    commands = {match[0] for each in told for match in [ADVISED.search(each)] if match}
    assert commands == {f"rocmlint stack install-command {case.flags}"}
    assert all(case.first in each for each in told)


@EVERY
def test_the_command_is_not_refused_where_it_is_advised(
    packages: FakeEnvironment, here: FakeMachine, project: Project, case: Case
) -> None:
    for verdict in advised(packages, here, case):
        for found in ADVISED.findall(verdict.action):
            path = here.environment["PATH"]
            ended = project.run(*shlex.split(found), "--python", str(packages.python), PATH=path)
            assert (ended.returncode, ended.stderr.count("error: ")) == (0, 0), ended.stderr


def here_with(
    *packages: tuple[str, str, str], rocm: str = "7.1", gpu: str = "gfx1100"
) -> Surroundings:
    """Return a place with packages, each with what it requires."""
    found = (
        Distribution(name, version, tuple(map(Requirement, filter(None, [requires]))))
        for name, version, requires in packages
    )
    return Surroundings(tuple(found), "3.12", rocm, (gpu,) if gpu else ())


def test_a_build_of_amd_for_a_rocm_that_pytorch_has_too_names_its_source() -> None:
    label = "rocm7.2.1.lw.gitff65f5bc"
    here = here_with(("torch", f"2.9.1+{label}", ""), ("torchvision", "0.24.0+cpu", ""), rocm="")
    assert one_index(here) == (
        "rocmlint stack install-command --rocm 7.2.1 --torch 2.9.1 --torchvision --source radeon"
    )


def test_a_torchaudio_that_has_no_wheels_and_takes_another_torch_goes_first() -> None:
    here = here_with(
        ("torch", "2.14.1", ""),
        ("torchvision", "0.29.1", "torch==2.14.1"),
        ("torchaudio", "2.10.0", "torch==2.10.0"),
        rocm="7.14",
    )
    assert one_index(here) == (
        "pip uninstall -y torchaudio, then "
        "rocmlint stack install-command --rocm 7.14 --torch 2.14.1 --torchvision"
    )


def test_without_a_gpu_an_index_for_a_family_has_a_place_for_it() -> None:
    here = here_with(("torch", "2.11.0", ""), rocm="7.13.0", gpu="")
    told = "rocmlint stack install-command --rocm 7.13.0 --torch 2.11.0 --gpu gfx..."
    assert one_index(here) == told


def test_the_libraries_of_a_family_tell_a_gpu_for_its_index() -> None:
    libraries = ("rocm-sdk-libraries-gfx110x-all", "7.13.0", "")
    here = here_with(("torch", "2.11.0", ""), libraries, rocm="7.13.0", gpu="")
    told = "rocmlint stack install-command --rocm 7.13.0 --torch 2.11.0 --gpu gfx1100"
    assert one_index(here) == told


def test_for_a_gpu_without_any_wheel_torch_has_to_be_compiled() -> None:
    here = here_with(("torch", "2.14.1", ""), rocm="7.1", gpu="gfx803")
    told = "no wheel of torch that is known has code for gfx803: it has to be compiled"
    assert one_index(here) == told


def test_for_a_gpu_that_only_nightly_builds_have_code_for_these_are_told() -> None:
    here = here_with(("torch", "2.11.0", ""), rocm="7.1.1", gpu="gfx90c")
    command = "rocmlint stack install-command --nightly --source amd"
    assert one_index(here) == f"pip uninstall -y torch, then {command}"


def test_where_no_wheels_are_known_no_command_is_named() -> None:
    here, unknown = here_with(("torch", "2.14.1", "")), Requirement("torchvision==9.9")
    told = "install torch and its companions from one index"
    assert one_index(here, unknown, Distribution("mine", "1.0")) == told


def test_for_a_rocm_without_wheels_there_is_no_command() -> None:
    assert for_rocm(here_with(rocm="9.9")) == ""


@pytest.mark.parametrize(
    ("wanted", "torch"),
    [("torch==2.11.0", "2.11.0"), ("torch==2.11.*", "2.11"), ("torch>=2.11,<2.12", "2.11")],
)
def test_a_release_that_is_pinned_is_the_one_that_is_named(wanted: str, torch: str) -> None:
    here = here_with(rocm="7.2")
    told = meeting(here, Requirement(wanted), Version("2.12.0+rocm7.2"))
    assert told == f"rocmlint stack install-command --rocm 7.2 --torch {torch}"


@pytest.mark.parametrize(
    ("wanted", "torch"),
    [
        ("torch>=2.8,<=2.9.0", "2.9.0"),  # 2.9 would be 2.9.1
        ("torch>=2.9.1,<2.10", "2.9"),
        ("torch>=2.9.1,<2.10,!=2.9.1", ""),
    ],
)
def test_the_newest_release_that_is_allowed_is_named(wanted: str, torch: str) -> None:
    here = here_with(("torch", "2.11.0+rocm7.2", ""), rocm="7.2.4", gpu="gfx942")
    told = meeting(here, Requirement(wanted), Version("2.11.0+rocm7.2"))
    assert told.endswith(f" --torch {torch}" if torch else "")
    assert bool(told) is bool(torch)


def test_a_torch_that_is_there_already_is_no_advice() -> None:
    torch, triton = ("torch", "2.11.0+rocm7.2", "triton-rocm==3.6.0"), ("triton-rocm", "3.6.0", "")
    here = here_with(torch, triton, rocm="7.2", gpu="gfx942")
    command = "rocmlint stack install-command --rocm 7.2 --torch 2.11.0"
    told = "install torch and its companions from one index"
    assert one_index(here, Requirement("triton==3.6.0")) == told
    assert one_index(here_with(torch, rocm="7.2"), Requirement("triton-rocm==3.6.0")) == command
