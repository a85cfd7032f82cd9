"""Why an install in a place for ROCm is left alone, whatever it installs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.published import pytorch_index
from rocmlint.published.amd_index import amd_index
from rocmlint.rule import compile_lazily, occurs
from rocmlint.rule.put_aside import is_put_aside

from . import locked
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


def installs_elsewhere(harm: Harm, file: File) -> bool:
    """Dry runs, `--target`, sections of a document for NVIDIA, files that are put aside.

    Written for AMD-AGI/Primus, docs_deprecated/preflight-direct.md.
    """
    command = harm.case.command
    is_placed = any(each.text in _PLACED for each in command.words)
    return (
        harm.case.install.dry_run
        or is_placed
        or is_put_aside(file)
        or is_below_nvidia(command, file)
    )


def is_early(harm: Harm, file: File) -> bool:
    """Commands before the one that installs the ROCm build of torch.

    Written for nktice/AMD-AI, ROCm-5.6.md.
    """
    del file
    return harm.case.state.torch_comes_later


def is_told_source(harm: Harm, file: File) -> bool:
    """Commands, files and projects that name an index, constraints or a build of torch.

    So may words of a command that only the run knows.
    """
    install = harm.case.install
    is_told = install.constraints or install.torch_backend or install.no_index or install.unclear
    return (
        bool(is_told)
        or _has_index(harm)
        or occurs(_CONFIGURED, file)
        or (install.tool != "pip" and locked.knows_rocm(install.tool, file))
    )


def _has_index(harm: Harm) -> bool:
    """Return whether a command asks an index that is not PyPI's, or that only the run knows."""
    install = harm.case.install
    for url, extra in indexes_of(install, harm.case.everything.indexes):
        if url is None or pytorch_index.is_other(url):
            return True
        is_of_amd = harm.kind == "torch" and amd_index(url) is not None
        is_known = is_of_amd or pytorch_index.pytorch_index(url) is not None
        if extra and install.tool == "pip" and is_known:
            continue  # in addition to PyPI: the newest of both wins, of AMD's many packages too
        if not pytorch_index.is_pypi(url):
            return True
    return False


OF_EVERY_INSTALL = (installs_elsewhere, is_early, is_told_source)
