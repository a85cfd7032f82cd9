"""JAX on ROCm: its plugin and its PJRT client, which belong together and to one ROCm.

The packages carry ROCm's major version in their names (jax-rocm60-plugin, jax-rocm7-pjrt,
jax-rocm10-plugin), and include none of ROCm's libraries (RELEASES.md of ROCm/TheRock).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.stack.advice.jax_builds import PART, for_rocm, major_of, part, why_none
from rocmlint.stack.advice.torch_command import surroundings_of
from rocmlint.stack.checks.compiled import labelled
from rocmlint.stack.installed.distributions import minor_of
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor
from rocmlint.text.written import version_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.devices import Devices
    from rocmlint.stack.advice.torch_command import Surroundings
    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.installed.rocm import Rocm

_KNOWS_ROCM_10 = Version("0.11.1")
"""The first jaxlib that finds jax_rocm10_plugin (jax-ml/jax#39634)."""
_TOGETHER = "AMD asks to pin jax, plugin and pjrt to one version"


def plugins(environment: Environment) -> list[Distribution]:
    """Return the packages of JAX for ROCm."""
    return [each for each in environment.distributions if PART.fullmatch(each.name)]


def jax(
    environment: Environment, rocm: Rocm, devices: Devices, place: Surroundings | None = None
) -> Iterator[Verdict]:
    """Judge the plugin and the client: against ROCm, JAX and each other.

    What is for another ROCm has to go, whatever else it lacks.
    """
    found = plugins(environment)
    place = place or surroundings_of(environment, rocm.version, devices.architectures)
    for each in found:
        other = _other_half(each, found)
        on_rocm = _on_rocm(each, rocm, place, found)
        yield on_rocm
        if on_rocm.judgement == "conflict":
            continue
        if not (other and _is_client(each) and _public(other) != _public(each)):
            yield from _on_jax(each, environment)  # else the client is to follow the plugin first
        yield from _on_its_other_half(each, other, place)
    here = environment.get("jax")
    on_cuda = any(each.name.startswith("jax-cuda") for each in environment.distributions)
    if here and not found and devices.names and not on_cuda:
        yield replace(
            _verdict(here, "ROCm", rocm.version, "its plugin for ROCm"),
            judgement="note",
            reason="no plugin for ROCm is installed: JAX runs on the CPU",
            action=for_rocm(place),
        )


def _verdict(package: Distribution, on: str, found: str, requirement: str) -> Verdict:
    return Verdict(
        package.name,
        package.version,
        on,
        found or None,
        requirement,
        "built",
        "fits",
        source=package.place,
    )


def _on_rocm(
    package: Distribution, rocm: Rocm, place: Surroundings, found: list[Distribution]
) -> Verdict:
    major, label = major_of(package.name), labelled(package.version)
    verdict = _verdict(package, "ROCm", rocm.version, f"ROCm {major_minor(label) or major + '.*'}")
    if not rocm.release:
        return replace(
            verdict,
            judgement="unknown",
            reason="its wheels do not include ROCm, and none was found here",
            action=f"install ROCm {major}, or set ROCM_PATH to its directory",
        )
    here = rocm.release.partition(".")[0]
    if here != major:
        return replace(
            verdict,
            judgement="conflict",
            reason=f"it is for ROCm {major}, but ROCm {rocm.version} is installed: it loads "
            f"libraries that only ROCm {major} has",
            action=for_rocm(place, [each for each in found if major_of(each.name) != here]),
        )
    if label and major_minor(label) != rocm.release:
        reason = f"it was built for ROCm {label}, but ROCm {rocm.version} is installed"
        return replace(verdict, judgement="note", reason=reason)
    return verdict


def _on_jax(package: Distribution, environment: Environment) -> Iterator[Verdict]:
    for name in ("jax", "jaxlib"):
        other = environment.get(name)
        if other is None:
            if name == "jax":
                verdict = _verdict(package, name, "", f"jax=={_public(package)}")
                yield replace(
                    verdict,
                    judgement="conflict",
                    reason="it is a plugin of jax, which is not installed",
                    action=f"pip install jax=={_public(package)}",
                )
            continue
        verdict = _verdict(package, name, other.version, f"{name}=={_public(package)}")
        if _public(other) == _public(package):
            yield verdict
        else:
            is_minor = major_minor(_public(other)) == major_minor(_public(package))
            yield replace(
                verdict,
                judgement="note" if is_minor else "conflict",
                reason=f"{_TOGETHER}, and {other.version} is installed",
                action=_together(package, environment),
            )
        known = other.parsed is None or other.parsed >= _KNOWS_ROCM_10
        if name == "jaxlib" and major_of(package.name) == "10" and not known:
            yield replace(
                _verdict(package, name, other.version, f"jaxlib>={_KNOWS_ROCM_10}"),
                judgement="conflict",
                reason=f"jaxlib {other.version} does not look for jax_rocm10_plugin: it finds no "
                "kernels",
                action=_together(package, environment),
            )


def _together(package: Distribution, environment: Environment) -> str:
    """Return the command for jax and jaxlib in the release of a plugin; for ROCm 10 a known one."""
    public = _public(package)
    known = version_of(public)
    if major_of(package.name) == "10" and known is not None and known < _KNOWS_ROCM_10:
        return f"install jax, jaxlib, plugin and pjrt {_KNOWS_ROCM_10} or later"
    names = (each for each in ("jax", "jaxlib") if environment.get(each))
    none = why_none(major_of(package.name), minor_of(environment.python))
    return none or f"pip install {' '.join(f'{each}=={public}' for each in names)}"


def _is_client(package: Distribution) -> bool:
    return package.name.endswith("-pjrt")


def _other_name(package: Distribution) -> str:
    of, _, part = package.name.rpartition("-")
    return f"{of}-{'plugin' if part == 'pjrt' else 'pjrt'}"


def _other_half(package: Distribution, found: list[Distribution]) -> Distribution | None:
    """Return the plugin of a client, or the client of a plugin."""
    return next((each for each in found if each.name == _other_name(package)), None)


def _on_its_other_half(
    package: Distribution, other: Distribution | None, place: Surroundings
) -> Iterator[Verdict]:
    """Compare the plugin with the client; each says what the other lacks."""
    name = _other_name(package)
    verdict = _verdict(package, name, other.version if other else "", f"{name}=={package.version}")
    exact = part(name, package.version, place)
    if other is None:
        reason = f"{name} is not installed: JAX finds no GPU without it"
        yield replace(verdict, judgement="conflict", reason=reason, action=exact)
    elif _is_client(package):
        return
    elif _public(other) != _public(package):
        reason = f"{_TOGETHER}, and {other} is installed"
        yield replace(verdict, judgement="conflict", reason=reason, action=exact)
    else:
        yield verdict


def _public(package: Distribution) -> str:
    """Return the release without label and post-release: 0.9.1 for 0.9.1.post3+rocm7.14.0."""
    return package.parsed.base_version if package.parsed else package.version
