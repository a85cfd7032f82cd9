"""Why an install that may take torch from PyPI, in a place for ROCm, is left alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import compile_lazily, occurs, once_per_file

from . import conda, locked
from .branches import are_alternatives
from .cases import case_of
from .cuda_wheels import cuda_wheel
from .environments import commands_at, place_of, places_around
from .every_install import OF_EVERY_INSTALL
from .harms import harms
from .index_releases import has_newest
from .kept import keeps
from .kept_there import is_kept_there
from .platform import image_at
from .rocm_torch import RocmTorch, indexes_of, is_from_rocm, pinned_after
from .there import is_built_before, packages_of_image

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.formats.model import Branch
    from rocmlint.rule import Command, File, Span

    from .cases import Harm
    from .environments import Place

_BUILDS = compile_lazily(
    r"VLLM_TARGET_DEVICE|PIP_NO_BINARY|UV_NO_BINARY|--no-binary|wheels\.vllm\.ai"
)


# Of what pip, uv and conda take from an index


def takes_no_dependencies(harm: Harm, file: File) -> bool:
    """Packages that are installed with `--no-deps`, and do harm only by what they require."""
    del file
    requires = {"package", "wheel", "triton", "clone"}
    is_triton = harm.asked is not None and harm.asked.requirement.name.lower() == "triton"
    return harm.kind in requires and not is_triton and harm.case.install.no_dependencies


def asks_for_build(harm: Harm, file: File) -> bool:
    """Commands that ask for a build of its own, too, such as `torch==2.9.1+rocm6.4`."""
    del file
    return harm.kind in {"torch", "add"} and harm.case.builds


def is_in_image(harm: Harm, file: File) -> bool:
    """Packages that the image has, as its name says, unless they are upgraded or pinned."""
    case, asked = harm.case, harm.asked
    image = image_at(case.command, file)
    if asked is None or image is None or harm.kind not in {"package", "wheel"}:
        return False
    pinned = any(each.operator == "==" for each in asked.requirement.specifier)
    if harm.kind == "package" and (case.forced or case.install.upgrade or pinned):
        return False
    name = asked.requirement.name.lower()
    return name in image.text.lower() or harm.package in packages_of_image(case.command, file)


def is_there_before(harm: Harm, file: File) -> bool:
    """Packages without a version that were built from a clone before: pip keeps them.

    Not so where the command upgrades.
    """
    case, asked = harm.case, harm.asked
    if asked is None or harm.kind not in {"package", "wheel"} or case.forced:
        return False
    is_open = not asked.requirement.specifier and not case.install.upgrade
    return is_open and is_built_before(asked.requirement.name.lower(), case.command, file)


def is_in_rocm_index(harm: Harm, file: File) -> bool:
    """Packages that an index for ROCm beside PyPI has, too."""
    del file
    case, asked = harm.case, harm.asked
    if asked is None or harm.kind not in {"torch", "wheel"}:
        return False
    urls = [url for url, _ in indexes_of(case.install, case.everything.indexes)]
    if harm.kind == "wheel":
        return any(url is None or pytorch_index.is_rocm(url) for url in urls)
    return has_newest(asked.requirement, [url for url in urls if url])


def is_built_here(harm: Harm, file: File) -> bool:
    """Packages for CUDA that the file builds from source."""
    if harm.kind != "wheel" or harm.asked is None:
        return False
    return occurs(_BUILDS, file) or _is_cloned(harm.package, file)


@once_per_file
def _is_cloned(package: str, file: File) -> bool:
    clones = rf"/{re.escape(package)}(?:\.git|@|[\"']?\s)"
    return re.search(clones, file.text, re.IGNORECASE) is not None


def is_alternative(harm: Harm, file: File) -> bool:
    """Branches for other machines, where another branch takes torch from an index for ROCm."""
    command = harm.case.command
    return harm.kind in {"torch", "package", "wheel", "conda"} and any(
        each is not command and are_alternatives(each, command, file)
        for each in _from_rocm_or_unknown(file)
    )


@once_per_file
def _from_rocm_or_unknown(file: File) -> list[Command]:
    """Return the first and the last command of each branch that may take torch for ROCm.

    Those between them are alternatives to no other command.
    """
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    first: dict[tuple[tuple[Branch, ...], int], Command] = {}
    last: dict[tuple[tuple[Branch, ...], int], Command] = {}
    for each, install in installs_of(sorted(file.parts.commands, key=lambda each: each.span)):
        if is_from_rocm(install) or any(not index.word.known for index in install.indexes):
            place = each.branches, each.step.number
            first.setdefault(place, each)
            last[place] = each
    return [*first.values(), *last.values()]


def is_meant(harm: Harm, file: File) -> bool:
    """Packages of conda whose name or build says what they are for: cpu, cuda, rocm."""
    del file
    return harm.kind == "conda" and conda.names_build(harm.case.command)


def is_in_channel(harm: Harm, file: File) -> bool:
    """Packages from channels of conda that are not known to have no build for ROCm."""
    del file
    return harm.kind == "conda" and conda.has_other_channel(harm.case.command, harm.case.install)


# Of what tools with a lock do


def leaves_torch(harm: Harm, file: File) -> bool:
    """Commands of uv, Poetry and PDM whose options leave torch alone or name another project."""
    del file
    options = {"add": locked.NOT_HERE, "sync": locked.KEEPS}.get(harm.kind, frozenset())
    return bool(harm.case.options & options)


def is_in_clone(harm: Harm, file: File) -> bool:
    """Files that clone a repository: the project of uv, Poetry or PDM may be that."""
    return harm.kind in {"add", "sync"} and locked.clones(file)


def is_told_by_file(harm: Harm, file: File) -> bool:
    """Files that give uv, Poetry or PDM an index for ROCm, or other settings."""
    return harm.kind in {"add", "sync"} and locked.is_told(harm.case.install.tool, file)


def comes_again(harm: Harm, file: File) -> bool:
    """`uv sync` before torch for ROCm is installed, or a second time."""
    return harm.kind == "sync" and locked.comes_again(harm.case.command, file)


def is_put_right(harm: Harm, file: File) -> bool:
    """Packages before a command that pins another torch, torchvision or torchaudio for ROCm."""
    demanded, asked = harm.demanded, harm.asked
    if demanded is None or asked is None or cuda_wheel(asked.requirement):
        return False
    return any(not demanded.contains(each.public) for each in pinned_after(harm.case.command, file))


def is_taken_off(harm: Harm, file: File) -> bool:
    """Installs before a command that uninstalls torch in the same environment, for another one."""
    command, last = harm.case.command, _last_uninstalls(file)
    places = places_around(command, file)
    return any(each in last and last[each] > command.span for each in places)


@once_per_file
def _last_uninstalls(file: File) -> dict[Place, Span]:
    """Return where torch is uninstalled in each place for the last time."""
    last: dict[Place, Span] = {}
    for each in file.parts.commands:
        if {"uninstall", "torch"} <= {word.text for word in each.words}:
            place = place_of(each, file)
            last[place] = max(each.span, last.get(place, each.span))
    return last


def is_replaced_before(harm: Harm, file: File) -> bool:
    """Installs that accept the torch from PyPI that a command before, reported itself, brings."""
    case = harm.case
    if harm.kind not in {"torch", "package"} or case.forced or case.install.upgrade:
        return False
    torch = _brought_before(case.command, file)
    if torch is None or harm.asked is None:
        return False
    if harm.kind == "torch":
        return bool(keeps(harm.asked.requirement, RocmTorch("", (torch,))))
    return harm.demanded is not None and harm.demanded.contains(torch)


def _brought_before(command: Command, file: File) -> Version | None:
    """Return the torch that the first reported command brings which has run, in the same place."""
    found: tuple[Span, Version] | None = None
    for place in places_around(command, file):
        commands = commands_at(file).get(place, [])
        known = _known_brought(place, file)
        while known.asked < len(commands) and commands[known.asked].span < command.span:
            if known.first is not None:
                break
            each = commands[known.asked]
            torch = _brought(each, file)
            known.asked += 1
            known.first = None if torch is None else (each.span, torch)
        first = known.first
        if first is not None and first[0] < command.span and (found is None or first < found):
            found = first
    return None if found is None else found[1]


@dataclass
class _Brought:
    """The first command of a place that brings a torch from PyPI, among those asked so far."""

    asked: int = 0
    first: tuple[Span, Version] | None = None


@once_per_file
def _known_brought(place: Place, file: File) -> _Brought:
    del place, file
    return _Brought()


@once_per_file
def _brought(command: Command, file: File) -> Version | None:
    """Return the torch from PyPI that a command brings, if that is reported."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    from .._pins.demands import demand_of  # noqa: PLC0415

    case = case_of(command, file)
    for harm in () if case is None else harms(case, file, _is_excused_by_any):
        if harm.asked is None or harm.kind not in {"torch", "package"}:
            continue
        wanted = harm.demanded
        if harm.kind == "torch" and harm.asked.requirement.name.lower() == "torch":
            wanted = harm.asked.requirement.specifier
        elif harm.kind == "torch":
            demand = demand_of(harm.asked.requirement)
            wanted = None if demand is None else demand.torch
        if wanted is not None:
            return published.pin(wanted) or published.newest("torch", wanted)
    return None


