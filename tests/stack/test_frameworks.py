"""JAX, onnxruntime, bitsandbytes, vLLM, flash-attn and triton beside a ROCm."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from rocmlint.stack.checks.rivals import rivals
from rocmlint.stack.installed.bitsandbytes import loaded
from rocmlint.stack.installed.distributions import Distribution
from rocmlint.stack.installed.rocm_reading import Rocm
from tests.support.stacks import FakeEnvironment, FakeMachine, amd_smi

if TYPE_CHECKING:
    from rocmlint.stack.verdicts import Verdict

ROCM_7 = b"\x7fELF\x00libamdhip64.so.7\x00libc10_hip.so\x00"
ROCM_6 = b"\x7fELF\x00libamdhip64.so.6\x00"
OF_PYTORCH = b"\x7fELF\x00libamdhip64.so\x00"
CUDA = b"\x7fELF\x00libcudart.so.12\x00libc10_cuda.so\x00"


class Case(NamedTuple):
    name: str
    packages: dict[str, str]
    standing: list[tuple[str, str, str]]
    """Package, other and judgement of all that does not fit."""
    reason: str = ""
    """A part of the first one's."""
    torch: tuple[str, str] = ("", "")
    host: str = "7.2.1"
    libraries: tuple[tuple[str, str, bytes], ...] = ()
    """The package, the file and the content of what is compiled."""
    gpu: str = "gfx942"


TORCH_7_1 = ("2.10.0+rocm7.1", "7.1.25424")
TORCH_7_2 = ("2.11.0+rocm7.2", "7.2.53211-e1a6bc5663")
TORCH_10 = ("2.13.0+rocm10.0.0", "7.15.26333-0")


def jax(version: str, rocm: str, **others: str) -> dict[str, str]:
    names = {"jax": version, "jaxlib": version}
    names |= {f"jax-rocm{rocm}-plugin": version, f"jax-rocm{rocm}-pjrt": version}
    return names | {name.replace("_", "-"): each for name, each in others.items()}


