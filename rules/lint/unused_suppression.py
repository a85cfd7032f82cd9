"""ROC901, unused-suppression."""

from __future__ import annotations

from rocmlint.rule import EngineRule

from ._comments import SUPPRESSIONS


class UnusedSuppression(EngineRule):
    """A comment that hides a finding which is no longer there.

    A ``# noqa`` is judged only where it names codes of rocmlint, and any comment only where all
    rules that it names are switched on in this run.

    ## Why it matters
    Whoever reads the comment believes that there is something to hide. And it waits: the next
    real problem on that line is never reported.

    ## Instead
    Take the comment away, or the code that hides nothing. Codes of other tools stay.

    ## Fix safety
    Safe: the comment hides nothing. The words behind a ``noqa`` stay as a comment; the reason of
    a ``rocmlint: ignore`` belongs to it and goes with it.

    ## Source
    astral-sh/ruff#2424 and #8153: Ruff takes the codes of other tools out of ``# noqa``, so they
    have to be judged by the tool that knows them.
    """

    code = "ROC901"
    name = "unused-suppression"
    since = "0.1.0"
    severity = "warning"
    on = SUPPRESSIONS
