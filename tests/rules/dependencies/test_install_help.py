"""What the findings on installs say, and how often."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.project import Project
    from tests.support.repositories import Repository


SERVER = "https://download.pytorch.org/whl"


ROCM = f"pip install torch==2.9.1 --index-url {SERVER}/rocm6.4\n"


def requires(*lines: str) -> str:
    return "".join(f"{each}\n" for each in lines)


def test_help_names_the_chain_to_the_package_that_does_it(repository: Repository) -> None:
    (found,) = repository.lint("install.sh", f"{ROCM}pip install unsloth\n")
    assert "`unsloth` replaces the ROCm torch 2.9.1 (line 1)" in found.message
    assert found.help.startswith("unsloth requires torchvision, whose release 0.")
    both = ROCM.replace("torch==2.9.1", "torch==2.9.1 torchvision")
    (found,) = repository.lint("install.sh", f"{both}pip install unsloth\n")
    assert found.help == (
        "unsloth requires xformers, whose release 0.0.35 requires torch>=2.10. PyPI's xformers "
        "is built for CUDA: build it for ROCm, or take an image or a wheel for ROCm."
    )
    newer = both.replace("torch==2.9.1", "torch==2.13.0").replace("rocm6.4", "rocm7.2")
    (found,) = repository.lint("install.sh", f"{newer}pip install unsloth\n")
    assert found.message == "`unsloth` installs PyPI's `xformers`, which is built for CUDA"


def test_help_says_what_to_do_about_a_package_that_nobody_asked_for(repository: Repository) -> None:
    image = "FROM rocm/pytorch:rocm6.1_ubuntu22.04_py3.10_pytorch_2.1.2\n"
    text = f"{image}RUN pip install pyannote.audio==3.3.1\n"
    (found,) = repository.lint("Dockerfile", text)
    assert "requires speechbrain, whose release" in found.help
    assert "use `speechbrain==" in found.help
    (found,) = repository.lint("install.sh", f"{ROCM}pip install timm\n")
    assert found.help.endswith("Install torchvision with torch, from the same index.")


def test_help_names_a_release_only_where_the_python_that_chooses_it_is_known(
    repository: Repository,
) -> None:
    newest = "The newest sglang that pip can install requires its own torch"
    (found,) = repository.lint("install.sh", "rocm-smi\npip install sglang\n")
    assert found.help.startswith(f"{newest}, and this is for ROCm: the file names `rocm-smi`. ")
    (found,) = repository.lint("Dockerfile", "FROM rocm/pytorch:latest\nRUN pip install sglang\n")
    assert found.help.startswith(f"{newest}. ")
    (found,) = repository.lint("again.sh", f"{ROCM}pip install sglang\n")
    assert found.help.startswith(f"{newest}. ")

    image = "FROM rocm/pytorch:rocm6.1_ubuntu22.04_py3.10_pytorch_2.1.2\n"
    (found,) = repository.lint("Dockerfile", f"{image}RUN pip install sglang\n")
    assert found.help.startswith("sglang 0.5.21 requires torch==2.13.0. ")
    (found,) = repository.lint("pinned.sh", f"{ROCM}pip install sglang==0.5.21\n")
    assert found.help.startswith("sglang 0.5.21 requires torch==2.13.0. ")


def test_help_names_only_the_bounds_that_count(repository: Repository) -> None:
    (found,) = repository.lint("install.sh", f"{ROCM}pip install axolotl==0.21.0\n")
    assert found.help.startswith("axolotl 0.21.0 requires torch>=2.13.0,<2.15.0. ")


def test_a_loop_that_installs_torch_and_its_family_is_reported_once(project: Project) -> None:
    text = """\
import subprocess, sys

INDEX = "https://download.pytorch.org/whl/rocm6.4"
for package in ["numpy", "torch>=2.3.0", "torchvision>=0.18.0", "vllm"]:
    subprocess.check_call([sys.executable, "-m", "pip", "install", package])
