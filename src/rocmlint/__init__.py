"""rocmlint: a linter for PyTorch and Hugging Face code that runs on ROCm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.lazy import exports
from rocmlint.version import __version__ as __version__

if TYPE_CHECKING:
    from rocmlint.api import lint_batches as lint_batches
    from rocmlint.api import lint_paths as lint_paths
    from rocmlint.api import lint_source as lint_source
    from rocmlint.api import lint_table as lint_table
    from rocmlint.errors import RocmlintError as RocmlintError
    from rocmlint.findings import Edit as Edit
    from rocmlint.findings import Finding as Finding
    from rocmlint.findings import Fix as Fix
    from rocmlint.rule.rule import Rule as Rule
    from rocmlint.verify.job.witnesses import bear_witness as bear_witness
    from rocmlint.verify.live.assertion import NotProvenError as NotProvenError
    from rocmlint.verify.live.assertion import assert_loaded as assert_loaded
else:
    # Every start of the command imports this package; most need none of these.
    __all__, __getattr__ = exports(
        __name__,
        {
            "rocmlint.api": "lint_batches lint_paths lint_source lint_table",
            "rocmlint.errors": "RocmlintError",
            "rocmlint.findings": "Edit Finding Fix",
            "rocmlint.rule.rule": "Rule",
            "rocmlint.verify.job.witnesses": "bear_witness",
            "rocmlint.verify.live.assertion": "NotProvenError assert_loaded",
        },
    )
    __all__ += ["__version__"]
