"""Where torch's ROCm wheels are, and the command that installs them."""

from __future__ import annotations

import json
import os
import shlex
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import validate  # type: ignore[import-untyped]

from rocmlint import stack
from rocmlint.errors import RocmlintError
from rocmlint.published import rocm_wheels
from rocmlint.stack.wheels.install import companion, torch_release
from tests.support.environments import Environment
from tests.support.tools import path_of

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"
SERVER = "https://download.pytorch.org/whl"
RELEASED = (
    *("4.0.1", "4.1", "4.2", "4.5.2", "5.1.1", "5.2"),
    *("5.3", "5.4.2", "5.5", "5.6", "5.7", "6.0", "6.1", "6.2"),
    *("6.2.4", "6.3", "6.4", "7.0", "7.1", "7.2", "7.14"),
)
BOTH = ("torchvision", "torchaudio")

# From pytorch.org/get-started/previous-versions, as of 2026-07.
ON_PYTORCH_ORG = """
5.4.2 2.0.0  0.15.1 2.0.1
5.4.2 2.0.1  0.15.2 2.0.2
6.0   2.3.0  0.18.0 2.3.0
6.0   2.3.1  0.18.1 2.3.1
6.1   2.4.1  0.19.1 2.4.1
6.2   2.5.1  0.20.1 2.5.1
6.1   2.6.0  0.21.0 2.6.0
6.2.4 2.6.0  0.21.0 2.6.0
6.3   2.7.1  0.22.1 2.7.1
6.4   2.8.0  0.23.0 2.8.0
6.4   2.9.1  0.24.1 2.9.1
7.1   2.10.0 0.25.0 2.10.0
7.2   2.11.0 0.26.0 2.11.0
"""


@pytest.mark.parametrize("rocm", RELEASED)
def test_every_rocm_with_wheels_has_its_own_index(rocm: str) -> None:
    assert stack.index_url(rocm) == stack.Wheels(rocm, f"{SERVER}/rocm{rocm}")


def test_no_other_rocm_of_the_table_has_releases() -> None:
    others = set(rocm_wheels.rocm_versions()) - set(RELEASED)
    for rocm in others:
        with pytest.raises(stack.NoWheelsError):
            stack.index_url(rocm)


@pytest.mark.parametrize(
    ("asked", "index"),
    [
        ("7.1.1", "7.1"),
        ("7.2.0", "7.2"),
        ("7.14.1", "7.14"),
        ("6.0.2", "6.0"),
        ("6.1.3", "6.1"),
        ("6.2.3", "6.2"),
        ("6.2.4", "6.2.4"),
        ("6.2.41134", "6.2.4"),
        ("6.3.4", "6.3"),
        ("5.4", "5.4.2"),
    ],
)
def test_a_patch_release_has_the_index_of_its_minor_version(asked: str, index: str) -> None:
    assert stack.index_url(asked).url == f"{SERVER}/rocm{index}"


def test_another_release_than_asked_for_is_told() -> None:
    (note,) = stack.index_url("6.2.3").notes
    start = "ROCm 6.2.3 has no wheels of its own: these are the wheels for 6.2, which include"
    assert note.startswith(start)


def test_wheels_that_are_newer_than_the_driver_are_not_promised_to_run() -> None:
    same = "AMD lists the same drivers for all of 5.4 (2026-08-26)"
    assert stack.index_url("5.4").notes[0].endswith(same)


@pytest.mark.parametrize(("asked", "is_told"), [("5.4", True), ("4.0", True), ("6.2.3", False)])
def test_wheels_for_a_newer_rocm_than_the_one_asked_for_are_told(asked: str, is_told: bool) -> None:
    assert ("these are the wheels for the newer" in stack.index_url(asked).notes[0]) == is_told


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [
        ("6.5", "6.4"),
        ("6.6.1", "6.4"),
        ("7.9", "7.2"),
        ("7.13", "7.2"),
        ("8.0", "7.14"),
        ("10.0", "7.14"),
        ("5.0", "4.5.2"),
        ("3.10", "4.0.1"),
        ("1.15", "4.0.1"),
    ],
)
def test_a_rocm_without_wheels_is_refused_with_the_nearest_that_has(
    asked: str, nearest: str
) -> None:
    with pytest.raises(stack.NoWheelsError, match=rf"no wheels .*{asked}.*: --rocm {nearest}(;|$)"):
        stack.index_url(asked)


