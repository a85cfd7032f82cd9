"""A checkout cannot prove anything by the packages that it brings, and none of them is run."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from tests.support.environments import Environment

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.project import Project

pytestmark = pytest.mark.slow

PACKAGES = ("aiter", "flash_attn", "torch", "triton", "transformers", "xformers")
JOB = """\
import aiter
import flash_attn
import torch
from transformers import AutoModel

model = AutoModel.from_pretrained("m", attn_implementation="flash_attention_2")
torch.backends.cuda.enable_flash_sdp(True)
"""


@pytest.fixture
def installed(tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("installed") / "venv")


@pytest.fixture
def marks(project: Project) -> Path:
    """Let the checkout have packages that leave a mark when they are run."""
    folder = project.root / "marks"
    folder.mkdir()
    for name in PACKAGES:
        mark = f"open({str(folder / name)!r}, 'w').close()\n"
        project.write(f"{name}/__init__.py", f"{mark}__version__ = '9.9'\n")
    project.write("torch/version.py", f"{mark}hip = '7.0'\n")
    project.write("job.py", JOB)
    return folder


VERBS = [
    ("verify", "."),
    ("verify", "kernels"),
    ("verify", "probe", "sdpa"),
    ("stack", "show"),
    ("stack", "show", "--smoke"),
]


@pytest.mark.parametrize("pythonpath", ["", ".", "src"])
@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_packages_of_the_current_folder_are_not_run(
    project: Project, marks: Path, installed: Environment, verb: tuple[str, ...], pythonpath: str
) -> None:
    if pythonpath == "src":
        for name in PACKAGES:
            (project.root / "src").mkdir(exist_ok=True)
            os.rename(project.root / name, project.root / "src" / name)
    project.run(*verb, "--python", str(installed.python), PYTHONPATH=pythonpath)
    assert os.listdir(marks) == []


def claims(project: Project, installed: Environment) -> list[dict[str, str]]:
    done = project.run("verify", ".", "--python", str(installed.python), "--output-format", "json")
    results: list[dict[str, str]] = json.loads(done.stdout)["results"]
    assert done.returncode == 3
    return results


def test_a_kernel_package_of_the_current_folder_proves_nothing(
    project: Project, installed: Environment
) -> None:
    project.write("aiter/__init__.py", "")
    project.write("job.py", "import aiter\n")
    (result,) = claims(project, installed)
    place = project.root / "aiter" / "__init__.py"
    assert result["verdict"] == "unproven"
    assert result["reason"] == (
        f"only the current directory has aiter ({place}), and code there is not run"
    )
    assert result["action"].startswith("install aiter in this interpreter, or check the job")


def test_a_folder_of_its_name_without_code_proves_nothing_either(
    project: Project, installed: Environment
) -> None:
    project.write("aiter/notes.txt", "")
    project.write("job.py", "import aiter\n")
    (result,) = claims(project, installed)
    assert (result["verdict"], result["seen"]) == ("unproven", "not installed")


def test_an_editable_install_of_the_current_folder_is_not_run_either(
    project: Project, installed: Environment
) -> None:
    project.write("src/aiter/__init__.py", "raise SystemExit('run')\n")
    project.write("job.py", "import aiter\n")
    installed.write("project.pth", f"{project.root / 'src'}\n")
    (result,) = claims(project, installed)
    assert (result["verdict"], result["seen"]) == ("unproven", "not installed")


@pytest.mark.parametrize("inside", [False, True], ids=["elsewhere", "in the checkout"])
def test_what_is_installed_is_what_is_proven_though_the_current_folder_has_the_name_too(
    project: Project, installed: Environment, inside: bool
) -> None:
    environment = Environment(project.root / ".venv") if inside else installed
    environment.install("amd-aiter", "1.0", {"aiter/__init__.py": "__version__ = '1.0'\n"})
    project.write("aiter/__init__.py", "raise SystemExit('run')\n")
    project.write("job.py", "import aiter\n")
    done = project.run("verify", "job.py", "--python", str(environment.python))
    assert "proven" in done.stdout
    assert "version 1.0" in done.stdout
    assert done.returncode == 0