CASES = [
    Case("jax for the ROCm that is here", jax("0.8.2", "7"), []),
    Case("jax for ROCm 6.0", jax("0.4.35", "60"), [], host="6.4.1"),
    Case(
        "jax for an older ROCm",
        jax("0.4.35", "60"),
        [
            ("jax-rocm60-pjrt", "ROCm", "conflict"),
            ("jax-rocm60-plugin", "ROCm", "conflict"),
        ],
        "it is for ROCm 6, but ROCm 7.2.1 is installed",
    ),
    Case(
        "jax without any ROCm",
        jax("0.8.2", "7"),
        [("jax-rocm7-pjrt", "ROCm", "unknown"), ("jax-rocm7-plugin", "ROCm", "unknown")],
        "its wheels do not include ROCm, and none was found here",
        host="",
    ),
    Case(
        "a plugin that is a patch behind jax",
        jax("0.9.2", "7", jax_rocm7_plugin="0.9.1.post3", jax_rocm7_pjrt="0.9.1.post3"),
        [
            (f"jax-rocm7-{each}", other, "note")
            for each in ("pjrt", "plugin")
            for other in ("jax", "jaxlib")
        ],
        "AMD asks to pin jax, plugin and pjrt to one version",
    ),
    Case(
        "a plugin without its other half",
        {"jax": "0.8.2", "jaxlib": "0.8.2", "jax-rocm7-plugin": "0.8.2"},
        [("jax-rocm7-plugin", "jax-rocm7-pjrt", "conflict")],
        "jax-rocm7-pjrt is not installed",
    ),
    Case(
        "a client that does not follow its plugin",
        jax("0.8.2", "7", jax_rocm7_pjrt="0.8.0"),
        [("jax-rocm7-plugin", "jax-rocm7-pjrt", "conflict")],
        "jax-rocm7-pjrt 0.8.0 is installed",
    ),
    Case(
        "jax for ROCm 10 with a jaxlib that does not know it",
        jax("0.11.0", "10"),
        [
            ("jax-rocm10-pjrt", "jaxlib", "conflict"),
            ("jax-rocm10-plugin", "jaxlib", "conflict"),
        ],
        "jaxlib 0.11.0 does not look for jax_rocm10_plugin",
        host="10.0.0",
    ),
    Case(
        "torchvision for the CPU, as its metadata takes any build of torch",
        {"torchvision": "0.26.0+cpu"},
        [("torchvision", "ROCm", "conflict")],
        "it is a CPU build, according to its label; its compiled code does not run on a GPU",
        torch=TORCH_7_2,
    ),
    Case(
        "torchvision of PyPI, which is for CUDA",
        {"torchvision": "0.26.0"},
        [("torchvision", "ROCm", "conflict")],
        "it is a CUDA build: _C.so needs CUDA's libraries",
        torch=TORCH_7_2,
        libraries=(("torchvision", "torchvision/_C.so", b"\0libcudart.so.12\0"),),
    ),
    Case(
        "torchvision for an older ROCm than torch",
        {"torchvision": "0.26.0+rocm7.0"},
        [("torchvision", "ROCm", "note")],
        "it was compiled for ROCm 7.0, torch for 7.2",
        torch=TORCH_7_2,
    ),
    Case(
        "torchvision of torch's own index",
        {"torchvision": "0.26.0+rocm7.2"},
        [],
        torch=TORCH_7_2,
    ),
    Case(
        "torchaudio for the CPU, of which little is compiled",
        {"torchaudio": "2.11.0+cpu"},
        [("torchaudio", "ROCm", "note")],
        torch=TORCH_7_2,
    ),
    Case(
        "a library of PyG for CUDA, by its label",
        {"torch-scatter": "2.1.2+pt211cu128"},
        [("torch-scatter", "ROCm", "conflict")],
        "it is a CUDA build, according to its label",
        torch=TORCH_7_2,
    ),
    Case("jax for the CPU beside a GPU", {"jax": "0.8.2"}, [("jax", "ROCm", "note")]),
    Case(
        "two kinds of onnxruntime",
        {"onnxruntime": "1.23.0", "onnxruntime-migraphx": "1.23.1"},
        [
            ("onnxruntime", "onnxruntime-migraphx", "conflict"),
            ("onnxruntime-migraphx", "ROCm", "note"),
        ],
        "both have the module onnxruntime",
        torch=TORCH_7_2,
    ),
    Case(
        "onnxruntime and its plugin for the ROCm that is here",
        {"onnxruntime": "1.25.0", "onnxruntime-ep-migraphx": "1.0.0+rocm10.1.0"},
        [],
        host="10.1.0",
    ),
    Case(
        "the plugin of onnxruntime for another ROCm",
        {"onnxruntime": "1.25.0", "onnxruntime-ep-migraphx": "1.0.0+rocm10.1.0"},
        [("onnxruntime-ep-migraphx", "ROCm", "note")],
        "it was built for ROCm 10.1.0, but ROCm 7.2.1 is installed",
    ),
    Case(
        "onnxruntime for CUDA",
        {"onnxruntime-gpu": "1.23.0"},
        [("onnxruntime-gpu", "ROCm", "conflict")],
        "it is the CUDA build, and runs on the CPU here",
        torch=TORCH_7_2,
    ),
    Case(
        "PyPI's triton over torch's",
        {"triton": "3.8.0", "pytorch-triton-rocm": "3.5.1"},
        [("triton", "pytorch-triton-rocm", "conflict")],
        "both have the module triton",
        torch=TORCH_7_2,
    ),
    Case(
        "vllm of the ROCm that torch is for",
        {"vllm": "0.31.0+rocm723"},
        [],
        torch=TORCH_7_2,
        libraries=(("vllm", "vllm/_rocm_C.abi3.so", ROCM_7),),
    ),
    Case(
        "vllm of another ROCm, by its label",
        {"vllm": "0.14.1+rocm700"},
        [("vllm", "ROCm", "note")],
        "it was compiled for ROCm 7.0.0, torch for 7.2",
        torch=TORCH_7_2,
    ),
    Case(
        "vllm for CUDA",
        {"vllm": "0.31.0"},
        [("vllm", "ROCm", "conflict")],
        "it is a CUDA build: _C.abi3.so needs CUDA's libraries",
        torch=TORCH_7_2,
        libraries=(("vllm", "vllm/_C.abi3.so", CUDA),),
    ),
    Case(
        "vllm for CUDA, by its label",
        {"vllm": "0.31.0+cu129"},
        [("vllm", "ROCm", "conflict")],
        "it is a CUDA build, according to its label",
        torch=TORCH_7_2,
    ),
    Case(
        "flash-attn of an older HIP",
        {"flash-attn": "2.8.3"},
        [("flash-attn", "ROCm", "conflict")],
        "it was compiled for HIP 6 and loads libamdhip64.so.6",
        torch=TORCH_7_2,
        libraries=(("flash-attn", "flash_attn_2_cuda.cpython-312-x86_64-linux-gnu.so", ROCM_6),),
    ),
    Case(
        "flash-attn and xformers for ROCm",
        {"flash-attn": "2.8.3", "xformers": "0.0.33"},
        [],
        torch=TORCH_7_2,
        libraries=(
            ("flash-attn", "flash_attn_2_cuda.so", ROCM_7),
            ("xformers", "xformers/_C.so", OF_PYTORCH),
        ),
    ),
    Case(
        "bitsandbytes with the library of this HIP",
        {"bitsandbytes": "0.50.2"},
        [],
        torch=TORCH_10,
        host="10.0.0",
        libraries=(("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm715.so", ROCM_7),),
    ),
    Case(
        "bitsandbytes with the nearest library",
        {"bitsandbytes": "0.50.2"},
        [("bitsandbytes", "ROCm", "note")],
        "it has libraries for rocm72, not for rocm715: it takes that for rocm72",
        torch=TORCH_10,
        host="10.0.0",
        libraries=(("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm72.so", ROCM_7),),
    ),
    Case(
        "bitsandbytes that takes no nearest library",
        {"bitsandbytes": "0.49.2"},
        [("bitsandbytes", "ROCm", "conflict")],
        "it has libraries for rocm63 rocm72, and looks for rocm84 with HIP 7.14: it can load none",
        torch=("2.11.0+rocm7.14.0", "7.14.60850"),
        host="7.14.0",
        libraries=(
            ("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm63.so", ROCM_6),
            ("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm72.so", ROCM_7),
        ),
    ),
    Case(
        "bitsandbytes of a fork without the library of this HIP",
        {"bitsandbytes": "0.43.3.dev0"},
        [("bitsandbytes", "ROCm", "conflict")],
        "it has libraries for rocm64, and looks for rocm72 with HIP 7.2",
        torch=TORCH_7_2,
        libraries=(("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm64.so", ROCM_6),),
    ),
    Case(
        "bitsandbytes with a library of another major version only",
        {"bitsandbytes": "0.50.2"},
        [("bitsandbytes", "ROCm", "conflict")],
        "it has libraries for rocm64, and looks for rocm72 with HIP 7.2: it can load none",
        torch=TORCH_7_2,
        libraries=(("bitsandbytes", "bitsandbytes/libbitsandbytes_rocm64.so", ROCM_6),),
    ),
    Case(
        "bitsandbytes for CUDA",
        {"bitsandbytes": "0.48.0"},
        [("bitsandbytes", "ROCm", "conflict")],
        "it has libraries for CUDA only",
        torch=TORCH_7_2,
        libraries=(("bitsandbytes", "bitsandbytes/libbitsandbytes_cuda128.so", CUDA),),
    ),
    Case(
        "packages for CUDA where nothing is of ROCm",
        {"vllm": "0.31.0", "onnxruntime-gpu": "1.23.0"},
        [],
        host="",
        gpu="",
        torch=("2.14.0+cu129", ""),
        libraries=(("vllm", "vllm/_C.abi3.so", CUDA),),
    ),
]


