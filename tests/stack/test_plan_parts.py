"""What a plan does with AMD's SDK, JAX and compiled code: it has no step that cannot work."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from rocmlint.stack import Interpreter, migration, plan, read_environment
from rocmlint.stack.installed.rocm import Rocm, RocmReading
from rocmlint.stack.upgrade.changes import compiled
from rocmlint.stack.upgrade.sdk import without_rocm
from rocmlint.stack.wheels.install import Wanted
from rocmlint.stack.wheels.wheel_sources import choose, index
from tests.support.environments import Environment
from tests.support.stacks import add, stack_for_rocm_6_4

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.stack import Plan
    from rocmlint.stack.upgrade.pins import Obstacle
    from rocmlint.stack.wheels.install import Wheels

SDK = ("rocm", "rocm-sdk-core", "rocm-sdk-libraries", "rocm-sdk-device-gfx942")


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return stack_for_rocm_6_4(tmp_path / "environment")


def sdk(root: Path, rocm: str, *others: str) -> Environment:
    """Make an environment with the parts of AMD's SDK."""
    made = Environment(root)
    for each in (*SDK, *others):
        add(made, each, rocm)
    return made


def amd(rocm: str) -> Wheels:
    return index(Wanted(rocm, gpus=("gfx942",)), "amd")


def to_amd(environment: Environment, rocm: str = "10.1") -> Plan:
    return plan(rocm, interpreter=Interpreter(str(environment.python)), wheels=amd(rocm))


def to_pytorch(environment: Environment, rocm: str = "7.2", torch: str | None = None) -> Plan:
    return plan(rocm, torch=torch, interpreter=Interpreter(str(environment.python)))


def told(made: Plan) -> list[tuple[str, str, str, str]]:
    return [(each.action, each.package, each.before, each.after) for each in made.changes]


def installs(made: Plan, requirement: str) -> bool:
    return any(requirement in shlex.split(each) for each in made.commands)


def only(made: Plan) -> Obstacle:
    (obstacle,) = made.obstacles
    return obstacle


def test_the_compiler_comes_back_with_the_new_rocm(tmp_path: Path) -> None:
    environment = sdk(tmp_path / "venv", "10.0.0", "rocm-sdk-devel")
    add(environment, "torch", "2.12.0+rocm10.0.0")
    made = to_amd(environment)
    assert ("install", "rocm-sdk-devel", "", "10.1.0") in told(made)
    assert installs(made, "rocm[devel]==10.1.0")


@pytest.mark.parametrize(
    ("others", "requirement"),
    [
        (("rocm-profiler",), "rocm[profiler]==10.1.0"),
        (("rocm-profiler", "rocm-sdk-devel"), "rocm[devel,profiler]==10.1.0"),
    ],
)
def test_so_does_the_profiler(tmp_path: Path, others: tuple[str, ...], requirement: str) -> None:
    environment = sdk(tmp_path / "venv", "10.0.0", *others)
    add(environment, "torch", "2.12.0+rocm10.0.0")
    made = to_amd(environment)
    assert ("install", "rocm-profiler", "", "10.1.0") in told(made)
    assert installs(made, requirement)


def test_the_profiler_does_not_stand_for_the_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading = RocmReading("amd-smi", "program", "6.4.4")
    monkeypatch.setattr(migration, "find_rocm", lambda **_: Rocm((reading,)))
    environment = sdk(tmp_path / "venv", "10.0.0", "rocm-profiler")
    add(environment, "torch", "2.12.0+rocm10.0.0")
    add(environment, "flash-attn", "2.8.3", "torch")
    (note,) = (each for each in to_amd(environment).notes if "is installed here" in each)
    assert "the compiler for flash-attn" in note


def test_what_was_not_there_does_not_come(tmp_path: Path) -> None:
    environment = sdk(tmp_path / "venv", "10.0.0")
    add(environment, "torch", "2.12.0+rocm10.0.0")
    assert not any("rocm[devel]" in each for each in to_amd(environment).commands)


def test_the_sdk_that_is_there_already_stays(tmp_path: Path) -> None:
    environment = sdk(tmp_path / "venv", "10.1.0", "rocm-sdk-devel")
    assert told(to_amd(environment)) == [("install", "torch", "", "2.14.0+rocm10.1.0")]


def test_without_a_torch_the_parts_of_the_sdk_belong_to_the_old_rocm(tmp_path: Path) -> None:
    made = to_amd(sdk(tmp_path / "venv", "10.0.0"))
    why = {each.why for each in made.changes if each.action == "remove"}
    assert why == {"it belongs to the old ROCm"}


