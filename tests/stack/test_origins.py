"""What pip would not bring back as it was: said in the file of the way back, and under it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack import Interpreter, plan, read_environment
from rocmlint.stack.advice.rollback import rollback_text
from tests.support.environments import Environment
from tests.support.stacks import INDEX, add

if TYPE_CHECKING:
    from pathlib import Path

OF_ROCM = {
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.8.0'\nhip = '6.4.43484-9999'\n",
}
NIGHTLY = "10.2.0a20261120"


def of_installer(root: Path, installer: str) -> Environment:
    """Make an environment with a ROCm build of torch that has no label, as distributions do."""
    made = Environment(root)
    place = add(made, "torch", "2.8.0", files=OF_ROCM)
    (place / "INSTALLER").write_text(f"{installer}\n")
    add(made, "pip", "25.0")
    return made


def file_of(environment: Environment) -> list[str]:
    found = read_environment(Interpreter(str(environment.python)))
    return rollback_text(found, "before.txt").splitlines()


@pytest.mark.parametrize(
    ("installer", "how"),
    [("rpm", "with dnf or zypper"), ("conda", "with conda"), ("pip", "from where it came")],
)
def test_a_rocm_build_without_a_label_is_not_what_pypi_has(
    tmp_path: Path, installer: str, how: str
) -> None:
    lines = file_of(of_installer(tmp_path / "venv", installer))
    at = lines.index("# torch==2.8.0")
    assert lines[at - 1].endswith(f": reinstall it {how}")


def test_its_companions_are_not_either(tmp_path: Path) -> None:
    environment = of_installer(tmp_path / "venv", "pip")
    add(environment, "torchvision", "0.23.0", "torch==2.8.0")
    assert "# torchvision==0.23.0" in file_of(environment)


def test_a_cuda_build_without_a_label_is_what_pypi_has(tmp_path: Path) -> None:
    environment = of_installer(tmp_path / "venv", "pip")
    environment.write("torch/version.py", "__version__ = '2.8.0'\nhip = None\ncuda = '12.8'\n")
    assert "torch==2.8.0" in file_of(environment)


def test_what_is_written_in_a_package_adds_no_line_to_the_file(tmp_path: Path) -> None:
    environment = of_installer(tmp_path / "venv", "conda\nevil==1")
    (add(environment, "numpy", "2.1.0") / "INSTALLER").write_text("conda\nevil==1\n")
    assert "evil==1" not in file_of(environment)


def test_the_way_back_says_what_pip_leaves_to_another_installer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    interpreter = Interpreter(str(of_installer(tmp_path / "venv", "rpm").python))
    *_, last = plan("6.4", freeze="before.txt", interpreter=interpreter).rollback
    assert last == (
        "# torch 2.8.0 was installed by rpm, and pip would install PyPI's build instead: "
        "reinstall it with dnf or zypper"
    )


def test_of_what_the_plan_leaves_alone_the_way_back_says_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    environment = Environment(tmp_path / "venv")
    add(environment, "torch", "2.9.1+rocm6.4")
    add(environment, "lost", "1", origin={"url": "file:///nowhere/lost.whl"})
    interpreter = Interpreter(str(environment.python))
    rollback = plan("7.1", freeze="before.txt", interpreter=interpreter).rollback
    assert not any(each.startswith("#") for each in rollback)
    assert "# lost @ file:///nowhere/lost.whl" in (tmp_path / "before.txt").read_text()


@pytest.mark.parametrize(
    ("torch", "libraries", "index"),
    [
        (
            f"2.15.0a0+rocm{NIGHTLY}",
            f"rocm-sdk-libraries=={NIGHTLY}",
            "https://nightly.repo.amd.com/rocm/whl-next/",
        ),
        (
            "2.10.0a0+rocm7.12.0a20260105",
            "rocm-sdk-libraries-gfx1151==7.12.0a20260105",
            "https://rocm.nightlies.amd.com/v2/gfx1151/",
        ),
        (
            "2.10.0a0+rocm7.12.0a20260105",
            "rocm-sdk-libraries==7.12.0a20260105",
            "https://rocm.nightlies.amd.com/whl-multi-arch/",
        ),
    ],
)
def test_a_nightly_build_of_amd_comes_back_from_the_index_that_it_is_in(
    tmp_path: Path, torch: str, libraries: str, index: str
) -> None:
    environment = Environment(tmp_path / "venv")
    add(environment, "torch", torch)
    add(environment, *libraries.split("=="))
    lines = file_of(environment)
    assert [each for each in lines if each.startswith("--")] == [f"--extra-index-url {index}"]
    assert {f"torch=={torch}", libraries} <= set(lines)


def test_amds_sdk_without_torch_has_its_index_too(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    add(environment, "rocm", "10.1.0")
    index = "https://stable.repo.amd.com/rocm/whl-next/"
    assert f"--extra-index-url {index}" in file_of(environment)


def test_what_pypi_has_no_release_of_is_told_with_where_a_build_is(tmp_path: Path) -> None:
    environment = Environment(tmp_path / "venv")
    add(environment, "amd-aiter", "0.1.20.post1")
    lines = file_of(environment)
    told = lines[lines.index("# amd-aiter==0.1.20.post1") - 1]
    assert "is not on PyPI" in told
    assert "https://rocm.frameworks.amd.com/whl-multi-arch/vllm/" in told


def test_uv_takes_the_other_packages_from_pypi_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text("#!/bin/sh\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(uv.parent))
    monkeypatch.chdir(tmp_path)
    environment = Environment(tmp_path / "venv")
    add(environment, "torch", "2.10.0+rocm7.1")
    add(environment, "numpy", "2.4.6")
    interpreter = Interpreter(str(environment.python))
    command = plan("7.2", freeze="before.txt", interpreter=interpreter).rollback[-1]
    text = (tmp_path / "before.txt").read_text()
    assert shlex.split(command)[5:7] == ["--index-strategy", "unsafe-best-match"]
    assert f"#   {command}\n" in text
    assert f"--extra-index-url {INDEX}/rocm7.1\n" in text
