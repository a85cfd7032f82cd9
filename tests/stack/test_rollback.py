"""The way back from a plan: the file that is written first, and the commands."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tarfile
import zipfile
from importlib.metadata import distribution
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack import Interpreter, plan, read_environment
from rocmlint.stack.advice.rollback import rollback_text
from tests.support.environments import Environment
from tests.support.stacks import INDEX, add, stack_for_rocm_6_4

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return stack_for_rocm_6_4(tmp_path / "environment")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder of a project, in which the test runs."""
    made = tmp_path / "project"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def test_the_way_back_removes_what_came_and_reads_the_file(
    environment: Environment, folder: Path
) -> None:
    interpreter = Interpreter(str(environment.python))
    made = plan("7.1", torch="2.10", freeze="before.txt", interpreter=interpreter)
    uninstall, install = map(shlex.split, made.rollback)
    assert {"torch", "torchvision", "triton", "triton-rocm"} <= set(uninstall)
    assert install[-3:] == ["--no-deps", "-r", str(folder / "before.txt")]


def test_without_a_file_there_is_no_way_back(environment: Environment) -> None:
    assert plan("7.1", interpreter=Interpreter(str(environment.python))).rollback == ()


def test_the_file_has_every_package_as_it_is(environment: Environment, folder: Path) -> None:
    add(environment, "numpy", "2.1.0")
    add(environment, "own", "1", origin={"url": folder.as_uri(), "dir_info": {"editable": True}})
    git = {"vcs": "git", "commit_id": "abc", "requested_revision": "main"}
    add(environment, "op", "0.1", origin={"url": "https://x.org/op", "vcs_info": git})
    add(environment, "wheel-of-old", "1", origin={"url": "https://x.org/a.whl"})
    plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    lines = (folder / "before.txt").read_text().splitlines()
    assert [each for each in lines if not each.startswith("#")] == [
        f"--extra-index-url {INDEX}/rocm6.4",
        "numpy==2.1.0",
        "op @ git+https://x.org/op@abc",
        f"-e {folder}",
        "pytorch-triton-rocm==3.5.1",
        "torch==2.9.1+rocm6.4",
        "torchvision==0.24.1+rocm6.4",
        "wheel-of-old @ https://x.org/a.whl",
    ]


def test_the_file_says_what_pip_will_not_find(environment: Environment, folder: Path) -> None:
    add(environment, "torchaudio", "2.9.1+gitabc")
    add(environment, "apex", "1.9+rocm6.2.4.git7cecbf6d")  # a build of AMD's
    add(environment, "lost", "1", origin={"url": "file:///nowhere/lost.whl"})
    plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    text = (folder / "before.txt").read_text()
    for each in ("torchaudio 2.9.1+gitabc", "apex 1.9+rocm6.2.4.git7cecbf6d"):
        assert f"# {each} came from an unknown index (see its label)" in text
    assert "# lost 1 was installed from /nowhere/lost.whl, which no longer exists" in text


ANEW = "--no-deps --no-build-isolation --no-cache-dir"
GIT = {"vcs": "git", "commit_id": "abc", "requested_revision": "main"}


@pytest.mark.parametrize(
    ("release", "address", "source"),
    [
        ("flash-attn==2.8.3", None, "--no-binary flash-attn flash-attn==2.8.3"),
        ("vllm==0.11.0", None, "--no-binary vllm vllm==0.11.0"),
        (
            "apex==1.9",
            {"url": "https://x.org/apex", "vcs_info": GIT},
            "'apex @ git+https://x.org/apex@abc'",
        ),
        (
            "mamba-ssm==2.2.5",
            {"url": "https://x.org/m.tar.gz", "archive_info": {}},
            "'mamba-ssm @ https://x.org/m.tar.gz'",
        ),
        (
            "own-op==1",
            {"url": "https://x.org/own", "vcs_info": GIT},
            "'own-op @ git+https://x.org/own@abc'",
        ),
    ],
)
def test_what_is_compiled_against_torch_is_compiled_after_all_else_is_back(
    environment: Environment,
    folder: Path,
    release: str,
    address: dict[str, object] | None,
    source: str,
) -> None:
    name, _, version = release.partition("==")
    add(environment, name, version, "torch", files={f"{name}/_C.so": "x"}, origin=address)
    made = plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    _, restore, anew = made.rollback
    assert restore.endswith("before.txt")
    assert anew.endswith(f" {ANEW} {source}")
    lines = (folder / "before.txt").read_text().splitlines()
    told = f"# {name} {version} is compiled against torch; when torch is installed, run"
    assert lines[lines.index(told) + 1] == f"#   {anew}"
    assert not any(each.startswith(name) for each in lines)


