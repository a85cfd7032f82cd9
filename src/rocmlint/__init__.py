"""rocmlint: a linter for PyTorch and Hugging Face code that runs on ROCm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.version import __version__

if TYPE_CHECKING:
    from rocmlint.api import lint_batches, lint_paths, lint_source, lint_table
    from rocmlint.errors import RocmlintError
    from rocmlint.findings import Edit, Finding, Fix
    from rocmlint.rule.rule import Rule
    from rocmlint.verify.job.witnesses import bear_witness
    from rocmlint.verify.live.assertion import NotProvenError, assert_loaded

__all__ = [
    "Edit",
    "Finding",
    "Fix",
    "NotProvenError",
    "RocmlintError",
    "Rule",
    "__version__",
    "assert_loaded",
    "bear_witness",
    "lint_batches",
    "lint_paths",
    "lint_source",
    "lint_table",
]

_HOME = {
    "Edit": "rocmlint.findings",
    "Finding": "rocmlint.findings",
    "Fix": "rocmlint.findings",
    "NotProvenError": "rocmlint.verify.live.assertion",
    "RocmlintError": "rocmlint.errors",
    "Rule": "rocmlint.rule.rule",
    "assert_loaded": "rocmlint.verify.live.assertion",
    "bear_witness": "rocmlint.verify.job.witnesses",
    "lint_batches": "rocmlint.api",
    "lint_paths": "rocmlint.api",
    "lint_source": "rocmlint.api",
    "lint_table": "rocmlint.api",
}


def __getattr__(name: str) -> object:
    # Every start of the command imports this package; most need none of these.
    from rocmlint.lazy import exported  # noqa: PLC0415

    return exported(__name__, name, _HOME)
