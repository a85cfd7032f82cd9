"""The move of an environment to another ROCm, planned."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import zipfile
from importlib.metadata import distribution
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from environments import Environment
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import validate  # type: ignore[import-untyped]
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.stack import Interpreter, migration, plan, read_environment
from rocmlint.stack.changes import _misfits, compiled, upgrades
from rocmlint.stack.installed import Distribution
from rocmlint.stack.installed import Environment as Installed
from rocmlint.stack.pins import Pin, obstacles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conftest import Project
    from packaging.requirements import Requirement

    from rocmlint.stack import Plan

SCHEMA = Path(__file__).parent.parent / "docs" / "schema" / "stack.json"
INDEX = "https://download.pytorch.org/whl"
TORCH = {
    "torch/__init__.py": "",
    "torch/version.py": "__version__ = '2.9.1+rocm6.4'\nhip = '6.4.43484-123eb5128'\n",
}


def add(
    environment: Environment,
    name: str,
    version: str,
    *requires: str,
    files: Mapping[str, str] | None = None,
    origin: Mapping[str, object] | None = None,
) -> Path:
    """Install a package that has metadata and a few files."""
    module = name.replace("-", "_")
    folder = environment.install(module, version, files or {f"{module}/__init__.py": ""})
    lines = [f"Name: {name}", f"Version: {version}", *(f"Requires-Dist: {r}" for r in requires)]
    (folder / "METADATA").write_text("Metadata-Version: 2.1\n" + "\n".join(lines) + "\n")
    if origin:
        (folder / "direct_url.json").write_text(json.dumps(origin))
    return folder


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    """Give an environment with a torch for ROCm 6.4."""
    made = Environment(tmp_path / "environment")
    add(made, "torch", "2.9.1+rocm6.4", "pytorch-triton-rocm==3.5.1", files=TORCH)
    add(made, "torchvision", "0.24.1+rocm6.4", "torch==2.9.1")
    add(made, "pytorch-triton-rocm", "3.5.1", files={"triton/__init__.py": ""})
    return made


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the empty folder of a project, in which the test runs."""
    made = tmp_path / "project"
    made.mkdir()
    monkeypatch.chdir(made)
    return made


def planned(environment: Environment, rocm: str = "7.1", torch: str = "2.10") -> Plan:
    return plan(rocm, torch=torch, interpreter=Interpreter(str(environment.python)))


def told(made: Plan) -> list[tuple[str, str, str, str]]:
    return [(each.action, each.package, each.before, each.after) for each in made.changes]


def against(pins: Sequence[Pin], torch: str = "2.10.0") -> list[str]:
    targets = {"torch": Version(f"{torch}+rocm7.1"), "torchvision": Version("0.25.0+rocm7.1")}
    return [each.where for each in obstacles(pins, targets, "7.1", f"{INDEX}/rocm7.1", "3.11")]


def test_what_belongs_to_torch_goes_and_comes_with_it(environment: Environment) -> None:
    assert told(planned(environment)) == [
        ("remove", "pytorch-triton-rocm", "3.5.1", ""),
        ("remove", "torch", "2.9.1+rocm6.4", ""),
        ("remove", "torchvision", "0.24.1+rocm6.4", ""),
        ("install", "torch", "", "2.10.0+rocm7.1"),
        ("install", "torchvision", "", "0.25.0+rocm7.1"),
    ]


def test_commands_are_for_the_interpreter_and_in_their_order(environment: Environment) -> None:
    add(environment, "pip", "25.0")
    python = shlex.quote(str(environment.python))
    packages = "torch==2.10.0+rocm7.1 torchvision==0.25.0+rocm7.1"
    assert planned(environment).commands == (
        f"{python} -m pip uninstall -y pytorch-triton-rocm torch torchvision",
        f"{python} -m pip install {packages} --index-url {INDEX}/rocm7.1",
    )


def test_without_pip_the_commands_are_for_uv(environment: Environment) -> None:
    words = [shlex.split(each)[:5] for each in planned(environment).commands]
    python = str(environment.python)
    assert words == [
        ["uv", "pip", "uninstall", "--python", python],
        ["uv", "pip", "install", "--python", python],
    ]


def test_the_installed_torch_stays_where_the_rocm_has_it(environment: Environment) -> None:
    made = plan("6.3", interpreter=Interpreter(str(environment.python)))
    assert (made.torch, made.index_url) == ("2.9.1", f"{INDEX}/rocm6.3")