def test_a_preview_names_the_wheels_of_amd() -> None:
    with pytest.raises(stack.NoWheelsError, match=r"AMD has its own wheels .* --source amd"):
        stack.index_url("7.10")


def test_nightly_builds_are_for_the_newest_rocm_only() -> None:
    assert stack.index_url("7.14", nightly=True).url == f"{SERVER}/nightly/rocm7.14"
    with pytest.raises(stack.NoWheelsError, match=r"--rocm 7\.14 --nightly; 7\.1 has releases"):
        stack.index_url("7.1", nightly=True)


@given(st.one_of(st.text(), st.from_regex(r"\d{1,3}(\.\d{1,6}){1,3}", fullmatch=True)))
def test_any_text_gives_a_known_index_or_a_refusal(text: str) -> None:
    try:
        found = stack.index_url(text)
    except RocmlintError:
        return
    assert found.rocm in RELEASED


@pytest.mark.parametrize("row", ON_PYTORCH_ORG.strip().split("\n"))
def test_versions_are_those_that_belong_together(row: str) -> None:
    rocm, torch, torchvision, torchaudio = row.split()
    made = stack.install_command(rocm, torch=torch, companions=BOTH)
    assert made.words == (
        *("pip", "install", f"torch=={torch}+rocm{rocm}"),
        f"torchvision=={torchvision}+rocm{rocm}",
        f"torchaudio=={torchaudio}+rocm{rocm}",
        *("--index-url", f"{SERVER}/rocm{rocm}"),
    )


@pytest.mark.parametrize("row", rocm_wheels.rows(), ids=lambda row: row.torch)
def test_a_torch_is_installed_for_its_own_rocm_versions_and_refused_for_others(
    row: rocm_wheels.Row,
) -> None:
    for rocm in RELEASED:
        if rocm in row.rocm and row.status != "nightly":
            made = stack.install_command(rocm, torch=row.torch, companions=["torchvision"])
            assert dict(made.packages)["torch"].startswith(f"{row.torch}.")
            continue
        with pytest.raises(stack.NoWheelsError, match=f"ROCm {rocm} has torch ") as refusal:
            stack.install_command(rocm, torch=row.torch)
        if row.status != "nightly":
            assert "it has wheels for ROCm" in str(refusal.value)


def test_torchaudio_had_no_label_before_torch_2() -> None:
    made = stack.install_command("5.2", torch="1.13.1", companions=BOTH)
    assert made.words[3:5] == ("torchvision==0.14.1+rocm5.2", "torchaudio==0.13.1")


def test_without_a_torch_it_is_the_newest_release_for_the_rocm() -> None:
    assert stack.install_command("6.0").packages == (("torch", "2.4.1"),)


def test_a_torch_of_another_build_is_refused() -> None:
    with pytest.raises(RocmlintError, match=r"is not a build for ROCm 7\.1; write 2\.10\.0"):
        stack.install_command("7.1", torch="2.10.0+cu128")


def test_a_torch_may_be_named_with_the_label_of_its_build() -> None:
    assert torch_release("7.1", "2.10.0+rocm7.1") == "2.10.0"


def test_a_patch_release_that_does_not_exist_is_refused() -> None:
    with pytest.raises(
        stack.NoWheelsError, match=r"no torch 2\.4\.9 .*; releases of 2\.4: 2\.4\.0"
    ):
        stack.install_command("6.1", torch="2.4.9")


def test_a_torch_that_is_no_release_is_refused() -> None:
    with pytest.raises(
        RocmlintError, match=r"is not a release; use one such as 2\.10, or --nightly"
    ):
        stack.install_command("7.1", torch="2.10.0rc1")


def test_of_a_torch_that_was_only_built_nightly_that_is_told() -> None:
    with pytest.raises(stack.NoWheelsError, match=r"only nightly builds .* ROCm 7\.14 and 10\.0"):
        stack.install_command("7.1", torch="2.15")


def test_no_more_is_said_of_a_newer_rocm_than_the_build_matrices_tell() -> None:
    with pytest.raises(stack.NoWheelsError, match=r"no wheels .* are known \(newest row 2026-"):
        stack.index_url("10.1")


