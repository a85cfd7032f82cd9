"""Tests for local rules: the same that the built-in rules have to pass.

``rocmlint rule --test DIRECTORY`` runs them too. This module needs pytest only for
``rule_tests``.
"""

from __future__ import annotations

from rocmlint.testing.cases import Case, cases
from rocmlint.testing.failure import Failure
from rocmlint.testing.with_pytest import rule_tests

__all__ = ["Case", "Failure", "cases", "rule_tests"]
