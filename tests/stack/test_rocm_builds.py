"""Where a ROCm build is told to come from: only what is published, and for this Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from rocmlint.published import amd_wheels
from rocmlint.stack.advice import jax_builds
from rocmlint.stack.advice.keeping import NOTHING, kept_versions
from rocmlint.stack.advice.remedy import remedy
from rocmlint.stack.advice.rocm_builds import instead_of, places, rocm_build
from rocmlint.stack.advice.torch_command import Surroundings
from rocmlint.stack.checks.rivals import rivals
from rocmlint.stack.installed.distributions import Distribution
from rocmlint.stack.installed.rocm_reading import Rocm, RocmReading

if TYPE_CHECKING:
    from tests.support.stacks import FakeEnvironment, FakeMachine

AMD = "https://repo.amd.com/rocm/whl-multi-arch/"
STABLE = "https://stable.repo.amd.com/rocm/whl-next/"
VLLM = "https://rocm.frameworks.amd.com/whl-multi-arch/vllm/"
COMPILE = "pip install --no-deps --no-build-isolation --no-cache-dir"


def test_a_build_for_another_python_is_told_and_not_offered() -> None:
    (place,) = places("amd-aiter", rocm="10.0", python="3.11")
    assert place == f"for ROCm 10.0 amd-aiter has a build for Python 3.14 only ({VLLM})"


def test_a_build_for_this_python_is_a_command() -> None:
    (place,) = places("amd-aiter", rocm="10.0", python="3.14")
    assert place.startswith("for ROCm 10.0: pip install --extra-index-url ")


def test_what_pypi_has_as_source_only_is_compiled_in_place_of_the_wrong_build() -> None:
    told = instead_of("flash-attn", "2.8.3", NOTHING, "10.0", "3.11")
    assert told == (
        f"pip uninstall -y flash-attn, then {COMPILE} flash-attn==2.8.3 (it is compiled for the "
        "installed torch, with ROCm's compiler); for ROCm 10.0 flash-attn has a build for Python "
        f"3.14 only ({VLLM})"
    )


def test_a_wrong_build_goes_before_the_one_that_pip_would_take_it_for() -> None:
    told = instead_of("flash-attn", "2.8.3", NOTHING, "10.0", "3.14")
    assert told.startswith("for ROCm 10.0: pip uninstall -y flash-attn, then pip install ")


def test_the_cuda_build_goes_before_a_release_for_the_torch_that_stays() -> None:
    vllm, torch = Distribution("vllm", "0.33.0"), Distribution("torch", "2.11.0+rocm7.2")
    kept = kept_versions([("torch", torch.version)])
    told = remedy(vllm, Requirement("torch==2.14.0"), torch, "", "3.12", kept=kept)
    assert "for ROCm 7.2: pip uninstall -y vllm, then uv pip install vllm==" in told


@pytest.mark.parametrize(
    ("wanted", "is_of_pypi"), [("vllm==0.31.0", True), ("flash-attn==2.8.3", False)]
)
def test_only_of_what_pypi_has_wheels_of_a_cuda_build_is_told(
    wanted: str, is_of_pypi: bool
) -> None:
    assert ("PyPI has the CUDA build" in rocm_build(wanted)) is is_of_pypi


def test_the_plugin_of_onnxruntime_is_for_one_python(packages: FakeEnvironment) -> None:
    packages.install("onnxruntime-gpu", "1.26.0")
    rocm = Rocm((RocmReading("amd-smi version", "program", "10.1.0"),))
    verdict = next(rivals(packages.read(), None, rocm))
    (row,) = amd_wheels.elsewhere("onnxruntime", "10.1")
    assert row.python == ("3.12",)
    offers = "for ROCm 10.1: pip uninstall -y onnxruntime-gpu, then pip install --index-url "
    told = "pip uninstall -y onnxruntime-gpu; for ROCm 10.1 onnxruntime has a build for Python "
    is_3_12 = packages.read().python.startswith("3.12.")
    assert verdict.action.startswith(offers if is_3_12 else told)


def test_in_place_of_a_build_for_cuda_comes_a_release_for_the_torch_that_is_here(
    packages: FakeEnvironment, here: FakeMachine
) -> None:
    packages.torch("2.11.0+rocm7.1", "7.1.25424")
    record = "vllm/_C.abi3.so,sha256=x,1\n"
    packages.install("vllm", "0.33.0", ["torch==2.14.0"], record=record)
    packages.write("vllm/_C.abi3.so", "\x7fELF\0libcudart.so.12\0")
    told = {each.grade: each.action for each in packages.show(here).verdicts if each.action}
    assert "a ROCm build of vllm==0.26.0 " in told["built"]
    assert "a ROCm build of vllm==0.26.0 " in told["declared"]


def jax(
    rocm: str, python: str = "3.12", *, version: str = "0.10.0", core: bool = True
) -> Surroundings:
    """Return a place with a jax, and with AMD's ROCm from wheels or from elsewhere."""
    packages = [Distribution("jax", version), Distribution("jaxlib", version)]
    packages += [Distribution("rocm-sdk-core", rocm)] * core
    return Surroundings(tuple(packages), python, rocm, ("gfx1100",))


