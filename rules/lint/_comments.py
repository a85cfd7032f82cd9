"""The comments that may be suppressions of rocmlint: what ROC901 and ROC902 look at."""

from __future__ import annotations

from rocmlint.rule import comments

SUPPRESSIONS = comments(
    r"\A(?:(?!# (?i:noqa):).)*# (?i:noqa):.*ROC[0-9]|#\s*rocmlint:\s*ignore",
    words=("rocmlint:", *(f"ROC{digit}" for digit in range(10))),
)
