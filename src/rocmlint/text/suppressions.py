"""The comments that hide findings: their grammar, and text without them, as the rules see it.

A suppression says something about a finding. If its words counted as the code's own comments, a
reason such as ``fails on gfx90a`` would be what makes a rule silent, and the suppression would hide
nothing.
"""

from __future__ import annotations

import re

NOQA = re.compile(r"# noqa(?::\s?(?P<listed>(?:[A-Z]+[0-9]+[,\s]*)+))?", re.IGNORECASE)
"""``# noqa`` to the letter as flake8 reads it."""
IGNORE = re.compile(
    r"#\s*rocmlint:\s*(?P<kind>ignore(?:-file)?)(?![\w-])(?:\s*\[(?P<listed>[^\]]*)\])?"
    r"(?P<reason>(?:(?!\s+#\s).)*)"  # up to the next comment on the line
)
"""Our own comment, with its reason."""
SUPPRESSION_WORDS = (b"rocmlint:", b"ROC")
"""One of them stands in whatever :func:`has_suppressions`."""
_OURS = re.compile(rf"{IGNORE.pattern}|# (?i:noqa):\s?[A-Z0-9,\s]*\bROC[0-9](?:(?!\s+#\s).)*")


def has_suppressions(text: str) -> bool:
    """Check whether text may hold a suppression of one of our rules."""
    return "rocmlint:" in text or ("ROC" in text and "noqa" in text.lower())


def without_suppressions(comment: str) -> str:
    """Return a comment with blanks for what hides our findings; the length stays the same."""
    return _OURS.sub(lambda match: " " * len(match[0]), comment)