def test_the_last_torchaudio_serves_later_torches_where_it_has_wheels() -> None:
    assert companion("torchaudio", "2.13.0", "7.2") == "2.11.0"
    with pytest.raises(stack.NoWheelsError, match=r"torchaudio has no wheels for ROCm 7\.14"):
        companion("torchaudio", "2.14.0", "7.14")


def test_the_torchvision_that_came_with_a_torch_is_taken_and_none_that_came_later() -> None:
    assert companion("torchvision", "2.14.0", "7.14") == "0.29.0"


def test_nightly_builds_are_not_pinned() -> None:
    made = stack.install_command("7.14", companions=["torchvision"], nightly=True)
    assert made.command == (
        f"pip install --pre torch torchvision --index-url {SERVER}/nightly/rocm7.14"
    )


def test_a_release_and_nightly_builds_are_not_asked_for_at_once() -> None:
    with pytest.raises(RocmlintError, match="omit one of them"):
        stack.install_command("7.14", torch="2.14", nightly=True)


@pytest.mark.parametrize(("installer", "at"), [("pip", 0), ("uv", 4)])
def test_a_command_is_quoted_for_a_shell(installer: str, at: int) -> None:
    made = stack.install_command("7.1", installer=installer, python="/my envs/it's/python")
    assert shlex.split(made.command)[at] == "/my envs/it's/python"


def test_index_url_prints_the_url_and_nothing_else(project: Project) -> None:
    done = project.run("stack", "index-url", "--rocm", "6.2.3")
    assert (done.returncode, done.stdout) == (0, f"{SERVER}/rocm6.2\n")
    assert done.stderr.startswith("note: ROCm 6.2.3")


def test_index_url_refuses_on_stderr(project: Project) -> None:
    done = project.run("stack", "index-url", "--rocm", "6.5")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: torch has no wheels for ROCm 6.5")


WITH_ROCM = bool(path_of("amd-smi")) or os.path.exists("/opt/rocm")


@pytest.mark.skipif(WITH_ROCM, reason="there is a ROCm here")
def test_without_a_rocm_index_url_says_what_to_type(project: Project) -> None:
    done = project.run("stack", "index-url")
    assert (done.returncode, done.stdout) == (2, "")
    assert "no ROCm was found" in done.stderr
    assert "--rocm 7.1" in done.stderr


@pytest.mark.skipif(bool(path_of("amd-smi")), reason="amd-smi speaks before the files")
def test_index_url_takes_the_rocm_that_is_found(project: Project) -> None:
    project.write("rocm/.info/version", "6.3.4-123\n")
    done = project.run("stack", "index-url", ROCM_PATH=str(project.root / "rocm"))
    assert (done.returncode, done.stdout) == (0, f"{SERVER}/rocm6.3\n")
    assert "ROCm 6.3.4 was read from $ROCM_PATH" in done.stderr


def test_json_has_the_same_answers(project: Project) -> None:
    schema = json.loads(SCHEMA.read_text())
    done = project.run("stack", "index-url", "--rocm", "7.1", "--output-format", "json")
    validate(json.loads(done.stdout), schema)
    assert json.loads(done.stdout)["url"] == f"{SERVER}/rocm7.1"
    flags = ("--rocm", "7.1", "--torch", "2.10", "--torchvision", "--output-format", "json")
    made = json.loads(project.run("stack", "install-command", *flags).stdout)
    validate(made, schema)
    assert made["packages"] == {"torch": "2.10.0", "torchvision": "0.25.0"}
    assert made["command"] == shlex.join(made["words"])


def recorder(project: Project, name: str, then: str = "exit 0") -> Path:
    """Write a program that records what it is to install, an argument a line, in ``asked``."""
    record = 'case "$*" in *install*) printf "%s\\n" "$@" >> asked;; esac'
    program = project.write(name, f"#!/bin/sh\n{record}\n{then}\n")
    program.chmod(0o755)
    return program


ASKED = f"-m\npip\ninstall\ntorch==2.10.0+rocm7.1\n--index-url\n{SERVER}/rocm7.1\n"
TORCH = ("stack", "install-command", "--rocm", "7.1", "--torch", "2.10")