@pytest.mark.parametrize(
    ("rocm", "flags"),
    [
        ("7.14", "--to 7.14.1 --torch 2.12.0+rocm7.14.1"),
        ("7.2", "--to 10.1.0 --torch 2.14.0+rocm10.1.0"),  # AMD has none with packages of ROCm 7.2
    ],
)
def test_code_is_not_compiled_where_the_compiler_goes_for_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rocm: str, flags: str
) -> None:
    monkeypatch.setattr(migration, "find_rocm", lambda **_: Rocm())  # the machine has none
    environment = sdk(tmp_path / "venv", "7.14.0", "rocm-sdk-devel")
    add(environment, "torch", "2.12.0+rocm7.14.0")
    add(environment, "flash-attn", "2.8.3", "torch")
    obstacle = only(to_pytorch(environment, rocm, "2.14"))
    assert obstacle.where == "package rocm-sdk-devel"
    assert obstacle.why.startswith("flash-attn: compiled with it, and https://download.pytorch.org")
    assert obstacle.do.endswith(flags)
    _, to, _, torch = flags.split()
    assert choose(Wanted(to, torch=torch, gpus=("gfx942",)))[0] == "amd"


@pytest.mark.parametrize("part", ["rocm-sdk-devel", "rocm-profiler"])
def test_where_nothing_is_compiled_a_note_says_what_goes(tmp_path: Path, part: str) -> None:
    environment = sdk(tmp_path / "venv", "7.14.0", part)
    add(environment, "torch", "2.12.0+rocm7.14.0")
    made = to_pytorch(environment)
    assert made.obstacles == ()
    assert any(each.startswith(f"{part} is removed") for each in made.notes)


@pytest.mark.parametrize(
    ("python", "do"),
    [
        ("3.12", "and after the plan install those for ROCm 10.1: pip install "),
        ("3.11", "JAX for ROCm 10 requires jax 0.11.1, which is for Python 3.12 and later"),
        ("3.99", "JAX for ROCm 10.1 is built for Python 3.11, 3.12, 3.13 and 3.14 only"),
    ],
)
def test_jax_blocks_a_plan_that_removes_its_rocm(tmp_path: Path, python: str, do: str) -> None:
    environment = sdk(tmp_path / "venv", "7.14.0")
    add(environment, "jax-rocm7-plugin", "0.10.0+rocm7.14.0")
    read = replace(read_environment(Interpreter(str(environment.python))), python=f"{python}.1")
    (obstacle,) = without_rocm(read, {"rocm-sdk-core"}, amd("10.1"))
    assert obstacle.what == "jax-rocm7-plugin 0.10.0+rocm7.14.0"
    assert obstacle.why == "JAX runs on ROCm 7.14.0, which the plan removes"
    assert do in obstacle.do
    assert ("jax_rocm10_plugin==" in obstacle.do) == (python == "3.12")


def test_amds_torch_installs_another_rocm_than_that_of_the_machine_which_jax_is_for(
    tmp_path: Path,
) -> None:
    environment = Environment(tmp_path / "venv")
    add(environment, "jax-rocm7-plugin", "0.9.1.post3")
    obstacle = only(to_amd(environment))
    assert obstacle.where == "package jax-rocm7-plugin"
    assert obstacle.why == "it is for ROCm 7, and AMD's torch installs ROCm 10.1.0"
    assert to_amd(environment, "7.14").obstacles == ()
    assert to_pytorch(environment, "6.4").obstacles == ()


def test_jax_on_the_rocm_that_stays_blocks_nothing(tmp_path: Path) -> None:
    environment = sdk(tmp_path / "venv", "10.1.0")
    add(environment, "jax-rocm10-plugin", "0.11.1+rocm10.1.0")
    assert to_amd(environment).obstacles == ()


@pytest.mark.parametrize(
    ("name", "version", "url"),
    [
        ("apex", "1.9.0a0", ""),
        ("amd-aiter", "0.1.20.post1", ""),
        ("vllm", "0.27.1.dev5+rocm10.0.0.gf46a9dfe2", "https://x.org/vllm.whl"),
        ("own-op", "1.0", "https://x.org/own_op.whl"),
    ],
)
def test_what_no_source_is_known_of_blocks_the_plan_and_is_not_built(
    environment: Environment, name: str, version: str, url: str
) -> None:
    files = {f"{name}/_C.so": "x"}
    origin = {"url": url, "archive_info": {}} if url else None
    add(environment, name, version, "torch", files=files, origin=origin)
    made = to_pytorch(environment)
    assert only(made).where == f"package {name}"
    assert ("remove", name, version, "") in told(made)
    assert not any("--no-binary" in each for each in made.commands)


