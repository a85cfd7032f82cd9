"""Interpreters with AMD's own wheels, as ``pip list`` shows them, and what is said of each.

Names and versions are those of docs/packaging and RELEASES.md of github.com/ROCm/TheRock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.stacks import amd_smi

if TYPE_CHECKING:
    from rocmlint.stack.show import Stack
    from tests.support.stacks import FakeEnvironment, FakeMachine

NIGHTLY = "7.10.0a20251120"
ISA = "HSA Agents\n  Name:                    amdgcn-amd-amdhsa--{}\n"
"""A line of rocminfo for each GPU."""
MULTI_ARCH = (
    "rocm[libraries]==7.14.0",
    'amd-torch-device-gfx1100==2.12.0+rocm7.14.0; extra == "device-gfx1100"',
    'amd-torch-device-gfx942==2.12.0+rocm7.14.0; extra == "device-gfx942"',
)
"""What torch of a multi-arch release requires."""


class Case(NamedTuple):
    name: str
    packages: dict[str, str]
    gpus: tuple[str, ...]
    rocm: str
    standing: list[tuple[str, str, str]]
    """Package, other and judgement of all that does not fit."""
    action: str = ""
    """Of the first of them."""
    torch: tuple[str, str, tuple[str, ...]] = ("", "", ())
    """Its version, its HIP and what it requires."""
    host: str = ""
    """What amd-smi of the machine reports."""


def sdk(version: str, *parts: str) -> dict[str, str]:
    return dict.fromkeys(("rocm", "rocm-sdk-core", *parts), version)


FAMILY_TORCH = (f"2.9.0+rocm{NIGHTLY}", "7.2.25455", (f"rocm[libraries]=={NIGHTLY}",))
HOST_TORCH = ("2.12.0+rocm7.14.0", "7.14.26133", MULTI_ARCH)

CASES = [
    Case(
        "a family index, on a GPU of the family",
        sdk("7.13.0", "rocm-sdk-libraries-gfx110X-all"),
        ("gfx1100",),
        "7.13.0",
        [],
        torch=("2.11.0+rocm7.13.0", "7.2.53211", ("rocm[libraries]==7.13.0",)),
    ),
    Case(
        "a family index, beside a host with an older ROCm",
        sdk(NIGHTLY, "rocm-sdk-libraries-gfx94X-dcgpu"),
        ("gfx942:sramecc+:xnack-",) * 8,
        "7.10.0",
        [],
        torch=FAMILY_TORCH,
        host="7.0.2",
    ),
    Case(
        "a family index, on a GPU of another family",
        sdk("7.13.0", "rocm-sdk-libraries-gfx94X-dcgpu"),
        ("gfx1100",),
        "7.13.0",
        [("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1100", "conflict")],
        "pip uninstall -y rocm-sdk-libraries-gfx94x-dcgpu rocm torch, then pip install --index-url "
        "https://repo.amd.com/rocm/whl/gfx110X-all/ 'rocm[libraries]==7.13.0' "
        "torch==2.11.0+rocm7.13.0",
        torch=("2.11.0+rocm7.13.0", "7.2.53211", ("rocm[libraries]==7.13.0",)),
    ),
    Case(
        "nightly builds of a family, on Strix Halo",
        sdk(NIGHTLY, "rocm-sdk-libraries-gfx94X-dcgpu"),
        ("gfx1151",),
        "7.10.0",
        [("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1151", "conflict")],
        "pip uninstall -y rocm-sdk-libraries-gfx94x-dcgpu rocm torch, then pip install --index-url "
        f"https://rocm.nightlies.amd.com/v2/gfx1151/ 'rocm[libraries]=={NIGHTLY}' "
        f"torch==2.9.0+rocm{NIGHTLY}",
        torch=FAMILY_TORCH,
    ),
    Case(
        "builds in development, whose labels are written in two ways",
        {
            **sdk("7.12.0.dev0+849eec4", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx1100": "2.10.0+devrocm7.12.0.dev0-849eec4",
        },
        ("gfx1100",),
        "7.12.0",
        [],
        torch=("2.10.0+devrocm7.12.0.dev0.849eec4", "7.2.25455", ()),
    ),
    Case(
        "builds in development of a family, on a GPU of another family",
        sdk("7.12.0.dev0+849eec4", "rocm-sdk-libraries-gfx94X-dcgpu"),
        ("gfx1151",),
        "7.12.0",
        [("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1151", "conflict")],
        "pip uninstall -y rocm-sdk-libraries-gfx94x-dcgpu rocm, then pip install --index-url "
        "https://rocm.devreleases.amd.com/v2/gfx1151/ 'rocm[libraries]==7.12.0.dev0+849eec4'",
    ),
    Case(
        "builds in development without any device package",
        sdk("7.12.0.dev0+849eec4", "rocm-sdk-libraries"),
        ("gfx1151",),
        "7.12.0",
        [("rocm-sdk-libraries", "gfx1151", "conflict")],
        "pip install --index-url https://rocm.devreleases.amd.com/whl-multi-arch/ "
        "'rocm[libraries,device-gfx1151]==7.12.0.dev0+849eec4'",
    ),
    Case(
        "libraries without the core",
        {"rocm-sdk-libraries": "7.14.0"},
        ("gfx1151",),
        "",
        [("rocm-sdk-libraries", "gfx1151", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'rocm[libraries,device-gfx1151]==7.14.0'",
    ),
    Case(
        "the libraries of two families, of which one is for the GPU",
        sdk("7.13.0", "rocm-sdk-libraries-gfx94X-dcgpu", "rocm-sdk-libraries-gfx110X-all"),
        ("gfx1100",),
        "7.13.0",
        [("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1100", "note")],
        "pip uninstall -y rocm-sdk-libraries-gfx94x-dcgpu",
        torch=("2.11.0+rocm7.13.0", "7.2.53211", ("rocm[libraries]==7.13.0",)),
    ),
    Case(
        "the libraries of two families, each for one of the GPUs",
        sdk("7.13.0", "rocm-sdk-libraries-gfx94X-dcgpu", "rocm-sdk-libraries-gfx110X-all"),
        ("gfx1100", "gfx942"),
        "7.13.0",
        [
            ("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1100", "note"),
            ("rocm-sdk-libraries-gfx110x-all", "gfx942", "note"),
        ],
    ),
    Case(
        "the libraries of two families, of which none is for the GPU",
        sdk("7.13.0", "rocm-sdk-libraries-gfx94X-dcgpu", "rocm-sdk-libraries-gfx110X-all"),
        ("gfx1151",),
        "7.13.0",
        [
            ("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1151", "conflict"),
            ("rocm-sdk-libraries-gfx110x-all", "gfx1151", "conflict"),
        ],
        "pip uninstall -y rocm-sdk-libraries-gfx110x-all rocm-sdk-libraries-gfx94x-dcgpu rocm, "
        "then pip install --index-url https://repo.amd.com/rocm/whl/gfx1151/ "
        "'rocm[libraries]==7.13.0'",
    ),
    Case(
        "the index of one GPU, on that GPU",
        sdk("7.12.0", "rocm-sdk-libraries-gfx1151", "rocm-sdk-devel"),
        ("gfx1151",),
        "7.12.0",
        [],
    ),
    Case(
        "a family for discrete GPUs, on an integrated one",
        sdk("7.10.0", "rocm-sdk-libraries-gfx110X-dgpu"),
        ("gfx1103",),
        "7.10.0",
        [("rocm-sdk-libraries-gfx110x-dgpu", "gfx1103", "conflict")],
    ),
    Case(
        "a family index, on a GPU that no family index has",
        sdk("7.13.0", "rocm-sdk-libraries-gfx94X-dcgpu"),
        ("gfx1036",),
        "7.13.0",
        [("rocm-sdk-libraries-gfx94x-dcgpu", "gfx1036", "conflict")],
        "there is no code for gfx1036 in AMD's indexes for a family; in a new environment: "
        "pip install --index-url https://stable.repo.amd.com/rocm/whl-next/ "
        "'torch[device-gfx1036]'",
    ),
    Case(
        "a GPU that AMD builds nothing for",
        sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
        ("gfx803",),
        "7.14.0",
        [("rocm-sdk-libraries", "gfx803", "conflict")],
        "AMD has no wheels for gfx803",
    ),
    Case(
        "the host code of torchvision alone",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1151"),
            "amd-torch-device-gfx1151": "2.12.0+rocm7.14.0",
            "amd-torchvision-device-gfx942": "0.27.0+rocm7.14.0",
            "torchvision": "0.27.0+rocm7.14.0",
        },
        ("gfx1151",),
        "7.14.0",
        [("torchvision", "gfx1151", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'torchvision[device-gfx1151]==0.27.0+rocm7.14.0'",
        torch=HOST_TORCH,
    ),
    Case(
        "multi-arch with the devices of the GPU",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx1100": "2.12.0+rocm7.14.0",
        },
        ("gfx1100",),
        "7.14.0",
        [],
        torch=HOST_TORCH,
    ),
    Case(
        "multi-arch without any device package",
        sdk("7.14.0", "rocm-sdk-libraries"),
        ("gfx1100",),
        "7.14.0",
        [("rocm-sdk-libraries", "gfx1100", "conflict"), ("torch", "gfx1100", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'rocm[libraries,device-gfx1100]==7.14.0'",
        torch=HOST_TORCH,
    ),
    Case(
        "multi-arch without any device package, where no GPU is",
        sdk("7.14.0", "rocm-sdk-libraries"),
        (),
        "7.14.0",
        [("rocm-sdk-libraries", "GPU", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'rocm[libraries,device-gfx...]==7.14.0'",
    ),
    Case(
        "multi-arch with the devices of another GPU",
        {
            **sdk("10.0.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx942"),
            "amd-torch-device-gfx942": "2.13.0+rocm10.0.0",
        },
        ("gfx1201",),
        "10.0.0",
        [("rocm-sdk-libraries", "gfx1201", "conflict"), ("torch", "gfx1201", "conflict")],
        "pip install --index-url https://stable.repo.amd.com/rocm/whl-next/ "
        "'rocm[libraries,device-gfx1201]==10.0.0'",
        torch=("2.13.0+rocm10.0.0", "7.15.26333", ("rocm[libraries]==10.0.0",)),
    ),
    Case(
        "multi-arch for one of two GPUs: the other is a note",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx11": "2.12.0+rocm7.14.0",
        },
        ("gfx1100", "gfx1036"),
        "7.14.0",
        [("rocm-sdk-libraries", "gfx1036", "note"), ("torch", "gfx1036", "note")],
        "hide this GPU from the job with HIP_VISIBLE_DEVICES, or add its code: "
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "'rocm[libraries,device-gfx1036]==7.14.0'",
        torch=HOST_TORCH,
    ),
    Case(
        "devices of another release than the core",
        {
            **sdk("7.14.1", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "rocm-sdk-libraries": "7.14.0",
        },
        ("gfx1100",),
        "7.14.1",
        [("rocm-sdk-device-gfx1100", "rocm-sdk-libraries", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "rocm-sdk-libraries==7.14.1",
    ),
    Case(
        "the libraries of another release than the core",
        sdk("7.13.0") | {"rocm-sdk-libraries-gfx110X-all": "7.12.0"},
        ("gfx1100",),
        "7.13.0",
        [("rocm-sdk-libraries-gfx110x-all", "rocm-sdk-core", "conflict")],
        "install rocm-sdk-libraries-gfx110x-all 7.13.0 from the index of rocm-sdk-core, or "
        "uninstall it",
    ),
    Case(
        "a profiler and other parts of another release than the core",
        sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100")
        | dict.fromkeys(("rocm-profiler", "rocm-sdk-devel", "rocm-sdk-profiler"), "7.13.0"),
        ("gfx1100",),
        "7.14.0",
        [
            ("rocm-profiler", "rocm-sdk-core", "conflict"),
            ("rocm-sdk-devel", "rocm-sdk-core", "conflict"),
            ("rocm-sdk-profiler", "rocm-sdk-core", "conflict"),
        ],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ rocm-profiler==7.14.0, "
        "or uninstall it",
    ),
    Case(
        "a post release of one part",
        sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100")
        | {"rocm-sdk-devel": "7.14.0.post1"},
        ("gfx1100",),
        "7.14.0",
        [],
    ),
    Case(
        "a candidate of a release without any device package",
        sdk("10.1.0rc2", "rocm-sdk-libraries"),
        ("gfx950",),
        "10.1.0",
        [("rocm-sdk-libraries", "gfx950", "conflict")],
        "pip install --index-url https://rc.repo.amd.com/rocm/whl-next/ "
        "'rocm[libraries,device-gfx950]==10.1.0rc2'",
    ),
    Case(
        "a build of one's own without any device package",
        sdk("0.1.dev0", "rocm-sdk-libraries"),
        ("gfx1100",),
        "",
        [("rocm-sdk-libraries", "gfx1100", "conflict")],
        "rocm-sdk-libraries 0.1.dev0 is a build of your own: build the code for this GPU with it",
    ),
    Case(
        "code of torch's without torch",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx1100": "2.12.0+rocm7.14.0",
        },
        ("gfx1100",),
        "7.14.0",
        [],
    ),
    Case(
        "a CPU build of torch over AMD's",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx1100": "2.12.0+rocm7.14.0",
        },
        ("gfx1100",),
        "7.14.0",
        [("torch", "ROCm", "conflict")],
        "rocmlint stack install-command --rocm 7.14.0 --torch 2.12.0",
        torch=("2.13.0", "", ()),
    ),
    Case(
        "the code for the GPU of another torch",
        {
            **sdk("7.14.0", "rocm-sdk-libraries", "rocm-sdk-device-gfx1100"),
            "amd-torch-device-gfx1100": "2.11.0+rocm7.14.0",
        },
        ("gfx1100",),
        "7.14.0",
        [("amd-torch-device-gfx1100", "torch", "conflict")],
        "pip install --index-url https://repo.amd.com/rocm/whl-multi-arch/ "
        "amd-torch-device-gfx1100==2.12.0+rocm7.14.0, or uninstall it",
        torch=HOST_TORCH,
    ),
]


def shown(packages: FakeEnvironment, here: FakeMachine, case: Case) -> Stack:
    for name, version in case.packages.items():
        is_device = name.startswith("rocm-sdk-device")
        packages.install(name, version, [f"rocm-sdk-libraries=={version}"] * is_device)
    if case.torch[0]:
        packages.torch(case.torch[0], case.torch[1])
        packages.install("torch", case.torch[0], case.torch[2])
    if case.gpus:
        here.program("rocminfo", "".join(ISA.format(gpu) for gpu in case.gpus))
    if case.host:
        here.program("amd-smi", amd_smi(case.host))
    return packages.show(here)


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
def test_amds_wheels_are_compared_with_the_gpus_and_with_each_other(
    packages: FakeEnvironment, here: FakeMachine, case: Case
) -> None:
    stack = shown(packages, here, case)
    found = [each for each in stack.verdicts if each.judgement in {"conflict", "note"}]
    assert stack.rocm.version == case.rocm
    assert sorted((each.package, each.on, each.judgement) for each in found) == sorted(
        case.standing
    )
    if case.action:
        actions = {each.package: each.action for each in found}
        assert actions[case.standing[0][0]] == case.action


def test_the_wheels_come_first_and_the_host_is_shown_beside_them(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    rocm = shown(packages, here, CASES[1]).rocm
    assert rocm.chosen is not None
    assert rocm.chosen.source == f"wheel rocm-sdk-core {NIGHTLY}"
    assert [(each.source, each.version) for each in rocm.others] == [("amd-smi version", "7.0.2")]
