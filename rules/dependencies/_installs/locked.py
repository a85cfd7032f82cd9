"""Tools that resolve a project anew and make its environment what the lock says.

They do not look at what is installed: with uv 0.13, `uv pip install accelerate` keeps a torch
2.9.1+rocm6.4, `uv add accelerate` puts PyPI's 2.9.1 in its place, and `uv sync` removes it where
the project does not require torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.formats.scripts.shell.wrappers import program
from rocmlint.project.locks import locked
from rocmlint.published.pytorch_index import FAMILY, is_rocm
from rocmlint.rule import compile_lazily, occurs, once_per_file

from .._pins.demands import demands_of, is_narrow
from .cases import Harm
from .platform import BY_PROJECT
from .requested import is_in_clone

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rocmlint.rule import File

    from .cases import Case
    from .requested import Requested

_OTHER_PROJECT = frozenset({"--script", "--directory", "--project", "-C", "-P", "-p"})
_NOT_HERE = _OTHER_PROJECT | {"--no-sync", "--frozen", "--optional", "--source", "--lock"}
"""Options of ``add`` with which nothing comes from PyPI into the environment."""
_KEEPS = _OTHER_PROJECT | {
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
_OTHER_SETTINGS = compile_lazily(r"pyproject[^\n]*rocm|rocm[^\n]*pyproject|\buv\.toml\b")
_URL = compile_lazily(r"https?://[^\s\"']+")
_BINDS_TORCH = compile_lazily(
    r"(?m)^torch-backend\s*=\s*\"(?:rocm|auto)|^torch\s*=\s*[\[{].*\b(?:path|git|workspace|rocm)"
    r"|^(?:override|exclude)-dependencies\s*=[^\]]*[\"']torch\b|\"torch\b[^\"\n]*\+rocm"
)
"""Settings with which uv takes torch from elsewhere than PyPI, without an index."""


@once_per_file
def knows_rocm(tool: str, source: File) -> bool:
    """Return whether the files of a project name an index for ROCm, or another source of torch.

    A lock with a torch decides; `uv pip` reads no lock.
    """
    for folder in source.project.folders:
        lock = "" if tool == "uv" else _read(f"{folder}/uv.lock", source)
        if 'name = "torch"' in lock:
            return any(map(is_rocm, _URL.findall(lock))) or "+rocm" in lock
        settings = _read(f"{folder}/pyproject.toml", source) + _read(f"{folder}/uv.toml", source)
        if any(map(is_rocm, _URL.findall(settings))) or _BINDS_TORCH.search(settings):
            return True
    return False


def _read(path: str, source: File) -> str:
    return source.read(path) if source.exists(path) else ""


@once_per_file
def _is_told(tool: str, file: File) -> bool:
    """Return whether the file gives the project an index for ROCm: ``uv add --index rocm=…``."""
    if _OTHER_SETTINGS.search(file.text):
        return True
    for each in file.parts.commands:
        words = [word.text for word in each.words]
        if program(each.words[0]) == tool and "pip" not in words and any(map(is_rocm, words)):
            return True
    return False


def _is_of_others(case: Case, file: File) -> bool:
    """Return whether the project is not the one here, or has settings that the file gives it."""
    tool = case.install.tool.partition(" ")[0]
    return is_in_clone(case.command, file) or _is_told(tool, file)


def sync_harm(case: Case, file: File) -> Harm | None:
    """Return what ``uv sync`` does to torch."""
    if case.options & _KEEPS or _is_of_others(case, file):
        return None
    advice = "Name the index for ROCm in pyproject.toml (`[[tool.uv.index]]`, `[tool.uv.sources]`)"
    if _is_synced(case, file):
        there = "ROCm torch" if case.torch is None else case.torch.described
        message = f"`uv sync` removes the {there}, or replaces it with PyPI's CUDA build"
        advice = f"It makes the environment what uv.lock says. {advice}, or sync before torch."
        return Harm(case, "sync", case.command, message, advice)
    torch = _torch_of_project(file) if case.evidence != BY_PROJECT else ""
    if not torch:
        return None
    message = f"`uv sync` installs {torch}, which is the CUDA build"
    return Harm(
        case, "sync", case.command, message, f"{advice}. This is for ROCm: {case.evidence}."
    )


def add_harm(asked: Requested, case: Case, file: File) -> Harm | None:
    """Return what ``uv add``, and what Poetry and PDM call so, does to torch for a requirement."""
    if asked.requirement.url or case.options & _NOT_HERE or _is_of_others(case, file):
        return None
    reason = _reason_of_add(asked, case)
    if reason is None:
        return None
    tool = case.install.tool.partition(" ")[0]
    name = asked.requirement.name
    message = f"`{tool} add {name}` takes torch from PyPI, the CUDA build"
    if case.torch is not None:
        there = f"the {case.torch.described}"
        message = f"`{tool} add {name}` replaces {there} with PyPI's CUDA build"
    table = f"[[tool.{tool}.{'index' if tool == 'uv' else 'source'}]]"
    advice = (
        f"It resolves the whole project again{reason}. Name the index for ROCm in pyproject.toml "
        f"(`{table}`)."
    )
    return Harm(case, "add", asked.word, message, advice, asked)


def _reason_of_add(asked: Requested, case: Case) -> str | None:
    if asked.requirement.name.lower() in FAMILY:
        return ""
    for demand in demands_of(asked.requirement, frozenset(FAMILY)):
        if demand.torch is None or (demand.through and not is_narrow(demand.torch)):
            continue
        if case.install.tool == "uv add" or is_narrow(demand.torch):
            return f", and {demand.said}"
    return None


def _is_synced(case: Case, file: File) -> bool:
    """Return whether ``uv pip install`` put a ROCm torch into the environment of the project."""
    is_of_project = not occurs(_OTHER_ENVIRONMENT, file) and any(_projects(file))
    return is_of_project and case.state.torch_by_uv


def _projects(file: File) -> Iterator[str]:
    paths = (f"{folder}/pyproject.toml" for folder in file.project.folders)
    return (each for each in paths if file.exists(each))


def _torch_of_project(file: File) -> str:
    """Return the torch for CUDA that the project always requires, in words; "" if none."""
    is_required = any(
        not each.declared.group
        and not each.declared.constraint
        and "@" not in each.declared.text
        and "rocm" not in each.declared.text
        and each.path.endswith("pyproject.toml")
        for each in file.project.requirements("torch")
    )
    folders = file.project.folders if is_required else ()
    versions = [each for folder in folders for _, each in locked(folder, "torch", (), file)]
    if not is_required or any(not (each.local or "cu").startswith("cu") for each in versions):
        return ""
    return f"torch {versions[0]} of the lock" if len(versions) == 1 else "torch from PyPI"
