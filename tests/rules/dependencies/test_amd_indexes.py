"""AMD's own indexes in installs: they are for ROCm, and PyPI is ahead of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.repositories import Repository

ALL = "https://repo.amd.com/rocm/whl-multi-arch/"
NEXT = "https://stable.repo.amd.com/rocm/whl-next/"
STRIX = "https://repo.amd.com/rocm/whl/gfx1151/"
NIGHTLY = "https://rocm.nightlies.amd.com/v2/gfx1151/"
RADEON = "https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2.1/"
WHEEL = f"{RADEON}torch-2.9.1%2Brocm7.2.1.lw.gitff65f5bc-cp312-cp312-linux_x86_64.whl"


@pytest.mark.parametrize(
    "command",
    [
        f'pip install --index-url {ALL} "torch[device-gfx1151]==2.12.0+rocm7.14.0"',
        f'pip install --extra-index-url {ALL} "torch[device-gfx1151]==2.12.0+rocm7.14.0"',
        f"pip install --index-url {STRIX} torch torchvision torchaudio",
        f"pip install --pre --extra-index-url {NIGHTLY} torch torchvision",
        f"uv pip install --extra-index-url {STRIX} torch torchvision",
        f"pip install torch==2.9.1 -f {RADEON}",
        f"pip install {WHEEL}",
    ],
)
def test_torch_comes_from_them(repository: Repository, command: str) -> None:
    assert repository.codes("install.sh", f"{command}\n") == []
    again = f"{command}\npip install accelerate\npip install torch\n"
    assert repository.codes("install.sh", again) == []


@pytest.mark.parametrize(
    "before",
    [f"--index-url {ALL} 'torch[device-gfx1151]==2.12.0+rocm7.14.0'", f"-i {STRIX} torch==2.11.0"],
)
@pytest.mark.parametrize("after", ["-U torch", "torch==2.13.0", "vllm==0.11.0", "unsloth"])
def test_a_later_command_replaces_that_torch(
    repository: Repository, before: str, after: str
) -> None:
    text = f"pip install {before}\npip install {after}\n"
    (found,) = repository.lint("install.sh", text)
    assert (found.code, found.line) == ("ROC201", 2)


@pytest.mark.parametrize("keeping", [f"-i {STRIX}", "-c torch.txt", "--no-deps", "--dry-run"])
def test_what_keeps_that_torch_is_silent(repository: Repository, keeping: str) -> None:
    text = f"pip install -i {STRIX} torch==2.11.0 torchvision\npip install {keeping} timm unsloth\n"
    assert repository.codes("install.sh", text) == []


@pytest.mark.parametrize("url", [ALL, NEXT, STRIX])
def test_beside_pypi_the_newest_torch_is_that_of_pypi(repository: Repository, url: str) -> None:
    text = f"pip install --extra-index-url {url} torch torchvision\n"
    (found,) = repository.lint("install.sh", text)
    assert found.message == (
        "pip installs `torch` from PyPI, the CUDA build, where it is newer than the index's"
    )
    assert f"`--index-url {url}`" in found.help


@pytest.mark.parametrize("package", ["triton==3.6.0+rocm7.13.0", "vllm==0.19.1", "xformers"])
def test_what_else_is_in_their_indexes_is_not_known(repository: Repository, package: str) -> None:
    text = f"pip install -i {STRIX} torch\npip install --extra-index-url {STRIX} {package}\n"
    assert repository.codes("install.sh", text, preview=True) == []


@pytest.mark.parametrize("asked", ["torch==2.11.0", "'torch<2.13'"])
def test_a_torch_that_amd_may_have_built_is_taken_from_amd(
    repository: Repository, asked: str
) -> None:
    assert repository.codes("install.sh", f"pip install --extra-index-url {STRIX} {asked}\n") == []


def test_the_torchvision_of_a_vendor_stays_where_it_meets_the_pin(repository: Repository) -> None:
    vision = f"{RADEON}torchvision-0.24.0%2Brocm7.2.1.gitb919bd0c-cp312-cp312-linux_x86_64.whl"
    text = f"pip install {WHEEL} {vision}\npip install torchvision=={{}}\n"
    assert repository.codes("install.sh", text.format("0.24.0")) == []
    assert repository.codes("install.sh", text.format("0.25.0")) == ["ROC201"]


@pytest.mark.parametrize(
    ("torch", "vision", "codes"),
    [
        ("2.9.1+rocm7.2.0", "torchvision==0.25.0+rocm7.2.0", ["ROC203"]),
        ("2.9.1+rocm7.2.0", "torchaudio==2.10.0+rocm7.2.0", ["ROC203"]),
        ("2.9.1", "torchvision==0.25.0", ["ROC203"]),
        ("2.9.1+rocm7.2.0", "torchvision==0.24.0+rocm7.2.0", []),
        ("2.9.1+rocm7.2.0", "torchaudio==2.9.0+rocm7.2.0", []),
    ],
)
def test_the_torchvision_of_another_minor_torch_is_a_conflict_whoever_built_both(
    repository: Repository, torch: str, vision: str, codes: list[str]
) -> None:
    text = f"pip install torch=={torch} {vision} --find-links {RADEON}\n"
    assert [each for each in repository.codes("install.sh", text) if each == "ROC203"] == codes


def test_the_extra_for_the_gpu_is_told_where_the_index_needs_one(repository: Repository) -> None:
    text = f"pip install -i {ALL} 'torch[device-gfx1151]'\npip install torchvision\n"
    (found,) = repository.lint("install.sh", text)
    assert found.help.endswith(" and an extra, `torchvision[device-gfx942]`.")
    family = text.replace(ALL, STRIX).replace("[device-gfx1151]", "")
    (found,) = repository.lint("family.sh", family)
    assert found.help.endswith(f"Add `--index-url {STRIX}`.")


def test_the_way_to_another_torch_is_named(repository: Repository) -> None:
    text = f"pip install -i {STRIX} torch==2.9.1 torchvision\npip install unsloth==2026.10.9\n"
    (found,) = repository.lint("install.sh", text)
    assert found.message == (
        "`unsloth==2026.10.9` replaces the ROCm torch 2.9.1 (line 1) with PyPI's, through xformers"
    )
