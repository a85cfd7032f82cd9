"""AMD's package indexes, told from their URLs."""

from __future__ import annotations

import pytest

from rocmlint.published.amd_index import amd_index, amd_indexes_in
from rocmlint.published.pytorch_index import is_pypi, is_rocm


@pytest.mark.parametrize(
    ("url", "family", "is_preview"),
    [
        ("https://repo.amd.com/rocm/whl-multi-arch/", "", False),
        ("https://stable.repo.amd.com/rocm/whl-next", "", False),
        ("https://nightly.repo.amd.com/rocm/whl-next/", "", True),
        ("https://rc.repo.amd.com/rocm/whl-next/", "", True),
        ("https://dev.repo.amd.com/rocm/pytorch/whl-next/", "", True),
        ("https://rocm.nightlies.amd.com/whl-multi-arch/", "", True),
        ("https://rocm.nightlies.amd.com/whl-staging-multi-arch/", "", True),
        ("https://repo.amd.com/rocm/whl/gfx110X-all/", "gfx110X-all", False),
        ("https://repo.amd.com/rocm/whl/gfx1151", "gfx1151", False),
        ("https://rocm.nightlies.amd.com/v2/gfx94X-dcgpu/", "gfx94X-dcgpu", True),
        ("https://rocm.nightlies.amd.com/v2-staging/gfx1150", "gfx1150", True),
        ("https://rocm.prereleases.amd.com/whl/gfx120X-all/", "gfx120X-all", True),
    ],
)
def test_the_url_tells_the_gpus_and_whether_releases_are_there(
    url: str, family: str, is_preview: bool
) -> None:
    assert amd_index(url) == (url, family, is_preview)
    assert is_rocm(url)
    assert not is_pypi(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://repo.amd.com/rocm/tarball-multi-arch/therock-dist-linux-gfx1151-7.14.1.tar.gz",
        "https://stable.repo.amd.com/rocm/migraphx/whl-next/",
        "https://rocm.frameworks.amd.com/whl-multi-arch/vllm/",
        "https://download.pytorch.org/whl/rocm7.2",
        "https://example.org/repo.amd.com/rocm/whl-multi-arch/",
        "repo.amd.com/rocm/whl-multi-arch/",
    ],
)
def test_other_addresses_are_none(url: str) -> None:
    assert amd_index(url) is None


def test_a_text_is_searched_for_them() -> None:
    text = (
        'INDEX="https://repo.amd.com/rocm/whl/gfx1151/"\n'
        "pip install torch --index-url https://stable.repo.amd.com/rocm/whl-next/\n"
    )
    assert [each.family for each in amd_indexes_in(text)] == ["gfx1151", ""]
