"""A part of a package that its own file imports and does not find: this build was made without it.

No edit helps there, and no other release as such: the same release has builds with that part.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

from rocmlint.published.pytorch_index import FAMILY
from rocmlint.published.rocm_wheels import BUILT_FOR_CUDA
from rocmlint.why.answer import Action
from rocmlint.why.generic.parts import innermost, made, pip, python_of, where

if TYPE_CHECKING:
    from packaging.version import Version

    from rocmlint.why.answer import Explanation
    from rocmlint.why.facts.context import Context
    from rocmlint.why.facts.frames import Owner
    from rocmlint.why.facts.packages.package_names import Release

_COMPILED = frozenset({*FAMILY, *BUILT_FOR_CUDA, "bitsandbytes", "flash-attn", "triton", "aiter"})
"""Packages of which one release has several builds."""
_DISTRIBUTED = re.compile(r"torch\.(?:distributed|_C\._distributed)\w*(?:\.|\Z)")
_WEIGHT = 26


def of_build(
    context: Context, entry: str, release: Release, missing: str, message: str
) -> Explanation | None:
    """Explain that a build lacks what its own file imports; None where another file asks."""
    place, version = innermost(context), release.version
    if place is None or version is None or place.distribution != canonicalize_name(release.name):
        return None
    asker = _asker(context, place.distribution)
    by = f"; {asker} imports it" if asker is not None else ""
    context.saw(missing, "imported by the package's own file", place.frame.file)
    if _DISTRIBUTED.match(missing):
        cause = f"this build of {release} was made without torch.distributed, as those of ROCm for"
        code = "import torch; print(torch.distributed.is_available())"
        return made(
            context,
            entry,
            f"{cause} Windows are{by}",
            weight=_WEIGHT,
            where=where(place),
            actions=(
                *([Action(_without(asker, "torch.distributed"))] if asker is not None else []),
                Action("run it in Linux or WSL: the torch for ROCm there has torch.distributed"),
            ),
            confirm=f"{python_of(context)} -c {shlex.quote(code)}",
            missing=(release.unread,),
            message=message,
        )
    if not _has_builds(release.name, version):
        wanted = f"{release.name}=={version}"
        return made(
            context,
            entry,
            f"{release} lacks {missing}, which its own file imports: its files are of two releases",
            weight=_WEIGHT,
            sure=False,
            where=where(place),
            actions=(pip(context, "install", "--force-reinstall", "--no-deps", wanted),),
            missing=(release.unread,),
            message=message,
        )
    return made(
        context,
        entry,
        f"this build of {release} was made without {missing}, which its own file imports{by}",
        weight=_WEIGHT,
        where=where(place),
        actions=(
            Action(
                f"install a newer build of {release.name} for this GPU: the fault is its own, and"
                f" nothing else that is installed adds {missing}"
            ),
        ),
        missing=(release.unread,),
        message=message,
    )


def _asker(context: Context, name: str) -> Owner | None:
    """Return the innermost package of the frames that is another one."""
    owners = map(context.owner, reversed(context.frames))
    others = (
        each for each in owners if each.kind == "package" and canonicalize_name(each.name) != name
    )
    return next(others, None)


def _without(asker: Owner, part: str) -> str:
    return f"install a release of {asker.name} that does not import {part} at once"


def _has_builds(name: str, version: Version) -> bool:
    is_special = version.local is not None or version.is_devrelease
    return is_special or canonicalize_name(name) in _COMPILED
