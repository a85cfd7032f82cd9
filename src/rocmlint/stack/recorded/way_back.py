"""The commands that restore the recorded builds of torch and of what belongs to it."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rocmlint.stack.advice.origins import PackageOrigins, origins
from rocmlint.stack.advice.rollback import words_of
from rocmlint.stack.upgrade.changes import is_triton

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from rocmlint.stack.recorded.state import Frozen, State
    from rocmlint.stack.upgrade.steps import Steps


def way_back(steps: Steps, frozen: State, changed: Collection[str]) -> Iterator[str]:
    """Return the commands that restore packages: remove what came, then force the old files.

    For packages of which pip would install another build, a comment says what to do instead.
    """
    found = origins(frozen.distributions, frozen.torch)
    old = [each for each in frozen.distributions if each.name in _restored(changed, frozen)]
    lost = {each.name: why for each in old if (why := found.lost(each, each.requirement))}
    there = {each.name for each in steps.environment.distributions}
    before = {each.name for each in old}
    away = [each for each in changed if each not in before or (each in lost and each in there)]
    kept = [each for each in old if each.name not in lost]
    if away or kept:
        yield from steps.prepared()
    if away:
        yield steps.uninstall(away)
    if kept:
        words = [word for each in kept for word in words_of(each.requirement)]
        yield steps.install("--force-reinstall", "--no-deps", *words) + _index(found, kept)
    yield from (f"# {each}" for each in lost.values())


def _restored(changed: Collection[str], frozen: State) -> set[str]:
    """Return what is to be put back: with a triton that came, files of the old one go."""
    came = any(is_triton(each) for each in changed if frozen.get(each) is None)
    tritons = (each.name for each in frozen.distributions if came and is_triton(each.name))
    return {*changed, *tritons}


def _index(found: PackageOrigins, kept: Sequence[Frozen]) -> str:
    """Return where the builds came from; nothing if each was installed from an address."""
    exact = [each for each in kept if f"{each.name}==" in each.requirement]
    url = next(filter(None, map(found.index, exact)), "")
    words = found.place or (("--index-url", url) if url else ())
    return f" {shlex.join(words)}" if exact and words else ""
