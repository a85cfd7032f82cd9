"""Tools that resolve a project anew and make its environment what the lock says.

They do not look at what is installed: with uv 0.13, `uv pip install accelerate` keeps a torch
2.9.1+rocm6.4, `uv add accelerate` puts PyPI's 2.9.1 in its place, and `uv sync` removes it where
the project does not require torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import compile_lazily

from ._rocm_torch import FAMILY, is_from_rocm

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.lint.parts import Command, Word
    from rocmlint.lint.source import Source

    from ._asked import Asked
    from ._harms import Case

TOOLS = frozenset({"uv add", "uv sync", "poetry", "pdm"})
"""The tools, as installs name them."""
_OTHER_PROJECT = frozenset({"--script", "--directory", "--project", "-C", "-P", "-p"})
_NOT_HERE = _OTHER_PROJECT | {"--no-sync", "--frozen", "--optional", "--source", "--lock"}
"""Options of ``add`` with which nothing comes from PyPI into the environment."""
_KEEPS = _OTHER_PROJECT | {"--inexact", "--no-install-package", "--active"}
"""Options of ``uv sync`` with which it leaves torch alone, or works elsewhere."""
_OTHER_ENVIRONMENT = compile_lazily(
    r"VIRTUAL_ENV|UV_SYSTEM_PYTHON|UV_PROJECT_ENVIRONMENT|(?<!\.venv/)bin/activate|--system\b"
)
_CLONES = compile_lazily(r"\bgit clone\b")


def knows_rocm(tool: str, source: Source) -> bool:
    """Say whether a pyproject.toml tells a tool of an index for ROCm."""
    tool = tool.partition(" ")[0]
    for folder in source.project.folders:
        path = f"{folder}/pyproject.toml"
        text = source.read(path) if source.exists(path) else ""
        if f"[tool.{tool}" in text and "rocm" in text:
            return True
    return False


def harms(case: Case, source: Source) -> Iterator[tuple[Word | Command, str]]:
    """Yield what a command of these tools does to torch, each with its place."""
    options = {each.text.partition("=")[0] for each in case.command.words}
    if _CLONES.search(source.text):
        return  # into a project of others
    if case.install.tool == "uv sync":
        if not options & _KEEPS and _is_synced(case, source):
            message = (
                f"`uv sync` makes the environment what uv.lock says: it removes the "
                f"{_there(case)}, or puts PyPI's, built for CUDA, in its place. "
                f"{_name_index('uv')}, or sync before torch is installed."
            )
            yield case.command, message
        return
    if options & _NOT_HERE:
        return
    for asked in case.everything.asked:
        message = "" if case.builds or asked.requirement.url else _harm_of_add(asked, case)
        if message:
            yield asked.word, message


def _harm_of_add(asked: Asked, case: Case) -> str:
    from ._demands import demand_of, is_narrow  # noqa: PLC0415 - loads packaging

    tool = case.install.tool
    command = tool if tool.endswith("add") else f"{tool} add"
    place = f", in place of the {_there(case)}" if case.torch is not None else ""
    name = asked.requirement.name.lower()
    if name in FAMILY:
        return (
            f"`{command}` resolves the project anew and takes {name} from PyPI, built for "
            f"CUDA{place}. {_name_index(tool)}."
        )
    demand = demand_of(asked.requirement)
    if demand is None or demand.torch is None:
        return ""
    if tool != "uv add" and not is_narrow(demand.torch):
        return ""
    return (
        f"{demand.said}: `{command}` resolves the project anew and takes it from PyPI, built for "
        f"CUDA{place}. {_name_index(tool)}."
    )


def _name_index(tool: str) -> str:
    tool = tool.partition(" ")[0]
    where = {
        "uv": "`[[tool.uv.index]]` and `[tool.uv.sources]`",
        "poetry": "`[[tool.poetry.source]]`",
        "pdm": "`[[tool.pdm.source]]`",
    }[tool]
    return f"Name the index for ROCm in pyproject.toml ({where})"


def _there(case: Case) -> str:
    return "ROCm torch" if case.torch is None else case.torch.described


def _is_synced(case: Case, source: Source) -> bool:
    """Say whether ``uv pip install`` put a ROCm torch into the environment of the project."""
    from rocmlint.lint.installs import install_of  # noqa: PLC0415

    if _OTHER_ENVIRONMENT.search(source.text) or not _has_project(source):
        return False
    found = False
    for each in source.parts.commands:
        install = install_of(each)
        if install is None or not is_from_rocm(install):
            continue
        if each.span > case.command.span:
            return False  # and puts it there again
        names = {requested.name for requested in install.requirements}
        found = found or (install.tool == "uv" and "torch" in names and not install.elsewhere)
    return found


def _has_project(source: Source) -> bool:
    return any(source.exists(f"{folder}/pyproject.toml") for folder in source.project.folders)