def test_jax_comes_from_where_amd_has_it_for_the_rocm_that_is_here() -> None:
    parts = [Distribution("jax-rocm7-plugin", "0.10.0+rocm7.14.0")]
    assert jax_builds.for_rocm(jax("10.1.0"), parts) == (
        f"pip uninstall -y jax-rocm7-plugin, then pip install --index-url {STABLE} "
        "jax_rocm10_plugin==0.11.1+rocm10.1.0 jax_rocm10_pjrt==0.11.1+rocm10.1.0 and "
        "pip install jax==0.11.1 jaxlib==0.11.1"
    )


def test_a_rocm_of_the_machine_is_beside_amds_own_for_jax() -> None:
    told = jax_builds.for_rocm(jax("7.14.1", core=False))
    assert told.startswith(f'pip install --index-url {AMD} "rocm[libraries,device-gfx1100]==7.14.0')


def test_for_a_gpu_that_is_not_known_there_is_a_place() -> None:
    told = jax_builds.for_rocm(Surroundings(python="3.12", rocm="7.12.0"))
    assert "https://repo.amd.com/rocm/whl/gfx.../ jaxlib==" in told


@pytest.mark.parametrize(
    ("rocm", "python", "version", "told"),
    [
        ("7.2.1", "3.12", "0.9.1", "jax-rocm7-plugin==0.9.1 jax-rocm7-pjrt==0.9.1"),
        ("7.2.1", "3.12", "0.8.2", "jax==0.7.1 jaxlib==0.7.1 jax-rocm7-plugin==0.7.1"),
        ("6.4.1", "3.12", "0.8.2", "jax==0.5.0 jaxlib==0.5.0 jax-rocm60-plugin==0.5.0"),
        ("10.0.0", "3.12", "0.10.0", "jax==0.11.1 jaxlib==0.11.1 jax-rocm10-plugin==0.11.1"),
    ],
)
def test_for_another_rocm_a_release_is_named_that_pypi_has(
    rocm: str, python: str, version: str, told: str
) -> None:
    place = jax(rocm, python, version=version)
    assert jax_builds.for_rocm(place).startswith(f"pip install {told}")


@pytest.mark.parametrize(
    ("rocm", "python", "told"),
    [
        ("10.1.0", "3.11", "JAX for ROCm 10 requires jax 0.11.1, which is for Python 3.12"),
        ("7.14.0", "3.10", "JAX for ROCm 7.14.0 is built for Python 3.11, 3.12, 3.13 and 3.14"),
    ],
)
def test_a_python_without_such_a_jax_is_told(rocm: str, python: str, told: str) -> None:
    assert jax_builds.for_rocm(jax(rocm, python)).startswith(told)


@pytest.mark.parametrize(("python", "is_told"), [("3.11", True), ("3.12", False)])
def test_no_python_is_told_to_install_a_jax_that_it_cannot_have(python: str, is_told: bool) -> None:
    assert bool(jax_builds.why_none("10", python)) is is_told


@pytest.mark.parametrize(
    ("version", "command"),
    [
        ("0.10.0+rocm7.14.0", f"pip install --no-deps --index-url {AMD} "),
        ("0.10.1+rocm7.14.1", f"pip install --index-url {AMD} "),
        ("0.9.1.post3", "pip install "),
    ],
)
def test_the_other_half_of_jax_comes_from_where_the_first_did(version: str, command: str) -> None:
    told = jax_builds.part("jax-rocm7-pjrt", version, jax("7.14.0"))
    assert told == f"{command}jax-rocm7-pjrt=={version}"


def test_metadata_and_build_give_one_advice_on_the_other_half_of_jax() -> None:
    plugin = Distribution("jax-rocm7-plugin", "0.10.0+rocm7.14.0")
    wanted, here = Requirement("jax-rocm7-pjrt==0.10.0+rocm7.14.0"), jax("7.14.0")
    told = remedy(plugin, wanted, None, "", "3.12", here=here)
    assert told == jax_builds.part("jax-rocm7-pjrt", plugin.version, here)


def test_the_other_half_of_a_plugin_for_another_rocm_is_not_asked_for() -> None:
    plugin = Distribution("jax-rocm7-plugin", "0.10.0+rocm7.14.0")
    there = jax("10.1.0")
    here = Surroundings((*there.packages, plugin), there.python, there.rocm, there.gpus)
    told = remedy(plugin, Requirement("jax-rocm7-pjrt==0.10.0+rocm7.14.0"), None, "", "", here=here)
    assert told == jax_builds.for_rocm(here, [plugin])


def test_a_jaxlib_that_comes_with_the_plugin_for_this_rocm_is_not_asked_for() -> None:
    there = jax("6.4.3", version="0.9.1", core=False)
    other = Distribution("jax-rocm7-pjrt", "0.9.1.post3")
    here = Surroundings((*there.packages, other), there.python, there.rocm, there.gpus)
    asked, (of_jax, of_lib) = Requirement("jaxlib==0.9.1"), there.packages
    assert " jaxlib==0.5.0 " in jax_builds.for_rocm(here, [other])
    assert remedy(of_jax, asked, of_lib, "", "3.12", here=here) == ""
    assert remedy(of_jax, asked, of_lib, "", "3.12", here=there) == "pip install jaxlib==0.9.1"
