"""Facts about the frames: ``frame_in('peft')``, ``raised_in()``, ``frame_file()``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from rocmlint.why.facts.context import Context


def frame_in(context: Context, name: str) -> bool:
    """Return whether a frame is in a package, or is "project", "hub" or "python"."""
    for frame in context.frames:
        owner = context.owner(frame)
        if name == owner.kind or canonicalize_name(owner.name) == canonicalize_name(name):
            context.saw(f"{frame.file}:{frame.line}", str(owner), "the traceback")
            return True
    return False


def raised_in(context: Context) -> str:
    """Return whose the innermost frame is: a package's name, "project", "hub", "python", or ""."""
    if not context.frames:
        return ""
    owner = context.owner(context.frames[-1])
    return owner.name if owner.kind == "package" else owner.kind


def frame_file(context: Context) -> str:
    """Return the innermost file of the project or of remote code, with its line; else empty.

    In a log of another machine the files of the project are those of no package.
    """
    for kinds in ({"project", "hub"}, {"other"}):
        for frame in reversed(context.frames):
            if context.owner(frame).kind in kinds:
                return f"{frame.file}:{frame.line}"
    return ""


FACTS = {"frame_in": frame_in, "raised_in": raised_in, "frame_file": frame_file}
