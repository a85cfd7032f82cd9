"""Where the pages of the rules are published."""

from __future__ import annotations

from rocmlint.findings import RESERVED

SITE = "https://rocmlint.github.io/rocmlint/latest"
"""The pages of the newest release."""


def address(code: str, name: str) -> str | None:
    """Return the address of the page of a built-in rule; None for a local one."""
    return f"{SITE}/rules/{name}/" if code.startswith(RESERVED) else None
