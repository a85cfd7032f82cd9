"""The cases as tests of pytest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rocmlint.testing.cases import Case, cases

if TYPE_CHECKING:
    import os
    from collections.abc import Callable


def rule_tests(folder: str | os.PathLike[str]) -> Callable[[Case], None]:
    """Make a test function for pytest, with one case for each fixture and each law.

    ``folder`` is the directory with the rules. Assign the function to a name that begins with
    ``test_``. Raises ConfigError if a rule cannot be loaded, and ImportError without pytest.
    """
    import pytest  # noqa: PLC0415 - the command needs none

    @pytest.mark.parametrize("case", cases(folder), ids=str)
    def test_rule(case: Case) -> None:
        failures = case.failures()
        if failures:
            pytest.fail("\n".join(map(str, failures)), pytrace=False)

    return test_rule
