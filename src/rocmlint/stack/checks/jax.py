"""JAX on ROCm: its plugin and its PJRT client, which belong together and to one ROCm.

The packages carry ROCm's major version in their names (jax-rocm60-plugin, jax-rocm7-pjrt,
jax-rocm10-plugin), and bring none of ROCm's libraries (RELEASES.md of ROCm/TheRock).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from packaging.version import Version

from rocmlint.stack.checks.compiled import labelled
from rocmlint.stack.verdicts import Verdict
from rocmlint.stack.versions import major_minor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.gpus.devices import Devices
    from rocmlint.stack.installed.distributions import Distribution, Environment
    from rocmlint.stack.installed.rocm import Rocm

_NAME = re.compile(r"jax-rocm(\d{1,2})-(plugin|pjrt)")
_KNOWS_ROCM_10 = Version("0.11.1")
"""The first jaxlib that finds jax_rocm10_plugin (jax-ml/jax#39634)."""
_TOGETHER = "AMD asks to pin jax, plugin and pjrt to one version"


def plugins(environment: Environment) -> list[Distribution]:
    """Return the packages of JAX for ROCm."""
    return [each for each in environment.distributions if _NAME.fullmatch(each.name)]


def jax(environment: Environment, rocm: Rocm, devices: Devices) -> Iterator[Verdict]:
    """Judge the plugin and the client: against ROCm, JAX and each other."""
    found = plugins(environment)
    for each in found:
        other = _other_half(each, found)
        yield _on_rocm(each, rocm)
        if not (other and _is_client(each) and _public(other) != _public(each)):
            yield from _on_jax(each, environment)  # else the client is to follow the plugin first
        yield from _on_its_other_half(each, other)
    here = environment.get("jax")
    on_cuda = any(each.name.startswith("jax-cuda") for each in environment.distributions)
    if here and not found and devices.names and not on_cuda:
        yield replace(
            _verdict(here, "ROCm", rocm.version, "its plugin for ROCm"),
            judgement="note",
            reason="no plugin for ROCm is installed: JAX runs on the CPU",
            action=_install(here.version, rocm.release.partition(".")[0] or "7"),
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


def _major(package: Distribution) -> str:
    """Return ROCm's major version in a name: 6 for jax-rocm60, 7 for jax-rocm7, 10 for rocm10."""
    match = _NAME.fullmatch(package.name)
    digits = match[1] if match else ""
    return digits if digits.startswith("1") else digits[:1]


def _on_rocm(package: Distribution, rocm: Rocm) -> Verdict:
    major, label = _major(package), labelled(package.version)
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
            action=_install(package.version.partition("+")[0], here),
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
                action=f"pip install {name}=={_public(package)}",
            )
        known = other.parsed is None or other.parsed >= _KNOWS_ROCM_10
        if name == "jaxlib" and _major(package) == "10" and not known:
            yield replace(
                _verdict(package, name, other.version, f"jaxlib>={_KNOWS_ROCM_10}"),
                judgement="conflict",
                reason=f"jaxlib {other.version} does not look for jax_rocm10_plugin: it finds no "
                "kernels",
                action=f"install jax, jaxlib, plugin and pjrt {_KNOWS_ROCM_10} or later",
            )


def _is_client(package: Distribution) -> bool:
    return package.name.endswith("-pjrt")


def _other_name(package: Distribution) -> str:
    of, _, part = package.name.rpartition("-")
    return f"{of}-{'plugin' if part == 'pjrt' else 'pjrt'}"


def _other_half(package: Distribution, found: list[Distribution]) -> Distribution | None:
    """Return the plugin of a client, or the client of a plugin."""
    return next((each for each in found if each.name == _other_name(package)), None)


def _on_its_other_half(package: Distribution, other: Distribution | None) -> Iterator[Verdict]:
    """Compare the plugin with the client; each says what the other lacks."""
    name = _other_name(package)
    verdict = _verdict(package, name, other.version if other else "", f"{name}=={package.version}")
    exact = f"pip install {name}=={_public(package)}"
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


def _install(version: str, rocm_major: str) -> str:
    release = version.partition(".post")[0]
    names = (f"jax-rocm{rocm_major}-{each}=={release}" for each in ("plugin", "pjrt"))
    return f"pip install {' '.join(names)}"