def verdicts(packages: FakeEnvironment, here: FakeMachine, case: Case) -> list[Verdict]:
    records: dict[str, list[str]] = {}
    for package, path, content in case.libraries:
        file = packages.write(path, "")
        file.write_bytes(content)
        if "/" in path:
            (file.parent / "__init__.py").touch()
        records.setdefault(package, []).append(f"{path},sha256=x,{len(content)}\n")
    for name, version in case.packages.items():
        packages.install(name, version, record="".join(records.get(name, ())))
    if case.torch[0]:
        packages.torch(*case.torch, cuda="" if case.torch[1] else "12.9")
    if case.gpu:
        here.program("rocminfo", f"HSA Agents\n  Name:   amdgcn-amd-amdhsa--{case.gpu}\n")
    if case.host:
        here.program("amd-smi", amd_smi(case.host))
    return list(packages.show(here).verdicts)


def test_every_install_that_is_advised_names_the_torch_that_is_there(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    of_cuda = (("xformers", "xformers/_C.so", CUDA),)
    case = Case("", {"xformers": "0.0.34"}, [], torch=TORCH_7_1, libraries=of_cuda)
    (verdict,) = [each for each in verdicts(packages, here, case) if each.package == "xformers"]
    index = "https://download.pytorch.org/whl/rocm7.1"
    assert verdict.action == (
        "for ROCm 7.1: pip uninstall -y xformers, then pip install xformers --index-url "
        f"{index} torch=={TORCH_7_1[0]} (experimental, Linux only)"
    )


@pytest.mark.parametrize("case", CASES, ids=[each.name for each in CASES])
def test_each_framework_is_compared_with_rocm_and_what_belongs_to_it(
    packages: FakeEnvironment, here: FakeMachine, case: Case
) -> None:
    found = verdicts(packages, here, case)
    standing = [each for each in found if each.judgement != "fits" and each.package != "torch"]
    told = sorted((each.package, each.on, each.judgement) for each in standing)
    assert told == sorted(case.standing)
    assert not case.reason or any(case.reason in each.reason for each in standing)


def test_a_stack_of_jax_needs_no_torch(packages: FakeEnvironment, here: FakeMachine) -> None:
    found = verdicts(packages, here, CASES[0])
    assert "torch" not in {each.package for each in found}
    stack = packages.show(here)
    assert stack.exit_code == 0
    assert [each.name for each in stack.environment.packages] == [
        *("jax", "jaxlib", "jax-rocm7-pjrt", "jax-rocm7-plugin"),
    ]


def test_a_command_beside_torch_keeps_it(packages: FakeEnvironment, here: FakeMachine) -> None:
    parts = {"jax": "0.8.2", "jaxlib": "0.8.2", "jax-rocm7-plugin": "0.8.2"}
    case = Case("", parts, [], torch=TORCH_7_2)
    actions = [each.action for each in verdicts(packages, here, case) if each.action]
    assert actions
    keeps = f"torch=={TORCH_7_2[0]} --extra-index-url https://download.pytorch.org/whl/rocm7.2"
    assert [each for each in actions if keeps not in each] == []


@pytest.mark.parametrize(
    ("torch", "end"),
    [
        ("2.9.1+rocm6.4", " --index-url https://download.pytorch.org/whl/rocm6.4"),
        ("2.9.1+git123", " from the index it came from"),
    ],
)
def test_the_triton_of_torch_comes_back_from_the_index_of_torch(
    packages: FakeEnvironment, torch: str, end: str
) -> None:
    packages.torch(torch, "6.4.43484")
    packages.install("triton", "3.8.0")
    packages.install("pytorch-triton-rocm", "3.5.1")
    (verdict,) = rivals(packages.read(), None, Rocm())
    assert verdict.action == (
        "pip uninstall -y triton, then pip install --force-reinstall --no-deps "
        f"pytorch-triton-rocm==3.5.1{end}"
    )


@pytest.mark.parametrize(
    ("version", "hip", "there", "taken"),
    [
        ("0.49.2", "7.2", ("71", "72"), "72"),
        ("0.49.2", "7.14", ("72", "714"), ""),
        ("0.50.2", "7.14", ("72", "714", "715"), "714"),
        ("0.50.2", "7.14", ("71", "72", "715"), "72"),
        ("0.50.2", "7.1", ("714", "715", "64"), "714"),
        ("0.50.0.dev0", "7.14", ("72",), "72"),
        ("0.50.2", "8.0", ("72",), ""),
    ],
)
def test_which_library_bitsandbytes_takes(
    version: str, hip: str, there: tuple[str, ...], taken: str
) -> None:
    assert loaded(Distribution("bitsandbytes", version), hip, there) == taken