def test_else_it_is_the_newest_for_the_rocm(environment: Environment) -> None:
    made = plan("7.1", interpreter=Interpreter(str(environment.python)))
    assert made.torch == "2.13.0"


def test_what_is_there_already_is_left_alone(environment: Environment) -> None:
    add(environment, "flash-attn", "2.8.3", "torch")
    made = planned(environment, "6.4", "2.9.1")
    assert (made.changes, made.commands, made.obstacles) == ((), (), ())


def test_an_environment_without_torch_gets_one(tmp_path: Path) -> None:
    empty = Environment(tmp_path / "empty")
    made = planned(empty)
    assert told(made) == [("install", "torch", "", "2.10.0+rocm7.1")]
    assert made.before == "no torch"


def test_a_library_that_refuses_the_new_torch_is_moved(environment: Environment) -> None:
    needs = 'torch<2.7,>=2.1; extra == "torch"'
    add(environment, "transformers", "4.52.4", needs, "huggingface-hub<1.0,>=0.30.0")
    add(environment, "huggingface-hub", "0.36.0")
    made = planned(environment)
    (change,) = [each for each in made.changes if each.package == "transformers"]
    assert change.action == "upgrade"
    assert Version(change.after) > Version("4.53")
    assert change.why == "transformers 4.52.4 requires torch<2.7,>=2.1"
    assert made.obstacles == ()


def test_it_is_moved_to_what_the_project_asks_for(environment: Environment) -> None:
    add(environment, "transformers", "4.52.4", 'torch<2.7,>=2.1; extra == "torch"')
    pins = [Pin("requirements.txt", 1, "transformers<4.57"), Pin("setup.py", 1, "transformers>4")]
    interpreter = Interpreter(str(environment.python))
    made = plan("7.1", torch="2.10", pins=pins, interpreter=interpreter)
    (change,) = [each for each in made.changes if each.package == "transformers"]
    assert Version("4.53") <= Version(change.after) < Version("4.57")
    assert made.obstacles == ()


def test_its_upgrade_cannot_replace_torch(environment: Environment) -> None:
    add(environment, "transformers", "4.52.4", 'torch<2.7,>=2.1; extra == "torch"')
    *_, upgrade = planned(environment).commands
    assert "torch==2.10.0+rocm7.1" in shlex.split(upgrade)


def test_a_library_that_takes_the_new_torch_stays(environment: Environment) -> None:
    add(environment, "accelerate", "1.10.0", "torch>=2.0.0")
    assert "accelerate" not in {each.package for each in planned(environment).changes}


def test_a_package_that_no_release_of_goes_with_the_new_torch_stands_against_it(
    environment: Environment,
) -> None:
    add(environment, "unheard-of", "1.0", "torch<2.10")
    (obstacle,) = planned(environment).obstacles
    assert (obstacle.where, obstacle.what) == ("package unheard-of", "torch<2.10")


