"""Which library a kernel belongs to: by the file that holds it, or, as a hint only, by its name.

The files are where the libraries install them: torch's wheels for ROCm carry hipBLASLt, rocBLAS,
MIOpen and AOTriton below ``torch/lib`` and ``torch/share``, a system has them below ``/opt/rocm``.
CK has no library of its own that matters here: its templates are compiled into whatever uses them
(torch, AITER, MIOpen), so that a kernel of CK is recognized by its namespace, and its file says
whose it is.
"""

from __future__ import annotations

import functools
import os
import re
from dataclasses import dataclass

from rocmlint.source.kinds import package_of

LIBRARIES = ("aiter", "ck", "aotriton", "hipblaslt", "rocblas", "miopen", "triton")
"""Libraries that can be expected in a trace."""


@dataclass(frozen=True, order=True)
class KernelOrigin:
    """Whose code a kernel is: the package or library, and what the code was written with.

    ``made_with`` is ``ck`` or ``triton`` where that is another library than the owner, else empty.
    """

    owner: str
    made_with: str = ""

    def __str__(self) -> str:
        """Return a name such as ``aiter`` or ``torch (ck)``."""
        return f"{self.owner} ({self.made_with})" if self.made_with else self.owner

    def is_of(self, library: str) -> bool:
        """Return whether it is code of the library, whoever compiled it in."""
        return library in {self.owner, self.made_with}


_FILES = tuple(
    (re.compile(pattern), owner)
    for pattern, owner in (
        (r"/aotriton\.images/|/libaotriton", "aotriton"),
        (r"/hipblaslt/|/libhipblaslt", "hipblaslt"),
        (r"/rocblas/|/librocblas", "rocblas"),
        (r"/miopen/|/libMIOpen|\.u?kdb$", "miopen"),
        (r"/librccl", "rccl"),
        (r"/libamdhip64", "the HIP runtime"),
        (r"/lib(?:torch|c10)_hip\b", "torch"),
        (r"/(lib)?(rocsparse|hipsparselt|rocsolver|rocfft|rocrand|hiptensor)[/.]", r"\2"),
        (r"/aiter/|/aiter_meta/|/\.aiter/", "aiter"),
        (r"/torchinductor_", "torch.compile"),
        (r"/(?:site|dist)-packages/([^/.]+)", r"\1"),
    )
)
_LIBRARY = re.compile(r"(?:lib)?(?P<name>[A-Za-z0-9_+-]+)\.(?:so|co|hsaco|zip)")
_CK = re.compile(r"\b(?:ck|ck_tile)::|^_ZN?K?(?:2ck|7ck_tile)")


def of_file(path: str, name: str, made_of: str = "") -> KernelOrigin:
    """Return whose kernel ``name`` is, which is in the file ``path``.

    ``made_of`` is the file that the kernel came from, where that is another: the Python file that
    Triton compiled, or the library whose code was moved into a kpack archive.
    """
    if made_of and path.endswith(".hsaco"):
        owner = _owner(made_of)
        return KernelOrigin(owner, "triton") if owner else KernelOrigin("triton")
    if made_of:
        owner = _owner(f"/{made_of}") or _own_name(made_of)
    else:
        owner = _owner(path) or _package(os.path.dirname(path)) or _own_name(path)
    made_with = "ck" if _CK.search(name) else ""
    return KernelOrigin(owner, made_with)


def _owner(path: str) -> str:
    slashed = path.replace("\\", "/")
    for pattern, owner in _FILES:
        if match := pattern.search(slashed):
            return match.expand(owner)
    return ""


@functools.cache
def _package(folder: str) -> str:
    """Name the Python package that the files of a folder belong to, wherever it lies."""
    found = package_of(os.path.join(folder, "any"), os.path.exists)
    return found[0] if found else ""


def _own_name(path: str) -> str:
    """Name the library by its file, for what is installed nowhere that is known."""
    base = path.replace("\\", "/").rpartition("/")[2]
    match = _LIBRARY.match(base)
    return match["name"] if match else base


_HINTS = tuple(
    (re.compile(pattern), libraries)
    for pattern, libraries in (
        (r"^Cijk_|^Custom_Cijk_", ("hipblaslt", "rocblas")),
        (r"\baiter::|^_ZN5aiter", ("aiter",)),
        (_CK.pattern, ("ck",)),
        (r"\bat::|\bc10::|^_ZN2at", ("torch",)),
        (r"^triton_(?:poi|red|per|tem|mm|bmm|for|split)_", ("triton",)),
        (r"^(?:nccl|rccl|mscclKernel)", ("rccl",)),
        (r"^__amd_rocclr_", ("the HIP runtime",)),
        (r"^(?:attn_fwd|bwd_kernel_\w+|bwd_preprocess)$", ("aotriton", "triton", "aiter")),
        (r"^miopen|^MIOpen|^naive_conv_|^igemm_|Winograd|^gridwise_|^Im2d2Col", ("miopen",)),
        (r"^SubTensorOp|^batched_transpose_|^transpose_\w+CHW", ("miopen",)),
        (r"\b(?:rocprim|hipcub|rocthrust|thrust)::", ("rocprim",)),
        (r"\bvllm::", ("vllm",)),
    )
)


TEMPLATES = frozenset({"ck", "rocprim"})
"""Libraries that any other one may have compiled in."""


def hints(name: str) -> tuple[str, ...]:
    """Return which libraries give their kernels such names; anybody may, so it proves nothing."""
    return next((libraries for pattern, libraries in _HINTS if pattern.search(name)), ())
