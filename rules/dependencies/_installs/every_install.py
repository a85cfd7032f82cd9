"""Why an install in a place for ROCm is left alone, whatever it installs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.rule import compile_lazily, occurs
from rocmlint.rule.put_aside import is_aside

from . import locked
from .index_releases import is_asked_beside
from .owners import runs_here
from .platform import is_below_nvidia
from .rocm_torch import indexes_of

if TYPE_CHECKING:
    from rocmlint.rule import File

    from .cases import Harm

_PLACED = frozenset({"--target", "-t", "--prefix", "--root"})
_CONFIGURED = compile_lazily(
    r"pip3? config |pip\.conf|PIP_(?:EXTRA_)?INDEX_URL|PIP_CONSTRAINT|PIP_CONFIG_FILE|PIP_NO_DEPS"
    r"|UV_(?:DEFAULT_|EXTRA_)?INDEX|UV_(?:CONSTRAINT|OVERRIDE|TORCH_BACKEND)"
)


def is_dry_run(harm: Harm, file: File) -> bool:
    """Dry runs."""
    del file
    return harm.case.install.dry_run


def is_for_nvidia(harm: Harm, file: File) -> bool:
    """Commands of a document below a heading that names NVIDIA or CUDA, and not AMD or ROCm."""
    return is_below_nvidia(harm.case.command, file)


def is_put_elsewhere(harm: Harm, file: File) -> bool:
    """Installs into another directory: `--target`, `--prefix`, `--root`."""
    del file
    return any(each.text in _PLACED for each in harm.case.command.words)


def is_constrained(harm: Harm, file: File) -> bool:
    """Commands with a constraints file (`-c`) or overrides of uv."""
    del file
    return bool(harm.case.install.constraints)


def has_source(harm: Harm, file: File) -> bool:
    """Commands with `--torch-backend` or `--no-index`."""
    del file
    return bool(harm.case.install.torch_backend) or harm.case.install.no_index


def is_unclear(harm: Harm, file: File) -> bool:
    """Commands with words that only the run knows."""
    del file
    return bool(harm.case.install.unclear)


def is_early(harm: Harm, file: File) -> bool:
    """Commands before the one that installs the ROCm build of torch."""
    del file
    return harm.case.comes_later and harm.case.torch is None


def has_index(harm: Harm, file: File) -> bool:
    """Commands with an index that is not PyPI's, or that only the run knows."""
    del file
    install = harm.case.install
    for url, extra in indexes_of(install, harm.case.everything.indexes):
        if url is None or pytorch_index.is_other(url):
            return True
        if extra and install.tool == "pip" and is_asked_beside(url, harm.kind):
            continue  # beside PyPI: the newest of both wins
        if not pytorch_index.is_pypi(url):
            return True
    return False


def is_configured(harm: Harm, file: File) -> bool:
    """Files that configure pip or uv: an index, constraints, installs without dependencies."""
    del harm
    return occurs(_CONFIGURED, file)


def is_told_by_project(harm: Harm, file: File) -> bool:
    """Projects whose pyproject.toml or uv.lock tells uv, Poetry or PDM of a torch for ROCm."""
    tool = harm.case.install.tool
    return tool != "pip" and locked.knows_rocm(tool, file)


def is_for_other_owners(harm: Harm, file: File) -> bool:
    """Jobs of a workflow that run for another owner than that of this repository."""
    return runs_here(harm.case.command, file) is False


def installs_elsewhere(harm: Harm, file: File) -> bool:
    """Dry runs, `--target`, sections for NVIDIA, jobs of other owners, files that are put aside."""
    return is_aside(harm, file) or any(
        each(harm, file)
        for each in (is_dry_run, is_for_other_owners, is_for_nvidia, is_put_elsewhere)
    )


def is_told_source(harm: Harm, file: File) -> bool:
    """Commands, files and projects that name an index, constraints or a build of torch."""
    return any(
        each(harm, file)
        for each in (is_constrained, has_source, has_index, is_configured, is_told_by_project)
    )


OF_EVERY_INSTALL = (installs_elsewhere, is_unclear, is_early, is_told_source)