def test_compiled_code_is_removed_first_and_built_last(environment: Environment) -> None:
    origin = {"url": "https://x.org/op", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    add(environment, "op", "0.1", "torch", files={"op/_C.so": "x"}, origin=origin)
    add(environment, "flash-attn", "2.8.3", "torch")
    first, *_, flash, op = planned(environment).commands
    assert {"op", "flash-attn"} <= set(shlex.split(first))
    assert shlex.split(flash)[-3:] == ["--no-binary", "flash-attn", "flash-attn==2.8.3"]
    assert shlex.split(op)[-1] == "op @ git+https://x.org/op@abc"


def test_a_compiled_package_that_pins_torch_is_built_in_a_release_for_the_new_one(
    environment: Environment,
) -> None:
    add(environment, "vllm", "0.14.1", "torch==2.9.1", files={"vllm/_C.so": "x"})
    (change,) = [each for each in planned(environment).changes if each.package == "vllm"]
    assert change.action == "rebuild"
    needed = requirements.torch_requirement("vllm", Version(change.after))
    assert needed is not None
    assert needed.contains("2.10.0")


def test_a_compiled_package_is_not_built_in_an_older_release(environment: Environment) -> None:
    add(environment, "vllm", "0.33.0", "torch==2.14.0", files={"vllm/_C.so": "x"})
    add(environment, "transformers", "5.16.1", "huggingface-hub>=1", 'torch>=2.5; extra=="torch"')
    made = planned(environment, "7.1", "2.10")
    assert [each.where for each in made.obstacles] == ["package vllm"]
    assert ("rebuild", "vllm", "0.33.0", "0.33.0") in told(made)


@pytest.mark.parametrize(("rocm", "is_rebuilt"), [("7.1", False), ("7.2", True)])
def test_bitsandbytes_is_rebuilt_where_it_has_no_library_for_the_rocm(
    environment: Environment, rocm: str, is_rebuilt: bool
) -> None:
    files = {"bitsandbytes/libbitsandbytes_rocm71.so": "x"}
    add(environment, "bitsandbytes", "0.50.2", "torch<3,>=2.4", files=files)
    changes = planned(environment, rocm, "2.11").changes
    assert ("bitsandbytes" in {each.package for each in changes}) is is_rebuilt


def test_the_libraries_of_a_cuda_build_go_with_it(tmp_path: Path) -> None:
    made = Environment(tmp_path / "cuda")
    add(made, "torch", "2.9.1", "nvidia-cublas-cu12==12.8.4.1", "nvidia-nccl-cu12==2.27.5")
    add(made, "nvidia-cublas-cu12", "12.8.4.1")
    add(made, "nvidia-nccl-cu12", "2.27.5")
    add(made, "cupy-cuda12x", "13.0", "nvidia-nccl-cu12")
    removed = {each.package for each in planned(made).changes if each.action == "remove"}
    assert removed == {"torch", "nvidia-cublas-cu12"}


def test_the_way_back_removes_what_came_and_reads_the_file(
    environment: Environment, folder: Path
) -> None:
    interpreter = Interpreter(str(environment.python))
    made = plan("7.1", torch="2.10", freeze="before.txt", interpreter=interpreter)
    uninstall, install = map(shlex.split, made.rollback)
    assert {"torch", "torchvision", "triton", "triton-rocm"} <= set(uninstall)
    assert install[-3:] == ["--no-deps", "-r", str(folder / "before.txt")]


def test_without_a_file_there_is_no_way_back(environment: Environment) -> None:
    assert planned(environment).rollback == ()


def test_the_file_has_every_package_as_it_is(environment: Environment, folder: Path) -> None:
    add(environment, "numpy", "2.1.0")
    add(environment, "own", "1", origin={"url": "file:///src/own", "dir_info": {"editable": True}})
    git = {"vcs": "git", "commit_id": "abc", "requested_revision": "main"}
    add(environment, "op", "0.1", origin={"url": "https://x.org/op", "vcs_info": git})
    add(environment, "wheel-of-old", "1", origin={"url": "https://x.org/a.whl"})
    plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    lines = (folder / "before.txt").read_text().splitlines()
    assert [each for each in lines if not each.startswith("#")] == [
        f"--extra-index-url {INDEX}/rocm6.4",
        "numpy==2.1.0",
        "op @ git+https://x.org/op@abc",
        "-e /src/own",
        "pytorch-triton-rocm==3.5.1",
        "torch==2.9.1+rocm6.4",
        "torchvision==0.24.1+rocm6.4",
        "wheel-of-old @ https://x.org/a.whl",
    ]


def test_the_file_says_what_pip_will_not_find(environment: Environment, folder: Path) -> None:
    add(environment, "torchaudio", "2.9.1+gitabc")
    add(environment, "lost", "1", origin={"url": "file:///nowhere/lost.whl"})
    plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    text = (folder / "before.txt").read_text()
    assert "# torchaudio 2.9.1+gitabc came from an index that its label does not tell" in text
    assert "# lost 1 was installed from /nowhere/lost.whl, which is no longer there" in text


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
    execute([f"{program} torch==2.9.1+rocm6.4 accelerate==0.29.3"], wheels)
    return made


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
    assert "pytorch-triton-rocm" not in now
    execute(move.rollback, folder)
    assert versions(made) == was


def test_a_file_that_is_there_is_never_overwritten(environment: Environment, folder: Path) -> None:
    (folder / "before.txt").write_text("mine")
    (folder / "before-2.txt").symlink_to("nowhere")
    made = plan("7.1", freeze="before.txt", interpreter=Interpreter(str(environment.python)))
    assert made.freeze == str(folder / "before-3.txt")
    assert (folder / "before.txt").read_text() == "mine"
    assert not (folder / "nowhere").exists()


def test_a_half_removed_package_is_told_and_hides_none(environment: Environment) -> None:
    (environment.site / "broken-1.0.dist-info").mkdir()
    made = planned(environment)
    assert any("broken-1.0.dist-info" in each for each in made.notes)
    assert "torch" in {each.package for each in made.changes}


def test_a_python_that_torch_does_not_take_stands_against_it() -> None:
    old = Installed("/old/python", "3.9.18", {}, (), {})
    (obstacle,) = migration._of_python("2.13.0", old)
    assert obstacle.what == "Python 3.9.18"
    assert obstacle.why.startswith("torch 2.13.0 requires Python>=3.10")


@pytest.mark.parametrize(
    "text",
    [
        "torch==2.9.1",
        "torch<2.10",
        "torch==2.10.0+cu128",
        "torch @ https://x.org/torch.whl",
        "torchvision==0.24",
        "pytorch-triton-rocm==3.4.0",
        "diffusers[torch]==0.31.0",
        "transformers==4.52.4",
        "vllm==0.14.1",
    ],
)
def test_a_pin_that_the_plan_breaks_stands_against_it(text: str) -> None:
    assert against([Pin("requirements.txt", 3, text)]) == ["requirements.txt:3"]


@pytest.mark.parametrize(
    "text",
    [
        "torch",
        "torch>=2.4",
        "torch==2.10.0",
        "torch==2.10.0+rocm7.1",
        "torch==2.10.*",
        "torchvision~=0.25.0",
        "triton>=3",
        "transformers>=4.40",
        "accelerate==1.10.0",
        "unheard-of==1.0",
        "torch==2.2.2; sys_platform == 'darwin'",
        "torch==1.13.1; python_version < '3.9'",
        "not a requirement ===",
    ],
)
def test_a_pin_that_the_plan_meets_does_not(text: str) -> None:
    assert against([Pin("requirements.txt", 3, text)]) == []


@pytest.mark.parametrize(
    ("kind", "text", "stands"),
    [
        ("index", f"{INDEX}/rocm6.4", True),
        ("index", f"{INDEX}/nightly/rocm7.14/", True),
        ("index", f"{INDEX}/cpu", True),
        ("index", f"{INDEX}/cu128", True),
        ("index", f"{INDEX}/rocm7.1/", False),
        ("index", "https://pypi.org/simple", False),
        ("image", "rocm/pytorch:rocm6.4.1_ubuntu22.04_py3.10_pytorch_release_2.6.0", True),
        ("image", "rocm/pytorch:rocm7.1.1_ubuntu24.04_py3.12_pytorch_release_2.8.0", False),
        ("image", "rocm/pytorch:latest", False),
        ("image", "python:3.11", False),
    ],
)
def test_an_index_or_an_image_for_another_rocm_stands_against_it(
    kind: str, text: str, stands: bool
) -> None:
    pin = Pin("Dockerfile", 1, text, "index" if kind == "index" else "image")
    assert bool(against([pin])) is stands


def test_compiled_code_is_told_from_metadata_and_files(environment: Environment) -> None:
    add(environment, "op", "0.1", "torch", files={"op/_C.so": "x"})
    add(environment, "tokenizers", "0.21", files={"tokenizers/_t.so": "x"})
    add(environment, "safetensors", "0.5", 'torch; extra == "torch"', files={"s/_s.so": "x"})
    add(environment, "pure", "0.1", "torch")
    add(environment, "deepspeed", "0.18", "torch")
    read = read_environment(Interpreter(str(environment.python)))
    assert set(compiled(read, "7.1")) == {"op", "deepspeed"}


TRANSFORMERS = [each for each in requirements.releases("transformers") if each >= Version("4.40")]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(TRANSFORMERS), st.sampled_from(requirements.releases("accelerate")), st.data()
)
def test_after_the_upgrades_all_that_is_known_fits(
    transformers: Version, accelerate: Version, data: st.DataObject
) -> None:
    chosen = {"transformers": transformers, "accelerate": accelerate}
    chosen["huggingface-hub"] = data.draw(st.sampled_from(requirements.releases("huggingface-hub")))
    minor = data.draw(st.sampled_from([2, 4, 6, 10, 13]))
    installed = Installed(
        "/python",
        "3.11.7",
        {"python_version": "3.11", "sys_platform": "linux", "extra": ""},
        tuple(
            Distribution(name, str(version), tuple(_required(name, version)))
            for name, version in chosen.items()
        ),
        {},
    )
    targets = {"torch": Version(f"2.{minor}.0+rocm7.1")}
    changes, hopeless = upgrades(installed, targets)
    after = {**targets, **{each.package: Version(each.after) for each in changes}}
    left = {each.package for each in _misfits(installed, after)}
    assert left <= {each.package for each in hopeless}


