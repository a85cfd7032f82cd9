"""Entries that GPUs or the versions of two packages decide: with those of a report, and others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite, traceback

if TYPE_CHECKING:
    from pathlib import Path

FNUZ = "ValueError: type fp8e4b8 not supported in this architecture. The supported fp8 dtypes are x"
ADDMM = "NotImplementedError: \"addmm_cuda\" not implemented for 'Float8_e4m3fn'"
GEMM = "RuntimeError: \"_tunable_scaled_gemm\" not implemented for 'Float8_e4m3fn'"
SCALED = "RuntimeError: torch._scaled_mm is only supported on CUDA devices with compute capability"
XDL = "RuntimeError: DeviceGrouped_Xdl_CShuffle<256, 128> does not support this problem"
SELECT = "LLVM ERROR: Cannot select: intrinsic %llvm.amdgcn.fdot2.bf16.bf16"
EXPERTS = "NotImplementedError: No FP8 MoE backend supports the deployment configuration."


@pytest.mark.parametrize(
    ("message", "gpu", "verdict", "says"),
    [
        (FNUZ, "gfx90a", "known", "gfx90a has no fp8 in hardware"),
        (FNUZ, "gfx1201", "known", "gfx1201 has float8_e4m3fn"),
        (FNUZ, "gfx942", "unknown", ""),
        (ADDMM, "gfx1201", "known", "on gfx1201 as float8_e4m3fn"),
        (ADDMM, "gfx942", "known", "on gfx942 as float8_e4m3fnuz"),
        (GEMM, "gfx942", "known", "multiplies only the fnuz kinds"),
        (GEMM.replace("4m3fn", "4m3fnuz"), "gfx950", "known", "a type of gfx942 (MI300) alone"),
        (SCALED, "gfx1100", "known", "gfx1100 has no fp8 in hardware"),
        (SCALED, "gfx1201", "likely", "newer builds for a newer ROCm"),
        (SCALED, "gfx942", "unknown", ""),
        (XDL, "gfx906", "known", "which gfx906 does not have"),
        (XDL, "gfx1100", "likely", "gfx1100 has others (WMMA)"),
        (XDL, "gfx90a", "unknown", ""),
        (SELECT, "gfx1032", "known", "gfx1032 has no instructions"),
        (SELECT, "gfx942", "unknown", ""),
        (EXPERTS, "gfx1151", "known", "gfx1151 has no fp8 in hardware"),
        (EXPERTS, "gfx942", "unknown", ""),
    ],
)
def test_what_a_gpu_cannot_do(
    message: str, gpu: str, verdict: str, says: str, tmp_path: Path
) -> None:
    answer = FakeSite(tmp_path, {"torch": "2.9.0+rocm6.4"}).why(f"GPU arch : {gpu}\n{message}\n")
    shown = "\n".join(lines_of(answer))
    assert answer.verdict == verdict, shown
    assert says in shown


CACHED = traceback(
    "NotImplementedError: Loading a dataset cached in a LocalFileSystem is not supported.",
    "SITE/datasets/builder.py: raise NotImplementedError",
)
TRAIN = traceback(
    "AttributeError: 'AdamW' object has no attribute 'train'",
    "SITE/transformers/trainer.py: self.optimizer.train()",
    "SITE/accelerate/optimizer.py: return self.optimizer.train()",
)
PROXIES = traceback(
    "TypeError: Client.__init__() got an unexpected keyword argument 'proxies'",
    "SITE/openai/_base_client.py: super().__init__(**kwargs)",
)
BOOL = traceback(
    "TypeError: argument of type 'bool' is not iterable",
    'SITE/gradio_client/utils.py: if "const" in schema:',
)
REGISTER = traceback(
    "AttributeError: 'str' object has no attribute '__module__'",
    'SITE/mlx_lm/tokenizer_utils.py: AutoTokenizer.register("N", fast_tokenizer_class=N)',
    'SITE/transformers/models/auto/auto_factory.py: if key.__module__.startswith("t"):',
)
EXTENSION = "AttributeError: module 'pyarrow' has no attribute 'PyExtensionType'"
MEMBER = "ImportError: cannot import name 'AttrsDescriptor' from 'triton.compiler.compiler' (x.py)"


@pytest.mark.parametrize(
    ("text", "packages", "entry"),
    [
        (CACHED, {"datasets": "2.14.4", "fsspec": "2025.3.2"}, "datasets-older-than-fsspec"),
        (CACHED, {"datasets": "2.14.4", "fsspec": "2023.6.0"}, ""),
        (TRAIN, {"transformers": "4.45.2", "accelerate": "0.32.1"}, "optimizer-without-train"),
        (TRAIN, {"transformers": "4.45.2", "accelerate": "0.34.2"}, ""),
        (PROXIES, {"openai": "1.54.0", "httpx": "0.28.1"}, "httpx-without-proxies"),
        (PROXIES, {"openai": "1.54.0", "httpx": "0.27.2"}, ""),
        (BOOL, {"gradio": "4.42.0", "pydantic": "2.11.1"}, "gradio-older-than-pydantic"),
        (BOOL, {"gradio": "4.42.0", "pydantic": "2.10.6"}, ""),
        (REGISTER, {"transformers": "5.13.0", "mlx-lm": "0.31.1"}, "name-registered-for-a-class"),
        (REGISTER, {"transformers": "5.12.0", "mlx-lm": "0.31.1"}, ""),
        (EXTENSION, {"datasets": "2.14.5", "pyarrow": "21.0.0"}, "datasets-older-than-pyarrow"),
        (MEMBER, {"torch": "2.6.0", "triton": "3.3.0"}, "triton-newer-than-torch"),
    ],
)
def test_two_packages_of_different_releases(
    text: str, packages: dict[str, str], entry: str, tmp_path: Path
) -> None:
    answer = FakeSite(tmp_path, packages).why(text)
    shown = "\n".join(lines_of(answer))
    found = answer.explanation
    assert (found.entry if found is not None and answer.verdict == "known" else "") == entry, shown