def test_a_source_that_was_deleted_blocks_the_plan_and_is_not_built(
    environment: Environment, tmp_path: Path
) -> None:
    path = tmp_path / "flash-attention"
    origin = {"url": path.as_uri(), "dir_info": {"editable": True}}
    add(environment, "flash-attn", "2.8.3", "torch", origin=origin)
    made = to_pytorch(environment)
    assert only(made).why.endswith(f"{path}, which it was installed from, no longer exists")
    assert ("remove", "flash-attn", "2.8.3", "") in told(made)
    assert not any(str(path) in each for each in made.commands)


def test_a_source_that_is_there_is_built(environment: Environment, tmp_path: Path) -> None:
    origin = {"url": tmp_path.as_uri(), "dir_info": {"editable": True}}
    add(environment, "flash-attn", "2.8.3", "torch", origin=origin)
    made = to_pytorch(environment)
    assert made.obstacles == ()
    assert made.commands[-1].endswith(f" -e {tmp_path}")


def test_the_blocker_says_where_a_build_for_the_new_rocm_is(environment: Environment) -> None:
    add(environment, "vllm", "0.27.1.dev5", "torch")
    obstacle = only(to_pytorch(environment, "7.2", "2.11"))
    assert obstacle.do.startswith("install a build of it afterwards, for ROCm 7.2: uv pip install ")


def test_else_for_which_rocm_one_is(environment: Environment) -> None:
    add(environment, "amd-aiter", "0.1.20.post1")
    obstacle = only(to_pytorch(environment))
    assert "no build for ROCm 7.2 is known (ROCm builds of amd-aiter are known for ROCm 10.0" in (
        obstacle.do
    )


def with_bitsandbytes(environment: Environment, version: str) -> Environment:
    files = {"bitsandbytes/libbitsandbytes_rocm71.so": "x"}
    add(environment, "bitsandbytes", version, "torch<3,>=2.4", files=files)
    return environment


@pytest.mark.parametrize(("rocm", "is_upgraded"), [("7.1", False), ("7.2", True)])
def test_bitsandbytes_is_upgraded_where_it_has_no_library_for_the_rocm(
    environment: Environment, rocm: str, is_upgraded: bool
) -> None:
    made = to_pytorch(with_bitsandbytes(environment, "0.49.0"), rocm, "2.11")
    actions = {each.action for each in made.changes if each.package == "bitsandbytes"}
    assert actions == ({"upgrade"} if is_upgraded else set())


def test_the_newest_bitsandbytes_without_the_library_is_not_the_wheel_of_pypi(
    environment: Environment,
) -> None:
    made = to_pytorch(with_bitsandbytes(environment, "0.50.2"), "7.2", "2.11")
    assert only(made).do.startswith("install PyPI's wheel again: pip install --force-reinstall ")


def test_for_a_rocm_that_no_wheel_of_bitsandbytes_is_known_for_it_blocks_the_plan(
    environment: Environment,
) -> None:
    obstacle = only(to_amd(with_bitsandbytes(environment, "0.49.0")))
    assert obstacle.why == "it has libbitsandbytes_rocm71.so and none for ROCm 10.1.0"
    assert "no build for ROCm 10.1 is known" in obstacle.do


def test_a_bitsandbytes_that_was_built_from_source_is_built_again(environment: Environment) -> None:
    files = {"bitsandbytes/libbitsandbytes_rocm71.so": "x"}
    origin = {"url": "https://x.org/b", "vcs_info": {"vcs": "git", "commit_id": "abc"}}
    add(environment, "bitsandbytes", "0.49.0", "torch", files=files, origin=origin)
    read = read_environment(Interpreter(str(environment.python)))
    assert set(compiled(read, "7.2")) == {"bitsandbytes"}


def test_a_wheel_of_rocm_is_not_called_the_rocm_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel = RocmReading("wheel rocm-sdk-core 10.0.0", "wheel", "10.0.0")
    monkeypatch.setattr(migration, "find_rocm", lambda **_: Rocm((wheel,)))
    environment = sdk(tmp_path / "venv", "10.0.0")
    add(environment, "torch", "2.12.0+rocm10.0.0")
    assert not any("is installed here" in each for each in to_amd(environment).notes)


@pytest.mark.parametrize(
    ("library", "of"),
    [
        ("flash-attn", "the driver and the compiler for flash-attn belong"),
        ("", "the driver belongs"),
    ],
)
def test_of_another_rocm_on_the_machine_a_note_says_what_belongs_to_it(
    environment: Environment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    library: str,
    of: str,
) -> None:
    information = tmp_path / "rocm" / ".info" / "version"
    information.parent.mkdir(parents=True)
    information.write_text("6.4.4-1\n")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "rocm"))
    monkeypatch.setenv("PATH", "/nowhere")  # there is no amd-smi to ask
    if library:
        add(environment, library, "2.8.3", "torch")
    (note,) = (each for each in to_pytorch(environment).notes if "is installed here" in each)
    assert note.endswith(f"but {of} to the installed ROCm")
