"""What the metadata and the code of installed packages demand of each other."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packaging.requirements import Requirement

from rocmlint.stack.advice.keeping import kept_versions
from rocmlint.stack.advice.remedy import remedy
from rocmlint.stack.advice.torch_command import surroundings_of
from rocmlint.stack.checks.declared import declared
from rocmlint.stack.checks.guards import guards
from rocmlint.stack.installed.distributions import Distribution
from tests.support.stacks import FakeEnvironment, standing

TORCH, TORCH_10, DEVICE = "2.12.0+rocm7.14.0", "2.13.0+rocm10.0.0", "amd-torch-device"
MULTI_ARCH = "https://repo.amd.com/rocm/whl-multi-arch/"
STABLE = "https://stable.repo.amd.com/rocm/whl-next/"


def test_what_is_missing_is_a_conflict(packages: FakeEnvironment) -> None:
    packages.install("accelerate", "1.15.0", ["psutil", "torch>=2.0.0"])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert standing(declared(packages.read())) == [("accelerate", "psutil", "conflict")]


@pytest.mark.parametrize("triton", ["triton-rocm", "pytorch-triton-rocm"])
def test_the_triton_that_torch_brought_for_rocm_is_there_under_another_name(
    packages: FakeEnvironment, triton: str
) -> None:
    packages.torch("2.11.0+rocm7.2", "7.2.53211")
    packages.install(triton, "3.6.0")
    packages.install("vllm", "0.26.0", ["triton>=2.3.1"])
    (note,) = declared(packages.read())
    assert (note.judgement, note.action) == ("note", "")
    assert note.reason == (
        f"it requires triton>=2.3.1, which is not installed, but {triton} 3.6.0 is: the same "
        "module under the name that it has for ROCm; pip check reports it"
    )


def test_another_triton_than_that_of_torch_is_not_had_by_another_torch(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.11.0+rocm7.2", "7.2.53211")
    packages.install("triton-rocm", "3.6.0")
    packages.install("vllm", "0.10.0", ["triton==3.3.1"])
    (conflict,) = declared(packages.read())
    assert conflict.judgement == "conflict"
    assert conflict.action == "rocmlint stack compatible --torch 2.11.0 vllm"


def test_a_requirement_that_nests_too_deep_is_a_problem_of_its_package_alone(
    packages: FakeEnvironment,
) -> None:
    marker = f'{"(" * 3000}python_version > "3"{")" * 3000}'
    packages.install("accelerate", "1.15.0", ["psutil", f"torch>=2; {marker}"])
    environment = packages.read()
    (problem,) = (each for package in environment.packages for each in package.problems)
    assert problem.endswith("its parentheses nest too deep")
    assert ("accelerate", "psutil", "conflict") in standing(declared(environment))


@pytest.mark.parametrize(
    ("package", "requirement"),
    [("fastai", "torch<2.9"), ("sentence-transformers", "transformers<5")],
)
def test_what_another_package_requires_of_the_stack_and_does_not_get_is_a_conflict(
    packages: FakeEnvironment, package: str, requirement: str
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("transformers", "5.10.0")
    packages.install(package, "2.8.0", [requirement, "requests>=999"])
    assert standing(declared(packages.read())) == [(package, requirement, "conflict")]


def test_what_another_package_requires_of_the_stack_and_gets_is_not_listed(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("fastai", "2.8.0", ["torch<2.11", 'torch<2; extra == "old"'])
    assert declared(packages.read()) == ()


def test_an_extra_named_after_what_is_not_installed_does_not_count(
    packages: FakeEnvironment,
) -> None:
    packages.install("diffusers", "0.42.1", ['torch>=2.6; extra == "torch"'])
    assert declared(packages.read()) == ()


@pytest.mark.parametrize("extra", ["dev", "testing", "quality", "docs", "all", "dev-torch"])
def test_an_extra_for_developers_does_not_count(packages: FakeEnvironment, extra: str) -> None:
    packages.install("transformers", "5.23.0", [f'torch==2.6.0; extra == "{extra}"'])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert declared(packages.read()) == ()


def test_an_extra_of_another_name_is_worth_a_note(packages: FakeEnvironment) -> None:
    packages.install("diffusers", "0.42.1", ['peft>=0.17.0; extra == "training"'])
    packages.install("peft", "0.10.0")
    (verdict,) = declared(packages.read())
    assert (verdict.judgement, verdict.extra) == ("note", "training")


@pytest.mark.parametrize("extras", [("training", "peft"), ("peft", "training")])
def test_a_conflict_by_one_extra_is_not_hidden_by_the_note_of_another(
    packages: FakeEnvironment, extras: tuple[str, str]
) -> None:
    packages.install("diffusers", "0.42.1", [f'peft>=0.17.0; extra == "{e}"' for e in extras])
    packages.install("peft", "0.10.0")
    (verdict,) = declared(packages.read())
    assert (verdict.judgement, verdict.extra) == ("conflict", "peft")


def test_an_extra_that_a_requirement_asks_for_counts(packages: FakeEnvironment) -> None:
    packages.install("huggingface-hub", "2.4.0", ["safetensors[torch]"])
    packages.install("safetensors", "0.8.0", ['numpy>=3; extra == "torch"'])
    packages.install("numpy", "2.4.6")
    assert standing(declared(packages.read())) == [("safetensors", "numpy>=3", "conflict")]


def test_a_marker_for_another_system_does_not_count(packages: FakeEnvironment) -> None:
    packages.install("peft", "0.21.2", ['torch<1; sys_platform == "win32"'])
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    assert declared(packages.read()) == ()


@pytest.mark.parametrize(
    ("torch", "requirement", "judgement"),
    [
        ("2.13.0+rocm7.2", "torch>=2.6", "fits"),
        ("2.13.0+cpu", "torch==2.13.0", "fits"),
        ("2.15.0.dev20261101+rocm7.14", "torch>=2.6", "fits"),
        ("2.15.0.dev20261101+rocm7.14", "torch<3,>=2.4", "fits"),
        ("2.6.0.dev20241101+rocm6.2", "torch>=2.6", "conflict"),
        ("2.9.0a0+git1c57644", "torch>=2.8", "fits"),
        ("2.10.0+rocm7.1", "torch<2.7,>=2.1", "conflict"),
        ("2.10.0+rocm7.1", "torch==2.11.0", "conflict"),
        ("2.10-amd", "torch>=2.6", "unknown"),
    ],
)
def test_local_builds_and_nightlies_are_versions_like_others(
    packages: FakeEnvironment, torch: str, requirement: str, judgement: str
) -> None:
    packages.torch(torch, "7.1.25424")
    packages.install("peft", "0.21.2", [requirement])
    (verdict,) = declared(packages.read())
    assert verdict.judgement == judgement


def test_what_pins_another_torch_is_not_answered_with_another_torch(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("vllm", "0.24.0", ["torch==2.11.0"])
    (verdict,) = declared(packages.read())
    assert verdict.action.startswith("install a ROCm build of vllm==")
    assert "pip install torch" not in verdict.action


@pytest.mark.parametrize(
    ("package", "triton", "is_alone"),
    [
        ("liger-kernel", ("pytorch-triton-rocm", "3.5.1"), True),
        ("unsloth", ("pytorch-triton-rocm", "3.5.1"), True),
        ("peft", ("pytorch-triton-rocm", "3.5.1"), False),
        ("liger-kernel", ("triton", "3.5.1+rocm7.12.0"), False),
    ],
)
def test_what_brings_another_triton_is_installed_alone(
    package: str, triton: tuple[str, str], is_alone: bool
) -> None:
    stays = kept_versions([("torch", "2.9.1+rocm6.4"), triton])
    mine = Distribution("mine", "1.0", (Requirement(package),))
    told = remedy(mine, mine.requires[0], None, "", "3.11.0", kept=stays)
    assert ("--no-deps" in told.split()) == is_alone


def test_what_is_installed_alone_carries_no_pins() -> None:
    stays = kept_versions([("torch", "2.9.1+rocm6.4"), ("pytorch-triton-rocm", "3.5.1")])
    mine = Distribution("mine", "1.0", (Requirement("unsloth"),))
    told = remedy(mine, mine.requires[0], None, "", "3.11.0", kept=stays)
    assert told == "pip install --no-deps unsloth"


@pytest.mark.parametrize(
    ("torch", "command"),
    [
        ("2.4.1+rocm6.1", "--rocm 6.1 --torch 2.6"),  # has wheels for this very ROCm
        ("2.5.1+rocm6.2", "--rocm 6.1 --torch 2.6"),  # 6.2.4 is newer than the driver may be
        ("2.5.1+rocm6.3.4.git7cecbf6d", "--rocm 6.3 --torch 2.9"),  # a build of AMD's
        ("2.4.1+rocm5.7", "--rocm 7.2 --torch 2.14"),
    ],
)
def test_another_torch_is_one_that_the_driver_runs_where_there_is_one(
    packages: FakeEnvironment, torch: str, command: str
) -> None:
    packages.torch(torch, "6.1.40091")
    packages.install("transformers", "5.23.0", ['torch>=2.6; extra == "torch"'])
    environment = packages.read()
    here = replace(
        surroundings_of(environment), python="3.11"
    )  # torch 2.6 has no wheel for Python 3.14
    (verdict,) = declared(environment, here=here)
    assert verdict.action.endswith(f"or rocmlint stack install-command {command}")


def test_a_remedy_is_for_the_python_that_is_asked() -> None:
    transformers = Distribution("transformers", "4.52.4")
    torch = Distribution("torch", "2.8.0+rocm6.4")
    wanted = Requirement("torch<2.7,>=2.1")
    of_3_10, of_3_11 = (
        remedy(transformers, wanted, torch, "torch", python) for python in ("3.10.13", "3.11.7")
    )
    assert of_3_11.startswith("pip install transformers==5.24.0 ")
    assert of_3_10.startswith("pip install transformers==5.20.")  # 5.21 requires Python 3.11


def test_the_release_that_is_installed_is_not_its_own_remedy(packages: FakeEnvironment) -> None:
    packages.torch("2.10.0+rocm7.1", "7.1.25424")
    packages.install("peft", "0.21.2", ["torch>=3"])  # not what the one of that name requires
    (verdict,) = declared(packages.read())
    assert "peft==0.21.2" not in verdict.action


def test_a_requirement_that_is_none_leaves_the_others_to_be_judged(
    packages: FakeEnvironment,
) -> None:
    packages.torch("2.13.0+rocm7.2", "7.2.26015")
    packages.install("peft", "0.21.2", ["torch >= = 2", "torch>=1.13.0"])
    judged = {(each.requirement, each.judgement) for each in declared(packages.read())}
    assert judged == {("torch >= = 2", "unknown"), ("torch>=1.13.0", "fits")}


def test_metadata_that_cannot_be_read_leaves_the_others(packages: FakeEnvironment) -> None:
    packages.install("numpy", "2.4.6")
    packages.write("broken-1.0.dist-info/METADATA", "")
    (packages.site / "gone-1.0.dist-info").mkdir()
    environment = packages.read()
    assert [each.name for each in environment.distributions] == ["numpy"]
    assert len(environment.unreadable) == 2


def test_the_floor_of_older_transformers_is_found_too(packages: FakeEnvironment) -> None:
    packages.torch("1.10.0+rocm4.2", "4.2.21155")
    packages.install("transformers", "4.40.0")
    packages.write("transformers/__init__.py", "")
    packages.write(
        "transformers/utils/import_utils.py",
        "if _torch_available:\n"
        "    if version.parse(_torch_version) < version.parse('1.11'):\n"
        "        logger.warning(f'Disabling PyTorch because PyTorch >= 1.11 is required')\n",
    )
    assert standing(guards(packages.read())) == [("transformers", "torch>=1.11", "conflict")]


def test_a_minimum_of_diffusers_is_found(packages: FakeEnvironment) -> None:
    packages.install("diffusers", "0.42.1")
    packages.install("peft", "0.10.0")
    packages.write("diffusers/__init__.py", "")
    packages.write("diffusers/utils/constants.py", 'MIN_PEFT_VERSION = "0.17.0"\nN = 3\n')
    assert standing(guards(packages.read())) == [("diffusers", "peft>=0.17.0", "conflict")]


def test_code_that_is_no_python_has_no_guards(packages: FakeEnvironment) -> None:
    packages.install("transformers", "5.23.0")
    packages.install("torch", "2.4.1")
    packages.write("transformers/__init__.py", "")
    packages.write("transformers/utils/import_utils.py", "def is_torch_available(:\n\0")
    packages.write("transformers/dependency_versions_check.py", "pkgs_to_check_at_runtime = x\n")
    assert guards(packages.read()) == ()


@pytest.mark.parametrize(
    ("asked", "wanted", "index"),
    [
        ("rocm[libraries]==7.14.0", "rocm-sdk-libraries==7.14.0", MULTI_ARCH),
        (f"torch[device-gfx1151]=={TORCH}", f"{DEVICE}-gfx1151=={TORCH}", MULTI_ARCH),
        (f"torch[device-all]=={TORCH}", f"{DEVICE}-gfx942=={TORCH}", MULTI_ARCH),
        (f"torch[device-gfx942]=={TORCH_10}", f"{DEVICE}-gfx942=={TORCH_10}", STABLE),
    ],
)
def test_what_an_extra_brings_that_a_requirement_asks_for_must_be_there(
    packages: FakeEnvironment, asked: str, wanted: str, index: str
) -> None:
    asking = Requirement(asked)
    (extra,) = asking.extras
    version = str(asking.specifier).removeprefix("==")
    packages.install(asking.name, version, [f'{wanted}; extra == "{extra}"'])
    packages.install("vllm", "0.19.0", [asked])
    (missing,) = (each for each in declared(packages.read()) if each.judgement == "conflict")
    assert (missing.package, missing.requirement, missing.found) == (asking.name, wanted, None)
    assert missing.reason == (
        f"it requires {wanted} with its extra {extra!r}, which is not installed"
    )
    assert missing.action == f"pip install --index-url {index} {wanted}"


def test_what_an_extra_brings_that_nobody_asks_for_may_be_missing(
    packages: FakeEnvironment,
) -> None:
    packages.install("rocm", "7.14.0", ['rocm-sdk-libraries==7.14.0; extra == "libraries"'])
    packages.install("torch", TORCH, [f'{DEVICE}-gfx942=={TORCH}; extra == "device-gfx942"'])
    assert declared(packages.read()) == ()
