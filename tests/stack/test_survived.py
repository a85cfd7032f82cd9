"""``stack freeze`` and ``stack survived``: installs that replace torch, and those that do not."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import jsonschema  # type: ignore[import-untyped]
import pytest

from tests.support.frozen import Stack, replaced_by_vllm
from tests.support.project import Project
from tests.support.stacks import FakeEnvironment

pytestmark = pytest.mark.slow

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"
INDEX = "https://download.pytorch.org/whl/rocm7.1"


def test_nothing_installed_is_survived(stack: Stack) -> None:
    ended = stack.run("survived")
    assert ended.returncode == 0
    assert "torch survived: it is the recorded ROCm build." in ended.stdout


def test_another_library_leaves_torch_alone(stack: Stack) -> None:
    stack.packages.install("peft", "0.21.2", ["torch>=1.13.0"])
    ended = stack.run("survived")
    assert ended.returncode == 0
    assert "1 other package changed: peft new -> 0.21.2" in ended.stdout


def test_the_same_wheel_by_another_installer_is_survived(stack: Stack) -> None:
    """Pip adds bytecode and its own notes to RECORD, uv does not."""
    record = stack.packages.site / "torch-2.10.0+rocm7.1.dist-info" / "RECORD"
    record.write_text(
        record.read_text()
        + "torch/__pycache__/version.cpython-311.pyc,sha256=x,1\n"
        + "torch-2.10.0+rocm7.1.dist-info/INSTALLER,sha256=y,4\n"
        + "../../../bin/torchrun,sha256=z,1\n"
    )
    assert stack.run("survived").returncode == 0


def test_a_cuda_build_in_its_place_is_told_with_who_and_how_to_go_back(stack: Stack) -> None:
    replaced_by_vllm(stack)
    ended = stack.run("survived")
    assert ended.returncode == 1
    python = sys.executable
    demanded = "requires torch==2.11.0, which 2.10.0+rocm7.1 does not meet"
    old = "torch==2.10.0+rocm7.1 torchvision==0.25.0+rocm7.1 triton-rocm==3.6.0"
    for line in (
        "  torch was built for ROCm 7.1 and is now a CUDA build",
        "  torch was 2.10.0+rocm7.1 and is now 2.11.0+cu130",
        "  triton 3.6.0 is new",
        f"  vllm 0.24.0 has been installed or changed since, and {demanded}",
        f"  {python} -m pip uninstall -y triton",
        f"  {python} -m pip install --force-reinstall --no-deps {old} --index-url {INDEX}",
    ):
        assert line in ended.stdout.splitlines()


def test_what_will_still_contradict_the_old_build_goes(stack: Stack) -> None:
    replaced_by_vllm(stack)
    stack.packages.install("fastserve", "1.0", ["torch==2.11.0"])
    told = stack.run("survived").stdout.partition("conflicts after the rollback (pip check):\n")[2]
    python = sys.executable
    assert told.splitlines()[:4] == [
        "  fastserve 1.0: it requires torch==2.11.0, but torch is 2.10.0+rocm7.1 again",
        f"    do: {python} -m pip uninstall -y fastserve",
        "  vllm 0.24.0: it requires torch==2.11.0, but torch is 2.10.0+rocm7.1 again",
        f"    do: {python} -m pip uninstall -y vllm",
    ]


def test_a_library_with_a_release_for_the_old_build_gets_that(stack: Stack) -> None:
    replaced_by_vllm(stack)
    stack.packages.install("speechbrain", "99", ["torch>=2.11"])
    told = stack.run("survived", "--constraints", "kept.txt").stdout
    (line,) = [each for each in told.splitlines() if " install speechbrain==" in each]
    assert line.endswith(" -c kept.txt")
    assert "torch==2.10.0+rocm7.1\n" in stack.project.read("kept.txt")


def test_a_library_that_was_there_before_goes_back_to_its_old_release(project: Project) -> None:
    stack = Stack(project)
    stack.packages.install("fastserve", "0.9", ["torch>=2.8"])
    stack.run("freeze")
    replaced_by_vllm(stack)
    stack.remove("fastserve")
    stack.packages.install("fastserve", "1.0", ["torch==2.11.0"])
    told = stack.run("survived").stdout
    assert f"    do: {sys.executable} -m pip install --no-deps fastserve==0.9\n" in told


def test_a_library_that_brings_another_triton_goes_back_alone(stack: Stack) -> None:
    replaced_by_vllm(stack)
    stack.packages.install("unsloth", "2026.10.9", ["torch>=2.11"])
    (line,) = (each for each in stack.run("survived").stdout.splitlines() if " unsloth==" in each)
    assert "-m pip install --no-deps unsloth==" in line


def test_what_takes_the_old_build_contradicts_nothing(stack: Stack) -> None:
    stack.packages.install("peft", "0.21.2", ["torch>=1.13.0"])
    stack.remove("torch")
    stack.packages.torch("2.11.0+cu130", cuda="13.0", git="other")
    told = json.loads(stack.run("survived", "--output-format", "json").stdout)
    assert told["contradictions"] == []


def test_of_another_kind_of_build_only_the_kind_is_told(stack: Stack) -> None:
    replaced_by_vllm(stack)
    told = stack.run("survived").stdout
    for each in ("HIP", "CUDA", "commit"):
        assert f"torch's {each} was" not in told


def test_who_demands_a_torch_that_never_was_here_is_no_suspect(stack: Stack) -> None:
    replaced_by_vllm(stack)
    stack.packages.install("dreamer", "1.0", ["torch==9"])
    suspects = stack.run("survived").stdout.partition("cause:\n")[2].partition("\n\n")[0]
    assert "vllm 0.24.0" in suspects
    assert "dreamer" not in suspects


def commands_without_pip(stack: Stack, path: str) -> list[str]:
    stack.remove("pip")
    replaced_by_vllm(stack)
    python = str(stack.packages.python)
    told = stack.project.run("stack", "survived", "--python", python, PATH=path).stdout
    return told.partition("roll back:\n")[2].splitlines()


def test_without_pip_and_uv_pip_comes_first(stack: Stack) -> None:
    commands = commands_without_pip(stack, "/usr/bin:/bin")
    assert commands[0] == f"  {sys.executable} -m ensurepip --upgrade"
    assert commands[1] == f"  {sys.executable} -m pip uninstall -y triton"


def test_where_pip_is_not_installed_uv_goes_back(stack: Stack) -> None:
    stack.project.write("bin/uv", "#!/bin/sh\n").chmod(0o755)
    commands = commands_without_pip(stack, f"{stack.project.root / 'bin'}:/usr/bin:/bin")
    assert commands[0] == f"  uv pip uninstall --python {sys.executable} triton"
    assert commands[1].startswith(f"  uv pip install --python {sys.executable} --force-reinstall")


def test_a_torch_that_was_installed_as_editable_goes_back_as_such(project: Project) -> None:
    stack = Stack(project)
    folder = project.root / "pytorch"
    folder.mkdir()
    origin = {"url": folder.as_uri(), "dir_info": {"editable": True}}
    stack.packages.write("torch-2.10.0+rocm7.1.dist-info/direct_url.json", json.dumps(origin))
    stack.run("freeze")
    replaced_by_vllm(stack)
    assert f" --no-deps -e {folder} torchvision==" in stack.run("survived").stdout


def test_the_file_of_another_environment_is_not_taken_for_this_one(stack: Stack) -> None:
    state = json.loads((stack.project.root / "rocm-stack.json").read_text())
    state["executable"] = "/srv/other/bin/python"
    stack.project.write("rocm-stack.json", json.dumps(state))
    replaced_by_vllm(stack)
    told = stack.run("survived").stdout
    assert "note: rocm-stack.json was recorded for /srv/other/bin/python" in told
    assert "torch is not the recorded build:" in told
    assert "/srv/other" not in told.partition("roll back:")[2]


def test_the_json_follows_its_schema(stack: Stack) -> None:
    replaced_by_vllm(stack)
    told = json.loads(stack.run("survived", "--output-format", "json").stdout)
    schema = json.loads(SCHEMA.read_text())
    jsonschema.validate(told, schema)
    assert (told["exit_code"], told["before"]["kind"], told["torch"]["kind"]) == (1, "HIP", "CUDA")
    frozen = json.loads(stack.run("freeze", "--output-format", "json", "new.json").stdout)
    jsonschema.validate(frozen, schema)


def test_the_same_version_with_other_files_did_not_survive(stack: Stack) -> None:
    stack.packages.torch("2.10.0+rocm7.1", "7.1.25424", git="another commit")
    ended = stack.run("survived")
    assert ended.returncode == 1
    assert "torch 2.10.0+rocm7.1 is the same version with other files" in ended.stdout


def test_a_torch_that_is_gone_did_not_survive(stack: Stack) -> None:
    stack.remove("torch")
    shutil.rmtree(stack.packages.site / "torch")
    ended = stack.run("survived")
    assert ended.returncode == 1
    assert ended.stdout.count("torch is gone: it was 2.10.0+rocm7.1") == 1


def test_where_no_torch_was_recorded_there_is_none_to_keep(project: Project) -> None:
    environment = FakeEnvironment(project.root / "venv")
    flags = ("--python", str(environment.python))
    project.run("stack", "freeze", *flags)
    environment.torch("2.11.0+cu130", cuda="13.0")
    ended = project.run("stack", "survived", *flags)
    assert " uninstall " in ended.stdout
    assert "To keep this build" not in ended.stdout


def test_torchvision_of_another_build_is_damage(stack: Stack) -> None:
    stack.remove("torchvision")
    stack.packages.install("torchvision", "0.25.0")
    ended = stack.run("survived")
    assert ended.returncode == 1
    assert "torchvision was 0.25.0+rocm7.1 and is now 0.25.0" in ended.stdout
    who = ended.stdout.partition("cause:")[2].partition("roll back:")[0]
    assert "torchvision 0.25.0 was installed by pip at " in who
    assert "torch 2.10.0" not in who


def test_what_came_in_the_same_run_is_named_where_nobody_demands_the_new_torch(
    stack: Stack,
) -> None:
    stack.remove("torch")
    stack.packages.torch("2.10.0", cuda="12.8")
    stack.packages.install("accelerate", "1.15.0", ["torch>=2.0.0"])
    ended = stack.run("survived")
    assert "  installed within ten minutes of it: accelerate 1.15.0" in ended.stdout


def test_without_a_record_the_files_are_not_called_the_same(project: Project) -> None:
    stack = Stack(project)
    (stack.packages.site / "torch-2.10.0+rocm7.1.dist-info" / "RECORD").unlink()
    stack.run("freeze")
    ended = stack.run("survived")
    assert ended.returncode == 3
    assert "cannot be compared" in ended.stdout


def test_without_a_file_a_rocm_build_is_told_and_the_rest_is_not(project: Project) -> None:
    ended = Stack(project).run("survived")
    assert ended.returncode == 3
    assert "torch is a ROCm build. Whether it is the recorded build is unknown" in ended.stdout


def test_without_a_file_a_cpu_build_is_no_rocm_build(project: Project) -> None:
    stack = Stack(project)
    stack.remove("torch")
    stack.packages.torch("2.10.0+cpu")
    ended = stack.run("survived")
    assert ended.returncode == 1
    assert "there is no ROCm build of torch" in ended.stdout


def test_a_file_that_is_named_must_be_there(stack: Stack) -> None:
    ended = stack.run("survived", "nothing.json")
    assert (ended.returncode, len(ended.stderr.splitlines())) == (2, 1)


def test_a_wheel_from_an_address_goes_back_to_it(project: Project) -> None:
    stack = Stack(project)
    url = "https://repo.radeon.com/rocm/manylinux/rocm-rel-7.1/torch-2.10.0.whl"
    stack.packages.write(
        "torch-2.10.0+rocm7.1.dist-info/direct_url.json",
        json.dumps({"url": url, "archive_info": {}}),
    )
    stack.run("freeze")
    replaced_by_vllm(stack)
    assert f"'torch @ {url}'" in stack.run("survived").stdout


@pytest.mark.parametrize(
    ("torch", "libraries", "place"),
    [
        (
            "2.9.1+rocm7.12.0",
            "rocm-sdk-libraries-gfx94x-dcgpu",
            "--index-url https://repo.amd.com/rocm/whl/gfx94X-dcgpu/",
        ),
        (
            "2.12.0+rocm7.14.0",
            "rocm-sdk-libraries",
            "--index-url https://repo.amd.com/rocm/whl-multi-arch/",
        ),
        (
            "2.9.1+rocm7.2.1.lw.gitff65f5bc",
            "numpy",
            "--no-index --find-links https://repo.radeon.com/rocm/manylinux/rocm-rel-7.2.1/",
        ),
        (
            "2.14.0.dev20260601+rocm7.2",
            "numpy",
            "--index-url https://download.pytorch.org/whl/nightly/rocm7.2",
        ),
    ],
)
def test_a_build_goes_back_from_where_it_came_from(
    project: Project, torch: str, libraries: str, place: str
) -> None:
    environment = FakeEnvironment(project.root / "venv")
    environment.torch(torch, "7.12.1")
    environment.install(libraries, "7.12.0")
    flags = ("--python", str(environment.python))
    project.run("stack", "freeze", *flags)
    shutil.rmtree(environment.site / f"torch-{torch}.dist-info")
    environment.torch("2.11.0+cu130", cuda="13.0", git="other")
    ended = project.run("stack", "survived", *flags)
    (command,) = (each for each in ended.stdout.splitlines() if "--force-reinstall" in each)
    assert command.endswith(f" torch=={torch} {place}")
