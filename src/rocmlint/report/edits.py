"""Which fixes a report may carry, for another program to apply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.text.secrets import without_credentials

if TYPE_CHECKING:
    from rocmlint.findings import Fix


def is_public(fix: Fix) -> bool:
    """Check whether a fix writes no credentials: with a mask in their place it would be wrong."""
    return all(without_credentials(each.replacement) == each.replacement for each in fix.edits)
