"""Whether a workflow's job runs in this repository, or for other owners alone."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from rocmlint.rule import compile_lazily, once_per_file

if TYPE_CHECKING:
    from rocmlint.rule import Command, File

_ORIGIN = compile_lazily(r'(?m)^\[remote "origin"\]\s*\n(?:[ \t]+[^\n]*\n)*?[ \t]+url\s*=\s*(\S+)')
_ON_GITHUB = compile_lazily(r"github\.com(?::\d+)?[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?\Z")
_ELSEWHERE = compile_lazily(r"gitdir:\s*(.+)")


def runs_here(command: Command, file: File) -> bool | None:
    """Return whether the condition around a command holds in this checkout.

    None where it asks for an owner, and the owner of the checkout is unknown.
    """
    asked = command.step.repositories
    if not asked:
        return True
    own = _repository(file)
    return bool({own, own.partition("/")[0]} & asked) if own else None


@once_per_file
def _repository(file: File) -> str:
    """Return the repository on GitHub of a checkout, ``owner/name`` in lower case; "" if unknown.

    It is that of the remote named origin. The configuration of a worktree is that of its main tree.
    """
    git = os.path.join(file.project.folders[-1], ".git")
    folders = [git]
    if file.is_file(git):
        linked = _ELSEWHERE.match(file.read(git))
        inside = os.path.join(os.path.dirname(git), linked[1].strip()) if linked else git
        folders = [inside, os.path.dirname(os.path.dirname(inside))]
    for folder in folders:
        path = os.path.join(folder, "config")
        origin = _ORIGIN.search(file.read(path)) if file.exists(path) else None
        match = _ON_GITHUB.search(origin[1]) if origin is not None else None
        if match is not None:
            return match[1].lower()
    return ""
