"""A compiled file of a package holds code for other GPUs than the one that the log names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.why.report import lines_of
from tests.support.fake_site import FakeSite, traceback

if TYPE_CHECKING:
    from pathlib import Path

GPU = "GPU arch : gfx1201\n"
CRASH = (
    f"{GPU}Fatal Python error: Segmentation fault\n\n"
    "Current thread 0x00007f6c1d9fe640 (most recent call first):\n"
    '  File "SITE/aiter/jit/core.py", line 1431 in wrapper\n'
    '  File "SITE/aiter/ops/cache.py", line 30 in reshape_and_cache\n'
    '  File "PROJECT/t.py", line 14 in <module>\n'
    "Segmentation fault (core dumped)\n"
)
REFUSED = GPU + traceback(
    "RuntimeError: HIP error: invalid device function",
    "SITE/aiter/ops/cache.py: run()",
    "SITE/aiter/jit/core.py: run()",
)
NAMED = GPU + "hipErrorNoBinaryForGpu: SITE/aiter/jit/module_cache.so: no code\n"
TRIPLE = "hipv4-amdgcn-amd-amdhsa--"


def code(*targets: str) -> str:
    return "\x7fELF" + "".join(f"{TRIPLE}{each}\0" for each in targets)


CDNA = code("gfx942:sramecc+:xnack-", "gfx950")


@pytest.mark.parametrize(
    ("text", "content", "verdict", "says"),
    [
        (CRASH, CDNA, "likely", "holds code for gfx942, gfx950, and the GPU is gfx1201"),
        (REFUSED, CDNA, "known", "module_cache.so of aiter holds code for gfx942, gfx950"),
        (NAMED, CDNA, "known", "module_cache.so holds code for gfx942, gfx950"),
        (NAMED, code("gfx942", "gfx1201"), "", ""),
        (NAMED, code("gfx12-generic"), "", ""),
        (NAMED, CDNA + "CCOB\x02\x00\x01\x00", "", ""),
        (NAMED, "no code", "", ""),
    ],
)
def test_what_a_file_holds_against_the_gpu(
    text: str, content: str, verdict: str, says: str, tmp_path: Path
) -> None:
    site = FakeSite(tmp_path, {"torch": "2.10.0+rocm7.2", "aiter": "0.1.10"})
    site.write("SITE/aiter/jit/module_cache.so", content)
    site.write("SITE/aiter/jit/module_gone.so", code("gfx942", "gfx1201"))
    answer = site.why(text)
    found = [answer.explanation, *answer.alternatives]
    own = [each for each in found if each and each.entry == "binary-without-code-for-gpu"]
    assert [each.verdict for each in own] == ([verdict] if verdict else [])
    assert says in "\n".join(lines_of(answer))


def test_files_of_a_package_that_no_frame_is_of_are_not_blamed(tmp_path: Path) -> None:
    site = FakeSite(tmp_path, {"aiter": "0.1.10"})
    site.write("SITE/aiter/jit/module_norm.so", CDNA)
    site.write("SITE/aiter/jit/module_gone.so", code("gfx1201"))
    answer = site.why(CRASH)
    assert "module_norm" not in "\n".join(lines_of(answer))
