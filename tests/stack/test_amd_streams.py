"""In which of AMD's indexes a build is, by its version (RELEASES.md of ROCm/TheRock)."""

from __future__ import annotations

import pytest

from rocmlint.published.amd_index import amd_index
from rocmlint.stack.wheels.amd_parts import family_url, index_for


@pytest.mark.parametrize(
    ("rocm", "url"),
    [
        ("7.14.0", "https://repo.amd.com/rocm/whl-multi-arch/"),
        ("10.0.0", "https://stable.repo.amd.com/rocm/whl-next/"),
        ("10.1.0", "https://stable.repo.amd.com/rocm/whl-next/"),
        ("7.14.0a20260601", "https://rocm.nightlies.amd.com/whl-multi-arch/"),
        ("10.0.0rc4", "https://rocm.prereleases.amd.com/whl-multi-arch/"),
        ("7.12.0.dev0+849eec4", "https://rocm.devreleases.amd.com/whl-multi-arch/"),
        ("10.1.0a20260823", "https://nightly.repo.amd.com/rocm/whl-next/"),
        ("10.1.0rc0", "https://rc.repo.amd.com/rocm/whl-next/"),
        ("10.1.0.dev0+0d83284", "https://dev.repo.amd.com/rocm/whl-next/"),
        ("7.0.0rc20250702", "https://rocm.nightlies.amd.com/whl-multi-arch/"),
    ],
)
def test_a_build_is_where_it_was_published(rocm: str, url: str) -> None:
    assert index_for(rocm).url == url
    assert amd_index(url) is not None


@pytest.mark.parametrize(
    ("rocm", "url"),
    [
        ("7.13.0", "https://repo.amd.com/rocm/whl/{family}/"),
        ("7.12.0rc1", "https://rocm.prereleases.amd.com/whl/{family}/"),
        ("7.13.0a20260416", "https://rocm.nightlies.amd.com/v2/{family}/"),
        ("7.12.0.dev0+849eec4", "https://rocm.devreleases.amd.com/v2/{family}/"),
    ],
)
def test_a_build_for_a_family_is_where_it_was_published(rocm: str, url: str) -> None:
    assert family_url(rocm) == url