def test_the_directory_of_an_own_project_that_requires_torch_may_need_it_to_build(
    environment: Environment, folder: Path
) -> None:
    origin = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    add(environment, "own", "1", "torch", origin=origin)
    made = plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    text = (folder / "before.txt").read_text()
    assert f"\n-e {folder}" not in text
    assert f" {ANEW} -e {folder}\n" in text
    assert len(made.rollback) == 2  # the plan leaves it installed


def test_the_cuda_build_of_pypi_comes_back_as_it_was(tmp_path: Path) -> None:
    made = Environment(tmp_path / "venv")
    version = "__version__ = '2.9.1'\nhip = None\ncuda = '12.8'\n"
    add(made, "torch", "2.9.1", files={"torch/__init__.py": "", "torch/version.py": version})
    add(made, "vllm", "0.12.0", "torch")
    text = rollback_text(read_environment(Interpreter(str(made.python))), "before.txt")
    assert "vllm==0.12.0" in text.splitlines()


def test_a_wheel_from_an_address_needs_no_torch(environment: Environment) -> None:
    origin = {"url": "https://x.org/vllm-1-cp311-cp311-linux_x86_64.whl", "archive_info": {}}
    add(environment, "vllm", "1", "torch", origin=origin)
    text = rollback_text(read_environment(Interpreter(str(environment.python))), "before.txt")
    assert f"vllm @ {origin['url']}" in text.splitlines()


@pytest.mark.parametrize(
    ("label", "libraries", "place"),
    [
        (
            "rocm7.12.0",
            "rocm-sdk-libraries-gfx1151",
            "--extra-index-url https://repo.amd.com/rocm/whl/gfx1151/",
        ),
        (
            "rocm7.2.1.lw.gitff65f5bc",
            "numpy",
            "--find-links https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2.1/",
        ),
    ],
)
def test_the_file_names_where_amds_builds_came_from(
    tmp_path: Path, label: str, libraries: str, place: str
) -> None:
    made = Environment(tmp_path / "venv")
    add(made, "torch", f"2.9.1+{label}")
    add(made, "triton", "3.5.1+rocm7.12.0" if "7.12" in label else "3.5.1+rocm7.2.1.gita272dfa8")
    add(made, libraries, "7.12.0")
    text = rollback_text(read_environment(Interpreter(str(made.python))), "before.txt")
    assert place in text.splitlines()
    assert "unknown index" not in text


def test_the_file_says_which_package_was_condas(environment: Environment, folder: Path) -> None:
    (add(environment, "numpy", "2.1.0") / "INSTALLER").write_text("conda\n")
    plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    lines = (folder / "before.txt").read_text().splitlines()
    told = "# numpy 2.1.0 was installed by conda: pip installs its own build instead"
    assert [each for each in lines if "conda" in each] == [told]
    assert lines[lines.index(told) + 1] == "numpy==2.1.0"


