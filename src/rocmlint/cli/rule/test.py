"""``rocmlint rule --test``: the tests of the built-in rules, on a team's own."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rocmlint.testing import cases
from rocmlint.text.visible import at_line_start, visible

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rocmlint.rule.registry import RuleType


def test(folder: str, choose: Callable[[Sequence[RuleType]], Sequence[RuleType]]) -> int:
    """Test the rules in a folder that are chosen; print what fails, by file and line.

    Return the exit code. Raises ConfigError where there are no rules, or one cannot be loaded.
    """
    found = cases(folder)
    rules = choose(list(dict.fromkeys(each.rule for each in found)))
    wanted = [each for each in found if each.rule in rules]
    failed = 0
    for case in wanted:
        failures = case.failures()
        failed += bool(failures)
        for failure in failures:
            print(at_line_start(visible(str(failure))))
    tests = _number(len(wanted), "test")
    outcome = f"{failed} of {tests} failed" if failed else f"{tests} passed"
    print(f"Tested {_number(len(rules), 'rule')}: {outcome}.", file=sys.stderr)
    return int(failed > 0)


def _number(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