"""
    project.write("setup_models.py", text)
    output = project.run("check", ".", "--select", "ROC201", "--output-format", "json").stdout
    found = [each for each in json.loads(output)["findings"] if "pip installs" in each["message"]]
    assert [each["message"] for each in found] == [
        "pip installs `torch>=2.3.0` from PyPI, the CUDA build"
    ]
    assert "more place" not in found[0]["help"]


def test_help_lists_all_packages_whose_bounds_are_cut_off(repository: Repository) -> None:
    (found,) = repository.lint("run.sh", "pip install a>=1 b>=2 c>=3\n")
    assert found.help.endswith(" installs any version of `a`, `b` and `c`.")


OF_ROCM = "--extra-index-url https://download.pytorch.org/whl/rocm6.3"


def test_advice_on_triton_keeps_it_where_a_package_of_the_list_requires_it(
    repository: Repository,
) -> None:
    repository.write("common.txt", "xgrammar==0.1.19; platform_machine == 'x86_64'\n")
    text = f"{OF_ROCM}\ntorch==2.7.0\ntriton==3.2\n"
    (alone,) = repository.lint("requirements.txt", text, preview=True)
    assert alone.help == (
        "torch 2.7 was built with Triton 3.3: leave `triton` out, or pin the torch whose Triton "
        "you need."
    )
    (included,) = repository.lint("requirements.txt", f"-r common.txt\n{text}", preview=True)
    assert included.help == (
        "torch 2.7 was built with Triton 3.3. xgrammar requires `triton`: pin `triton==3.3.*`."
    )
    pip = "pip install torch==2.7.0 --index-url https://download.pytorch.org/whl/rocm6.3\n"
    _, asked = repository.lint(
        "install.sh", f"{pip}pip install triton==3.2 xgrammar==0.1.19\n", preview=True
    )
    assert asked.help == included.help
    (beside,) = repository.lint("requirements.txt", f"liger-kernel\n{text}", preview=True)
    assert beside.help.endswith("liger-kernel requires `triton`: pin `triton==3.3.*`.")


def test_advice_on_triton_pins_torch_where_the_list_does_not(repository: Repository) -> None:
    (found,) = repository.lint(
        "requirements.txt", f"triton==3.1.0\n{OF_ROCM}\ntorch\n", preview=True
    )
    assert found.help == (
        "Each torch is built with one Triton: leave `triton` out, or pin the torch whose Triton "
        "you need."
    )
    (needed,) = repository.lint(
        "requirements.txt", f"triton==3.1.0\n{OF_ROCM}\ntorch\nautoawq\n", preview=True
    )
    assert needed.help == (
        "Each torch is built with one Triton, and autoawq requires `triton`: pin torch, and its "
        "Triton."
    )


def test_of_a_package_the_newest_release_for_the_python_of_the_image_counts(
    repository: Repository,
) -> None:
    image = "FROM rocm/pytorch:rocm6.4_ubuntu24.04_py3.{}_pytorch_release_2.6.0\n"
    install = "RUN pip install sglang\n"
    (found,) = repository.lint("Dockerfile", f"{image.format(12)}{install}")
    assert found.help.startswith("sglang 0.5.23 requires")
    (found,) = repository.lint("Dockerfile", f"{image.format(10)}{install}")
    assert found.help.startswith("sglang 0.5.21 requires")


def test_what_goes_with_a_pin_runs_on_the_python_of_the_project(repository: Repository) -> None:
    pins = requires("transformers==4.30.0", "huggingface-hub==2.4.0")
    (found,) = repository.lint("requirements.txt", pins)
    assert "or transformers 5.24.0, the newest release that is compatible with it" in found.help
    repository.write(".python-version", "3.10\n")
    (found,) = repository.lint("requirements.txt", pins)
    assert "or transformers 5.20.2, the newest release that is compatible with it" in found.help


def test_advice_on_triton_names_no_version_for_an_image_which_has_its_own(
    repository: Repository,
) -> None:
    image = "FROM rocm/vllm:rocm7.0_ubuntu24.04_py3.12_pytorch_2.9.1\n"
    (found,) = repository.lint(
        "Dockerfile", f"{image}RUN pip install triton==3.2.0\n", preview=True
    )
    assert found.help == (
        "Each torch is built with one Triton: leave `triton` out, or pin the torch whose Triton "
        "you need."
    )