def wheel(folder: Path, name: str, version: str, *requires: str) -> None:
    """Build a wheel that has a module with its version."""
    module = name.replace("-", "_")
    information = f"{module}-{version}.dist-info"
    metadata = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {r}" for r in requires)]
    files = {
        f"{module}/__init__.py": f"version = {version!r}\n",
        f"{information}/METADATA": "Metadata-Version: 2.1\n" + "\n".join(metadata) + "\n",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    files[f"{information}/RECORD"] = "".join(f"{each},,\n" for each in files)
    with zipfile.ZipFile(folder / f"{module}-{version}-py3-none-any.whl", "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)


BACKEND = """\
import zipfile
import torch  # as setup.py of flash-attn does

def build_wheel(folder, config_settings=None, metadata_directory=None):
    name = "flash_attn-2.8.3-py3-none-any.whl"
    with zipfile.ZipFile(f"{folder}/{name}", "w") as archive:
        archive.writestr("flash_attn.py", f"torch = {torch.version!r}")
        for file, text in {
            "METADATA": "Metadata-Version: 2.1\\nName: flash-attn\\nVersion: 2.8.3\\n",
            "WHEEL": "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
            "RECORD": "",
        }.items():
            archive.writestr(f"flash_attn-2.8.3.dist-info/{file}", text)
    return name
"""
PROJECT = """\
[build-system]
requires = []
build-backend = "backend"
backend-path = ["."]
"""


def flash_attn(folder: Path) -> None:
    """Make a source distribution that is built only where torch can be imported."""
    files = {"backend.py": BACKEND, "pyproject.toml": PROJECT}
    files["PKG-INFO"] = "Metadata-Version: 2.1\nName: flash-attn\nVersion: 2.8.3\n"
    with tarfile.open(folder / "flash_attn-2.8.3.tar.gz", "w:gz") as archive:
        for name, text in files.items():
            information = tarfile.TarInfo(f"flash_attn-2.8.3/{name}")
            information.size = len(text)
            archive.addfile(information, BytesIO(text.encode()))


def execute(commands: Sequence[str], wheels: Path) -> None:
    """Run commands as a shell does, with a folder of wheels in place of all indexes."""
    path = f"{os.path.dirname(sys.executable)}{os.pathsep}{os.environ['PATH']}"
    links = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    links |= {"UV_OFFLINE": "1", "UV_FIND_LINKS": str(wheels), "UV_NO_CONFIG": "1", "PATH": path}
    for each in commands:
        subprocess.run(each, shell=True, env={**os.environ, **links}, check=True)  # noqa: S602


def versions(environment: Environment) -> dict[str, str]:
    found = read_environment(Interpreter(str(environment.python))).distributions
    return {each.name: each.version for each in found}


def before(tmp_path: Path, installer: str, wheels: Path) -> Environment:
    """Install a torch for ROCm 6.4 and what belongs to it, with an installer."""
    made = Environment(tmp_path / installer)
    if installer == "pip":  # ours, since to unpack another takes most of the test
        pytest.importorskip("pip")
        information = distribution("pip")
        own = tmp_path / "own"
        own.mkdir()
        for name in ("pip", f"pip-{information.version}.dist-info"):
            (own / name).symlink_to(str(information.locate_file(name)))
        made.write("own.pth", str(own))
    wheel(wheels, "torch", "2.9.1+rocm6.4", "pytorch-triton-rocm==3.5.1")
    wheel(wheels, "torch", "2.10.0+rocm7.1", "triton-rocm==3.6.0")
    wheel(wheels, "pytorch-triton-rocm", "3.5.1")
    wheel(wheels, "triton-rocm", "3.6.0")
    wheel(wheels, "accelerate", "0.29.3", "torch<2.10,>=1.10.0")
    program = f"{made.python} -m pip install"
    if installer == "uv":
        program = f"uv pip install --python {made.python}"
    flash_attn(wheels)
    first = f"{program} torch==2.9.1+rocm6.4 accelerate==0.29.3"
    # Without the cache, from which pip would take the wheel that it has built once.
    execute([first, f"{program} {ANEW} flash-attn==2.8.3"], wheels)
    return made


@pytest.mark.slow
@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_the_commands_do_what_they_say_and_the_way_back_undoes_it(
    tmp_path: Path, folder: Path, installer: str
) -> None:
    made = before(tmp_path, installer, folder)
    was = versions(made)
    interpreter = Interpreter(str(made.python))
    move = plan("7.1", torch="2.10", freeze="before.txt", interpreter=interpreter)
    (upgrade,) = [each for each in move.changes if each.action == "upgrade"]
    wheel(folder, "accelerate", upgrade.after, "torch>=2.0.0")
    execute(move.commands, folder)
    now = versions(made)
    assert now["torch"] == "2.10.0+rocm7.1"
    assert now["accelerate"] == upgrade.after
    assert "2.10.0+rocm7.1" in (made.site / "flash_attn.py").read_text()
    assert "pytorch-triton-rocm" not in now
    execute(move.rollback, folder)
    assert versions(made) == was
    assert "2.9.1+rocm6.4" in (made.site / "flash_attn.py").read_text()


def test_a_file_that_is_there_is_never_overwritten(environment: Environment, folder: Path) -> None:
    (folder / "before.txt").write_text("mine")
    (folder / "before-2.txt").symlink_to("nowhere")
    made = plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    assert made.freeze == str(folder / "before-3.txt")
    assert (folder / "before.txt").read_text() == "mine"
    assert not (folder / "nowhere").exists()