def _required(name: str, version: Version) -> tuple[Requirement, ...]:
    return requirements.requirements(name, version) or ()


PINS = {
    "requirements.txt": f"--extra-index-url {INDEX}/rocm6.4\ntorch==2.9.1\nnumpy\n",
    "pyproject.toml": '[project]\nname = "x"\nversion = "1"\ndependencies = ["torch<2.10"]\n',
    "Dockerfile": f"FROM python:3.11\nRUN pip install torch==2.9.1 --index-url {INDEX}/rocm6.4\n",
}


def run(project: Project, environment: Environment, *flags: str) -> tuple[int, str, str]:
    to = ("stack", "plan", "--to", "7.1", "--torch", "2.10", "--python", str(environment.python))
    done = project.run(*to, *flags, str(project.root / "src"))
    return done.returncode, done.stdout, done.stderr


def test_the_command_names_file_and_line(project: Project, environment: Environment) -> None:
    for name, text in PINS.items():
        project.write(f"src/{name}", text)
    code, stdout, _ = run(project, environment)
    assert code == 1
    for place in (
        "src/requirements.txt:1: https",
        "src/requirements.txt:2: torch==2.9.1",
        "src/pyproject.toml:4: torch<2.10",
        "src/Dockerfile:2: torch==2.9.1",
        "src/Dockerfile:2: https",
    ):
        assert f"\n  {place}" in stdout


