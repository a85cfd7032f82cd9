"""A torch that is there although no command of the file has installed it, and that pip keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, occurs, once_per_file

from .built_images import OTHER_PLACE
from .kept import keeps
from .platform import IMAGE, image_at, named
from .rocm_torch import RocmTorch, of_image

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File

    from .cases import Harm

_IMPORTS = compile_lazily(r"(?m)^(?:import|from)[ \t]+torch(?![\w-])")
_NAMES_IMAGES = compile_lazily(
    r"(?i:readme\b.*|(?:.*\.)?(?:docker|container)file(?:\..*)?|(?:docker-)?compose\b.*\.ya?ml)\Z"
)


def is_kept_there(harm: Harm, file: File) -> bool:
    """Ranges that the torch may meet which the file has imported before, or an image holds.

    That is an image for ROCm that a README, Dockerfile or compose file of the project names, for
    files that make no environment of their own. Not so where the command upgrades.
    """
    case, asked = harm.case, harm.asked
    if case.torch is not None or asked is None or harm.kind not in {"torch", "package"}:
        return False
    if case.forced or case.install.upgrade:
        return False
    if _is_imported_before(harm, file):
        return _may_meet(harm, RocmTorch(""))
    if image_at(case.command, file) is not None or occurs(OTHER_PLACE, file):
        return False
    return any(_may_meet(harm, each) for each in _named(file))


def _is_imported_before(harm: Harm, file: File) -> bool:
    """Return whether the file imports torch above the command, whatever happens."""
    first = _first_import(file)
    return first is not None and first <= file.offset_of(harm.case.command.span.line)


@once_per_file
def _first_import(file: File) -> int | None:
    """Return where the first import of torch ends."""
    match = _IMPORTS.search(file.text)
    return None if match is None else match.end()


def _may_meet(harm: Harm, torch: RocmTorch) -> bool:
    """Return whether pip may keep a torch; of an unknown version it does not meet a pin."""
    from rocmlint.published import requirements as published  # noqa: PLC0415 - loads packaging

    if harm.asked is None:
        return False
    wanted = harm.asked.requirement.specifier if harm.demanded is None else harm.demanded
    if not torch.versions:
        return published.pin(wanted) is None
    if harm.demanded is None:
        return bool(keeps(harm.asked.requirement, torch))
    return bool(torch.meets(harm.demanded))


@once_per_file
def _named(file: File) -> tuple[RocmTorch, ...]:
    """Return the torches of the images for ROCm that the project names around a file."""
    return tuple(dict.fromkeys(_torches(file)))


def _torches(file: File) -> Iterator[RocmTorch]:
    for folder in dict.fromkeys((file.project.folders[0], file.project.folders[-1])):
        for name in filter(_NAMES_IMAGES.match, file.names_in(folder)):
            images = IMAGE.findall(file.read(os.path.join(folder, name)))
            found = (of_image(named(each), name) for each in images)
            yield from (each for each in found if each is not None)
