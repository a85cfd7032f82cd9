"""Owners of shared libraries: CUDA, ROCm, torch, Python, or packages of the system."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

Side = Literal["cuda", "cuda driver", "rocm", "torch", "torch for cuda", "torch for rocm", "python"]

_SIDES: tuple[tuple[Side, re.Pattern[str]], ...] = (
    ("torch for cuda", re.compile(r"lib(?:c10_cuda|torch_cuda\w*)")),
    ("torch for rocm", re.compile(r"lib(?:c10_hip|torch_hip)")),
    ("torch", re.compile(r"lib(?:c10|torch|torch_cpu|torch_python|shm|caffe2\w*)")),
    ("cuda driver", re.compile(r"lib(?:cuda|nvidia-ml|nvcuvid|nvidia-\w+)")),
    (
        "cuda",
        re.compile(
            r"lib(?:cudart|cublas|cublasLt|cudnn\w*|cufft\w*|curand|cusolver\w*|cusparse\w*|cupti|"
            r"nvrtc[\w-]*|nvToolsExt|nvJitLink|nccl|nvinfer\w*|cufile|nvshmem\w*|npp\w+|nvjpeg)"
        ),
    ),
    (
        "rocm",
        re.compile(
            r"lib(?:amdhip64|hip\w+|rocblas|rocfft|rocrand|rocsolver|rocsparse|MIOpen|rccl|"
            r"hsa-runtime64|rocm_smi64|rocm-core|roctx64|roctracer64|rocprofiler[\w-]*|amd_comgr\w*|"
            r"amd_smi|migraphx\w*|hsakmt)"
        ),
    ),
    ("python", re.compile(r"libpython3\.\d+\w*")),
)
_PACKAGES = {
    "libGL": "libgl1",
    "libEGL": "libegl1",
    "libgthread-2.0": "libglib2.0-0",
    "libglib-2.0": "libglib2.0-0",
    "libSM": "libsm6",
    "libXext": "libxext6",
    "libXrender": "libxrender1",
    "libX11": "libx11-6",
    "libsndfile": "libsndfile1",
    "libgomp": "libgomp1",
    "libnuma": "libnuma1",
    "libibverbs": "libibverbs1",
    "librdmacm": "librdmacm1",
    "libmlx5": "ibverbs-providers",
    "libopenblas": "libopenblas0",
    "libelf": "libelf1",
    "libdrm": "libdrm2",
    "libdrm_amdgpu": "libdrm-amdgpu1",
    "libmpi": "libopenmpi3",
    "libaio": "libaio1",
    "libtbb": "libtbb12",
    "libavutil": "ffmpeg",
    "libavcodec": "ffmpeg",
    "libavformat": "ffmpeg",
    "libavdevice": "ffmpeg",
    "libportaudio": "libportaudio2",
    "libmagic": "libmagic1",
    "libespeak-ng": "libespeak-ng1",
    "libpq": "libpq5",
    "libtcmalloc": "libgoogle-perftools4",
    "libjemalloc": "libjemalloc2",
}
"""Libraries of the system, and the package of Debian and Ubuntu that has each."""
_COMPILERS = {
    "3.4.29": "GCC 11",
    "3.4.30": "GCC 12",
    "3.4.31": "GCC 13",
    "3.4.32": "GCC 13.2",
    "3.4.33": "GCC 14",
    "3.4.34": "GCC 15",
}
_GLIBCXX_OF = {"Ubuntu 20.04": "3.4.28", "Ubuntu 22.04": "3.4.30", "Ubuntu 24.04": "3.4.33"}
_GLIBC_OF = {"Ubuntu 20.04": "2.31", "Ubuntu 22.04": "2.35", "Ubuntu 24.04": "2.39"}


class SharedLibrary(NamedTuple):
    """A shared library: ``libcudart.so.12`` is ("libcudart", "12")."""

    stem: str
    number: str

    @property
    def side(self) -> Side | None:
        """The owner of the library; None if unknown."""
        return next((side for side, each in _SIDES if each.fullmatch(self.stem)), None)

    @property
    def package(self) -> str:
        """The package of Debian and Ubuntu that has it; empty where that is not known."""
        return _PACKAGES.get(self.stem, "")

    @property
    def major(self) -> str:
        """The first number: the ROCm or CUDA that it is of, for most of their libraries."""
        return self.number.partition(".")[0]


def library_of(name: str) -> SharedLibrary:
    """Read the name of a library."""
    stem, _, number = name.rpartition("/")[2].partition(".so")
    return SharedLibrary(stem, number.lstrip("."))


def compiler_of(number: str) -> str:
    """Return the compiler whose library first has a version of GLIBCXX; empty if unknown."""
    return _COMPILERS.get(number, "")


def systems_with(kind: str, number: str) -> tuple[str, ...]:
    """Return releases of Ubuntu whose GLIBC or GLIBCXX is new enough."""
    known = _GLIBCXX_OF if kind == "GLIBCXX" else _GLIBC_OF
    return tuple(name for name, has in known.items() if _numbers(has) >= _numbers(number))


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(each) for each in text.split(".") if each.isdecimal())