def test_without_obstacles_the_plan_is_good(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch>=2.9\n")
    code, stdout, _ = run(project, environment)
    assert code == 0
    assert "the present state is in stack-before-rocm7.1.txt" in stdout
    assert "against it stands" not in stdout
    assert "rocmlint stack freeze --force" in stdout


def test_nothing_changes_but_the_file(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch==2.9.1\n")

    def state() -> dict[str, float]:
        return {str(each): each.lstat().st_mtime for each in project.root.rglob("*")}

    before = state()
    run(project, environment)
    new = project.root / "stack-before-rocm7.1.txt"
    after = state()
    assert set(after) - set(before) == {str(new)}
    changed = {each for each, changed in before.items() if after[each] != changed}
    assert changed <= {str(project.root)}


def test_no_file_is_written_where_none_is_wanted(
    project: Project, environment: Environment
) -> None:
    project.write("src/requirements.txt", "torch\n")
    code, stdout, _ = run(project, environment, "--no-freeze")
    assert code == 0
    assert "the way back" not in stdout
    assert not list(project.root.glob("stack-before*"))


def test_a_file_that_cannot_be_written_ends_it(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch\n")
    code, stdout, stderr = run(project, environment, "--freeze", "/proc/before.txt")
    assert (code, stdout) == (2, "")
    assert "/proc/before.txt: cannot be written" in stderr
    assert "--no-freeze" in stderr


def test_a_file_that_cannot_be_read_stands_against_it_and_hides_no_other(
    project: Project, environment: Environment
) -> None:
    project.write("src/pyproject.toml", "[project\n")
    project.write("src/requirements.txt", "torch==2.9.1\n")
    code, stdout, _ = run(project, environment)
    assert code == 1
    assert "src/pyproject.toml:1" in stdout
    assert "what it pins was not looked at" in stdout
    assert "src/requirements.txt:1: torch==2.9.1" in stdout


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--to", "seven"), "'seven' is no released version of ROCm"),
        (("--to", ""), "'' is no released version of ROCm"),
        (("--to", "6.5"), "the nearest that has is 6.4: --to 6.4"),
        (("--to", "7.1", "--torch", "2.4"), "torch 2.4 has no wheels for ROCm 7.1"),
        (("--to", "7.1", "--torch", "newest"), "'newest' is no version of torch"),
        (("--to", "7.1", "--python", "/nowhere/python"), "cannot be started"),
        (("--to", "7.1", "nowhere"), "nowhere: no such file or folder"),
        ((), "--to"),
    ],
)
def test_a_refusal_is_one_line_and_writes_nothing(
    project: Project, flags: tuple[str, ...], said: str
) -> None:
    done = project.run("stack", "plan", *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(project.root.iterdir()) == []


def test_json_has_the_whole_plan(project: Project, environment: Environment) -> None:
    project.write("src/requirements.txt", "torch==2.9.1\n")
    code, stdout, _ = run(project, environment, "--output-format", "json")
    document = json.loads(stdout)
    validate(document, json.loads(SCHEMA.read_text()))
    assert (code, document["exit_code"]) == (1, 1)
    assert document["plan"]["torch"] == "2.10.0"
    (obstacle,) = document["plan"]["obstacles"]
    assert obstacle["where"] == "src/requirements.txt:1"
