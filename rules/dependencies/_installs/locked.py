"""Tools that resolve a project anew and make its environment what the lock says.

They do not look at what is installed: with uv 0.13, `uv pip install accelerate` keeps a torch
2.9.1+rocm6.4, `uv add accelerate` puts PyPI's 2.9.1 in its place, and `uv sync` removes it where
the project does not require torch.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from rocmlint.formats.shell.wrappers import program
from rocmlint.published.pytorch_index import FAMILY, is_rocm
from rocmlint.rule import compile_lazily, occurs, once_per_file

from .cases import Harm
from .platform import BY_PROJECT
from .rocm_torch import is_from_rocm
from .uv_lock import cuda_torch, has_rocm_torch
from .uv_settings import asks_rocm, binds_torch

if TYPE_CHECKING:
    from rocmlint.rule import Command, File, Span

    from .cases import Case
    from .requested import Requested

_OTHER_PROJECT = frozenset({"--script", "--directory", "--project", "-C", "-P", "-p"})
NOT_HERE = _OTHER_PROJECT | {"--no-sync", "--frozen", "--optional", "--source", "--lock"}
"""Options of ``add`` with which nothing comes from PyPI into the environment."""
KEEPS = _OTHER_PROJECT | {
    "--inexact",
    "--no-install-package",
    "--active",
    "--only-group",
    "--package",
}
"""Options of ``uv sync`` with which it leaves torch alone, or works elsewhere."""
_OTHER_ENVIRONMENT = compile_lazily(
    r"VIRTUAL_ENV|UV_SYSTEM_PYTHON|UV_PROJECT_ENVIRONMENT|(?<!\.venv/)bin/activate|--system\b"
)
_CLONES = compile_lazily(r"\bgit clone\b")
"""Then the project may be that of others."""
_OTHER_SETTINGS = compile_lazily(r"pyproject[^\n]*rocm|rocm[^\n]*pyproject|\buv\.toml\b")


def knows_rocm(tool: str, source: File) -> bool:
    """Return whether a pyproject.toml tells a tool of an index for ROCm; uv, for torch."""
    if tool.startswith("uv"):
        return _is_told_to_uv(tool, source)
    for folder in source.project.folders:
        text = _read(f"{folder}/pyproject.toml", source)
        if f"[tool.{tool}" in text and "rocm" in text:
            return True
    return False


def _is_told_to_uv(tool: str, source: File) -> bool:
    """Return whether uv takes torch from an index for ROCm here, as its lock or settings say.

    `uv pip` reads no lock.
    """
    folders = source.project.folders
    projects = [_read(f"{folder}/pyproject.toml", source) for folder in folders]
    if any(map(binds_torch, projects)):
        return True
    by_pip = tool == "uv"
    for folder in () if by_pip else folders:
        of_lock = has_rocm_torch(_read(f"{folder}/uv.lock", source))
        if of_lock is not None:
            return of_lock
    settings = (_read(f"{folder}/uv.toml", source) for folder in folders)
    return any(map(partial(asks_rocm, by_pip=by_pip), projects, settings))


def _read(path: str, source: File) -> str:
    return source.read(path) if source.exists(path) else ""


def clones(file: File) -> bool:
    """Return whether the file clones a repository."""
    return occurs(_CLONES, file)


@once_per_file
def is_told(tool: str, file: File) -> bool:
    """Return whether the file gives the project an index for ROCm: ``uv add --index rocm=…``."""
    tool = tool.partition(" ")[0]
    if _OTHER_SETTINGS.search(file.text):
        return True
    for each in file.parts.commands:
        words = [word.text for word in each.words]
        if program(each.words[0]) == tool and "pip" not in words and any(map(is_rocm, words)):
            return True
    return False


def comes_again(command: Command, file: File) -> bool:
    """Return whether a torch for ROCm comes behind the command, or the same ran before it.

    The second of ``uv sync || uv sync`` runs only where the first has failed.
    """
    last = _last_for_rocm(file)
    first = _first_with(file).get(tuple(word.text for word in command.words), command.span)
    return first < command.span or (last is not None and last > command.span)


@once_per_file
def _last_for_rocm(file: File) -> Span | None:
    """Return where torch is taken from an index for ROCm for the last time."""
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    found = installs_of(file.parts.commands)
    return max((each.span for each, install in found if is_from_rocm(install)), default=None)


@once_per_file
def _first_with(file: File) -> dict[tuple[str, ...], Span]:
    """Return where each command, by its words, runs first."""
    first: dict[tuple[str, ...], Span] = {}
    for each in file.parts.commands:
        words = tuple(word.text for word in each.words)
        first[words] = min(each.span, first.get(words, each.span))
    return first


def sync_harm(case: Case, file: File) -> Harm | None:
    """Return what ``uv sync`` does to torch."""
    if _is_synced(case.command, file):
        message = f"`uv sync` removes the {_there(case)}, or replaces it with PyPI's CUDA build"
        advice = (
            f"It makes the environment what uv.lock says. {_name_index('uv')}, or sync before "
            f"torch is installed."
        )
        return Harm(case, "sync", case.command, message, advice)
    torch = _torch_of_project(file) if case.evidence != BY_PROJECT else ""
    if not torch:
        return None
    message = f"`uv sync` installs {torch}, which is the CUDA build"
    advice = f"{_name_index('uv')}. This is for ROCm: {case.evidence}."
    return Harm(case, "sync", case.command, message, advice)


def add_harm(asked: Requested, case: Case, file: File) -> Harm | None:
    """Return what ``uv add``, and what Poetry and PDM call so, does to torch for a requirement."""
    del file
    reason = None if asked.requirement.url else _reason_of_add(asked, case)
    if reason is None:
        return None
    tool = case.install.tool
    command = tool if tool.endswith("add") else f"{tool} add"
    name = asked.requirement.name
    message = f"`{command} {name}` takes torch from PyPI, the CUDA build"
    if case.torch is not None:
        there = f"the {case.torch.described}"
        message = f"`{command} {name}` replaces {there} with PyPI's CUDA build"
    advice = f"It resolves the whole project again{reason}. {_name_index(tool)}."
    return Harm(case, "add", asked.word, message, advice, asked)


def _reason_of_add(asked: Requested, case: Case) -> str | None:
    from .._pins.demands import demands_of, is_narrow  # noqa: PLC0415 - loads packaging

    if asked.requirement.name.lower() in FAMILY:
        return ""
    for demand in demands_of(asked.requirement, frozenset(FAMILY)):
        if demand.torch is None or (demand.through and not is_narrow(demand.torch)):
            continue
        if case.install.tool == "uv add" or is_narrow(demand.torch):
            return f", and {demand.said}"
    return None


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


def _is_synced(command: Command, source: File) -> bool:
    """Return whether ``uv pip install`` put a ROCm torch into the environment of the project."""
    if occurs(_OTHER_ENVIRONMENT, source) or not _has_project(source):
        return False
    first = _first_put(source)
    return first is not None and first < command.span


@once_per_file
def _first_put(source: File) -> Span | None:
    """Return where ``uv pip install`` puts a ROCm torch into the environment first."""
    from rocmlint.rule import installs_of  # noqa: PLC0415 - loads packaging

    spans = (
        each.span
        for each, install in installs_of(source.parts.commands)
        if install.tool == "uv"
        and is_from_rocm(install)
        and not install.elsewhere
        and any(asked.name == "torch" for asked in install.requirements)
    )
    return min(spans, default=None)


def _torch_of_project(source: File) -> str:
    """Return the torch for CUDA that is installed with the project always, in words; "" if none."""
    for folder in source.project.folders:
        if source.exists(f"{folder}/uv.lock"):
            version = cuda_torch(source.read(f"{folder}/uv.lock"))
            return f"torch {version} of uv.lock" if version else ""
    is_required = any(
        not each.declared.group
        and not each.declared.constraint
        and "@" not in each.declared.text
        and "rocm" not in each.declared.text
        and each.path.endswith("pyproject.toml")
        for each in source.project.requirements("torch")
    )
    return "torch from PyPI" if is_required else ""


def _has_project(source: File) -> bool:
    return any(source.exists(f"{folder}/pyproject.toml") for folder in source.project.folders)
