"""ROC900, unreadable-file."""

from __future__ import annotations

from rocmlint.rule import EngineRule


class UnreadableFile(EngineRule):
    """A file that cannot be read, decoded or parsed.

    A file in which no rule has work is parsed only where its bytes already look broken (a bracket
    without its partner, the marks of a merge conflict), or with ``check-syntax``.

    ## Why it matters
    No other rule has seen the file, so silence about it means nothing; and Python cannot import
    it either.

    ## Instead
    Mend what the message names, or exclude the file if it is no Python (a template, say).

    ## Source
    Instagram/LibCST#1000: what a parser gives up on must not end the run for all other files.
    """

    code = "ROC900"
    name = "unreadable-file"
    since = "0.1.0"