def test_nothing_is_installed_without_run(project: Project) -> None:
    python = recorder(project, "python")
    done = project.run(*TORCH, "--python", str(python))
    assert done.returncode == 0
    assert not (project.root / "asked").exists()


def test_run_shows_the_command_and_runs_it(project: Project) -> None:
    python = recorder(project, "python")
    done = project.run(*TORCH, "--run", "--python", str(python))
    assert done.returncode == 0
    assert done.stdout == f"{python} {' '.join(ASKED.split())}\n"
    assert project.read("asked") == ASKED
    assert f"rocmlint stack survived --python {python}" in done.stderr


@pytest.mark.parametrize("code", [1, 7])
def test_run_gives_the_exit_code_of_the_installer(project: Project, code: int) -> None:
    versions = f'case "$3" in --version) exit 0;; esac; exit {code}'
    python = recorder(project, "python", versions)
    done = project.run(*TORCH, "--run", "--python", str(python))
    assert done.returncode == code
    assert "error: not installed: see the installer's message above" in done.stderr


def test_run_tells_of_a_signal(project: Project) -> None:
    python = recorder(project, "python", "kill -KILL $$")
    done = project.run(*TORCH, "--run", "--python", str(python))
    assert done.returncode == 128 + signal.SIGKILL
    assert (
        "error: not installed: the installer was stopped by SIGKILL; torch may be partly installed"
        in done.stderr
    )


def test_run_ends_with_ctrl_c(project: Project) -> None:
    python = recorder(project, "python", 'case "$*" in *install*) exec sleep 60;; esac')
    running = project.start(*TORCH, "--run", "--python", str(python))
    for _ in range(600):
        if (project.root / "asked").exists():
            break
        assert running.poll() is None
        time.sleep(0.05)
    os.killpg(running.pid, signal.SIGINT)
    _, stderr = running.communicate(timeout=30)
    assert running.returncode == 130
    assert "interrupted" in stderr


def test_run_tells_of_a_python_without_pip(project: Project) -> None:
    python = recorder(project, "python", "echo No module named pip >&2; exit 1")
    done = project.run(*TORCH, "--run", "--python", str(python))
    assert done.returncode == 1
    assert f"{python} has no pip: run {python} -m ensurepip, or use --installer uv" in done.stderr


@pytest.mark.parametrize(("installer", "is_told"), [("pip", True), ("uv", False)])
def test_a_python_without_pip_is_told_before_anything_runs(
    project: Project, installer: str, is_told: bool
) -> None:
    python = str(Environment(project.root / "venv").python)
    done = project.run(
        *("stack", "install-command", "--rocm", "7.1", "--python", python),
        *("--installer", installer),
    )
    assert (f"{python} has no pip: run {python} -m ensurepip" in done.stderr) == is_told


def test_a_python_that_is_too_old_gets_no_command(project: Project) -> None:
    said = "rocmlint needs Python 3.9 or later, this is 3.8.18"
    python = recorder(project, "python", f"echo '{said}' >&2; exit 1")
    done = project.run(*TORCH, "--python", str(python))
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


@pytest.mark.parametrize("installer", ["pip", "uv"])
def test_run_tells_of_a_program_that_is_not_there(project: Project, installer: str) -> None:
    flags = ("--run", "--installer", installer, "--python", "/nowhere/python")
    done = project.run(*TORCH, *flags, PATH="/nowhere")
    assert done.returncode == 2
    name = "/nowhere/python" if installer == "pip" else "uv"
    assert f"error: {name}: cannot be started: no such program" in done.stderr


def test_run_with_uv_installs_into_the_interpreter(project: Project) -> None:
    uv = recorder(project, "uv")
    path = f"{uv.parent}{os.pathsep}{os.environ['PATH']}"
    flags = ("--run", "--installer", "uv", "--python", "/some/python")
    assert project.run(*TORCH, *flags, PATH=path).returncode == 0
    words = ["pip", "install", "--python", "/some/python", "torch==2.10.0+rocm7.1"]
    assert project.read("asked").split("\n")[:5] == words


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--installer", "conda"), "--installer"),
        (("--torchvison",), "--torchvision"),
    ],
)
def test_wrong_usage_is_one_line(project: Project, flags: tuple[str, ...], said: str) -> None:
    done = project.run(*TORCH, *flags)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
