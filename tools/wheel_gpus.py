"""The GPUs that PyTorch's ROCm wheels were built for, by torch and ROCm, each with its source.

``PYTORCH_ROCM_ARCH`` of the image in which the wheels are built: ``manywheel/build_docker.sh`` of
pytorch/builder up to torch 2.4, and ``.ci/docker/manywheel/build.sh`` of pytorch/pytorch since, in
each at the release's branch or tag. Those of the tags v2.9.1 to v2.14.0 are also in
``kaine/wheel_index`` of github.com/kaineone/kaine. Where the file of a release was not at hand, the
list is what ``torch.cuda.get_arch_list()`` gave, or what the change says that made it.
"""

from __future__ import annotations

from typing import NamedTuple

from packaging.version import Version


class Built(NamedTuple):
    """The wheels that were built for the same GPUs."""

    torch: str
    """Minor versions."""
    gfx: str
    source: str
    since: str = "0"
    """The first ROCm of them; those before it are in the entry above."""


_2_0 = "gfx900 gfx906 gfx908 gfx90a gfx1030"
_2_1 = f"{_2_0} gfx1100"
_2_3 = _2_1.replace("gfx90a", "gfx90a gfx942")
_2_6 = f"{_2_3} gfx1101"
_2_7 = f"{_2_6} gfx1102 gfx1200 gfx1201"
_2_10 = _2_7.replace("gfx942", "gfx942 gfx950").replace("gfx1102", "gfx1102 gfx1150 gfx1151")
_2_13 = _2_10.replace("gfx1102", "gfx1102 gfx1103")
_7_14 = _2_13.removeprefix("gfx900 gfx906 ")

_BUILDER = "github:pytorch/builder manywheel/build_docker.sh@"
_PYTORCH = "github:pytorch/pytorch .ci/docker/manywheel/build.sh@"
_ASKED = "github:astral-sh/uv#14086 (torch.cuda.get_arch_list())"
BUILT = (
    Built("1.11", _2_0, f"{_BUILDER}23b02d266"),
    Built("1.12 1.13", _2_0, f"{_BUILDER}4cad3cace"),
    Built("2.0", _2_0, f"{_BUILDER}495907071"),
    Built("2.1 2.2", _2_1, f"{_BUILDER}bb821d4af"),
    Built("2.3", _2_1, f"{_BUILDER}b9d2b93c0"),
    Built("2.3", _2_3, f"{_BUILDER}b9d2b93c0", since="6.0"),
    Built("2.4", _2_3, f"{_BUILDER}a4b440ec0"),
    Built("2.5", _2_3, f"{_ASKED} of 2.5.1+rocm6.2"),
    Built("2.6", _2_6, "github:pytorch/pytorch#141667, for all ROCm versions"),
    Built("2.7", _2_7, f"{_ASKED} of 2.7.1+rocm6.2.4 and 2.7.1+rocm6.3"),
    Built("2.8", _2_7, f"{_PYTORCH}v2.9.1, the list of 2.7.1 too"),
    Built("2.9", _2_7, f"{_PYTORCH}v2.9.1"),
    Built("2.10", _2_10, f"{_PYTORCH}v2.10.0"),
    Built("2.11", _2_10, f"{_PYTORCH}v2.11.0"),
    Built("2.12", _2_10, f"{_PYTORCH}v2.12.1"),
    Built("2.13", _2_13, f"{_PYTORCH}v2.13.0"),
    Built("2.14", _2_13, f"{_PYTORCH}v2.14.0"),
    Built("2.14", _7_14, f"{_PYTORCH}027375bff", since="7.14"),
)
"""From torch 1.11 on: before it the list was a default of the compiler. The list of torch 2.15 was
not found: github:pytorch/pytorch#196610 adds gfx1250, and does not say for which ROCm."""


def gpus(torch: str, rocm: list[str]) -> dict[str, dict[str, str]]:
    """Return the columns of a row: the GPUs of the wheels for each ROCm, and the source."""
    entries = [each for each in BUILT if torch in each.torch.split()]
    found = {
        version: next(each for each in reversed(entries) if Version(each.since) <= Version(version))
        for version in rocm
        if entries
    }
    return {
        "gfx": {version: each.gfx for version, each in found.items()},
        "gfx_source": {version: each.source for version, each in found.items()},
    }