def _is_excused_by_any(harm: Harm, file: File) -> bool:
    return any(excuse(harm, file) for excuse in (*OF_EVERY_INSTALL, *OF_TORCH))


def names_build(harm: Harm, file: File) -> bool:
    """Commands that choose the build of torch, by a label, a channel, an option or the settings."""
    return any(
        each(harm, file)
        for each in (
            *(asks_for_build, is_in_rocm_index, is_meant, is_in_channel),
            *(leaves_torch, is_in_clone, is_told_by_file),
        )
    )


def is_there(harm: Harm, file: File) -> bool:
    """Packages that the image, an earlier build or an import has, or that the file builds."""
    return any(
        each(harm, file) for each in (is_in_image, is_there_before, is_kept_there, is_built_here)
    )


def is_undone(harm: Harm, file: File) -> bool:
    """Other branches, repeated commands, and those whose torch another command replaces."""
    return _is_undone(harm, file) or is_replaced_before(harm, file)


def _is_undone(harm: Harm, file: File) -> bool:
    return any(
        each(harm, file) for each in (comes_again, is_alternative, is_put_right, is_taken_off)
    )


OF_TORCH = (takes_no_dependencies, names_build, is_there, is_undone)


def replaces_torch_itself(harm: Harm, file: File) -> bool:
    """Commands that replace torch itself: those are reported by install-replaces-torch.

    What excuses every install is asked before.
    """
    return any(harms(harm.case, file, _is_excused))


def _is_excused(harm: Harm, file: File) -> bool:
    others = (takes_no_dependencies, names_build, is_there, _is_undone)
    return any(excuse(harm, file) for excuse in others)
