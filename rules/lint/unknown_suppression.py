"""ROC902, unknown-suppression."""

from __future__ import annotations

from rocmlint.rule import EngineRule

from ._comments import SUPPRESSIONS


class UnknownSuppression(EngineRule):
    """A comment that should hide a finding, but names no rule that exists.

    ## Why it matters
    It hides nothing: either the finding is reported all the same, or there is none and the
    comment tells the reader of a problem that rocmlint does not know.

    ## Instead
    Write the code or the name of the rule: ``# rocmlint: ignore[ROC101] why``. In ``# noqa`` only
    codes count; flake8 takes a name there for a ``# noqa`` that hides everything.

    ## Fix safety
    Safe: what is taken away hides nothing.

    ## Source
    Ruff's invalid-rule-code (RUF102): a typing error in a suppression is
    silent in most linters.
    """

    code = "ROC902"
    name = "unknown-suppression"
    since = "0.1.0"
    severity = "warning"
    on = SUPPRESSIONS
