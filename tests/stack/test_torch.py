"""Which build the installed torch is, and whether it is one for the ROCm that is here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rocmlint.cli.main import main
from rocmlint.gpus.devices import Devices
from rocmlint.stack.checks.torch_and_rocm import torch_and_rocm
from rocmlint.stack.installed.rocm import find_rocm
from rocmlint.stack.installed.rocm_of_torch import rocm_of_torch
from rocmlint.stack.installed.torch_build import read_torch
from tests.support.stacks import FakeEnvironment, FakeMachine

if TYPE_CHECKING:
    from pathlib import Path

    from rocmlint.stack.verdicts import Verdict


pytestmark = pytest.mark.usefixtures("rocm_7_1")


def test_a_rocm_build_is_read_without_importing_it(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/__init__.py", "raise SystemExit('imported')\n")
    torch = read_torch(packages.read())
    assert torch is not None
    assert (torch.version, torch.release, torch.kind) == ("2.10.0+rocm7.1", "2.10", "HIP")
    assert (torch.hip, torch.rocm_release, torch.debug) == ("7.1.25424", "7.1", False)


def test_hip_does_not_stand_for_rocm_from_7_15_on(packages: FakeEnvironment) -> None:
    """ROCm 10.0.0 has HIP 7.15."""
    packages.torch("2.13.0+rocm10.0.0", "7.15.26333")
    torch = read_torch(packages.read())
    assert torch is not None
    assert torch.rocm_release == "10.0"
    packages.write("torch/version.py", "__version__ = '2.13.0a0+git1'\nhip = '7.15.26333'\n")
    packages.install("torch", "2.13.0+rocm10.0.0")
    torch = read_torch(packages.read())
    assert torch is not None
    assert torch.rocm_release == ""


@pytest.mark.parametrize(
    ("version", "requires", "kind"),
    [
        ("2.10.0+rocm7.1", (), "HIP"),
        ("2.10.0+cu128", (), "CUDA"),
        ("2.10.0+cpu", (), "CPU"),
        ("2.10.0", ("nvidia-nccl-cu12==2.27.5",), "CUDA"),
        ("2.10.0", (), "unknown"),
    ],
)
def test_a_torch_without_files_is_told_by_its_metadata(
    packages: FakeEnvironment, version: str, requires: tuple[str, ...], kind: str
) -> None:
    packages.install("torch", version, requires)
    torch = read_torch(packages.read())
    assert torch is not None
    assert (torch.kind, torch.problem) == (
        kind,
        "there is metadata, but no torch package: an incomplete uninstall",
    )


def test_a_label_that_is_written_in_two_ways_is_one(packages: FakeEnvironment) -> None:
    version = "2.10.0+devrocm7.12.0.dev0-849eec4"
    packages.torch(version, "7.2.25455")
    (packages.site / f"torch-{version}.dist-info" / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: torch\nVersion: {version.replace('-', '.')}\n"
    )
    torch = read_torch(packages.read())
    assert torch is not None
    assert (torch.problem, torch.rocm_release) == ("", "7.12")


def test_a_build_in_development_without_files_is_one_for_rocm(packages: FakeEnvironment) -> None:
    packages.install("torch", "2.10.0+devrocm7.12.0.dev0.849eec4")
    torch = read_torch(packages.read())
    assert torch is not None
    assert (torch.kind, torch.rocm_release) == ("HIP", "7.12")


def test_one_torch_over_another_is_told(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.write("torch/version.py", "__version__ = '2.11.0+cu130'\ncuda = '13.0'\n")
    torch = read_torch(packages.read())
    assert torch is not None
    assert torch.kind == "CUDA"
    assert torch.problem.endswith("one was installed over the other")


def test_a_cuda_build_where_rocm_is_is_a_conflict(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.10.0+cu128", cuda="12.8")
    stack = packages.show(here)
    assert stack.exit_code == 1
    assert "is not a ROCm build, but ROCm 7.1.0 is installed here" in stack.verdicts[0].reason
    assert stack.verdicts[0].action == "rocmlint stack install-command --rocm 7.1.0 --torch 2.10.0"


ROCM_INDEX = "--index-url https://download.pytorch.org/whl/rocm6.4\n"
IMAGE = "# Trains.\nFROM rocm/pytorch:rocm7.1_ubuntu24.04_py3.12_pytorch_release_2.9.1\n"
UV_INDEX = "[[tool.uv.index]]\nname = 'pytorch'\nurl = 'https://download.pytorch.org/whl/rocm7.1'\n"


@pytest.mark.parametrize(
    ("file", "evidence", "flags"),
    [
        (("requirements.txt", f"#\n\n{ROCM_INDEX}"), ":3 names whl/rocm6.4", "6.4 --torch 2.9.1"),
        (("pyproject.toml", UV_INDEX), "pyproject.toml:3 names whl/rocm7.1", "7.1"),
        (("Dockerfile", IMAGE), "(Dockerfile:2 names rocm/pytorch", "7.1"),
        (("docker/Dockerfile", IMAGE), "docker/Dockerfile:2 names rocm/pytorch", "7.1"),
        (("rocmlint.toml", "rocm = true\n"), "(the configuration has rocm = true", "VERSION"),
    ],
)
def test_a_cuda_build_in_a_project_for_rocm_is_a_conflict_on_a_plain_machine(
    packages: FakeEnvironment, tmp_path: Path, file: tuple[str, str], evidence: str, flags: str
) -> None:
    packages.torch("2.9.1+cu128", cuda="12.8")
    project = FakeMachine(tmp_path / "project")
    project.file(".git/HEAD", "")
    project.file(*file)
    stack = packages.show(FakeMachine(tmp_path / "plain"), project=str(project.root))
    (verdict,) = stack.verdicts
    assert (stack.exit_code, verdict.judgement, verdict.on) == (1, "conflict", "this project")
    assert f"{evidence}): on an AMD GPU torch.cuda.is_available() is False" in verdict.reason
    assert verdict.action == f"rocmlint stack install-command --rocm {flags}"


@pytest.mark.parametrize(
    ("build", "files"),
    [
        ({"cuda": "12.8"}, {}),
        ({}, {"requirements.txt": ROCM_INDEX}),  # the CPU, for tests where no GPU is
        ({"hip": "6.4.43484"}, {"requirements.txt": ROCM_INDEX}),
        ({"cuda": "12.8"}, {"requirements.txt": ROCM_INDEX, "rocmlint.toml": "rocm = false\n"}),
        ({"cuda": "12.8"}, {"requirements.txt": ROCM_INDEX.replace("rocm6.4", "cu128")}),
        ({"cuda": "12.8"}, {"requirements.txt": ROCM_INDEX, "Dockerfile": "FROM nvidia/cuda\n"}),
        ({"cuda": "12.8"}, {"requirements-rocm.txt": ROCM_INDEX}),  # one of several
    ],
)
def test_a_project_that_is_not_for_rocm_alone_is_no_conflict(
    packages: FakeEnvironment, tmp_path: Path, build: dict[str, str], files: dict[str, str]
) -> None:
    packages.torch("2.9.1", build.get("hip", ""), cuda=build.get("cuda", ""))
    project = FakeMachine(tmp_path / "project")
    for name, text in {".git/HEAD": "", **files}.items():
        project.file(name, text)
    stack = packages.show(FakeMachine(tmp_path / "plain"), project=str(project.root))
    assert not [each for each in stack.verdicts if each.judgement == "conflict"]


def test_show_looks_at_the_project_that_it_is_started_in(
    packages: FakeEnvironment,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    packages.torch("2.9.1+cu128", cuda="12.8")
    project, plain = FakeMachine(tmp_path / "project"), FakeMachine(tmp_path / "plain")
    project.file(".git/HEAD", "")
    folder = project.file("src/job.py", "").parent
    project.file("rocmlint.toml", "rocm = [\n")  # what cannot be read says nothing
    project.file("requirements.txt", ROCM_INDEX.replace("://", "://me:s3cr3t@"))
    monkeypatch.setattr("rocmlint.stack.show.Machine", lambda: plain.machine)
    monkeypatch.chdir(folder)
    assert main(["stack", "show", "--python", str(packages.python)]) == 1
    told = capsys.readouterr().out
    assert "conflict: torch 2.9.1+cu128 and this project\n" in told
    assert "(requirements.txt:1 names whl/rocm6.4)" in told
    assert "s3cr3t" not in told


def test_the_build_for_this_rocm_fits(packages: FakeEnvironment, here: FakeMachine) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    stack = packages.show(here)
    assert (stack.exit_code, [each.judgement for each in stack.verdicts]) == (0, ["fits"])


def test_the_build_for_another_rocm_is_a_note_that_says_what_it_means(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    stack = packages.show(here)
    (verdict,) = stack.verdicts
    assert (verdict.judgement, verdict.found) == ("note", "7.1.0")
    assert "code that is compiled here for torch" in verdict.reason
    assert [each.version for each in stack.rocm.others] == ["6.4"]


def test_a_gpu_alone_is_enough_to_choose_a_rocm_build(
    packages: FakeEnvironment, tmp_path: Path
) -> None:
    packages.torch("2.13.0+cpu")
    found, bare = read_torch(packages.read()), FakeMachine(tmp_path / "bare")
    (verdict,) = torch_and_rocm(found, find_rocm(bare.machine), Devices(("gfx942",)))
    assert verdict.judgement == "conflict"
    assert verdict.action == "rocmlint stack install-command"


def code_for(
    packages: FakeEnvironment, machine: FakeMachine, torch: str, *gpus: str
) -> list[Verdict]:
    """Return what is said of the GPUs of a machine and a build of torch."""
    packages.torch(torch, "7.1.25424")
    devices = Devices(tuple(gpus))
    found = read_torch(packages.read())
    verdicts = torch_and_rocm(found, find_rocm(machine.machine), devices)
    return [each for each in verdicts if each.on in devices.architectures]


def test_a_gpu_that_the_wheels_of_this_torch_have_code_for_fits(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    (verdict,) = code_for(packages, here, "2.10.0+rocm7.1", "gfx1151")
    assert (verdict.judgement, verdict.requirement) == ("fits", "code for gfx1151")


def test_of_a_build_whose_gpus_are_not_known_nothing_is_said(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    assert code_for(packages, here, "2.11.0a0+git1234567", "gfx1151") == []


def test_a_gpu_that_no_wheel_for_this_rocm_has_code_for_is_a_conflict(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    (verdict,) = code_for(packages, here, "2.9.1+rocm6.4", "gfx1151")
    assert (verdict.judgement, verdict.on, verdict.found) == ("conflict", "gfx1151", None)
    assert "for ROCm 6.4 have no code for gfx1151" in verdict.reason
    assert verdict.action == "rocmlint stack install-command --rocm 7.14 --torch 2.14"


def test_a_later_torch_for_the_same_rocm_is_proposed_where_it_has_code(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    (verdict,) = code_for(packages, here, "2.12.1+rocm7.2", "gfx1103")
    assert verdict.action == "rocmlint stack install-command --rocm 7.2 --torch 2.14"


def test_the_gpu_of_the_processor_beside_one_with_code_is_a_note(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    fits, verdict = code_for(packages, here, "2.10.0+rocm7.1", "gfx1100", "gfx1036")
    assert (fits.judgement, fits.on) == ("fits", "gfx1100")
    assert (verdict.judgement, verdict.on) == ("note", "gfx1036")
    assert verdict.reason.endswith("; of the GPUs here they serve gfx1100")
    assert verdict.action.endswith("install-command --gpu gfx1100 --gpu gfx1036")


def test_where_no_build_serves_all_gpus_none_is_given_up_for_another(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    _, verdict = code_for(packages, here, "2.10.0+rocm7.1", "gfx1100", "gfx803")
    assert verdict.reason.endswith("; of the GPUs here they serve gfx1100")
    assert verdict.action == ""


def test_a_gpu_that_no_wheel_at_all_is_for_is_left_to_the_file(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    (verdict,) = code_for(packages, here, "2.10.0+rocm7.1", "gfx803")
    assert verdict.action.startswith("run rocmlint verify kernels torch")


@pytest.mark.parametrize(
    "torch", ["2.15.0.dev20261001+rocm7.14", "2.10.0a0+git1234", "9.0+rocm9.0"]
)
def test_of_builds_whose_gpus_are_not_known_nothing_is_said(
    packages: FakeEnvironment, here: FakeMachine, torch: str
) -> None:
    assert code_for(packages, here, torch, "gfx1036") == []


def test_without_another_rocm_the_one_that_torch_brings_is_told(
    packages: FakeEnvironment, tmp_path: Path
) -> None:
    packages.torch("2.13.0+rocm10.0.0", "7.15.26333")
    stack = packages.show(FakeMachine(tmp_path / "bare"))
    assert stack.rocm.version == "10.0.0"
    assert [each.judgement for each in stack.verdicts] == ["note"]


@pytest.mark.parametrize(
    ("requires", "libraries"),
    [
        ((), "torch"),
        (("rocm[libraries]==7.14.0",), "rocm packages"),
        (("amd-torch-device-gfx942==2.12.0; extra == 'x'",), "host"),
        ((), "host"),
    ],
)
def test_where_torch_has_the_libraries_of_rocm_from_is_told(
    packages: FakeEnvironment, tmp_path: Path, requires: tuple[str, ...], libraries: str
) -> None:
    packages.torch("2.12.0+rocm7.14.0", "7.14.26133")
    packages.install("torch", "2.12.0+rocm7.14.0", requires)
    if libraries != "torch":
        (packages.site / "torch/lib/libamdhip64.so").unlink()
    stack = packages.show(FakeMachine(tmp_path / "bare"))
    assert stack.rocm_of_torch == libraries
    (reading,) = stack.rocm.readings
    how = "whose wheel includes it" if libraries == "torch" else "which was built for it"
    assert reading.source == f"torch 2.12.0+rocm7.14.0, {how}"
    (note,) = (each for each in stack.verdicts if each.on == "ROCm")
    assert ("torch's wheels include its libraries" in note.reason) is (libraries == "torch")


def test_a_torch_of_the_host_loads_the_rocm_that_is_there(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.10.0a0+git1234", "7.0.51831")
    (packages.site / "torch/lib/libamdhip64.so").unlink()
    (note,) = (each for each in packages.show(here).verdicts if each.on == "ROCm")
    assert note.reason == (
        "torch was built for ROCm 7.0, but it loads the libraries of the installed ROCm 7.1.0, "
        "because it does not include its own"
    )


def test_a_torch_without_rocm_has_its_libraries_from_nowhere(packages: FakeEnvironment) -> None:
    packages.torch("2.13.0", cuda="13.0")
    environment = packages.read()
    assert rocm_of_torch(read_torch(environment), environment) == ""
    assert rocm_of_torch(None, environment) == ""


def test_without_torch_nothing_is_answered(packages: FakeEnvironment, here: FakeMachine) -> None:
    packages.install("numpy", "2.4.6")
    stack = packages.show(here)
    assert (stack.exit_code, stack.torch) == (3, None)
