"""``--watch``: lint again whenever a source or a configuration changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.config.configuration import NAMES
from rocmlint.errors import ConfigError, RocmlintError
from rocmlint.lint.discover import may_be_linted

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


def watch(paths: Sequence[str], check: Callable[[], int]) -> int:
    """Check, wait for a change, and so on until Ctrl-C. Raises ConfigError."""
    try:
        from watchfiles import watch as changes_below  # noqa: PLC0415 - an extra
    except ImportError as error:
        message = "--watch needs the package watchfiles: pip install 'rocmlint[watch]'"
        raise ConfigError(message) from error
    _check(check)
    for changes in changes_below(*paths):
        if any(may_be_linted(path) or path.endswith(NAMES) for _, path in changes):
            _check(check)
    return 0


def _check(check: Callable[[], int]) -> None:
    try:
        check()
    except RocmlintError as error:  # the next change may fix it
        print(f"error: {error}", file=sys.stderr)
    print("Watching for changes (Ctrl-C to stop)", file=sys.stderr)
    sys.stdout.flush()
