"""The move of an environment to another ROCm, planned."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version

from rocmlint.published import requirements
from rocmlint.stack import Interpreter, index_url, migration, plan, read_environment
from rocmlint.stack.installed.distributions import Distribution
from rocmlint.stack.installed.distributions import Environment as Installed
from rocmlint.stack.upgrade.changes import _misfits, compiled, upgrades
from rocmlint.stack.upgrade.pins import Pin
from tests.support.environments import Environment
from tests.support.stacks import INDEX, add, stack_for_rocm_6_4

if TYPE_CHECKING:
    from pathlib import Path

    from packaging.requirements import Requirement

    from rocmlint.stack import Plan


@pytest.fixture
def environment(tmp_path: Path) -> Environment:
    return stack_for_rocm_6_4(tmp_path / "environment")


def planned(environment: Environment, rocm: str = "7.1", torch: str = "2.10") -> Plan:
    return plan(rocm, torch=torch, interpreter=Interpreter(str(environment.python)))


def told(made: Plan) -> list[tuple[str, str, str, str]]:
    return [(each.action, each.package, each.before, each.after) for each in made.changes]


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


def test_without_pip_the_commands_are_for_uv(
    environment: Environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    uv = tmp_path / "uv"
    uv.write_text("#!/bin/sh\n")
    uv.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    words = [shlex.split(each)[:5] for each in planned(environment).commands]
    python = str(environment.python)
    assert words == [
        ["uv", "pip", "uninstall", "--python", python],
        ["uv", "pip", "install", "--python", python],
    ]


def test_without_pip_and_uv_the_first_command_brings_pip(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    python = shlex.quote(str(environment.python))
    first, second, *_ = planned(environment).commands
    assert first == f"{python} -m ensurepip --upgrade"
    assert second.startswith(f"{python} -m pip uninstall -y ")


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
    assert f"--extra-index-url {INDEX}/rocm7.1" in upgrade


def test_a_library_that_takes_the_new_torch_stays(environment: Environment) -> None:
    add(environment, "accelerate", "1.10.0", "torch>=2.0.0")
    assert "accelerate" not in {each.package for each in planned(environment).changes}


def test_what_moves_along_leaves_a_library_that_fits_where_it_is(environment: Environment) -> None:
    needs = ('torch<2.7,>=2.1; extra == "torch"', "huggingface-hub<1.0,>=0.30.0")
    add(environment, "transformers", "4.52.4", *needs)
    add(environment, "huggingface-hub", "0.20.0")  # too old for both, so that much is chosen anew
    add(environment, "accelerate", "1.10.0", "torch>=2.0.0")
    moved = {each.package for each in planned(environment).changes if each.action == "upgrade"}
    assert moved == {"transformers", "huggingface-hub"}


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
    *before, flash, op = planned(environment).commands
    removal = next(each for each in before if "uninstall" in each)
    assert {"op", "flash-attn"} <= set(shlex.split(removal))
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


def test_the_libraries_of_a_cuda_build_go_with_it(tmp_path: Path) -> None:
    made = Environment(tmp_path / "cuda")
    add(made, "torch", "2.9.1", "nvidia-cublas-cu12==12.8.4.1", "nvidia-nccl-cu12==2.27.5")
    add(made, "nvidia-cublas-cu12", "12.8.4.1")
    add(made, "nvidia-nccl-cu12", "2.27.5")
    add(made, "cupy-cuda12x", "13.0", "nvidia-nccl-cu12")
    removed = {each.package for each in planned(made).changes if each.action == "remove"}
    assert removed == {"torch", "nvidia-cublas-cu12"}


def test_what_brings_another_triton_is_upgraded_alone(environment: Environment) -> None:
    add(environment, "unsloth", "2025.10.1", "torch<2.10,>=2.4")
    add(environment, "transformers", "4.52.4", 'torch<2.7,>=2.1; extra == "torch"')
    commands = [shlex.split(each) for each in planned(environment).commands]
    (alone,) = (each for each in commands if any(word.startswith("unsloth==") for word in each))
    (others,) = (
        each for each in commands if any(word.startswith("transformers==") for word in each)
    )
    assert "--no-deps" in alone
    assert "--no-deps" not in others


def test_where_nothing_is_removed_the_libraries_of_cuda_stay(environment: Environment) -> None:
    add(environment, "nvidia-nccl-cu12", "2.27.5")
    assert told(planned(environment, "6.4", "2.9.1")) == []


def test_a_half_removed_package_is_told_and_hides_none(environment: Environment) -> None:
    (environment.site / "broken-1.0.dist-info").mkdir()
    made = planned(environment)
    assert any("broken-1.0.dist-info" in each for each in made.notes)
    assert "torch" in {each.package for each in made.changes}


@pytest.mark.parametrize(
    ("python", "why"),
    [
        ("3.9.18", "torch 2.13.0 requires Python>=3.10"),
        ("3.15.0", "torch 2.13.0 has no wheels for Python 3.15: it has them for 3.10, 3.11"),
    ],
)
def test_a_python_without_wheels_stands_against_it(python: str, why: str) -> None:
    there = Installed("/its/python", python, {}, (), {})
    (obstacle,) = migration._of_python("2.13.0", index_url("7.1"), there)
    assert obstacle.what == f"Python {python}"
    assert obstacle.why.startswith(why)


def test_the_torch_that_is_chosen_has_wheels_for_the_python() -> None:
    there = Installed("/its/python", "3.9.18", {}, (), {})
    assert migration._release(index_url("6.4"), None, there) == "2.8.0"


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
