"""What goes wrong below torch: messages of real reports, on the machines they came from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.support.situations import Situation, said

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


class Report(NamedTuple):
    """A message, what was there, and what the answer must say."""

    log: str
    entry: str
    verdict: str
    words: tuple[str, ...]
    gpus: tuple[str, ...] = ()
    packages: Mapping[str, str] = {}
    files: tuple[str, ...] = ()
    machine: Mapping[str, str] = {}
    variables: Mapping[str, str] = {}
    python: str = "3.12"


NFS = {"/proc/mounts": "nas:/home /home nfs4 rw 0 0\n/dev/sda1 / ext4 rw 0 0\n"}
DOCKER = {"/.dockerenv": "", "/proc/mounts": "shm /dev/shm tmpfs rw,size=65536k 0 0\n"}
WSL = {"/proc/version": "Linux version 6.6.87.2-microsoft-standard-WSL2"}
ROCM_6 = {"torch": "2.9.1+rocm6.4"}
CUDA = {"torch": "2.9.1+cu128"}

REPORTS = {
    "SwarmUI#1432": Report(
        "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an "
        "NVIDIA GPU and installed a driver",
        "cuda-torch-on-amd",
        "known",
        ("torch 2.9.1+cu128 is a CUDA build", "uninstall"),
        ("gfx1103",),
        CUDA,
    ),
    "diff-svc#3": Report(
        "AssertionError: Torch not compiled with CUDA enabled",
        "torch-without-gpu-support",
        "known",
        ("CPU build",),
        ("gfx1030",),
        {"torch": "2.0.0+cpu"},
    ),
    "pytorch#164346": Report(
        "RuntimeError: HIP error: invalid device function",
        "no-code-for-gpu",
        "known",
        ("torch 2.8.0+rocm6.4 has code for", "not for gfx1151", "--gpu gfx1151"),
        ("gfx1151",),
        {"torch": "2.8.0+rocm6.4"},
    ),
    "an override across families": Report(
        "RuntimeError: HIP error: invalid device function",
        "no-code-for-gpu",
        "known",
        ("HSA_OVERRIDE_GFX_VERSION=11.0.0", "another family than gfx1201"),
        ("gfx1201",),
        ROCM_6,
        variables={"HSA_OVERRIDE_GFX_VERSION": "11.0.0"},
    ),
    "tensorflow-upstream#1800": Report(
        "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
        "no-code-for-gpu",
        "likely",
        ("no code for gfx1031", "with 10.3.0"),
        ("gfx1031",),
    ),
    "easydiffusion#1477": Report(
        "hipErrorNoBinaryForGpu: Unable to find code object for all current devices!",
        "no-code-for-gpu",
        "known",
        ("ROCm build on a machine whose GPU to use is NVIDIA's",),
        ("gfx90c",),
        ROCM_6,
        machine={"/proc/driver/nvidia/version": "NVRM version"},
    ),
    "hip#2245": Report(
        ":0:rocdevice.cpp :2180: Device::callbackQueue aborting with status: 0x100f",
        "no-code-for-gpu",
        "likely",
        ("no code for gfx906",),
        ("gfx906",),
    ),
    "libfabric#6161": Report(
        "hsa api call failure: HSA_STATUS_ERROR_OUT_OF_RESOURCES",
        "hsa-out-of-resources",
        "likely",
        ("finds no supported GPU",),
    ),
    "rocm-arch#1": Report(
        "HSA_STATUS_ERROR_OUT_OF_RESOURCES: The runtime failed to allocate",
        "hsa-out-of-resources",
        "known",
        ("amdgpu driver is not loaded",),
        machine={"/sys/module/ext4/refcnt": "1"},
    ),
    "ROCm-docker#116": Report(
        "Unable to open /dev/kfd read-write: Permission denied\n"
        "Failed to get user name to check for video group membership",
        "kfd-cannot-be-opened",
        "known",
        ("--group-add video does not give", "stat -c %g /dev/kfd"),
        machine=DOCKER,
    ),
    "legacy-rocm-build#1798": Report(
        "Unable to open /dev/kfd read-write: No such file or directory",
        "kfd-cannot-be-opened",
        "known",
        ("without the device nodes", "--device=/dev/kfd"),
        machine={"/.singularity.d/startscript": ""},
    ),
    "a blacklisted driver": Report(
        "ROCk module is NOT loaded, possibly no GPU devices",
        "amdgpu-not-loaded",
        "known",
        ("/etc/modprobe.d/amd.conf",),
        machine={"/etc/modprobe.d/amd.conf": "# old\nblacklist amdgpu\n"},
    ),
    "ollama#6685": Report(
        "rocBLAS error: Could not initialize Tensile host: No devices found",
        "no-gpu-visible",
        "likely",
        ("keep-groups",),
        machine={"/run/.containerenv": 'engine="podman"\nrootless=1\n'},
    ),
    "librocdxg#46": Report(
        "RuntimeError: No HIP GPUs are available",
        "no-gpu-visible",
        "likely",
        ("librocdxg.so", "ldconfig"),
        machine=WSL,
    ),
    "no GPU left by a variable": Report(
        "RuntimeError: No HIP GPUs are available",
        "no-gpu-visible",
        "known",
        ("hides all GPUs",),
        variables={"HIP_VISIBLE_DEVICES": "-1"},
    ),
    "TheRock#7699": Report(
        "Memory access fault by GPU node-1 (Agent handle: 0x5f) on address 0x7f. "
        "Reason: Page not present or supervisor privilege.",
        "memory-access-fault",
        "known",
        ("hipBLASLt of ROCm 10.0.0", "TORCH_BLAS_PREFER_HIPBLASLT=0"),
        ("gfx1201",),
        machine={"/opt/rocm/.info/version": "10.0.0-12\n"},
    ),
    "pytorch#97074": Report(
        "Memory access fault by GPU node-1 (Agent handle: 0x5f) on address 0x7f. "
        "Reason: Page not present or supervisor privilege.",
        "memory-access-fault",
        "likely",
        ("torch 2.0.0+rocm5.4.2", "upgrade torch"),
        ("gfx1030",),
        {"torch": "2.0.0+rocm5.4.2"},
    ),
    "InvokeAI#5738": Report(
        "RuntimeError: HIP error: the operation cannot be performed in the present state",
        "hip-operation-in-present-state",
        "likely",
        ("built for ROCm 5.6", "ROCm of this system is 6.0"),
        ("gfx1031",),
        {"torch": "2.1.2+rocm5.6"},
        machine={"/opt/rocm/.info/version": "6.0.0-91\n"},
    ),
    "tensorflow-upstream#1419": Report(
        "MIOpen(HIP): Warning [FindWinogradSolutions] /src/sqlite_db.cpp:212: Internal error "
        "while accessing SQLite database: disk I/O error",
        "miopen-cache",
        "known",
        ("network file system", "MIOPEN_USER_DB_PATH"),
        machine=NFS,
        variables={"HOME": "/home/ann"},
    ),
    "hpcfund#87": Report(
        "MIOpen Error: /src/sqlite_db.cpp:227: Internal error while accessing SQLite database: "
        "disk I/O error\nRuntimeError: miopenStatusInternalError",
        "miopen-cache",
        "known",
        ("~/.config/miopen", "MIOPEN_USER_DB_PATH"),
    ),
    "legacy-rocm-build#6150": Report(
        "C:\\a\\rocm\\include\\hip\\amd_hip_vector_types.h:15: fatal error: 'type_traits' file "
        "not found compiling for gfx1151\nRuntimeError: miopenStatusUnknownError",
        "miopen-failed",
        "known",
        ("no C++ headers", "Visual Studio"),
    ),
    "pytorch-gpu-benchmark#19": Report(
        "MIOpen(HIP): Error [SetIsaName] amdgcn-amd-amdhsa--gfx900:sramecc-:xnack-: "
        "INVALID_ARGUMENT (2)\nRuntimeError: miopenStatusUnknownError",
        "miopen-failed",
        "known",
        ("feature flags", "newer ROCm"),
    ),
    "ROCmLibs#4": Report(
        "rocBLAS error: Cannot read C:\\Program Files\\AMD\\ROCm\\6.1\\bin\\/rocblas/library/"
        "TensileLibrary.dat: No such file or directory for GPU arch : gfx1103",
        "rocblas-without-kernels",
        "known",
        ("no kernels for gfx1103", "exactly this version"),
    ),
    "pytorch#138067": Report(
        "RuntimeError: Attempting to use hipBLASLt on a unsupported architecture!",
        "hipblaslt-unsupported-gpu",
        "known",
        ("TORCH_BLAS_PREFER_HIPBLASLT=0",),
    ),
    "ROCm/pytorch#2411": Report(
        "ImportError: libamdhip64.so.7: cannot open shared object file: No such file",
        "rocm-library-missing",
        "known",
        ("rocm-sdk-core 7.0.0", "torch 2.8 or later"),
        packages={"torch": "2.7.1+rocm7.0", "rocm-sdk-core": "7.0.0"},
    ),
    "pytorch#139410": Report(
        "OSError: libtorch_cuda.so: cannot open shared object file: No such file or directory",
        "missing-library",
        "likely",
        ("built for torch for CUDA",),
        packages={"torch": "2.5.1+rocm6.2"},
    ),
    "vllm#44660": Report(
        "Traceback (most recent call last):\n"
        '  File "SITE/vllm/platforms/cuda.py", line 5, in <module>\n'
        "    import vllm._C\n"
        "ImportError: libcudart.so.12: cannot open shared object file: No such file",
        "cuda-library-on-amd",
        "known",
        ("Python 3.12 only", "Python 3.11"),
        ("gfx942",),
        {"vllm": "0.11.0"},
        python="3.11",
    ),
    "bitsandbytes#91": Report(
        "RuntimeError: Configured ROCm binary not found at "
        "/v/bitsandbytes/libbitsandbytes_rocm80.so",
        "bitsandbytes-library",
        "known",
        ("ROCm 7.10 for 8.0", "bitsandbytes>=0.50"),
    ),
    "bitsandbytes#82": Report(
        "Could not find the bitsandbytes ROCm binary at "
        "PosixPath('/v/bitsandbytes/libbitsandbytes_rocm63.so')\n"
        "OSError: /v/bitsandbytes/libbitsandbytes_cpu.so: cannot open shared object file",
        "bitsandbytes-library",
        "known",
        ("built with another ROCm", "BNB_ROCM_VERSION"),
        packages={"torch": "2.7.1+rocm6.3", "bitsandbytes": "0.43.3.dev0"},
        files=("bitsandbytes/libbitsandbytes_rocm64.so",),
    ),
    "aiter#1498": Report(
        "Traceback (most recent call last):\n"
        '  File "SITE/aiter/jit/utils/chip_info.py", line 45, in get_gfx\n'
        "    return gfx_mapping[gfx]\n"
        "KeyError: 'gfx1151'",
        "aiter-unknown-gpu",
        "known",
        ("no entry for gfx1151", "VLLM_ROCM_USE_AITER=0"),
        packages={"amd-aiter": "0.1.6"},
        files=("aiter/__init__.py",),
    ),
    "vllm#39485": Report(
        "ImportError: /lib/x86_64-linux-gnu/libstdc++.so.6: version `GLIBCXX_3.4.31' not found "
        "(required by /v/aiter/jit/module_aiter_enum.so)",
        "library-too-old",
        "known",
        ("GLIBCXX 3.4.31", "Ubuntu 24.04"),
    ),
    "ROCm/flash-attention#80": Report(
        "AssertionError: One of GPU archs of ['gfx1100'] is invalid or not supported by "
        "Flash-Attention",
        "flash-attn-unsupported-gpu",
        "known",
        ("CK backend", "FLASH_ATTENTION_TRITON_AMD_ENABLE=TRUE"),
    ),
    "vllm#12572": Report(
        "RuntimeError: HIP error: invalid device ordinal",
        "devices-filtered-twice",
        "known",
        ("ROCR_VISIBLE_DEVICES=1 leaves fewer", "unset ROCR_VISIBLE_DEVICES"),
        variables={"ROCR_VISIBLE_DEVICES": "1", "CUDA_VISIBLE_DEVICES": "0,1"},
    ),
    "nccl#342": Report(
        "NCCL WARN Call to posix_fallocate failed: No space left on device",
        "shared-memory-too-small",
        "known",
        ("64 MiB", "--shm-size=16g"),
        machine=DOCKER,
    ),
    "rccl#328": Report(
        "RuntimeError: Rccl error, unhandled system error",
        "rccl-system-error",
        "likely",
        ("interface", "NCCL_SOCKET_IFNAME"),
    ),
    "pytorch-lightning#4420": Report(
        "NCCL WARN Duplicate GPU detected : rank 0 and rank 3 both on CUDA device 0",
        "two-ranks-on-one-gpu",
        "known",
        ("ranks 0 and 3", "LOCAL_RANK"),
    ),
    "ROCm#5616": Report(
        "Memory access fault by GPU node-1 (Agent handle: 0x5) on address 0x7. Reason: Page not "
        "present.\n[ 67.05] amdgpu: [gfxhub] page fault (src_id:0 ring:153 vmid:8 pasid:32786)\n"
        "[ 67.05] amdgpu: Faulty UTCL2 client ID: CPF (0x4)",
        "memory-access-fault",
        "likely",
        ("command processor", "MES 0x83"),
        ("gfx1151",),
    ),
    "hip#3710": Report(
        "hipGetDeviceCount: Returned hipErrorNoDevice :\nFalse",
        "no-gpu-visible",
        "likely",
        ("its own libhsa-runtime64.so", "repo.radeon.com"),
        packages={"torch": "2.5.1+rocm6.2"},
        files=("torch/lib/libhsa-runtime64.so",),
        machine=WSL,
    ),
    "TheRock#5543": Report(
        "torch.AcceleratorError: HIP error: device kernel image is invalid",
        "no-code-for-gpu",
        "likely",
        ("gfx1036", "HIP_VISIBLE_DEVICES=1"),
        ("gfx1036", "gfx1100"),
        {"torch": "2.10.0+rocm7.13.0a20260508"},
    ),
    "a blank in the path": Report(
        "(venv) u@pc$ '/media/u/New Volume/venv/bin/python' train.py\n"
        "RuntimeError: HIP error: no kernel image is available for execution on the device",
        "no-code-for-gpu",
        "likely",
        ("has a blank (/media/u/New Volume/venv)",),
        ("gfx906",),
        {"torch": "2.4.1+rocm6.1"},
    ),
    "ROCm#1583": Report(
        "HSA Error:  Incompatible kernel and userspace, Vega 20 disabled. Upgrade amdgpu.\n"
        "$ dkms status\namdgpu, 4.3-52.el7: added",
        "kernel-older-than-runtime",
        "known",
        ("DKMS has amdgpu 4.3-52.el7", "never installed it"),
    ),
    "ROCm#3060": Report(
        "RuntimeError: Internal Triton PTX codegen error:",
        "ptx-on-amd",
        "known",
        ("triton 2.3.0 of PyPI", "uninstall -y triton pytorch-triton-rocm"),
        ("gfx1100",),
        {"torch": "2.3.0+rocm6.0", "triton": "2.3.0", "pytorch-triton-rocm": "2.3.0"},
    ),
    "TheRock#2006": Report(
        "Exception: ROCm linker /opt/rocm/llvm/bin/ld.lld not found. Set 'TRITON_HIP_LLD_PATH' to "
        "its path.",
        "triton-without-linker",
        "known",
        ("export TRITON_HIP_LLD_PATH=", "_rocm_sdk_devel/llvm/bin/ld.lld"),
        files=("_rocm_sdk_devel/llvm/bin/ld.lld",),
    ),
    "aiter#4831": Report(
        "AssertionError: mla_gluon requires gfx950 (CDNA4), got gfx942",
        "fp4-on-older-gpu",
        "known",
        ("VLLM_ROCM_USE_AITER_MLA=1 chooses it", "VLLM_ROCM_USE_AITER_MLA=0"),
        variables={"VLLM_ROCM_USE_AITER": "1", "VLLM_ROCM_USE_AITER_MLA": "1"},
    ),
    "TheRock#1202": Report(
        "ModuleNotFoundError: No module named 'torch._C._distributed_c10d'; 'torch._C' is not a "
        "package",
        "torch-without-distributed",
        "known",
        ("built without torch.distributed",),
        packages={"torch": "2.9.1+rocm7.2.1"},
    ),
}
"""By the report that a message is of: a thread of GitHub, mostly."""


@pytest.mark.parametrize("name", REPORTS)
def test_a_report_gets_the_answer_of_its_thread(name: str, tmp_path: Path) -> None:
    report = REPORTS[name]
    situation = Situation(tmp_path, report.python)
    if report.gpus:
        situation.gpus(*report.gpus)
    situation.install(report.packages)
    for each in report.files:
        situation.write(each)
    for path, text in report.machine.items():
        situation.here.file(path, text)
    situation.here.environment.update(report.variables)
    answer = situation.why(report.log)
    entry = answer.explanation.entry if answer.explanation else ""
    assert (entry, answer.verdict) == (report.entry, report.verdict), said(answer)
    missing = [each for each in report.words if each not in said(answer)]
    assert missing == [], said(answer)
