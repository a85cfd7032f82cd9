"""What ``stack compatible`` tells to type: nothing that an install could replace torch by."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import jsonschema  # type: ignore[import-untyped]
import pytest

from rocmlint.stack.advice.beside import Advice, Here, advice
from rocmlint.stack.advice.keeping import KeptBuilds, constraints_of, kept, kept_versions
from rocmlint.stack.compatible import compatible
from rocmlint.stack.installed.torch_build import TorchBuild
from tests.support.stacks import INDEX, ROCMINFO, FakeEnvironment, add, stack_for_rocm_6_4

if TYPE_CHECKING:
    from tests.support.project import Project

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "stack.json"
FOR_6_4 = kept_versions([("torch", "2.9.1+rocm6.4")])


def advised(*packages: str, torch: str = "2.9.1", kept: KeptBuilds = FOR_6_4) -> Advice:
    return advice(compatible(torch, packages, python="3.11", ask_uv=False), kept)


def test_the_command_names_the_build_and_its_index() -> None:
    command = advised("peft==0.21.2").command
    expected = f"torch==2.9.1+rocm6.4 --extra-index-url {INDEX}/rocm6.4"
    assert command == f"pip install peft==0.21.2 {expected}"


def test_beside_a_torch_that_is_to_be_replaced_pypis_triton_is_not_kept() -> None:
    plain = kept_versions([("torch", "2.9.1"), ("triton", "3.5.1")])
    found = advised("peft==0.21.2", kept=plain)
    assert found.notes[0].startswith("install the ROCm build of torch 2.9.1 first")
    assert found.command == "pip install peft==0.21.2 torch==2.9.1"


@pytest.mark.parametrize(
    ("torch", "is_there", "is_told"),
    [
        ("2.9.1+rocm7.1", False, True),  # PyTorch has 2.9 for ROCm 6.3 and 6.4
        ("2.9.1+rocm7.1", True, False),
        ("2.9.1+rocm6.4", False, False),
    ],
)
def test_a_build_that_is_only_named_and_that_no_known_index_has_is_told(
    torch: str, is_there: bool, is_told: bool
) -> None:
    answer = compatible("2.9.1", ["peft"], python="3.11", ask_uv=False)
    found = advice(answer, kept_versions([("torch", torch)]), Here(is_there=is_there))
    assert (f"torch {torch} must be installed already" in " ".join(found.notes)) == is_told


def test_what_brings_another_torch_stands_apart_with_the_way() -> None:
    found = advised("peft==0.21.2", "unsloth==2026.10.9")
    (apart,) = found.apart
    assert "unsloth" not in found.command
    assert "unsloth==2026.10.9 -> xformers==0.0.35 -> torch==2.14.1" in apart.ways
    assert apart.command == "pip install --no-deps unsloth==2026.10.9"


def test_triton_of_pypi_stands_apart() -> None:
    (apart,) = advised("liger-kernel==0.8.5").apart
    assert apart.ways == ("liger-kernel==0.8.5 -> triton==3.9.0",)
    overwrites = "a triton that would overwrite files of torch's own"
    assert apart.why.startswith(f"its requirements include {overwrites}")


def test_triton_that_is_installed_does_not_come_anew() -> None:
    answer = compatible("2.9.1", ["liger-kernel"], there=["triton"], ask_uv=False)
    assert advice(answer, FOR_6_4).apart == ()


def test_torchvision_comes_from_the_index_of_torch() -> None:
    assert "torchvision==0.24.1+rocm6.4" in advised("timm").command.split()


def test_torchvision_that_is_installed_is_not_named_twice() -> None:
    both = kept_versions([("torch", "2.9.1+rocm6.4"), ("torchvision", "0.24.1+rocm6.4")])
    answer = compatible("2.9.1", ["timm"], there=["torchvision"], ask_uv=False)
    assert advice(answer, both).command.count("torchvision==") == 1


def test_where_the_build_is_unknown_torch_comes_first() -> None:
    found = advised("timm", kept=kept_versions([("torch", "2.9.1")]))
    first = "rocmlint stack install-command --rocm 6.4 --torch 2.9.1"
    vision = f"{first} --torchvision"
    assert found.notes == (
        f"install the ROCm build of torch 2.9.1 first: {first} (or --rocm 6.3)",
        f"timm requires torchvision; install its ROCm build first: {vision} (or --rocm 6.3)",
    )
    assert found.command.endswith(" torch==2.9.1")


def test_a_rocm_build_without_a_label_is_kept_and_no_other_is_told_to_be_installed() -> None:
    conda = kept_versions([("torch", "2.8.0"), ("triton", "3.4.0")])
    answer = compatible("2.8.0", ["peft==0.21.2"], python="3.11", ask_uv=False)
    found = advice(answer, conda, Here(torch=TorchBuild("2.8.0", "HIP", "", hip="6.4.43484")))
    assert found.command == "pip install peft==0.21.2 torch==2.8.0 triton==3.4.0"
    (note,) = found.notes
    assert note.startswith("the installed torch 2.8.0 is a ROCm build")


@pytest.mark.parametrize(
    ("torch", "build"),
    [
        ("2.8.0", TorchBuild("2.8.0", "HIP", "", hip="6.4.43484")),  # conda's
        ("2.15.0a0+rocm10.2.0", None),  # a nightly build of AMD's
    ],
)
def test_a_companion_of_a_torch_that_no_command_installs_comes_from_its_place(
    torch: str, build: TorchBuild | None
) -> None:
    answer = compatible(torch, ["timm"], python="3.11", ask_uv=False)
    found = advice(answer, kept_versions([("torch", torch)]), Here(torch=build))
    told = "timm requires torchvision; install its ROCm build first, from where torch came"
    assert found.notes[-1] == told


def test_a_companion_that_is_asked_for_has_the_full_command() -> None:
    (apart,) = advised("torchaudio").apart
    how = "rocmlint stack install-command --rocm 6.4 --torch 2.9.1 --torchaudio"
    assert (apart.pin, apart.why) == (
        "torchaudio==2.9.1",
        f"{how} prints the command for its ROCm build",
    )


def test_a_companion_that_is_there_needs_no_command() -> None:
    both = kept_versions([("torch", "2.9.1+rocm6.4"), ("torchaudio", "2.9.1+rocm6.4")])
    assert advised("torchaudio", kept=both) == Advice()


def test_a_companion_for_another_platform_does_not_count_as_there() -> None:
    both = kept_versions([("torch", "2.9.1+rocm6.4"), ("torchaudio", "2.9.1+cpu")])
    assert len(advised("torchaudio", kept=both).apart) == 1


def test_a_torch_without_a_release_for_rocm_is_not_told_to_be_installed() -> None:
    found = advised("peft", torch="2.15.0", kept=kept_versions([("torch", "2.15.0")]))
    assert found.notes[0].startswith("torch 2.15.0 must be installed already: no ROCm build")


def test_torchvision_of_amd_has_an_extra_for_the_gpu_and_comes_first() -> None:
    kept = kept_versions([("torch", "2.14.0+rocm10.1.0")])
    found = advised("timm", torch="2.14.0", kept=kept)
    how = "rocmlint stack install-command --rocm 10.1.0 --torch 2.14.0 --torchvision"
    assert found.notes == (f"timm requires torchvision; install its ROCm build first: {how}",)
    assert "https://stable.repo.amd.com/rocm/whl-next/" in found.command.split()


def test_a_wheel_without_code_for_rocm_stands_apart() -> None:
    (apart,) = advised("bitsandbytes<0.49").apart
    assert apart.why.startswith("install a ROCm build of bitsandbytes==0.48.2")


def test_what_is_compiled_is_compiled_against_the_torch_that_is_there() -> None:
    (apart,) = advised("flash-attn").apart
    assert apart.command.startswith("pip install --no-build-isolation flash-attn==")
    assert "torch==2.9.1+rocm6.4" in apart.command


def test_a_rocm_build_for_the_rocm_of_torch_is_a_command_that_keeps_it() -> None:
    kept = kept_versions([("torch", "2.10.0+rocm7.1")])
    (apart,) = advised("unsloth==2026.10.9", torch="2.10.0", kept=kept).apart
    command = f"pip install xformers --index-url {INDEX}/rocm7.1 torch==2.10.0+rocm7.1"
    assert any(command in each for each in apart.places)


def test_of_a_rocm_build_for_another_rocm_only_the_place_is_told() -> None:
    (apart,) = advised("unsloth==2026.10.9").apart
    (place,) = apart.places
    assert place == f"ROCm builds of xformers are known for ROCm 7.1 ({INDEX}/rocm7.1)"


def test_what_does_not_go_together_is_not_installed() -> None:
    assert advised("vllm==0.16.0", "transformers>=5") == Advice()


@pytest.mark.parametrize(
    ("version", "index"),
    [
        ("2.9.1+rocm6.4", f"{INDEX}/rocm6.4"),
        ("2.13.0+cpu", f"{INDEX}/cpu"),
        ("2.9.1+cu128", f"{INDEX}/cu128"),
        ("2.14.0+rocm10.1.0", "https://stable.repo.amd.com/rocm/whl-next/"),
        ("2.9.1+rocm7.2.0.lw.git7e1940d4", ""),
        ("2.11.0a0+gitabc", ""),
        ("2.9.1", ""),
    ],
)
def test_the_index_is_that_of_the_build(version: str, index: str) -> None:
    assert kept_versions([("torch", version)]).index == index


@pytest.mark.parametrize(
    ("action", "is_pinned"),
    [
        ("pip install jax==0.9.1 jaxlib==0.9.1", True),
        ("pip install --no-deps bitsandbytes", False),
        ("pip uninstall -y onnxruntime-gpu, then pip install onnxruntime-migraphx", False),
        ("rocmlint stack install-command --rocm 7.1", False),
    ],
)
def test_an_action_that_installs_packages_names_torch(action: str, is_pinned: bool) -> None:
    pinned = FOR_6_4.added_to(action)
    assert pinned.startswith(action)
    assert ("torch==2.9.1+rocm6.4" in pinned) is is_pinned


def test_uv_looks_for_the_best_of_both_indexes() -> None:
    words = FOR_6_4.words(uv=True)
    assert words[-2:] == ("--index-strategy", "unsafe-best-match")


# The command, for an environment.


def test_the_installed_build_is_in_the_command(project: Project) -> None:
    python = str(stack_for_rocm_6_4(project.root / "venv").python)
    done = project.run("stack", "compatible", "--offline", "--python", python, "peft")
    both = "torch==2.9.1+rocm6.4 torchvision==0.24.1+rocm6.4"
    (command,) = [each for each in done.stdout.splitlines() if each.startswith("pip install")]
    assert command.endswith(f"{both} --extra-index-url {INDEX}/rocm6.4")


def test_a_torch_of_conda_is_kept(project: Project) -> None:
    packages = FakeEnvironment(project.root / "venv")
    folder = packages.torch("2.10.0", "7.1.52802-26aae437f6")
    (folder / "INSTALLER").write_text("conda\n")
    done = project.run("stack", "compatible", "--offline", "--python", str(packages.python), "peft")
    assert "the installed torch 2.10.0 is a ROCm build" in done.stdout
    assert "install-command" not in done.stdout


def test_a_torch_that_is_to_be_replaced_is_one_for_the_rocm_and_the_gpu_here(
    project: Project,
) -> None:
    packages = FakeEnvironment(project.root / "venv")
    packages.torch("2.12.0", cuda="12.8")
    packages.install("rocm-sdk-core", "7.14.1")
    program = project.write("bin/rocminfo", f"#!/bin/sh\ncat <<'END'\n{ROCMINFO}END\n")
    program.chmod(0o755)
    done = project.run(
        *("stack", "compatible", "--offline", "--python", str(packages.python), "peft"),
        PATH=f"{program.parent}:/usr/bin:/bin",
    )
    assert "first: rocmlint stack install-command --rocm 7.14.1 --torch 2.12.0\n" in done.stdout


def test_a_torchvision_for_another_torch_is_not_there(project: Project) -> None:
    packages = FakeEnvironment(project.root / "venv")
    packages.torch("2.14.1", cuda="12.8")
    packages.install("torchvision", "0.26.0+rocm7.13.0", ["torch==2.11.0"])
    done = project.run("stack", "compatible", "--offline", "--python", str(packages.python), "timm")
    assert "timm requires torchvision; install its ROCm build first" in done.stdout


def test_what_installs_there_is_told(project: Project) -> None:
    python = str(stack_for_rocm_6_4(project.root / "venv").python)
    done = project.run("stack", "compatible", "--offline", "--python", python, "peft")
    assert done.stdout.splitlines()[-1].startswith("this interpreter has no pip")
    other = project.run("stack", "compatible", "--offline", "--torch", "2.4", "peft")
    assert "this interpreter" not in other.stdout


def test_a_constraints_file_stands_in_its_place(project: Project) -> None:
    python = str(stack_for_rocm_6_4(project.root / "venv").python)
    asked = ("stack", "compatible", "--offline", "--python", python, "peft==0.21.2")
    done = project.run(*asked, "--constraints", "kept.txt")
    assert "pip install peft==0.21.2 -c kept.txt" in done.stdout.splitlines()
    pins = [each for each in project.read("kept.txt").splitlines() if not each.startswith("#")]
    assert pins == [
        "pytorch-triton-rocm==3.5.1",
        "torch==2.9.1+rocm6.4",
        "torchvision==0.24.1+rocm6.4",
        "triton<0  # none: it would overwrite the files of pytorch-triton-rocm",
    ]
    assert project.run(*asked, "--constraints", "kept.txt").returncode == 0  # it is rocmlint's own


def test_a_file_of_somebody_else_is_not_replaced(project: Project) -> None:
    python = str(stack_for_rocm_6_4(project.root / "venv").python)
    project.write("kept.txt", "numpy<2\n")
    asked = ("stack", "show", "--python", python, "--constraints", "kept.txt")
    done = project.run(*asked)
    assert (done.returncode, done.stdout) == (2, "")
    assert "kept.txt exists and was not written by rocmlint stack" in done.stderr
    assert project.read("kept.txt") == "numpy<2\n"
    project.run(*asked, "--force")
    assert "torch==2.9.1+rocm6.4" in project.read("kept.txt")


def test_a_torch_that_is_not_for_the_rocm_here_is_not_kept(project: Project) -> None:
    packages = FakeEnvironment(project.root / "venv")
    packages.torch("2.13.0+cpu")
    project.write("rocm/.info/version", "7.1.0-98\n")
    asked = ("stack", "show", "--python", str(packages.python), "--constraints", "kept.txt")
    done = project.run(*asked, ROCM_PATH=str(project.root / "rocm"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "is not for the ROCm here, so kept.txt was not written" in done.stderr
    assert not (project.root / "kept.txt").exists()


@pytest.mark.parametrize("path", [".", "no/such/folder/kept.txt"])
def test_a_constraints_file_that_cannot_be_written_is_one_line(project: Project, path: str) -> None:
    python = str(stack_for_rocm_6_4(project.root / "venv").python)
    done = project.run("stack", "show", "--python", python, "--constraints", path)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "cannot be written" in done.stderr


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--constraints", "x"), "no torch to pin"),
        (("--force",), "--force requires --constraints FILE"),
    ],
)
def test_what_cannot_be_kept_is_one_line(
    project: Project, flags: tuple[str, ...], said: str
) -> None:
    asked = ("--offline", "--torch", "2.4.1", "--python-version", "3.11")
    done = project.run("stack", "compatible", *asked, *flags, "peft")
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr
    assert not (project.root / "x").exists()


def test_a_torchvision_that_does_not_go_with_torch_is_not_kept(tmp_path: Path) -> None:
    packages = FakeEnvironment(tmp_path / "venv")
    packages.torch("2.9.1+rocm6.4", "6.4.43484")
    packages.install("torchvision", "0.25.0", ["torch==2.10.0"])
    environment = packages.read()
    assert kept(environment).pins == ("torch==2.9.1+rocm6.4",)
    assert constraints_of(environment) == ["torch==2.9.1+rocm6.4"]


def test_json_has_what_to_type(project: Project) -> None:
    asked = ("--offline", "--torch", "2.9.1+rocm6.4", "peft", "unsloth")
    done = project.run("stack", "compatible", *asked, "--output-format", "json")
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(SCHEMA.read_text()))
    assert document["advice"]["command"].startswith("pip install peft==")
    assert document["advice"]["apart"][0]["command"].startswith("pip install --no-deps unsloth==")
    assert document["compatible"]["libraries"][1]["brings"]


@pytest.mark.slow
def test_no_verb_prints_an_install_that_could_replace_torch(project: Project) -> None:
    made = stack_for_rocm_6_4(project.root / "venv")
    python = ("--python", str(made.python))
    project.run("stack", "freeze", *python)
    needs = ('torch<2.7,>=2.1; extra == "torch"', "huggingface-hub<1.0,>=0.30.0", "tqdm")
    add(made, "transformers", "4.52.4", *needs)
    add(made, "flash-attn", "2.8.3", "torch", "einops")
    add(made, "jax-rocm7-plugin", "0.9.1")
    packages = ("peft", "timm", "unsloth", "vllm", "flash-attn", "transformers", "liger-kernel")
    verbs = [("show",), ("plan", "--to", "7.1", "--torch", "2.10", "--no-freeze", str(made.root))]
    verbs += [("compatible", "--offline", *packages)]
    shutil.rmtree(made.site / "torchvision-0.24.1+rocm6.4.dist-info")
    add(made, "torchvision", "0.28.0", "torch==2.13.0")
    verbs += [("survived",)]
    for verb in verbs:
        told = project.run("stack", *verb, *python).stdout
        installs = [each for each in told.splitlines() if "pip install" in each]
        safe = ("torch==2.", "--no-deps", " -c ", "rocmlint[", "this interpreter has no pip")
        assert installs, verb
        assert [each for each in installs if not any(word in each for word in safe)] == []
